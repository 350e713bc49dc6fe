"""What who asked a calculator should know beside the numbers."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from msgspec import Struct

from rerate.ratings import fide, fide_2009, fide_curve, uschess
from rerate.ratings.calculator_question import Asked, Outcome, Question
from rerate.ratings.fide_account import date_of
from rerate.ratings.fide_core import FideLike
from rerate.ratings.fide_dates import month_index
from rerate.ratings.fide_k import LIMIT, limited
from rerate.ratings.quantum import decimal, round_half_away

FLOORED = (fide.NAME, fide_curve.NAME)
"""Those whose lowest rating can be lifted."""


class Remark(Struct, frozen=True, kw_only=True):
    """What who asked should know beside the numbers."""

    code: str
    """`assumed`, `below-floor`, `by-hand`, `counted-to`, `curve`, `next-list`, `no-part`, `opponents`, `table`."""
    text: str


def remarks_on(asked: Asked, outcomes: Sequence[Outcome]) -> Iterator[Remark]:
    question, system = asked.question, asked.system
    if question.system == uschess.NAME:
        text = "opponents count as they were before the event; a real event reckons with its own estimates of them (steps 3 and 4)"
        yield Remark(code="opponents", text=text)
    yield from _no_part(asked)
    if asked.list_date() is not None and question.system != fide_2009.NAME and question.date[:7] != asked.key[0]:
        yield Remark(code="next-list", text=_next_list(asked))
    if question.own is None:
        return
    most, games = asked.most_games(), question.own.get("games")
    if most is not None and isinstance(games, int) and games > most and not question.assumed:
        yield Remark(code="counted-to", text=f"{games} games count as {most}, which stands for {most} or more: no rule counts further")
    if question.assumed:
        yield Remark(code="assumed", text=question.assumed)
    k, counted = question.parameters.get("k"), sum(one.fields is not None for one in question.opponents)
    if type(k) is int and isinstance(system, FideLike) and system.is_limited(date_of(asked.key)) and k * counted > LIMIT:
        games = "1 game" if counted == 1 else f"{counted} games"
        text = f"{k} x {games} is above {LIMIT}: by the rule K would be {limited(k, counted)}, but it was set by hand"
        yield Remark(code="by-hand", text=text)
    if question.system == fide.NAME:
        yield from _apart(
            "curve", "on the continuous curve, as many calculators have it", question._replace(system=fide_curve.NAME), outcomes
        )
    elif question.system == fide_curve.NAME and _is_official(question):
        table = question._replace(system=fide.NAME, quantum="1")
        yield from _apart("table", "by FIDE's table, which makes the official number", table, outcomes)


def _no_part(asked: Asked) -> Iterator[Remark]:
    """What was said and moves nothing."""
    question, is_rated = asked.question, asked.system.rated(asked.before)
    is_young = any(name == "birth_year" for name, _ in question.traits)
    if isinstance(asked.system, FideLike) and not is_rated:
        said = ["K"] * ("k" in question.parameters) + ["age"] * is_young
        if said:
            text = f"{' and '.join(said)} {'plays' if len(said) == 1 else 'play'} no part in a first rating"
            yield Remark(code="no-part", text=text)
    elif question.system == uschess.NAME and question.own is not None and is_young:
        yield Remark(code="no-part", text="age plays no part: it makes the starting value of who has no rating")


def below_floor(asked: Asked) -> Iterator[Remark]:
    """Ratings that were said and that nobody has on a list of that day."""
    system = asked.system
    floor = system.floor(date_of(asked.key)) if isinstance(system, FideLike) else None
    if floor is None:
        return
    below = dict.fromkeys(
        asked.rating(state) for state in (asked.before, *filter(None, asked.met)) if system.rated(state) and state[0] < floor
    )
    if below:
        lowest, said = decimal(floor, asked.per_point), ", ".join(filter(None, below))
        text = f"{said}: below {lowest}, the lowest rating of that day, so on a list it is nobody's"
        is_lifted = asked.question.system in FLOORED and "floor" not in asked.question.parameters
        counts = (
            "here it counts; --set floor=rule takes who has it for unrated" if is_lifted else "who is said to have it counts as unrated"
        )
        yield Remark(code="below-floor", text=f"{text}: {counts}")


def _next_list(asked: Asked) -> str:
    """Why games of one month are rated in the period of another, and what goes by it."""
    question, system, period = asked.question, asked.system, str(asked.key[0])
    text, month = f"the games go to the period {period}, of the list of {asked.list_date()}", month_index(question.date)
    if isinstance(system, FideLike) and system.closes(month) == month:
        text = f"the period {question.date[:7]}, of the list of {period}-01, was closed by {question.date}: {text}"
    is_by_age = "k" not in question.parameters and any(name == "birth_year" for name, _ in question.traits)
    return f"{text}; K goes by its year" if is_by_age and period[:4] != question.date[:4] else text


def _is_official(question: Question) -> bool:
    """Whether the table can be asked the same: its parameters, and ratings in whole points."""
    fields = [question.own, *(one.fields for one in question.opponents)]
    ratings = [Fraction(str(one["rating"])) for one in fields if one is not None]
    return question.parameters.keys() <= fide.PARAMETERS.keys() and all(rating.denominator == 1 for rating in ratings)


def _apart(code: str, how: str, other: Question, outcomes: Sequence[Outcome]) -> Iterator[Remark]:
    """Where two ways of expecting differ in a change's first place."""
    told = []
    for here, there in zip(outcomes, Asked(other).outcomes(), strict=True):
        if _tenths(here.exact) != _tenths(there.exact):
            told.append(f"{there.exact} and not {here.exact}{f' ({here.open})' if here.open else ''}")
    if told:
        yield Remark(code=code, text=f"{how}, it would be {', '.join(told)}")


def _tenths(points: str) -> int:
    exact = Fraction(points)
    return round_half_away(exact.numerator * 10, exact.denominator)
