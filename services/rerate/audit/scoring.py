"""How well lists foretell games: each game is predicted from what its list knew before the period, then held to what happened.

A report, not a rating: its sums are floats and its logarithm is the machine's, and nothing here ever reaches a state, a row or a digest.

A forecast is White's expected score in millionths, by the list's own system (`System.foretell`) from the list that judges the event. With
p the forecast and s the points that White scored (0, 1/2, 1):

* log loss is -(s ln p + (1 - s) ln(1 - p)), in nats; so a draw is half a win and half a loss, -(ln p + ln(1 - p)) / 2. A forecast of 0 or 1
  is taken for one millionth and for one less than a million of them, the nearest that can be told from it;
* the Brier score is (s - p)^2.

Of both the mean is told, and smaller is better. Lists are compared over the same games: those that every one of them rates for both
players, with results that share one point (penalties do not).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from math import fsum, log
from typing import Literal, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from rerate.audit.why import why_held
from rerate.messages.codes import FALLBACK as FALLBACK_HELD
from rerate.messages.codes import SENTENCES
from rerate.messages.errors import RerateError
from rerate.messages.facts import RatingList, Rule
from rerate.pool.lists import HeldList, LiveList
from rerate.pool.pool import Pool
from rerate.ratings.expected import SCALE
from rerate.ratings.face import BLACK, WHITE, Forecast, State, System
from rerate.ratings.refusing import Refusal, refusals, rule_refusals
from rerate.ratings.systems import SYSTEMS, ListRules, Systems, able_to_stand_in, bind
from rerate.replay.periods import date_of
from rerate.replay.replay import ListReplay

BOTH = WHITE | BLACK
BINS = 10
"""Bands of forecasts in a calibration."""

_QUANTA: tuple[Literal["1", "0.1", "0.01", "0.001"], ...] = ("0.1", "0.01", "0.001", "1")
_PERIODS: tuple[Literal["event", "date", "month", "round", "game"], ...] = ("event", "date", "month", "round", "game")

OnProgress = Callable[[str, int, int], None]
"""Takes what is being done, how much is done, and of how much."""


class NothingToScore(RerateError):
    """Raised when there is no such list or system, or no game to compare; says what there is."""


class Foretold(NamedTuple):
    """A game before and after it was played."""

    forecast: Forecast
    half_points: int
    """White's: 0, 1, 2."""


GameName = tuple[str, str]
"""Event id, game id."""


class Contender(NamedTuple):
    """A list, or the facts of a list under another system."""

    name: str
    """The list's id, or the system as it was asked for."""
    config: RatingList
    """As it was rated."""
    replay: ListReplay


class Band(Struct, frozen=True, kw_only=True):
    """Games whose forecasts lie in [low, high), in the highest band also at its end."""

    low: float
    high: float
    games: int
    forecast: float | None
    """Mean; None without a game."""
    score: float | None
    """Mean points of White."""


class Score(Struct, frozen=True, kw_only=True):
    """How well one list foretold."""

    name: str
    list: str
    systems: tuple[str, ...]
    """Of its rules, by date."""
    period: str
    quantum: str
    shadow: bool
    """Whether it is a shadow list of the pool."""
    log_loss: float
    """Mean, nats."""
    brier: float
    """Mean."""
    forecast: float
    """Mean; the score that White had is the same for all."""
    unrated: int
    """Games of which the list had no rating for a player (not `Forecast.is_rated`)."""
    calibration: tuple[Band, ...]


class Comparison(Struct, frozen=True, kw_only=True):
    """Lists held to the same games."""

    pool: str
    games: int
    left_out: int
    """Games that some of the lists rate, not all."""
    score: float
    """Mean points of White."""
    coin_log_loss: float
    """What a forecast of one half for every game comes to."""
    coin_brier: float
    scores: tuple[Score, ...]
    """As asked."""


def log_loss(expected: int, half_points: int) -> float:
    """Of one game, see above."""
    p = min(max(expected, 1), SCALE - 1)
    return -(half_points * log(p / SCALE) + (2 - half_points) * log((SCALE - p) / SCALE)) / 2


def brier(expected: int, half_points: int) -> float:
    """Of one game, see above."""
    return (half_points / 2 - expected / SCALE) ** 2


