"""What a system expects of one game."""

from rerate.ratings.face import BLACK, WHITE, EventInfo, Forecast, Games, Key, Period, State, System, Traits


def forecast(
    system: System,
    white: State | None,
    black: State | None,
    key: Key,
    traits: tuple[Traits, Traits] = ((), ()),
    *,
    start: str = "",
    reads: Key = (),
    read: tuple[State | None, State | None] = (None, None),
) -> Forecast:
    """Of a game in the period `key` between players of these states and traits, White's first.

    Args:
        start: the event's first day.
        reads, read: the key up to which the event reads an older list, and their states there.
    """
    games, day = Games(), str(key[0])
    games.append(0, 1, 1, 1, WHITE | BLACK, 0, "g", *traits)
    event = EventInfo("w:e", day if len(day) == 10 else f"{day}-01", start, "", reads)
    return system.foretell(Period(key, games, 0, 1, [event], (white, black), (lambda _: read) if reads else None), 0)


def expected(system: System, white: State | None, black: State | None, key: Key, traits: tuple[Traits, Traits] = ((), ())) -> int:
    """White's expected score in millionths, the period's own list being read."""
    return forecast(system, white, black, key, traits).expected
