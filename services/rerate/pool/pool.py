"""One pool: facts in by `take`, an update out. The only way anything changes; rater, audit, dry run and demo all go through it."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import MappingProxyType

from rerate.history import Changes, History
from rerate.messages.codes import (
    DIGEST,
    FALLBACK,
    FOLD,
    LIST,
    LIVE,
    NO_RESULT,
    ROW_TOO_LARGE,
    SYSTEM,
    TOO_MANY_ROWS,
    HaltReason,
    ListHeld,
    StandingReason,
)
from rerate.messages.codes import SEMANTICS as UNKNOWN_SEMANTICS
from rerate.messages.errors import RerateError
from rerate.messages.facts import DELTAS, ROW_TOPICS, Fact, Identity, PoolConfigured, Position, RatingAdjusted, RatingList, RatingSeeded
from rerate.pool.head import Head, head_digest, read_head, write_head
from rerate.pool.lists import HeldList, LiveList, rules_digest
from rerate.pool.mending import mended, mended_deltas
from rerate.pool.rows import Value, identity_value, rated_event_value, standing_value
from rerate.pool.update import Collected, Update, Wire
from rerate.ratings.face import NoResult
from rerate.ratings.systems import SYSTEMS, ListRules, Systems, adjustment_problem, bind, bind_all, seed_problem

MAX_ROWS = 2_000_000
"""Rows of one update; more halts the pool."""

MAX_ROW_BYTES = 15 * 1024 * 1024
"""Value of one row; a larger one halts the pool. A log takes 16 MiB a record, key and headers among them."""

SEMANTICS = 1
"""The version of the fold that this engine has."""

NOTHING: Mapping[str, str] = MappingProxyType({})

POOL_EDITION = 1
"""Edition of events, ids and standings: that of the fold."""


class Halt(RerateError):
    """Raised when a pool must stand still: its head will say so with `reason`, its facts are kept. An operator reads the reason, and ends
    it with `rerate rater --rebuild POOL`."""

    def __init__(self, pool: str, reason: HaltReason, detail: str) -> None:
        super().__init__(f"pool {pool} is halted ({reason}): {detail}")
        self.pool, self.reason, self.detail = pool, reason, detail


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a pool is told from outside."""

    engine: str
    """Name and version, for the heads."""
    systems: Systems = field(default_factory=lambda: SYSTEMS)
    max_rows: int = MAX_ROWS
    max_row_bytes: int = MAX_ROW_BYTES