def foretold(replay: ListReplay) -> Iterator[tuple[GameName, Foretold]]:
    """Every game of a list that is rated for both players and shares one point, in the list's order."""
    for period in replay.walked():
        system, games = replay.rules.at(date_of(period.key)), period.games
        for g in range(period.low, period.high):
            if games.rated[g] != BOTH or games.white_half[g] + games.black_half[g] != 2:
                continue
            yield (period.events[games.event[g]].id, games.ids[g]), Foretold(system.foretell(period, g), games.white_half[g])


def of_list(pool: Pool, list_id: str, systems: Systems = SYSTEMS) -> Contender:
    """A list of a pool.

    Args:
        systems: those that the pool is rated with.

    Raises:
        NothingToScore: the pool has none of this id that is rated; it is held, and why.
    """
    live, held = pool.live().get(list_id), pool.lists.get(list_id)
    if isinstance(held, HeldList):
        raise NothingToScore(f"{pool.id}: {why_held(pool, held, systems)}")
    if live is None:
        there = ", ".join(rated_lists(pool)) or "none"
        raise NothingToScore(f"{pool.id} has no list {list_id} that is rated; its lists are {there}")
    return Contender(list_id, live.config, live.replay)


def rated_lists(pool: Pool) -> list[str]:
    """Ids of the lists of a pool that are rated, shadow lists among them."""
    return sorted(pool.live())


def under_system(pool: Pool, list_id: str, asked: str, systems: Systems = SYSTEMS) -> Contender:
    """The facts of a list under a system of one's own choice, from the list's first game on.

    Period and quantum are the list's where the system has them, else the first that it has. A seed counts with all its fields, or with its
    rating alone, as far as the system can use it; adjustments, decided for the list as it is, are not made.

    Args:
        asked: `glicko/1`, or with parameters `fide-curve/1,newcomer=1500,k=20`; a whole number is taken for a number where the system has
            it so, else for a decimal.

    Raises:
        NothingToScore: no such list or system, parameters that the system does not have, or a `fallback` that cannot stand in: a list of
            the pool, rated, which falls back on none.
    """
    config = of_list(pool, list_id, systems).config
    name, *given = asked.split(",")
    readings = _parameters(asked, given)
    chosen = _bound(config, name, readings, systems) if name in systems else None
    if chosen is None:
        raise NothingToScore(f"{asked}: {_refused(config, name, readings, systems)}")
    config, rules = chosen
    if not rules.fallbacks <= able_to_stand_in({name: one.replay.rules for name, one in pool.live().items() if name != list_id}):
        refused = refusals(config, systems, [one.config for one in pool.lists.values()])
        raise NothingToScore(f"{asked}: {'; '.join(one.sentence for one in refused) or SENTENCES['list-held'][FALLBACK_HELD]}")
    live = LiveList(pool.id, config, rules, 1)
    for person, group in pool.history.seeds(list_id).items():
        state = _seeded(rules.at(group.chosen.as_of), group.chosen.state, group.chosen.as_of)
        if state is not None:
            live.replay.seed(person, (group.chosen.as_of, state))
    live.fall_back_on(pool.live())
    live.enter(pool.history, pool.history.events)
    live.replay.replay()
    return Contender(asked, config, live.replay)


