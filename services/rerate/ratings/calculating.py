"""A calculator over the systems: some games of one player, without any log.

Nothing is calculated here: the games become a period as the system's face asks for it, `rate` gives the result and `explain` the steps.
Games without a score are tried as won, as drawn and as lost. The day of the games is an argument; dated rules go by it.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import NamedTuple

from msgspec import Struct

from rerate.messages.codes import SYSTEM
from rerate.messages.errors import RerateError
from rerate.messages.facts import Event
from rerate.ratings import club, fide, fide_2009, fide_curve, glicko, glicko2, performance, uschess
from rerate.ratings.face import BLACK, WHITE, Documented, EventInfo, Games, Key, Period, State, Step, System, Traits, Unusable, next_month
from rerate.ratings.fide_account import date_of
from rerate.ratings.fide_core import FideLike
from rerate.ratings.fide_dates import month_index
from rerate.ratings.fide_k import LIMIT, limited
from rerate.ratings.quantum import PER_POINT, decimal, halves, quanta_of, round_half_away, signed
from rerate.ratings.refusing import rule_refusals
from rerate.ratings.systems import SYSTEMS, Systems

PARAMETERS: Mapping[str, Documented] = {one.NAME: one.PARAMETERS for one in (club, fide, fide_curve, fide_2009, uschess, glicko, glicko2)}
"""The documented parameters of each system, by its name."""

OPEN = {"win": 2, "draw": 1, "loss": 0}
"""How a game without a score may end, and the player's half points."""

_EVENT = "calc:event"
_ME = 0
_MORE_GAMES = 1_000_000

_SEEDS = {
    club.NAME: "a rating below 10,000, games from 0 up",
    fide.NAME: "a rating of 1 to 9,999 in whole points, games from 0 up",
    fide_2009.NAME: "a rating of 1 to 9,999 in whole points, games from 0 up",
    fide_curve.NAME: "a rating above 0, games from 0 up",
    uschess.NAME: "a rating of 100 or more, games from 0 up, earlier games that were not all won and all lost",
    glicko.NAME: "rating and deviation within the system's limits (350 is the widest deviation), at most three places of a deviation",
    glicko2.NAME: "rating, deviation and volatility within the system's limits, at most three places of a deviation",
}
"""What each can use as a player's state."""

_FIDE = ("fide", "perfect-tournament", "linear", "linear-800")
_PERFORMANCES = {fide.NAME: _FIDE, fide_curve.NAME: _FIDE, fide_2009.NAME: ("pf", "linear", "linear-800")}
_IN_WHOLE_POINTS = ("fide", "perfect-tournament")
_FLOORED = (fide.NAME, fide_curve.NAME)
"""Those whose lowest rating can be lifted."""
_IN_FRACTIONS = {"linear": performance.linear, "linear-800": performance.linear_800, "pf": performance.pf}


class NotCalculable(RerateError):
    """Raised when what was said is nothing to calculate with; the sentence says what would do. `option` is where it was said."""

    def __init__(self, option: str, sentence: str) -> None:
        super().__init__(sentence)
        self.option = option


class Opponent(NamedTuple):
    """A game: whom the player met and how it ended."""

    fields: Mapping[str, object] | None
    """His state, as a seed gives it; None: a newcomer of the system."""
    half: int | None
    """The player's half points; None: open."""
    is_black: bool = False
    """Whether the player had Black."""


class Question(NamedTuple):
    """Games of one player, and the rules they are rated by."""

    system: str
    date: str
    """Of the games."""
    opponents: Sequence[Opponent]
    own: Mapping[str, object] | None = None
    """His state, as a seed gives it; None: a newcomer of the system."""
    parameters: Mapping[str, object] = MappingProxyType({})
    quantum: str = "1"
    period: str = "month"
    traits: Traits = ()
    """Of the player."""
    category: str = "calculated"
    """Of the event."""
    is_for_title: bool = False
    """Whether unrated opponents count as for a title norm in the performance by FIDE's table."""
    assumed: str = ""
    """What was not said and is taken so."""
    options: Mapping[str, str] = MappingProxyType({})
    """Where a parameter, or a field of the player's state, was said; those that are not here, as `--set` and `--own`."""


