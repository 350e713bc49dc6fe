"""From what a person says to a calculator to a question: a rating, some opponents, and of age, games and peak what K asks for."""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from rerate.ratings import club, fide, fide_2009, fide_curve, glicko, glicko2, uschess
from rerate.ratings.calculator_question import NotCalculable, Opponent, Question, value_of
from rerate.ratings.describing import described
from rerate.ratings.fide_state import GAMES_CAP
from rerate.ratings.quantum import quanta_of
from rerate.ratings.systems import Systems
from rerate.ratings.uschess_formulas import MOST_GAMES
from rerate.ratings.uschess_states import ESTABLISHED

SCORES = {"1": 2, "0.5": 1, "½": 1, "0": 0}
"""Half points by what may be said."""

QUANTA = {club.NAME: "0.1", fide.NAME: "1", fide_curve.NAME: "1", fide_2009.NAME: "1", uschess.NAME: "0.01"}
QUANTA |= {glicko.NAME: "0.01", glicko2.NAME: "0.01"}
"""The steps in which each system's ratings are had, if nothing else is said."""

_KINDS = ("event", "date", "round", "month")
"""Kinds of period that some games together may be, in the order in which one is taken if none is said."""

_UNRATED = "unrated"
_MATCH, _DUAL = "match", "dual"
_SETTLED = {club.NAME: 255, fide.NAME: GAMES_CAP, fide_curve.NAME: GAMES_CAP, fide_2009.NAME: GAMES_CAP, uschess.NAME: MOST_GAMES}
"""Games of somebody whom no rule of newcomers concerns."""

_SAID = re.compile(r"(?P<rating>[^/:]*)(?:/(?P<beside>[^/:]*))?(?::(?P<score>[^:]*)(?::(?P<colour>[^:]*))?)?\Z")


class Against(NamedTuple):
    """A game as it is said: `1600`, `1600:0.5`, `1600/80:1`, `unrated:1`, `1600:1:black`."""

    rating: str | None
    """None: unrated."""
    beside: str | None
    """What stands after the slash: a deviation, or a number of games."""
    half: int | None
    is_black: bool


class Said(NamedTuple):
    """What a person says; None and empty are what was not said. See the command's help."""

    date: str
    against: tuple[Against, ...]
    own: str | None = None
    parameters: Mapping[str, str] = MappingProxyType({})
    quantum: str | None = None
    k: int | None = None
    games: int | None = None
    peak: str | None = None
    birth_year: int | None = None
    age: int | None = None
    kind: str | None = None
    is_for_title: bool = False
    fide: str | None = None
    earlier: str | None = None
    is_match: bool = False
    is_dual: bool = False
    deviation: str | None = None
    volatility: str | None = None
    last: str | None = None
    period: str | None = None


def against(text: str) -> Against:
    """Read a game.

    Raises:
        NotCalculable: it is none.
    """
    found = _SAID.match(text)
    if found is None or not found["rating"]:
        raise NotCalculable("--vs", f"{text} is no game: say a rating and a score, 1600:0.5; without a score, win, draw and loss are shown")
    score, colour = found["score"], found["colour"]
    if score is not None and score not in SCORES:
        what = "1 is a win, 0.5 a draw, 0 a loss; without a score, win, draw and loss are shown side by side"
        raise NotCalculable("--vs", f"{text}: {score or 'nothing'} is no score of a game: {what}")
    if colour not in (None, "white", "black"):
        raise NotCalculable("--vs", f"{text}: {colour} is no colour: say white or black, for the colour of the player")
    rating = None if found["rating"] == _UNRATED else found["rating"]
    return Against(rating, found["beside"], None if score is None else SCORES[score], colour == "black")


def question_of(system: str, said: Said) -> Question:
    """The question that a person asks a system.

    Args:
        system: a name with its version.

    Raises:
        NotCalculable: something said is not what it should be, or does not go with the rest.
    """
    if not said.against:
        raise NotCalculable("--vs", "say at least one game: --vs 1600:1")
    if said.own is None:
        for name in ("games", "peak", "earlier", "deviation", "volatility", "last"):
            if getattr(said, name) is not None:
                raise NotCalculable(f"--{name}", "goes with --own: without a rating the player is a newcomer")
    asked = _Asked(system, said)
    if system == club.NAME:
        return asked.club()
    if system == uschess.NAME:
        return asked.uschess()
    return asked.glicko() if system in (glicko.NAME, glicko2.NAME) else asked.fide()