class Pool:
    """The state of one pool as of its newest head: always what a replay of its facts from nothing would give."""

    def __init__(self, pool: str, settings: Settings) -> None:
        self.id = pool
        self.head: Head | None = None
        """The newest one published; None before the first update."""
        self._settings = settings
        self._history = History(self._seed_problem, self._adjustment_problem)
        self._positions: dict[Identity, Position] = {}
        self._lists: dict[str, LiveList | HeldList] = {}
        self._left: dict[str, int] = {}
        self._rules: dict[str, tuple[RatingList, ListRules | ListHeld]] = {}
        """List -> its configuration by which seeds and adjustments were judged last, and that bound."""
        self._head_digest: str | None = None
        self._rules_at_start: dict[str, str] = {}
        """Rules digests in the head this pool was begun from, of lists not configured yet."""
        self._held_at_start: dict[str, str] = {}
        """Lists held in the head this pool was restored from, and why: they stay so until the next update, then begin an edition of their
        own. Until then their seeds have no effect, but where they only wait for another list."""

    # ------------------------------------------------------------------ what it is asked

    @property
    def history(self) -> History:
        """The folded facts, to be read only."""
        return self._history

    @property
    def lists(self) -> Mapping[str, LiveList | HeldList]:
        """The lists of the configuration in force, to be read only."""
        return self._lists

    def live(self) -> dict[str, LiveList]:
        """The lists that are rated, by id."""
        return {name: one for name, one in self._lists.items() if isinstance(one, LiveList)}

    @property
    def update(self) -> int:
        """Number of the newest update; 0 before the first."""
        return 0 if self.head is None else self.head.update

    # ------------------------------------------------------------------ facts in, update out

    def take(self, batch: Iterable[tuple[Fact, Position]], positions: Mapping[str, int], append_time_ms: int) -> Update | None:
        """Fold a batch of accepted facts and re-rate what it touches, in one replay.

        Args:
            batch: facts with their positions; facts known already change nothing.
            positions: next offset of each fact topic, all of the batch being before them.
            append_time_ms: the log's time of the newest fact, milliseconds since 1970 UTC.

        Returns:
            The update, or None if no row changed.

        Raises:
            Halt: the pool must stand still. This object is of no use any more then.
        """
        with _halting(self.id):
            collected = Collected()
            woken, self._held_at_start = self._held_at_start, {}
            self._apply(batch, collected, woken)
            if not collected.count:
                return None
            return self._close(collected.wire(self.update + 1), positions, append_time_ms)

    # ------------------------------------------------------------------ starting again

    @classmethod
    def restore(cls, pool: str, settings: Settings, facts: Iterable[tuple[Fact, Position]], head: bytes | None) -> "Pool":
        """The pool as of a head, built from the facts before its positions and held against its digests.

        Args:
            head: value of the newest head; None if there is none.

        Raises:
            Halt: `digest` if the facts do not give the head's digests; else as `take`.
        """
        self = cls(pool, settings)
        self._begin(head)
        with _halting(pool):
            self._apply(facts, None)
            if self.head is not None:
                self._left = dict(self.head.left)
                self._compare(self.head)
        return self

    @classmethod
    def rebuild(
        cls,
        pool: str,
        settings: Settings,
        facts: Iterable[tuple[Fact, Position]],
        head: bytes | None,
        published: Mapping[str, Mapping[str, bytes]],
        positions: Mapping[str, int],
        append_time_ms: int,
    ) -> tuple["Pool", Update]:
        """The pool built from all its facts, and the update that brings the rows on the topics to what it says.

        There is always an update, without a row if the topics are right. It ends a halt.

        Args:
            published: row topic -> key -> value, as they stand on the topics.
        """
        self = cls(pool, settings)
        self._begin(head)
        self._held_at_start = {}  # this is an update
        collected, number = Collected(), self.update + 1
        with _halting(pool):
            self._apply(facts, collected)
        if self.head is not None:
            last = dict(self.head.left) | {name: entry.edition for name, entry in self.head.lists.items()}
            self._left = {name: edition for name, edition in last.items() if name not in self._lists}
        wanted = collected.wire(number)
        editions = {f"{pool}/{name}@{entry.edition}" for name, entry in self._lists.items()}
        rows = {
            topic: mended_deltas(wanted[topic], there, editions, number) if topic == DELTAS else mended(wanted[topic], there)
            for topic, there in ((topic, published.get(topic, {})) for topic in ROW_TOPICS)
        }
        with _halting(pool):
            return self, self._close(rows, positions, append_time_ms)

    def _begin(self, head: bytes | None) -> None:
        if head is not None:
            self.head, self._head_digest = read_head(head), head_digest(head)
            self._left = dict(self.head.left) | {name: entry.edition - 1 for name, entry in self.head.lists.items()}
            self._held_at_start = {name: entry.held for name, entry in self.head.lists.items() if entry.held is not None}
            self._rules_at_start = {name: entry.rules_digest for name, entry in self.head.lists.items()}

    def _compare(self, head: Head) -> None:
        for name, entry in head.lists.items():
            have = self._lists.get(name)
            if isinstance(have, HeldList) and entry.held in (None, FALLBACK):
                reason = self._bind(have.config)
                if isinstance(reason, str):
                    then = "install what it lacks" if reason == SYSTEM else "use the one that made it"
                    what = f"this engine cannot rate list {name} of head {head.update} ({reason}): {then}, or rebuild to go without"
                    raise Halt(self.id, DIGEST, what)
        for name, entry in head.lists.items():
            have = self._lists.get(name)
            if entry.held is not None:
                continue
            if isinstance(have, HeldList):
                what = f"by this engine list {name} of head {head.update} has no list to fall back on: use the one that made it, or rebuild"
                raise Halt(self.id, DIGEST, what)
            if have is None:
                raise Halt(self.id, DIGEST, f"the newest head has a list {name} that the facts do not give")
            rows, inputs = have.replay.digest()
            if (rows.hex(), inputs.hex()) != (entry.list_digest, entry.input_digest):
                what = "games" if inputs.hex() != entry.input_digest else "ratings"
                raise Halt(self.id, DIGEST, f"the {what} of list {name} are not those of head {head.update}")

    # ------------------------------------------------------------------ inside

    def _apply(self, batch: Iterable[tuple[Fact, Position]], collected: Collected | None, woken: Mapping[str, str] = NOTHING) -> None:
        """Bring everything up to date with the batch; what changed goes to `collected`, if that is wanted.

        Args:
            woken: lists that were held until now because the newest head holds them, and why it does.
        """
        facts = []
        for fact, position in batch:
            if fact.identity not in self._positions:
                self._positions[fact.identity] = position
                facts.append(fact)
        changes = self._history.add(facts, [name for name, reason in woken.items() if reason != FALLBACK])
        config = self._history.configuration
        if config is not None and (config.semantics or SEMANTICS) != SEMANTICS:
            detail = f"its configuration asks for semantics {config.semantics}, this engine has {SEMANTICS}"
            raise Halt(self.id, UNKNOWN_SEMANTICS, detail)
        if collected is not None:
            self._emit_folded(changes, collected)
        fresh = self._configure(config, collected) if changes.configuration is not None or self._wakes(woken) else set()
        are_rebound = changes.configuration is not None or bool(fresh)
        if are_rebound:
            live = self.live()
            for rated_list in live.values():
                rated_list.fall_back_on(live)
        touched: dict[str, set[str]] = {}
        for list_id, rated_list in self._in_order():
            if list_id in fresh:
                events = {event for event, (_, rated) in changes.events.items() if rated is None}
            else:
                events = set(changes.events)
                for of_list, person in changes.seeds:
                    if of_list == list_id:
                        events |= rated_list.reseed(self._history, person)
                rated_list.adjust(self._history, [name for of_list, name in changes.adjusted if of_list == list_id])
                if rated_list.replay.rules.traits:
                    events.update(event for person in changes.registered for event in self._history.events_of(person))
            for other in rated_list.fallbacks:
                events.update(event for person in touched[other] for event in self._history.events_of(person))
            if are_rebound and rated_list.replay.rules.fallbacks:
                events.update(self._history.events)
            rated_list.enter(self._history, events)
            touched[list_id] = rated_list.publish(self._history, collected)

    def _in_order(self) -> list[tuple[str, LiveList]]:
        """The lists that are rated, those that fall back on others last."""
        return sorted(self.live().items(), key=lambda one: (bool(one[1].fallbacks), one[0]))

    def _emit_folded(self, changes: Changes, collected: Collected) -> None:
        for event, (_, rated) in changes.events.items():
            key = f"{self.id}@{POOL_EDITION}/{event}"
            if rated is None:
                collected.emit("rated-events", key, None, {})
            else:
                by: Value = {"edition": POOL_EDITION, "facts": [self._named(identity) for identity in rated.facts]}
                collected.emit("rated-events", key, rated_event_value(self.id, rated), by)
        for raw, (_, identity_row) in changes.identities.items():
            holds = None if identity_row is None else identity_value(self.id, identity_row)
            collected.emit("person-ids", f"{self.id}@{POOL_EDITION}/{raw}", holds, {"edition": POOL_EDITION})
        for name, (_, standing) in changes.standings.items():
            by = {"edition": POOL_EDITION, "positions": [self._position(content.identity) for content in standing.contents]}
            key = f"{self.id}@{POOL_EDITION}/{name.source}/{name.id}"
            collected.emit("fact-standings", key, standing_value(self.id, name, standing), by)

    def _wakes(self, woken: Mapping[str, str]) -> bool:
        """Whether a list that the newest head holds can be rated by this engine, or is held by it for another reason."""
        bound = bind_all((entry.config for entry in self._lists.values()), self._settings.systems) if woken else {}
        return any(bound.get(name) != reason for name, reason in woken.items())

    def _configure(self, config: PoolConfigured | None, collected: Collected | None) -> set[str]:
        """Put a new configuration in force; returns the lists that hold everything already."""
        wanted = {rating_list.id: rating_list for rating_list in (config.lists if config is not None else ())}
        fresh: set[str] = set()
        for list_id in [name for name in self._lists if name not in wanted]:
            self._leave(self._lists.pop(list_id), collected)
        bound = bind_all(wanted.values(), self._settings.systems, self._held_at_start)
        for list_id, rating_list in wanted.items():
            rules, old = bound[list_id], self._lists.get(list_id)
            if isinstance(rules, str):
                if isinstance(old, LiveList):
                    self._leave(old, collected)
                edition = old.edition if isinstance(old, HeldList) else self._next_edition(rating_list)
                self._lists[list_id] = HeldList(rating_list, edition, rules)
                continue
            fresh.add(list_id)
            if isinstance(old, LiveList) and not old.asks_new_edition(rating_list, rules):
                old.reconfigure(self._history, rating_list, rules)
                continue
            if old is not None:
                self._leave(old, collected)
            made = self._lists[list_id] = LiveList(self.id, rating_list, rules, self._next_edition(rating_list))
            made.fill(self._history)
        return fresh

    def _seed_problem(self, rating_list: RatingList | None, seed: RatingSeeded) -> StandingReason | None:
        if self._sleeps(rating_list):
            return LIST
        return seed_problem(rating_list, seed, self._bind)

    def _adjustment_problem(self, rating_list: RatingList | None, adjusted: RatingAdjusted) -> StandingReason | None:
        if self._sleeps(rating_list):
            return LIST
        return adjustment_problem(rating_list, adjusted, self._bind)

    def _sleeps(self, rating_list: RatingList | None) -> bool:
        """Whether what is said of a list has no effect yet because the newest head holds it for itself."""
        return rating_list is not None and self._held_at_start.get(rating_list.id, FALLBACK) != FALLBACK

    def _bind(self, rating_list: RatingList) -> ListRules | ListHeld:
        """See `bind`; a federation's seeds ask for it one by one."""
        known = self._rules.get(rating_list.id)
        if known is None or known[0] is not rating_list:
            known = self._rules[rating_list.id] = rating_list, bind(rating_list, self._settings.systems)
        return known[1]

    def _next_edition(self, rating_list: RatingList) -> int:
        """The edition with which a list begins: of the head this pool began from, if it is configured as it was there, else the next."""
        begun = self._rules_at_start.pop(rating_list.id, None)
        return self._left.pop(rating_list.id, 0) + (1 if begun in (None, rules_digest(rating_list)) else 2)

    def _leave(self, old: LiveList | HeldList, collected: Collected | None) -> None:
        """A list's edition ends: its rows are tombstoned, its number is kept."""
        self._left[old.config.id] = old.edition
        if isinstance(old, LiveList) and collected is not None:
            for topic, key in old.row_keys():
                collected.emit(topic, key, None, {})

    def _close(self, rows: Mapping[str, list[Wire]], positions: Mapping[str, int], append_time_ms: int) -> Update:
        self._bound(rows)
        head = Head(
            pool=self.id,
            update=self.update + 1,
            previous=self._head_digest,
            positions=dict(positions),
            append_time_ms=append_time_ms,
            edition=POOL_EDITION,
            lists={list_id: entry.head() for list_id, entry in self._lists.items()},
            left=dict(self._left),
            semantics=SEMANTICS,
            engine=self._settings.engine,
            state=LIVE,
        )
        value = write_head(head)
        self.head, self._head_digest = head, head_digest(value)
        return Update(pool=self.id, number=head.update, rows=rows, head=value)

    def _bound(self, rows: Mapping[str, list[Wire]]) -> None:
        """Raise Halt where the log could not carry the rows."""
        count, most = sum(map(len, rows.values())), self._settings.max_rows
        if count > most:
            raise Halt(self.id, TOO_MANY_ROWS, f"an update of {count} rows, {most} is the bound")
        largest = self._settings.max_row_bytes
        for topic, wired in rows.items():
            for key, value in wired:
                if value is not None and len(value) > largest:
                    raise Halt(self.id, ROW_TOO_LARGE, f"the row {key} of {topic} has {len(value)} bytes, {largest} is the bound")

    def _position(self, identity: Identity) -> Value:
        position = self._positions[identity]
        return {"digest": identity.digest.hex(), "topic": position.topic, "offset": position.offset}

    def _named(self, identity: Identity) -> Value:
        position = self._positions[identity]
        named: Value = {"source": identity.source, "id": identity.id, "position": {"topic": position.topic, "offset": position.offset}}
        revision = getattr(self._history.facts[identity].data, "revision", None)
        return named if revision is None else {**named, "revision": revision}


@contextmanager
def _halting(pool: str) -> Iterator[None]:
    """Whatever fails inside halts the pool."""
    try:
        yield
    except Halt:
        raise
    except NoResult as error:
        raise Halt(pool, NO_RESULT, str(error)) from error
    except Exception as error:
        raise Halt(pool, FOLD, f"{type(error).__name__}: {error}") from error
