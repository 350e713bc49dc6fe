"""Which games of a folded event a list rates, and in which of its periods."""

from collections.abc import Callable
from typing import NamedTuple

from rerate.history import RatedEvent
from rerate.messages.facts import Event, Game, RatingList
from rerate.ratings.face import BLACK, WHITE, EventInfo, Key, Traits
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


def entries(
    rating_list: RatingList,
    rules: ListRules,
    rated: RatedEvent | None,
    seeded_from: Callable[[str], str | None],
    traits_of: Callable[[str], Traits],
) -> tuple[Entry, ...]:
    """The entries of an event on a list, sorted.

    Args:
        rules: the list's rules, bound.
        rated: the folded event; None or void has none.
        seeded_from: `as_of` of a person's seed on the list, or None. A game in a period before it rates for nobody.
        traits_of: what is registered of a person, of the traits that the rules ask for; asked only if they ask for any.
    """
    if rated is None or rated.event is None or rated.state == "void" or not takes(rating_list, rated.event):
        return ()
    event, out = rated.event, []
    for judged in rated.games:
        if judged.why is not None or judged.white is None or judged.black is None:
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
                _SIDES[judged.rated],
                _info(rating_list, rules, event, game, key),
                traits_of(judged.white) if rules.traits else (),
                traits_of(judged.black) if rules.traits else (),
            )
        )
    return tuple(sorted(out))


def _info(rating_list: RatingList, rules: ListRules, event: Event, game: Game, key: Key) -> EventInfo:
    system = rules.at(str(key[0]))
    start = (game.date if rating_list.dated_by == "game" else event.start_date) or event.date
    reads = system.reads(key, start) if system.reads_older else ()
    if not rules.sees_events:
        return EventInfo(event.id, event.date, reads=reads)
    return EventInfo(event.id, event.date, start, event.category or "", reads)


def _before_seed(key: Key, as_of: str | None) -> bool:
    date = str(key[0])
    return as_of is not None and date < as_of[: len(date)]