def question_of_any(system: str, said: Said, systems: Systems) -> Question:
    """The question that a person asks any system, a player's state being said field by field: `rating=1500,games=3`, or `1500`.

    Raises:
        NotCalculable: as `question_of`; also if there is no such system.
    """
    if system not in systems:
        raise NotCalculable("SYSTEM", f"there is no system {system}; those known are {', '.join(sorted(systems))}")
    about = described(system, systems[system])
    kinds = [kind for kind in _KINDS if kind in about.quanta]
    period = said.period or next(iter(kinds), _KINDS[0])
    quanta = about.quanta.get(period, ())
    quantum = said.quantum or (QUANTA[system] if QUANTA.get(system) in quanta else next(iter(quanta), "1"))
    fields = {one.name: one.example for one in about.seed}
    opponents = []
    for one in said.against:
        if one.beside is not None:
            raise NotCalculable(
                "--vs", f"/{one.beside}: say FIELD=VALUE,... for what stands beside a rating; {system} has {', '.join(fields)}"
            )
        opponents.append(Opponent(None if one.rating is None else _fields("--vs", one.rating, fields), one.half, one.is_black))
    return Question(
        system=system,
        date=said.date,
        opponents=opponents,
        own=None if said.own is None else _fields("--own", said.own, fields),
        parameters={name: value_of(system, quantum, period, name, text, systems) for name, text in said.parameters.items()},
        quantum=quantum,
        period=period,
    )


def _fields(option: str, text: str, examples: Mapping[str, object]) -> dict[str, object]:
    """A state said field by field, each value of the kind that its example has."""
    found: dict[str, object] = {}
    for part in (text if "=" in text else f"rating={text}").split(","):
        name, is_there, value = part.partition("=")
        if not is_there or name not in examples:
            raise NotCalculable(option, f"{part}: say FIELD=VALUE,...; the fields are {', '.join(examples)}")
        kind = type(examples[name])
        if kind is bool and value in ("true", "false"):
            found[name] = value == "true"
        elif kind is int and re.fullmatch("-?[0-9]{1,9}", value):
            found[name] = int(value)
        else:
            found[name] = value
    return found


