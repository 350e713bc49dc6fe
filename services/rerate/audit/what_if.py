"""What planned games would do: the same replay with them in it, against the ratings in force."""

from collections.abc import Sequence
from decimal import Decimal

from msgspec import Struct

from rerate.audit.why import NothingToExplain, ToldStep, the_list, told_row
from rerate.history import JudgedGame, RatedEvent
from rerate.messages.facts import Event, Game
from rerate.pool.lists import LiveList
from rerate.pool.pool import Pool
from rerate.ratings.face import BLACK, WHITE
from rerate.ratings.systems import SYSTEMS, Systems
from rerate.replay.entries import Entry
from rerate.replay.periods import key_text

PLANNED = "planned"
"""No fact can name an event so: its id has an authority."""

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
    before_from: str | None = None
    """Id of the list whose rating it is, standing in for a missing one."""
    without: str | None
    """After the period without the planned games: the rating before, moved by what is rated in that period already."""
    after: str | None
    """After it, and with it after whatever else is rated in that period."""
    planned: str | None
    """What the planned games do, with its sign: from `without` to `after`. None if one of the two is."""
    steps: tuple[ToldStep, ...]


class Scenario(Struct, frozen=True, kw_only=True):
    """Results, and what they would do."""

    results: tuple[str, ...]
    """Of the planned games, in their order."""
    outcomes: tuple[Outcome, ...]
    """By player."""


class Beside(Struct, frozen=True, kw_only=True):
    """Games of a player of the planned games that the list rates in their period already."""

    player: str
    event: str
    games: tuple[str, ...]
    """Ids."""


class Preview(Struct, frozen=True, kw_only=True):
    """Planned games on a list."""

    pool: str
    list: str
    update: int
    """The newest."""
    period: str
    """In which they would be rated."""
    games: tuple[Planned, ...]
    beside: tuple[Beside, ...]
    """By player, then event."""
    unknown: tuple[str, ...]
    """Ids without a game, registration, merge or usable seed in the pool: newcomers, or misspelt."""
    scenarios: tuple[Scenario, ...]


def preview(
    pool: Pool,
    games: Sequence[Planned],
    date: str,
    list_id: str | None = None,
    *,
    category: str | None = None,
    systems: Systems = SYSTEMS,
) -> Preview:
    """Rate planned games as one event of a date, and take them out again.

    With a result for every game there is one scenario. A single game without one is tried with each result; several without are refused,
    since their scenarios would be too many to read.

    Args:
        category: of the planned event; None: one that the list takes.
        systems: those that the pool is rated with.

    Raises:
        NothingToExplain: no such list; the list would not rate the games, and why; results missing.
    """
    name, live = the_list(pool, list_id, systems)
    given = tuple(game.result for game in games)
    if any(result is not None and result not in RESULTS for result in given):
        raise NothingToExplain(f"a result is one of {', '.join(RESULTS)}")
    if None in given and len(games) > 1:
        raise NothingToExplain("of several games each needs its result, WHITE,BLACK,RESULT; one game alone is tried with all three")
    tried = [(result,) for result in RESULTS] if given == (None,) else [tuple(result or "" for result in given)]
    variant = (live.config.variants or ("standard",))[0]
    of = (live.config.categories or ("planned",))[0] if category is None else category
    event = Event(id=PLANNED, date=date, category=of, variant=variant, status="final", lists=(name,) if category is None else None)
    if category is not None and live.config.categories is not None and category not in live.config.categories:
        raise NothingToExplain(f"list {name} takes no event of category {category}; those it takes are {', '.join(live.config.categories)}")
    entered = [_entries(pool, live, event, games, results) for results in tried]
    scenarios = [Scenario(results=results, outcomes=_tried(live, one)) for results, one in zip(tried, entered, strict=True)]
    return Preview(
        pool=pool.id,
        list=name,
        update=pool.update,
        period=key_text(entered[0][0].key),
        games=tuple(games),
        beside=_beside(live, entered[0]),
        unknown=tuple(dict.fromkeys(one for game in games for one in (game.white, game.black) if not pool.history.has_player(one))),
        scenarios=tuple(scenarios),
    )


def _beside(live: LiveList, entries: tuple[Entry, ...]) -> tuple[Beside, ...]:
    """Games of the players that the periods of planned games have already."""
    replay, found = live.replay, dict[tuple[str, str], list[str]]()
    players = {player for entry in entries for player in (entry.white, entry.black)}
    for key in sorted({entry.key for entry in entries}):
        period = replay.period(key)
        if period is None:
            continue
        games = period.games
        for g in range(period.low, period.high):
            sides = ((games.white[g], WHITE), (games.black[g], BLACK))
            for player in (replay.person(number) for number, side in sides if games.rated[g] & side):
                if player in players:
                    found.setdefault((player, replay.event_id(games.event[g])), []).append(games.ids[g])
    return tuple(Beside(player=player, event=event, games=tuple(ids)) for (player, event), ids in sorted(found.items()))


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
    rated = {(player, key): replay.row(player, key) for player in players for key in {entry.key for entry in entries}}
    replay.edit(PLANNED, entries)
    replay.replay()
    outcomes, keys = [], sorted({entry.key for entry in entries})
    for player in players:
        his, number = [key for key in keys if replay.row(player, key) is not None], replay.number_of(player)
        assert number is not None
        first, state, without = told_row(replay, his[0], number), replay.row(player, his[-1]), rated[player, his[-1]]
        after = None if state is None else rules.rating(state)
        alone = first.before if without is None else rules.rating(without)
        outcomes.append(
            Outcome(
                player=player,
                before=first.before,
                before_from=first.before_from,
                without=alone,
                after=after,
                planned=None if after is None or alone is None else f"{Decimal(after) - Decimal(alone):+}",
                steps=(*first.steps, *(step for key in his[1:] for step in told_row(replay, key, number).steps)),
            )
        )
    replay.edit(PLANNED, ())
    replay.replay()
    return tuple(outcomes)