def compare(pool: Pool, contenders: Sequence[Contender], *, on_progress: OnProgress = lambda step, done, of: None) -> Comparison:
    """Hold contenders to the games that all of them rate.

    Raises:
        NothingToScore: there is no such game.
    """
    found: list[dict[GameName, Foretold]] = []
    for done, contender in enumerate(contenders):
        on_progress(f"foretelling by {contender.name}", done, len(contenders))
        found.append(dict(foretold(contender.replay)))
    every = set().union(*found)
    shared = [game for game in found[0] if all(game in one for one in found)] if found else []
    if not shared:
        raise NothingToScore(f"{pool.id}: {_nothing_shared([one.name for one in contenders], found)}")
    halves = [found[0][game].half_points for game in shared]
    return Comparison(
        pool=pool.id,
        games=len(shared),
        left_out=len(every) - len(shared),
        score=sum(halves) / len(shared) / 2,
        coin_log_loss=_mean([log_loss(SCALE // 2, half) for half in halves]),
        coin_brier=_mean([brier(SCALE // 2, half) for half in halves]),
        scores=tuple(_score(one, [games[game] for game in shared]) for one, games in zip(contenders, found, strict=True)),
    )


def _nothing_shared(names: Sequence[str], found: Sequence[Mapping[GameName, Foretold]]) -> str:
    """That no game is shared, and lists that share some: from each in turn on all that still have a game in common, the most of them."""
    if len(names) < 2:
        return f"there is no game that {names[0]} rates" if names else "there is no list to score"
    best: list[str] = []
    for first in range(len(names)):
        group, shared = [names[first]], set(found[first])
        for name, games in zip(names, found, strict=True):
            if name not in group and shared & games.keys():
                group.append(name)
                shared &= games.keys()
        best = max(best, group if shared else [], key=len)
    advice = (
        f"; {' and '.join(best)} have some in common: name them with --lists" if len(best) > 1 else "; no two of them have one in common"
    )
    return f"there is no game that {' and '.join(names)} all rate{advice}"


def _score(contender: Contender, games: Sequence[Foretold]) -> Score:
    config = contender.config
    return Score(
        name=contender.name,
        list=config.id,
        systems=tuple(system.name for system in contender.replay.rules.systems),
        period=config.period,
        quantum=config.quantum,
        shadow=bool(config.shadow),
        log_loss=_mean([log_loss(game.forecast.expected, game.half_points) for game in games]),
        brier=_mean([brier(game.forecast.expected, game.half_points) for game in games]),
        forecast=sum(game.forecast.expected for game in games) / len(games) / SCALE,
        unrated=sum(not game.forecast.is_rated for game in games),
        calibration=calibration(games),
    )


def calibration(games: Iterable[Foretold]) -> tuple[Band, ...]:
    """Mean forecast and mean score of the games in each tenth of forecasts."""
    counts, expected, halves = [0] * BINS, [0] * BINS, [0] * BINS
    for game in games:
        at = min(game.forecast.expected * BINS // SCALE, BINS - 1)
        counts[at] += 1
        expected[at] += game.forecast.expected
        halves[at] += game.half_points
    return tuple(
        Band(
            low=at / BINS,
            high=(at + 1) / BINS,
            games=n,
            forecast=expected[at] / n / SCALE if n else None,
            score=halves[at] / n / 2 if n else None,
        )
        for at, n in enumerate(counts)
    )


def _mean(values: Sequence[float]) -> float:
    return fsum(values) / len(values)


def _parameters(asked: str, given: Sequence[str]) -> list[dict[str, str | int]]:
    """The readings of parameters, each whole number as a number first."""
    readings: list[list[tuple[str, str | int]]] = []
    for parameter in given:
        name, equals, value = parameter.partition("=")
        if not name or not equals:
            raise NothingToScore(f"{asked}: a parameter is NAME=VALUE, found {parameter!r}")
        readings.append([(name, int(value)), (name, value)] if value.removeprefix("-").isdecimal() else [(name, value)])
    return [dict(reading) for reading in product(*readings)]


def _bound(
    config: RatingList, system: str, readings: Sequence[dict[str, str | int]], systems: Systems
) -> tuple[RatingList, ListRules] | None:
    """The list under the system, with the first period and quantum that the system takes, the list's own before all."""
    quanta = (config.quantum, *_QUANTA)
    for period, quantum, parameters in product((config.period, *_PERIODS), quanta, readings):
        rule = Rule(system=system, parameters=dict(parameters))
        candidate = replace(config, period=period, quantum=quantum, shadow=None, rules=(rule,))
        rules = bind(candidate, systems)
        if isinstance(rules, ListRules):
            return candidate, rules
    return None


def _refused(config: RatingList, system: str, readings: Sequence[dict[str, str | int]], systems: Systems) -> str:
    """What a system refuses, of the reading and the place on which it refuses least; the list's own before all."""
    quanta, least = (config.quantum, *_QUANTA), list[Refusal]()
    for period, quantum, parameters in product((config.period, *_PERIODS), quanta, readings):
        found = rule_refusals(system, parameters, quantum, period, systems)
        is_about_parameters = all(one.parameter is not None for one in found)
        if not least or (is_about_parameters, -len(found)) > (all(one.parameter is not None for one in least), -len(least)):
            least = found
    return "; ".join(one.sentence for one in least)


def _seeded(system: System, fields: Mapping[str, object], as_of: str) -> State | None:
    """A seed for another system than it was meant for: as it is, or its rating alone."""
    state = system.seed(fields, as_of)
    return state if state is not None or "rating" not in fields else system.seed({"rating": fields["rating"]}, as_of)
