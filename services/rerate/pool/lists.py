"""One list of a pool as published: its configuration, edition, replay and the snapshots that stand."""

from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256

from msgspec import to_builtins

from rerate.history import History, RatedEvent
from rerate.messages.canonical import canonical
from rerate.messages.codes import CARRIED, DIRECT
from rerate.messages.facts import DELTAS, SNAPSHOTS, RatingList, Rule
from rerate.pool.head import ListHead
from rerate.pool.rows import Snapshot, Value, delta_value, snapshot_of, snapshot_value
from rerate.pool.update import Collected, Emit
from rerate.ratings.face import State, Traits
from rerate.ratings.systems import ListRules
from rerate.replay.entries import Entry, entries
from rerate.replay.periods import key_text
from rerate.replay.replay import ListReplay
from rerate.replay.walk import RowChange

MOST_OLDER = 16
"""Older lists kept at hand for lists that fall back on this one."""


class HeldList:
    """A list in the configuration in force that this engine cannot rate."""

    def __init__(self, config: RatingList, edition: int, reason: str) -> None:
        self.config, self.edition, self.reason = config, edition, reason

    def head(self) -> ListHead:
        """What the head says of it."""
        return ListHead(
            edition=self.edition,
            players=0,
            rows=0,
            rules_digest=rules_digest(self.config),
            held=self.reason,
            shadow=bool(self.config.shadow),
        )


