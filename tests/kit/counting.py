"""A list's replay whose work can be counted, fed with games said in short."""

from collections.abc import Mapping

from rerate.messages.facts import RatingList, Rule
from rerate.ratings.club import Club
from rerate.ratings.face import EventInfo, Key, Period, Row
from rerate.ratings.systems import ListRules
from rerate.replay.entries import Entry
from rerate.replay.replay import Change, ListReplay

_HALF_POINTS = {">": (2, 0), "=": (1, 1), "<": (0, 2)}


class Counting(Club):
    """club/1, noting how often periods are rated, and how many games they have."""

    def __init__(self, parameters: Mapping[str, object]) -> None:
        super().__init__(parameters, 10, "event")
        self.periods = self.games_rated = 0

    def rate(self, period: Period) -> dict[int, Row]:
        self.periods += 1
        self.games_rated += period.high - period.low
        return super().rate(period)


class CountedReplay:
    """A replay with a period a date, or another kind, and the work of its last step."""

    def __init__(self, kind: str = "date", **parameters: object) -> None:
        rules = (Rule(system="club/1", parameters={}),)
        self.system = Counting(parameters)
        bound = ListRules(RatingList(id="elo", quantum="0.1", shown="1", period="date", rules=rules))
        bound.systems = [self.system]
        self.replay = ListReplay(kind, bound)
        self._kind = kind

    def set(self, event: str, date: str, *games: str, key: Key | None = None) -> None:
        """What an event enters: games such as `A>B`; none takes it out."""
        entries = []
        for number, game in enumerate(games, start=1):
            sign = next(sign for sign in _HALF_POINTS if sign in game)
            white, black = game.split(sign)
            of = key or ((date[:7],) if self._kind == "month" else (date,))
            entries.append(Entry(of, 0, event, 0, 0, f"g{number}", white, black, *_HALF_POINTS[sign], 3, EventInfo(event, date)))
        self.replay.edit(event, tuple(entries))

    def step(self) -> Change:
        """Replay, counting anew."""
        self.system.periods = self.system.games_rated = 0
        return self.replay.replay()

    @property
    def periods_rated(self) -> int:
        """How often a period was rated in the last step."""
        return self.system.periods