class _Asked:
    def __init__(self, system: str, said: Said) -> None:
        self._system, self._said = system, said
        self._quantum = said.quantum or QUANTA[system]
        self._parameters: dict[str, object] = {}
        self._options = {name: f"--{name}" for name in ("games", "peak", "deviation", "volatility", "last")}
        self._assumed = ""

    def club(self) -> Question:
        said = self._said
        if said.k is not None:
            self._set("--k", k_new=said.k, k_established=said.k)
        else:
            self._assume("K as after the first games; say --games if there are few")
        opponents = [self._opponent(one, {"games": self._count(one)}) for one in said.against]
        return self._question("event", {"games": self._games()}, opponents)

    def fide(self) -> Question:
        said = self._said
        if said.kind is not None:
            self._set("--kind", kind=said.kind)
        if said.k is not None:
            self._set("--k", k=said.k)
        else:
            self._assume(f"K as with {GAMES_CAP} games on the list; say --games if there are fewer")
        own: dict[str, object] = {"games": self._games()}
        if said.peak is not None:
            peak = self._peak(said.peak)
            own |= {f"reached_{height}": peak >= height * 1000 for height in (2300, 2400)}
        opponents = [self._opponent(one, {}) for one in said.against]
        return self._question("month", own, opponents, self._born())._replace(is_for_title=said.is_for_title)

    def uschess(self) -> Question:
        said = self._said
        if said.is_match and said.is_dual:
            raise NotCalculable("--match", "a match is not rated by the rule of dual-rated events: say --match or --dual")
        self._set("--match", match_category=_MATCH)
        self._set("--dual", dual_category=_DUAL)
        self._assume(f"K as after {MOST_GAMES} games; say --games if there are fewer")
        own: dict[str, object] = {"games": self._games()}
        if said.peak is not None:
            self._peak(said.peak, self._games() > ESTABLISHED)
            own["peak"] = said.peak
        if said.earlier is not None:
            own |= {"dropped": said.earlier != "won", "scored": said.earlier != "lost"}
        traits = self._born()
        if said.fide is not None:
            if said.own is not None:
                raise NotCalculable("--fide", "goes without --own: a FIDE rating is converted for who has no US Chess rating")
            if not 100_000 <= _thousandths("--fide", said.fide) <= 4_000_000:
                raise NotCalculable("--fide", f"{said.fide} is no rating from 100 to 4,000")
            traits["fide"] = said.fide
        opponents = [self._opponent(one, {"games": MOST_GAMES}) for one in said.against]
        category = _MATCH if said.is_match else _DUAL if said.is_dual else "calculated"
        return self._question("event", own, opponents, traits)._replace(category=category)

    def glicko(self) -> Question:
        said = self._said
        own: dict[str, object] = {"deviation": said.deviation}
        if said.own is not None and said.deviation is None:
            raise NotCalculable(
                "--deviation", "say the deviation that goes with the rating, 350 for somebody hardly known, 50 for a regular"
            )
        if said.volatility is not None:
            own["volatility"] = said.volatility
        if said.last is not None:
            if said.last > said.date:
                raise NotCalculable("--last", f"{said.last} is after the games of {said.date}")
            own["last"] = int(said.last.replace("-", ""))
        opponents = []
        for one in said.against:
            if one.rating is not None and one.beside is None:
                raise NotCalculable("--vs", f"{one.rating}: say the opponent's deviation after a slash: {one.rating}/80")
            opponents.append(self._opponent(one, {"deviation": one.beside}))
        return self._question(said.period or "month", own, opponents)

    def _question(
        self, period: str, own: Mapping[str, object], opponents: list[Opponent], traits: Mapping[str, str | int] | None = None
    ) -> Question:
        said = self._said
        for name, text in said.parameters.items():
            if name in self._options:
                option, there = self._options[name], self._parameters.get(name)
                raise NotCalculable("--set", f"{name} is said by {option}{'' if there is None else f', here {there}'}: say it there only")
            self._parameters[name] = value_of(self._system, self._quantum, period, name, text)
        return Question(
            system=self._system,
            date=said.date,
            opponents=opponents,
            own=None if said.own is None else {"rating": said.own, **own},
            parameters=self._parameters,
            quantum=self._quantum,
            period=period,
            traits=tuple(sorted((traits or {}).items())),
            assumed=self._assumed,
            options=self._options,
        )

    def _set(self, option: str, **parameters: object) -> None:
        """Set parameters that an option of their own says."""
        self._parameters |= parameters
        self._options |= dict.fromkeys(parameters, option)

    def _peak(self, peak: str, is_at_least_own: bool = True) -> int:
        """Thousandths of the highest rating so far, which the present one is no higher than."""
        found, own = _thousandths("--peak", peak), self._said.own
        if is_at_least_own and own is not None and (quanta_of(own, 1000) or 0) > found:
            raise NotCalculable("--peak", f"{peak} is below --own {own}: the highest rating so far is at least the present one")
        return found

    def _assume(self, what: str) -> None:
        if self._said.own is not None and self._said.games is None:
            self._assumed = what

    def _games(self) -> int:
        return _SETTLED[self._system] if self._said.games is None else self._said.games

    def _opponent(self, one: Against, more: Mapping[str, object]) -> Opponent:
        if one.beside is not None and (one.rating is None or not more or self._system == uschess.NAME):
            takes = f"{self._system} knows nothing" if one.rating is not None else "nothing is known of who is unrated,"
            raise NotCalculable("--vs", f"/{one.beside}: {takes} beside an opponent's rating")
        return Opponent(None if one.rating is None else {"rating": one.rating, **more}, one.half, one.is_black)

    def _count(self, one: Against) -> int:
        """An opponent's number of games, on a club ladder."""
        if one.beside is None:
            return _SETTLED[self._system]
        if not re.fullmatch("[0-9]{1,6}", one.beside):
            raise NotCalculable("--vs", f"/{one.beside} is no number of games: {one.rating}/3 is somebody with 3 games")
        return int(one.beside)

    def _born(self) -> dict[str, str | int]:
        said, year = self._said, int(self._said.date[:4])
        if said.age is not None and said.birth_year is not None:
            raise NotCalculable("--age", "say --age or --birth-year, not both")
        if said.birth_year is not None and said.birth_year > year:
            raise NotCalculable("--birth-year", f"{said.birth_year} is after the games of {said.date}")
        born = said.birth_year if said.age is None else year - said.age
        return {} if born is None else {"birth_year": born}


def _thousandths(option: str, text: str) -> int:
    found = quanta_of(text, 1000)
    if found is None:
        raise NotCalculable(option, f"{text} is no rating")
    return found