class ToldStep(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One step. See `rerate.ratings.face.Step`."""

    code: str
    text: str
    source: str = ""
    game: int | None = None
    """Which of the games, from 1."""
    adds: str | None = None
    """Points it adds: an exact fraction such as `9/5`."""


class Outcome(Struct, frozen=True, kw_only=True):
    """What the games do to the player, if the open ones end as said."""

    open: str | None
    """A key of `OPEN`; None: every game has a score."""
    after: str | None
    """The rating; None: none."""
    change: str | None
    """In quanta, with its sign; None if there was none before, or is none after."""
    exact: str
    """Points that the steps ahead of the rounding add, at most four places; counted from 0 where there was no rating."""
    state: dict[str, object]
    """After the games, as rows on the wire show it."""
    steps: tuple[ToldStep, ...]


class ToldGame(Struct, frozen=True, kw_only=True):
    """A game as it was asked."""

    opponent: dict[str, object]
    """His state."""
    score: str | None
    colour: str
    """Of the player."""


class ToldPerformance(Struct, frozen=True, kw_only=True):
    """A performance rating of all games. See `rerate.ratings.performance`."""

    name: str
    rating: str
    text: str
    source: str


class Remark(Struct, frozen=True, kw_only=True):
    """What who asked should know beside the numbers."""

    code: str
    """`assumed`, `below-floor`, `by-hand`, `counted-to`, `curve`, `next-list`, `no-part`, `opponents`, `table`."""
    text: str


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


class _States:
    def __init__(self, states: Sequence[State | None]) -> None:
        self._states = states

    def __getitem__(self, player: int) -> State | None:
        return self._states[player]


def calculate(question: Question, systems: Systems = SYSTEMS) -> Answer:
    """Rate the games.

    Raises:
        NotCalculable: there is no such system, it cannot be bound to the parameters, or cannot use a state.
        NoResult: see `System.rate`.
    """
    asked = _Asked(question, systems)
    below = list(_below_floor(asked))
    if below and question.system in _FLOORED and "floor" not in question.parameters:
        question = question._replace(parameters={**question.parameters, "floor": "none"})  # who says a rating wants to see it count
        asked = _Asked(question, systems)
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
        remarks=(*below, *_remarks(asked, outcomes)),
    )


class _Asked:
    """A question bound to its system: the states, the period's key."""

    def __init__(self, question: Question, systems: Systems = SYSTEMS) -> None:
        self.question = question
        self.per_point = PER_POINT[question.quantum]
        self.system = _bound(question, systems)
        own = None if question.own is None else self._state(question.own, "--own")
        self.met = [None if one.fields is None else self._state(one.fields, "--vs") for one in question.opponents]
        self.before = own or self.system.start()
        self._states = [own, *self.met]
        self.key = self._key()

    def _state(self, fields: Mapping[str, object], option: str) -> State:
        rating, quantum = fields.get("rating"), self.question.quantum
        if rating is not None and quanta_of(str(rating), self.per_point) is None:
            raise NotCalculable(option, f"{rating} is no rating in steps of {quantum} below 10,000")
        state = self.system.seed(fields)
        if state is None:
            option = self._option(fields) if option == "--own" else option
            said = ", ".join(f"{name} {value}" for name, value in fields.items())
            takes = _SEEDS.get(self.system.name) or ", ".join(self.system.wire_state(self.system.start()))
            raise NotCalculable(option, f"{self.system.name} cannot use {said}; it takes {takes}")
        return state

    def _option(self, fields: Mapping[str, object]) -> str:
        """Where the field was said without which the player's state could be used."""
        start = self.system.wire_state(self.system.start())
        for name, option in self.question.options.items():
            if name in fields and name in start and self.system.seed({**fields, name: start[name]}) is not None:
                return option
        return "--own"

    def most_games(self) -> int | None:
        """How far the system counts: of a seed with more games than anybody has."""
        for state in filter(None, self._states):
            fields = self.system.wire_state(state)
            most = self.system.seed({**fields, "games": _MORE_GAMES}) if "games" in fields else None
            counted = None if most is None else self.system.wire_state(most)["games"]
            if isinstance(counted, int) and 0 < counted < _MORE_GAMES:
                return counted
        return None

    def list_date(self) -> str | None:
        """FIDE's lists come out on the first day after the month that names the period."""
        is_fide = isinstance(self.system, FideLike) and self.question.period == "month"
        return f"{next_month(str(self.key[0]))}-01" if is_fide else None

    def _key(self) -> Key:
        """The period of the games, as on a list."""
        question = self.question
        if question.period != "month":
            return (question.date,)
        event = Event(id=_EVENT, date=question.date, category=question.category, status="final")
        month = self.system.month(event, question.date, None)
        assert month is not None, "only a late report is rated in no month"
        return (month,)

    def _period(self, way: str | None) -> Period:
        """Games that are rated for the player only: his opponents are as they are."""
        question, games = self.question, Games()
        for number, one in enumerate(question.opponents, 1):
            half = OPEN[way] if one.half is None and way is not None else one.half
            assert half is not None
            if one.is_black:
                games.append(number, _ME, 2 - half, half, BLACK, 0, str(number), (), question.traits)
            else:
                games.append(_ME, number, half, 2 - half, WHITE, 0, str(number), question.traits, ())
        events = [EventInfo(_EVENT, question.date, question.date, question.category)]
        return Period(self.key, games, 0, len(games), events, _States(self._states))

    def outcomes(self) -> tuple[Outcome, ...]:
        is_open = any(one.half is None for one in self.question.opponents)
        return tuple(self._outcome(way) for way in (OPEN if is_open else (None,)))

    def _outcome(self, way: str | None) -> Outcome:
        system, period, before = self.system, self._period(way), self.before
        after, steps = system.rate(period)[_ME].state, system.explain(period, _ME)
        change = after[0] - before[0] if system.rated(before) and system.rated(after) else None
        return Outcome(
            open=way,
            after=self.rating(after),
            change=None if change is None else f"{'+' if change >= 0 else ''}{decimal(change, self.per_point)}",
            exact=signed(_exact(steps)),
            state=system.wire_state(after),
            steps=tuple(_told(step) for step in steps),
        )

    def rating(self, state: State) -> str | None:
        return decimal(state[0], self.per_point) if self.system.rated(state) else None

    def games(self) -> Iterator[ToldGame]:
        for one, state in zip(self.question.opponents, self.met, strict=True):
            score = None if one.half is None else halves(one.half)
            shown = self.system.wire_state(state or self.system.start())
            yield ToldGame(opponent=shown, score=score, colour="black" if one.is_black else "white")


def _bound(question: Question, systems: Systems) -> System:
    refused = rule_refusals(question.system, question.parameters, question.quantum, question.period, systems)
    for one in refused:
        whole = "SYSTEM" if one.reason == SYSTEM else "--quantum"
        raise NotCalculable(whole if one.parameter is None else question.options.get(one.parameter, "--set"), one.sentence)
    return systems[question.system](question.parameters, PER_POINT[question.quantum], question.period)


def value_of(system: str, quantum: str, period: str, name: str, text: str, systems: Systems = SYSTEMS) -> object:
    """A parameter's value said as a word: a whole number where the system takes one, else the text."""
    if text.removeprefix("-").isdecimal() and text.isascii() and len(text) < 10:
        try:
            systems[system]({name: int(text)}, PER_POINT[quantum], period)
        except Unusable:
            return text
        return int(text)
    return text


def _exact(steps: Sequence[Step]) -> Fraction:
    total = Fraction(0)
    for step in steps:
        if step.code == "rounding":
            break
        total += step.adds or 0
    return total


def _told(step: Step) -> ToldStep:
    game = None if step.game is None else step.game + 1
    return ToldStep(code=step.code, text=step.text, source=step.source, game=game, adds=None if step.adds is None else str(step.adds))


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


def _remarks(asked: _Asked, outcomes: Sequence[Outcome]) -> Iterator[Remark]:
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


def _no_part(asked: "_Asked") -> Iterator[Remark]:
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


def _below_floor(asked: "_Asked") -> Iterator[Remark]:
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
        is_lifted = asked.question.system in _FLOORED and "floor" not in asked.question.parameters
        counts = (
            "here it counts; --set floor=rule takes who has it for unrated" if is_lifted else "who is said to have it counts as unrated"
        )
        yield Remark(code="below-floor", text=f"{text}: {counts}")


def _next_list(asked: "_Asked") -> str:
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
    return question.parameters.keys() <= PARAMETERS[fide.NAME].keys() and all(rating.denominator == 1 for rating in ratings)


def _apart(code: str, how: str, other: Question, outcomes: Sequence[Outcome]) -> Iterator[Remark]:
    """Where two ways of expecting differ in a change's first place."""
    told = []
    for here, there in zip(outcomes, _Asked(other).outcomes(), strict=True):
        if _tenths(here.exact) != _tenths(there.exact):
            told.append(f"{there.exact} and not {here.exact}{f' ({here.open})' if here.open else ''}")
    if told:
        yield Remark(code=code, text=f"{how}, it would be {', '.join(told)}")


def _tenths(points: str) -> int:
    exact = Fraction(points)
    return round_half_away(exact.numerator * 10, exact.denominator)
