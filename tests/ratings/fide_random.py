"""Random histories of a FIDE-like list, a month at a time, through a system's face."""

from random import Random

from rerate.ratings.face import EventInfo, Games, Key, Period, Row, State, System
from tests.ratings import fide_plain
from tests.ratings.fide_kit import Lists


def next_month(month: str, by: int = 1) -> str:
    number = int(month[:4]) * 12 + int(month[5:]) - 1 + by
    return f"{number // 12}-{number % 12 + 1:02d}"


class History:
    """A list that goes on month by month: the lists before each, and the events that close in each."""

    def __init__(self, system: System, random: Random, first: str, players: int = 10) -> None:
        self.system, self.random, self.first = system, random, first
        self.players = list(range(players))
        self.lists: dict[str, dict[int, State]] = {first: {}}
        self.months: list[str] = []
        self.births = {player: int(first[:4]) - random.randint(12, 25) for player in self.players if random.random() < 0.5}
        self.before_all: dict[int, State] = {}

    def seed(self, low: int, high: int, share: float = 0.75) -> None:
        """Give some players a rating before the first month."""
        for player in self.players:
            if self.random.random() < share:
                state = self.system.seed(
                    {"rating": str(self.random.randint(low, high)), "games": self.random.choice([0, 5, 25, 29, 30, 80])}
                )
                assert state is not None
                self.lists[self.first][player] = state

    def events(self, month: str, most: int = 3, games: int = 12) -> list[fide_plain.Event]:
        """Some events that are rated in this month, begun in it or in the two before."""
        random, out = self.random, []
        for number in range(random.randint(1, most)):
            begun = max(next_month(month, -random.choice([0, 0, 1, 2])), self.first)
            start = f"{begun}-{random.randint(1, 28):02d}"
            end = max(start, f"{month}-{random.randint(1, 28):02d}")
            field = random.sample(self.players, random.randint(2, len(self.players)))
            played = []
            for _ in range(random.randint(1, games)):
                white, black = random.sample(field, 2)
                score, other = random.choice([(1, 0), (1, 0), (0.5, 0.5), (0, 1), (0, 1), (0, 0), (0.5, 0)])
                sides = random.choice([(True, True)] * 8 + [(True, False), (False, True)])
                played.append((white, black, score, other, *sides))
            out.append(fide_plain.Event(f"w:{month}-{number}", start, end, played))
        return out

    def period(self, month: str, events: list[fide_plain.Event]) -> Period:
        """The period of a month as a replay would hand it over."""
        columns, infos = Games(), []
        for number, event in enumerate(events):
            reads = self.system.reads((month,), event.start)
            infos.append(EventInfo(event.id, event.end, event.start, "open", reads))
            for at, (white, black, score, other, for_white, for_black) in enumerate(event.games):
                traits = [(("birth_year", self.births[player]),) if player in self.births else () for player in (white, black)]
                columns.append(
                    white,
                    black,
                    int(score * 2),
                    int(other * 2),
                    for_white + 2 * for_black,
                    number,
                    f"g{at}",
                    white_traits=traits[0],
                    black_traits=traits[1],
                )
        return Period((month,), columns, 0, len(columns), infos, Lists(self.lists[month]), self.older)

    def older(self, key: Key) -> Lists:
        return Lists(self.lists[max(str(key[0]), self.first)])

    def play(self, month: str, events: list[fide_plain.Event]) -> dict[int, Row]:
        """Rate a month; the list of the next stands after it."""
        rows = self.system.rate(self.period(month, events))
        self.lists[next_month(month)] = self.lists[month] | {player: row.state for player, row in rows.items()}
        self.months.append(month)
        return rows
