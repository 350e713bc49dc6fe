"""A calculator over the systems: some games of one player, without any log.

The day of the games is an argument; dated rules go by it. Performance ratings stand beside the answer, they are no part of it.
"""

from fractions import Fraction

from msgspec import Struct

from rerate.ratings import fide, fide_2009, fide_curve, performance
from rerate.ratings.calculator_question import Asked, Outcome, Question, ToldGame
from rerate.ratings.calculator_remarks import FLOORED, Remark, below_floor, remarks_on
from rerate.ratings.systems import SYSTEMS, Systems

_FIDE = ("fide", "perfect-tournament", "linear", "linear-800")
_PERFORMANCES = {fide.NAME: _FIDE, fide_curve.NAME: _FIDE, fide_2009.NAME: ("pf", "linear", "linear-800")}
_IN_WHOLE_POINTS = ("fide", "perfect-tournament")
_IN_FRACTIONS = {"linear": performance.linear, "linear-800": performance.linear_800, "pf": performance.pf}


class ToldPerformance(Struct, frozen=True, kw_only=True):
    """A performance rating of all games. See `rerate.ratings.performance`."""

    name: str
    rating: str
    text: str
    source: str


class Answer(Struct, frozen=True, kw_only=True):
    """A question's answer."""

    system: str
    date: str
    period: str
    """The date or month of the period in which the games are rated."""
    list_date: str | None
    """The day on which the period's list comes out; None: the system knows no such days."""
    quantum: str
    parameters: dict[str, object]
    """Those that were set."""
    most_games: int | None
    """The system counts no further: a state's `games` of so many stands for so many or more; None: it counts none."""
    before: str | None
    """The rating; None: none."""
    state: dict[str, object]
    """Before the games."""
    games: tuple[ToldGame, ...]
    outcomes: tuple[Outcome, ...]
    """One, or those of `OPEN` in their order."""
    performance: tuple[ToldPerformance, ...]
    """Empty if a game is open, or nobody met has a rating."""
    remarks: tuple[Remark, ...]


def calculate(question: Question, systems: Systems = SYSTEMS) -> Answer:
    """Rate the games.

    Raises:
        NotCalculable: there is no such system, it cannot be bound to the parameters, or cannot use a state.
        NoResult: see `System.rate`.
    """
    asked = Asked(question, systems)
    below = list(below_floor(asked))
    if below and question.system in FLOORED and "floor" not in question.parameters:
        question = question._replace(parameters={**question.parameters, "floor": "none"})  # who says a rating wants to see it count
        asked = Asked(question, systems)
    system, before = asked.system, asked.before
    outcomes = asked.outcomes()
    return Answer(
        system=system.name,
        date=question.date,
        period=str(asked.key[0]),
        list_date=asked.list_date(),
        quantum=question.quantum,
        parameters=dict(question.parameters),
        most_games=asked.most_games(),
        before=asked.rating(before),
        state=system.wire_state(before),
        games=tuple(asked.games()),
        outcomes=outcomes,
        performance=_performances(question),
        remarks=(*below, *remarks_on(asked, outcomes)),
    )


def _performances(question: Question) -> tuple[ToldPerformance, ...]:
    ratings = [None if one.fields is None else one.fields.get("rating") for one in question.opponents]
    played = [
        (None if rating is None else Fraction(str(rating)), one.half) for rating, one in zip(ratings, question.opponents, strict=True)
    ]
    games = [(rating, half) for rating, half in played if half is not None]
    known = [(rating, half) for rating, half in games if rating is not None]
    if len(games) < len(played) or not known:
        return ()
    whole = [(int(rating), half) for rating, half in known if rating.denominator == 1]
    found = []
    for name in _PERFORMANCES.get(question.system, ("linear", "linear-800")):
        if name in _IN_WHOLE_POINTS and len(whole) < len(known):
            continue
        if name == "fide" and question.is_for_title:
            one = performance.fide([(None if rating is None else int(rating), half) for rating, half in games], performance.TITLE_UNRATED)
        elif name in _IN_WHOLE_POINTS:
            one = performance.BY_NAME[name](whole)
        else:
            one = _IN_FRACTIONS[name](known)
        found.append(ToldPerformance(name=name, rating=performance.points(one.rating), text=one.text, source=one.source))
    return tuple(found)
