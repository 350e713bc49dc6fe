"""Which games of a folded event a list rates, and in which of its periods."""

from collections.abc import Callable
from typing import NamedTuple

from rerate.history import JudgedGame, RatedEvent
from rerate.messages.codes import RUNNING
from rerate.messages.facts import Event, Game, RatedSides, RatingList
from rerate.ratings.face import BLACK, FALLBACK, WHITE, EventInfo, Key, Traits
from rerate.ratings.systems import ListRules
from rerate.replay.periods import period_of

SCORES: dict[str, tuple[int, int]] = {
    "1-0": (2, 0),
    "1/2-1/2": (1, 1),
    "0-1": (0, 2),
    "0-0": (0, 0),
    "1/2-0": (1, 0),
    "0-1/2": (0, 1),
}
"""Half points of White and Black in results of games that were played."""

_SIDES = {"both": WHITE | BLACK, "white": WHITE, "black": BLACK}


class Entry(NamedTuple):
    """A rated game in its place on a list: sorting entries sorts by period, event, round, board, game."""

    key: Key
    order: int
    event: str
    round: int
    board: int
    id: str
    white: str
    """Person."""
    black: str
    white_half: int
    black_half: int
    rated: int
    """Bits, `face.WHITE` and `face.BLACK`."""
    info: EventInfo
    """What the list's systems see of the event."""
    white_traits: Traits = ()
    black_traits: Traits = ()
    day: str = ""
    """See `Games.days`."""


def takes(rating_list: RatingList, event: Event) -> bool:
    """Whether a list takes an event: named by the event, or its category fits; its date lies in [from, until); its variant is one of the
    list's (standard only, unless the list names variants; bughouse never)."""
    if event.lists is not None:
        if rating_list.id not in event.lists:
            return False
    elif rating_list.categories is not None and event.category not in rating_list.categories:
        return False
    if rating_list.from_ is not None and event.date < rating_list.from_:
        return False
    if rating_list.until is not None and event.date >= rating_list.until:
        return False
    variant = event.variant or "standard"
    return variant != "bughouse" and variant in (rating_list.variants if rating_list.variants is not None else ("standard",))


def sides_rated(rating_list: RatingList, judged: JudgedGame) -> RatedSides:
    """For whom a list rates a game of an event that it takes: with `dated_by: game` a running event's too, if they are over."""
    return judged.early if rating_list.dated_by == "game" and judged.why == RUNNING else judged.rated


def entries(
    rating_list: RatingList,
    rules: ListRules,
    rated: RatedEvent | None,
    seeded_from: Callable[[str], str | None],
    traits_of: Callable[[str], Traits],
    fallback_of: Callable[[str, str, str], str | None] = lambda of_list, person, start: None,
) -> tuple[Entry, ...]:
    """The entries of an event on a list, sorted.

    Args:
        rules: the list's rules, bound.
        rated: the folded event; None or void has none.
        seeded_from: `as_of` of a person's seed on the list, or None. A game in a period before it rates for nobody.
        traits_of: what is registered of a person, of the traits that the rules ask for; asked only if they ask for any.
        fallback_of: the rating that a person has on another list (by its id) at the start of an event; asked only if the rules ask.
    """
    if rated is None or rated.event is None or rated.state == "void" or not takes(rating_list, rated.event):
        return ()
    event, out = rated.event, []
    is_by_day = rating_list.period == "month" and rating_list.dated_by == "game"

    def seen(person: str, key: Key, game: Game) -> Traits:
        traits = traits_of(person) if rules.traits else ()
        of_list = rules.at(str(key[0])).fallback if rules.fallbacks else None
        if of_list is None or (rating := fallback_of(of_list, person, _judged_on(rating_list, event, game))) is None:
            return traits
        return (*traits, (FALLBACK, rating))

    for judged in rated.games:
        sides = sides_rated(rating_list, judged)
        if sides == "none" or judged.white is None or judged.black is None:
            continue
        game = judged.game
        key = period_of(rating_list, rules, event, game)
        if key is None or _before_seed(key, seeded_from(judged.white)) or _before_seed(key, seeded_from(judged.black)):
            continue
        white_half, black_half = SCORES[game.result]
        out.append(
            Entry(
                key,
                event.order or 0,
                event.id,
                game.round or 0,
                game.board or 0,
                game.id,
                judged.white,
                judged.black,
                white_half,
                black_half,
                _SIDES[sides],
                _info(rating_list, rules, event, game, key),
                seen(judged.white, key, game),
                seen(judged.black, key, game),
                (game.date or "") if is_by_day else "",
            )
        )
    return tuple(sorted(out))


def _info(rating_list: RatingList, rules: ListRules, event: Event, game: Game, key: Key) -> EventInfo:
    system = rules.at(str(key[0]))
    reads = system.reads(key, _judged_on(rating_list, event, game)) if system.reads_older else ()
    if not rules.sees_events:
        return EventInfo(event.id, event.date, reads=reads)
    return EventInfo(event.id, event.date, event.start_date or event.date, event.category or "", reads)


def _judged_on(rating_list: RatingList, event: Event, game: Game) -> str:
    """The day whose list judges a game: the event's first, with `dated_by: game` the game's own. The rules are those of the event's first
    day all the same: what changes on a date changes for events that begin on it or later."""
    return (game.date if rating_list.dated_by == "game" else event.start_date) or event.date


def _before_seed(key: Key, as_of: str | None) -> bool:
    date = str(key[0])
    return as_of is not None and date < as_of[: len(date)]
