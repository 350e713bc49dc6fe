"""Which games of an event the facts rate, and why not the others. Ratings play no part, and lists neither.

A running event has one thing to say to some lists: which of its games are over already, each on a day of its own (`JudgedGame.early`).
"""

from collections.abc import Callable, Iterable, Sequence

from rerate.history.values import JudgedGame
from rerate.messages.codes import (
    DECLARED_UNRATED,
    NOT_PLAYED,
    ROUND_CLASH,
    RUNNING,
    SAME_PERSON,
    UNKNOWN_SIDE,
    UnratedWhy,
)
from rerate.messages.facts import Game, RatedSides

PLAYED = frozenset({"1-0", "1/2-1/2", "0-1", "0-0", "1/2-0", "0-1/2"})
"""Results of games that were played, penalties included."""

Clashes = dict[tuple[str, int], tuple[str, str]]
"""(person, round) -> the two smallest raw ids under which that person played in it."""


def judge(games: Sequence[Game], is_running: bool, person: Callable[[str], str]) -> tuple[JudgedGame, ...]:
    """Judge the games of one event, by the first reason that fits: not played; a side without id; declared unrated; running; one person
    on both sides; one person under two ids in a round.

    A game that only waits for its event to be over is rated early, by lists whose periods are those of the games, if it has a date.

    Args:
        games: ruled, raw ids, in the order in which they are wanted back.
        person: who a raw id is in this event.
    """
    clashes = clashes_of(games, person)
    out = []
    for game in games:
        white = None if game.white is None else person(game.white)
        black = None if game.black is None else person(game.black)
        clash: tuple[str, str] | None = None
        why: UnratedWhy | None = None
        early: RatedSides = "none"
        if game.result not in PLAYED:
            why = NOT_PLAYED
        elif white is None or black is None:
            why = UNKNOWN_SIDE
        elif game.rated == "none":
            why = DECLARED_UNRATED
        elif is_running:
            why = RUNNING
            if game.date is not None and white != black and _clash(clashes, game, white, black) is None:
                early = game.rated or "both"
        elif white == black:
            why = SAME_PERSON
        else:
            clash = _clash(clashes, game, white, black)
            why = None if clash is None else ROUND_CLASH
        rated = "none" if why is not None else game.rated or "both"
        out.append(JudgedGame(game=game, white=white, black=black, rated=rated, why=why, clash=clash, early=early))
    return tuple(out)


def _clash(clashes: Clashes, game: Game, white: str, black: str) -> tuple[str, str] | None:
    """The two ids of the side that stands twice in the game's round; White's if both do."""
    if not clashes or game.round is None:
        return None
    return clashes.get((white, game.round)) or clashes.get((black, game.round))


def clashes_of(games: Iterable[Game], person: Callable[[str], str]) -> Clashes:
    """Persons of whom two raw ids stand in played games of one round; declared-unrated games and games against himself count too."""
    ids: dict[tuple[str, int], set[str]] = {}
    for game in games:
        if game.round is not None and game.result in PLAYED:
            for raw in (game.white, game.black):
                if raw is not None:
                    ids.setdefault((person(raw), game.round), set()).add(raw)
    clashes: Clashes = {}
    for key, raws in ids.items():
        if len(raws) > 1:
            first, second, *_ = sorted(raws)
            clashes[key] = (first, second)
    return clashes
