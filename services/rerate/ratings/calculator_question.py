"""A question to a calculator, bound to its system: some games of one player as a period, rated and explained by the system's face.

Nothing is calculated here. Games without a score are tried as won, as drawn and as lost.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import NamedTuple

from msgspec import Struct

from rerate.messages.codes import SYSTEM
from rerate.messages.errors import RerateError
from rerate.messages.facts import Event
from rerate.ratings.face import BLACK, WHITE, EventInfo, Games, Key, Period, State, Step, System, Traits, Unusable, next_month
from rerate.ratings.fide_core import FideLike
from rerate.ratings.quantum import PER_POINT, decimal, halves, quanta_of, signed
from rerate.ratings.refusing import rule_refusals
from rerate.ratings.seed_faults import seed_fault
from rerate.ratings.systems import SYSTEMS, Systems

OPEN = {"win": 2, "draw": 1, "loss": 0}
"""How a game without a score may end, and the player's half points."""

_EVENT = "calc:event"
_ME = 0
_MORE_GAMES = 1_000_000


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


class _States:
    def __init__(self, states: Sequence[State | None]) -> None:
        self._states = states

    def __getitem__(self, player: int) -> State | None:
        return self._states[player]


class Asked:
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
            fault = seed_fault(self.system, fields, self.question.parameters)
            where = self.question.options.get(fault.field, option) if option == "--own" else option
            said = ", ".join(f"{name} {value}" for name, value in fields.items())
            raise NotCalculable(where, f"{self.system.name} cannot use {said}{fault.why}")
        return state

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