class LiveList:
    """A list that is rated: what its rows are, and how they change."""

    def __init__(self, pool: str, config: RatingList, rules: ListRules, edition: int) -> None:
        self.config, self.edition = config, edition
        self.replay = ListReplay(config.period, rules)
        self._pool = pool
        self._prefix = f"{pool}/{config.id}@{edition}"
        self._snapshots: dict[str, Snapshot] = {}
        self._reshown: set[str] = set()
        self.fallbacks: dict[str, LiveList] = {}
        """Lists whose ratings stand in for missing ones of this, by id; each published before this one."""
        self._older: dict[str, list[State | None]] = {}
        """Everybody's state before a month, as far as asked for since the last replay."""

    # ------------------------------------------------------------------ facts in

    def fill(self, history: History) -> None:
        """Enter everything that the history has for this list."""
        for person in history.seeds(self.config.id):
            self.reseed(history, person)
        self.adjust(history, history.adjustments(self.config.id))
        self.enter(history, history.events)

    def fall_back_on(self, live: Mapping[str, "LiveList"]) -> None:
        """See the lists of a pool whose ratings stand in for missing ones of this; all of them are there, or this one would be held."""
        self.fallbacks = {name: live[name] for name in self.replay.rules.fallbacks}

    def adjust(self, history: History, adjustments: Iterable[str]) -> None:
        """Take over adjustments as they are now."""
        in_force = history.adjustments(self.config.id)
        for adjustment in adjustments:
            self.replay.adjust(adjustment, in_force.get(adjustment))

    def enter(self, history: History, events: Iterable[str]) -> None:
        """Enter events anew, as they are now."""
        for event in events:
            self.replay.edit(event, self.entries(history, history.events.get(event)))

    def entries(self, history: History, rated: RatedEvent | None) -> tuple[Entry, ...]:
        """What an event enters on this list."""

        def seeded_from(person: str) -> str | None:
            group = history.seed(self.config.id, person)
            return None if group is None else group.as_of

        def traits_of(person: str) -> Traits:
            registered = history.registration(person)
            traits = {} if registered is None else registered.traits
            return tuple((name, _told(traits[name])) for name in sorted(self.replay.rules.traits & traits.keys()))

        def fallback_of(of_list: str, person: str, start: str) -> str | None:
            other = self.fallbacks.get(of_list)  # where lists change, none is seen yet: events are entered once more then
            return None if other is None else other.rating_before(start[:7], person)

        return entries(self.config, self.replay.rules, rated, seeded_from, traits_of, fallback_of)

    def rating_before(self, month: str, person: str) -> str | None:
        """A person's rating before the periods of a month; None without one."""
        number = self.replay.number_of(person)
        if number is None:
            return None
        if month not in self._older:
            if len(self._older) == MOST_OLDER:
                self._older.pop(next(iter(self._older)))
            self._older[month] = self.replay.states_before((month,))
        states = self._older[month]
        state = states[number] if number < len(states) else None
        return None if state is None or self._begins_later(person, month) else self.replay.rules.rating(state)

    def _begins_later(self, person: str, month: str) -> bool:
        seed = self.replay.seed_of(person)
        return seed is not None and month < seed[0][:7]

    def reseed(self, history: History, person: str) -> set[str]:
        """Take over a person's seeds as they are now.

        Returns:
            Events to enter anew, because the seed's date is another.
        """
        group, was = history.seed(self.config.id, person), self.replay.seed_of(person)
        if group is None:
            self.replay.seed(person, None)
        else:
            self.replay.seed(person, (group.as_of, self.replay.rules.seed_state(group.chosen, group.others)))
        self._reshown.add(person)
        same = (group and group.as_of) == (was and was[0])
        return set() if same else set(history.events_of(person))

    def reconfigure(self, history: History, config: RatingList, rules: ListRules) -> None:
        """Go on under a configuration that asks for no new edition."""
        self.config, self.replay.rules = config, rules
        for person in set(history.seeds(config.id)) | set(self._snapshots):
            self.reseed(history, person)
        self.adjust(history, {*history.adjustments(config.id), *self.replay.adjustments})
        self.enter(history, history.events)

    # ------------------------------------------------------------------ rows out

    def publish(self, history: History, collected: Collected | None) -> set[str]:
        """Replay, and collect the rows and snapshots that are not what they were, if that is wanted.

        Returns:
            Whose rating may be another, at any time.
        """
        change = self.replay.replay()
        self._older.clear()
        touched = change.players | self._reshown
        if collected is not None:
            self._emit_rows(change.rows, collected.emit)
        self._emit_snapshots(history, touched, None if collected is None else collected.emit)
        self._reshown = set()
        return touched

    def _emit_rows(self, rows: Iterable[RowChange], emit: Emit) -> None:
        for row in rows:
            key = f"{self._prefix}/{row.player}/{key_text(row.key)}"
            by: Value = {
                "edition": self.edition,
                "cause": DIRECT if row.direct else CARRIED,
                "before": None if row.old is None else self.replay.rules.rating(row.old),
            }
            emit(DELTAS, key, delta_value(self._pool, self.config.id, self.replay, row.key, row.player, row.new), by)
            if row.new is None:
                emit(DELTAS, key, None, by)

    def _emit_snapshots(self, history: History, persons: Iterable[str], emit: Emit | None) -> None:
        rules = self.replay.rules
        for person in sorted(persons):
            snapshot = snapshot_of(self.replay, person, self._seed_games(history, person))
            if snapshot == self._snapshots.get(person):
                continue
            key = f"{self._prefix}/{person}"
            if snapshot is None:
                del self._snapshots[person]
            else:
                self._snapshots[person] = snapshot
            if emit is not None:
                value = None if snapshot is None else snapshot_value(self._pool, self.config.id, person, rules, snapshot)
                emit(SNAPSHOTS, key, value, {"edition": self.edition})

    def row_keys(self) -> Iterator[tuple[str, str]]:
        """Topic and key of everything that stands on the wire of this edition."""
        for key, person in self.replay.row_keys():
            yield DELTAS, f"{self._prefix}/{person}/{key_text(key)}"
        for person in sorted(self._snapshots):
            yield SNAPSHOTS, f"{self._prefix}/{person}"

    def _seed_games(self, history: History, person: str) -> int:
        group = history.seed(self.config.id, person)
        if group is None:
            return 0
        counts = [seed.state.get("games", 0) for seed in (group.chosen, *group.others)]
        return sum(count for count in counts if isinstance(count, int))

    # ------------------------------------------------------------------ head

    def head(self) -> ListHead:
        """What the head says of this list."""
        rows, inputs = self.replay.digest()
        return ListHead(
            edition=self.edition,
            players=self.replay.player_count,
            rows=self.replay.row_count,
            list_digest=rows.hex(),
            input_digest=inputs.hex(),
            rules_digest=rules_digest(self.config),
            shadow=bool(self.config.shadow),
        )

    def asks_new_edition(self, config: RatingList, rules: ListRules) -> bool:
        """Whether rows already there would mean something else under another configuration: another quantum, shown rounding or period
        kind, another rule for a period that has rows, or another layout of states (which the seeds' digest has, too)."""
        old = self.config
        if (old.quantum, old.shown, old.period) != (config.quantum, config.shown, config.period):
            return True
        if rules.systems[0].layout != self.replay.rules.systems[0].layout:
            return True
        return any(rule_at(old, date) != rule_at(config, date) for date in set(self.replay.dates_with_rows()))


def _told(value: str | int | bool) -> str | int:
    """A trait as systems see it: to Python, 1 and true are equal."""
    return str(value).lower() if isinstance(value, bool) else value


def rule_at(config: RatingList, date: str) -> bytes:
    """System and parameters, as sent, of a period of this date (or month: on its first day), as canonical bytes."""
    date = date if len(date) == 10 else f"{date}-01"
    found: Rule = config.rules[0]
    for rule in config.rules[1:]:
        if rule.from_ is not None and rule.from_ <= date:
            found = rule
    return canonical([found.system, found.parameters])


def rules_digest(config: RatingList) -> str:
    """SHA-256 of RFC 8785 of the list object as sent."""
    return sha256(canonical(to_builtins(config))).hexdigest()
