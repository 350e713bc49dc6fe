"""What a game and an event must be beside the limits of their fields: one judgement for messages read and for patches folded."""

from typing import NamedTuple

from rerate.messages.facts import MAX_GAMES, Event, Game

PENALTIES = frozenset({"0-0", "1/2-0", "0-1/2"})
BYES = frozenset({"bye-full", "bye-half", "bye-zero", "bye-pairing"})


class Problem(NamedTuple):
    """Where a value is not what it has to be."""

    pointer: str
    """JSON pointer within the value."""
    expected: str
    found: str
    """A kind or a count, never the value."""


def game_problem(game: Game) -> Problem | None:
    """Why a game is not one, or None: the first of the rules below that it breaks."""
    if game.result in PENALTIES and game.rated is None:
        return Problem("/rated", "said, because a penalty was given", "absent")
    if (game.result == "bye-pairing") != (game.points is not None):
        return Problem("/points", "said in a pairing bye and only there", "absent" if game.points is None else "present")
    if game.result in BYES and (game.white is None) == (game.black is None):
        return Problem("/black", "exactly one side in a bye", "no side" if game.white is None else "both sides")
    if game.unrated_reason is not None and game.rated not in ("none", "white", "black"):
        return Problem("/unrated_reason", "only where rated is none, white or black", "present")
    return None


def event_problem(event: Event, games: int) -> Problem | None:
    """Why an event with this many games is not one, or None."""
    if event.start_date is not None and event.start_date > event.date:
        return Problem("/event/start_date", "not after the event's date", "a later date")
    if games > MAX_GAMES:
        return Problem("/games", f"at most {MAX_GAMES} games", f"{games} games")
    return None
