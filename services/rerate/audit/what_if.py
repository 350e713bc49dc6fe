"""What planned games would do: the same replay with them in it, against the ratings in force."""

from collections.abc import Sequence

from msgspec import Struct

from rerate.audit.why import NothingToExplain, ToldStep, the_list, told_steps
from rerate.history import JudgedGame, RatedEvent
from rerate.messages.facts import Event, Game
from rerate.pool.lists import LiveList
from rerate.pool.pool import Pool
from rerate.replay.entries import Entry
from rerate.replay.periods import key_text

PLANNED = "planned:event"
RESULTS = ("1-0", "1/2-1/2", "0-1")


class Planned(Struct, frozen=True, kw_only=True):
    """A game that may be played."""

    white: str
    """Any id of the person."""
    black: str
    result: str | None = None
    """One of `RESULTS`; None: each of them is tried."""


class Outcome(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What it would do to one player."""

    player: str
    before: str | None
    """The rating before the period of the planned games; None: none."""
    after: str | None
    """After it, and with it after whatever else is rated in that period."""
    steps: tuple[ToldStep, ...]


class Scenario(Struct, frozen=True, kw_only=True):
    """Results, and what they would do."""

    results: tuple[str, ...]
    """Of the planned games, in their order."""
    outcomes: tuple[Outcome, ...]
    """By player."""


class Preview(Struct, frozen=True, kw_only=True):
    """Planned games on a list."""

    pool: str
    list: str
    update: int
    """The newest."""
    period: str
    """In which they would be rated."""
    games: tuple[Planned, ...]
    scenarios: tuple[Scenario, ...]


def preview(pool: Pool, games: Sequence[Planned], date: str, list_id: str | None = None, *, category: str = "planned") -> Preview:
    """Rate planned games as one event of a date, and take them out again.

    With a result for every game there is one scenario. A single game without one is tried with each result; several without are refused,
    since their scenarios would be too many to read.

    Raises:
        NothingToExplain: no such list; the list would not rate the games, and why; results missing.
    """
    name, live = the_list(pool, list_id)
    given = tuple(game.result for game in games)
    if any(result is not None and result not in RESULTS for result in given):
        raise NothingToExplain(f"a result is one of {', '.join(RESULTS)}")
    if None in given and len(games) > 1:
        raise NothingToExplain("of several games each needs its result, WHITE,BLACK,RESULT; one game alone is tried with all three")
    tried = [(result,) for result in RESULTS] if given == (None,) else [tuple(result or "" for result in given)]
    variant = (live.config.variants or ("standard",))[0]
    event = Event(id=PLANNED, date=date, category=category, variant=variant, status="final", lists=(name,))
    scenarios = []
    period = ""
    for results in tried:
        entries = _entries(pool, live, event, games, results)
        period = key_text(entries[0].key)
        scenarios.append(Scenario(results=results, outcomes=_tried(live, entries)))
    return Preview(pool=pool.id, list=name, update=pool.update, period=period, games=tuple(games), scenarios=tuple(scenarios))


def _entries(pool: Pool, live: LiveList, event: Event, games: Sequence[Planned], results: Sequence[str]) -> tuple[Entry, ...]:
    judged = []
    for number, (planned, result) in enumerate(zip(games, results, strict=True), start=1):
        white, black = pool.history.person(planned.white), pool.history.person(planned.black)
        if white == black:
            raise NothingToExplain(f"{planned.white} and {planned.black} are one person")
        game = Game(id=f"g{number}", white=planned.white, black=planned.black, result=result)  # type: ignore[arg-type]  # one of RESULTS
        judged.append(JudgedGame(game=game, white=white, black=black, rated="both", why=None, clash=None))
    rated = RatedEvent(id=event.id, state="live", event=event, games=tuple(judged), flags=(), facts=())
    entries = live.entries(pool.history, rated)
    if len(entries) < len(games):
        rated_ids = {entry.id for entry in entries}
        left = [f"{one.white} against {one.black}" for n, one in enumerate(games, start=1) if f"g{n}" not in rated_ids]
        why = "see its first and last day, and the dates of the players' seeds"
        raise NothingToExplain(f"list {live.config.id} would not rate on {event.date}: {', '.join(left)}; {why}")
    return entries


def _tried(live: LiveList, entries: tuple[Entry, ...]) -> tuple[Outcome, ...]:
    replay, rules = live.replay, live.replay.rules
    players = sorted({player for entry in entries for player in (entry.white, entry.black)})
    replay.edit(PLANNED, entries)
    replay.replay()
    outcomes, keys = [], sorted({entry.key for entry in entries})
    for player in players:
        his, number = [key for key in keys if replay.row(player, key) is not None], replay.number_of(player)
        assert number is not None
        was, state = replay.states_before(his[0])[number], replay.row(player, his[-1])
        outcomes.append(
            Outcome(
                player=player,
                before=None if was is None else rules.rating(was),
                after=None if state is None else rules.rating(state),
                steps=tuple(step for key in his for step in told_steps(replay, key, number)),
            )
        )
    replay.edit(PLANNED, ())
    replay.replay()
    return tuple(outcomes)
