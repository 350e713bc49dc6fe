"""The one replay: a list's games in period order, edited anywhere and brought up to date by re-rating what follows.

Live steps, rebuilds, audits and what-ifs all go through `ListReplay.edit` and `ListReplay.replay`; nothing else sets a rating. A change
edits the columns of its period, restores the checkpoint of the block before it and replays forward:

* *skip* a period whose games are as they were, if none of its players differs in the list it is written to nor in the list it reads;
* *stop* when no edited period lies ahead, nobody differs, and no period ahead reads a list from before the last difference.

Rows are compared in full, the numbers they were made from too: where a state stays as it was, the period is worked out from the states as
they were as well. So nothing but states need be kept.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from rerate.history import Adjustment
from rerate.ratings.face import EventInfo, Games, Key, Period, State
from rerate.ratings.systems import ListRules
from rerate.replay.adjusting import EVERYBODY, Adjusting
from rerate.replay.block import Block, Career, add_careers
from rerate.replay.digests import INPUTS, LIST, adjustment_digest, input_digest, seeds_digest, tag
from rerate.replay.entries import Entry
from rerate.replay.periods import adjustment_key, date_of, key_bytes
from rerate.replay.walk import Made, RowChange, Walk

if TYPE_CHECKING:
    from hashlib import _Hash


OLDER_LISTS = 32
"""So many older lists are kept at hand where all periods are walked."""


class Change(NamedTuple):
    """What a replay changed."""

    rows: list[RowChange]
    """In period order, players of a period by id."""
    players: set[str]
    """Whose snapshot may be another: those with changed rows or games, another final state, or a changed seed."""


class ListReplay:
    """One list of one pool: columns, checkpoints, log of states, running digests."""

    def __init__(self, kind: str, rules: ListRules) -> None:
        self.kind = kind
        self.rules = rules
        self.row_count = 0
        self._numbers: dict[str, int] = {}
        self._ids: list[str] = []
        self._tags: list[bytes] = []
        self._rows_of: list[int] = []
        self._final: list[State | None] = []
        self._event_numbers: dict[EventInfo, int] = {}
        self._events: list[EventInfo] = []
        """By number; an event that is seen in another way has another number."""
        self._entered: dict[str, tuple[Entry, ...]] = {}
        self._events_in: dict[Key, set[str]] = {}
        self._blocks = [Block([])]
        self._seeds: dict[str, tuple[str, State]] = {}
        self._running: list[tuple[_Hash, _Hash]] = []
        """The digests of rows and inputs, running: as they stood before each block, as far as they hold."""
        self._edited: dict[Key, set[int]] = {}
        """Edited periods, and whose own games in them changed."""
        self._reseeded: set[str] = set()
        self._adjustments: dict[str, tuple[Key, Adjusting, bytes]] = {}
        """Adjustment id -> key, what it is, input digest."""
        self._adjusting: dict[Key, str] = {}
        self._outdated: set[str] = set()
        """Adjustments beside which seeds changed whether they have begun."""

    # ------------------------------------------------------------------ editing

    def edit(self, event: str, entries: tuple[Entry, ...]) -> None:
        """Set what an event enters on this list. Nothing is re-rated before `replay`."""
        old = self._entered.get(event, ())
        if old == entries:
            return
        for entry in set(old).symmetric_difference(entries):
            direct = self._edited.setdefault(entry.key, set())
            direct.update((self._number(entry.white), self._number(entry.black)))
        for key in {entry.key for entry in old}:
            self._events_in[key].discard(event)
        for key in {entry.key for entry in entries}:
            self._events_in.setdefault(key, set()).add(event)
        if entries:
            self._entered[event] = entries
        else:
            self._entered.pop(event, None)

    def seed(self, person: str, seed: tuple[str, State] | None) -> None:
        """Set a person's seed (as_of, state), or take it away."""
        if self._seeds.get(person) == seed:
            return
        if seed is None:
            del self._seeds[person]
        else:
            self._seeds[person] = seed
        number = self._number(person)
        self._reseeded.add(person)
        for adjustment, (key, adjusting, _) in self._adjustments.items():
            if (number in adjusting.not_yet) != (seed is not None and _is_before(key, seed[0])):
                self._outdated.add(adjustment)

    def adjust(self, adjustment: str, adjusted: Adjustment | None) -> None:
        """Set an adjustment of this list, or take it away."""
        was = self._adjustments.pop(adjustment, None)
        if was is not None:
            del self._adjusting[was[0]]
            self._edit_adjustment(was[0], was[1])
        if adjusted is None:
            return
        key = adjustment_key(self.kind, adjusted.before, adjustment)
        players = None if adjusted.persons is None else frozenset(map(self._number, adjusted.persons))
        made = Adjusting(adjusted.kind, adjusted.value, players, self._begin_later(key))
        inputs = adjustment_digest(key_bytes(self.kind, key), adjusted.kind, adjusted.value, adjusted.persons)
        self._adjustments[adjustment], self._adjusting[key] = (key, made, inputs), adjustment
        self._edit_adjustment(key, made)

    @property
    def adjustments(self) -> Iterable[str]:
        """Ids of the adjustments that are set."""
        return self._adjustments

    def _edit_adjustment(self, key: Key, adjusting: Adjusting) -> None:
        self._edited.setdefault(key, set()).update((EVERYBODY,) if adjusting.players is None else adjusting.players)

    def _begin_later(self, key: Key) -> frozenset[int]:
        """Whose seeds begin after an adjustment is made."""
        return frozenset(self._numbers[person] for person, (as_of, _) in self._seeds.items() if _is_before(key, as_of))

    # ------------------------------------------------------------------ replaying

    def replay(self) -> Change:
        """Bring states, rows and digests up to date with the edits since the last call."""
        for adjustment in self._outdated & self._adjustments.keys():
            key, adjusting, inputs = self._adjustments[adjustment]
            self._adjustments[adjustment] = (key, adjusting._replace(not_yet=self._begin_later(key)), inputs)
            self._edited.setdefault(key, set())
        self._outdated.clear()
        adjustments = {key: adjusting for key, adjusting, _ in self._adjustments.values()}
        walk = Walk(self._blocks, self.kind, self.rules, self._ids, self._tags, self._events, self._edited, self._columns, adjustments)
        for person in self._reseeded:
            seed = self._seeds.get(person)
            walk.reseed(self._numbers[person], seed and seed[1])
        first = walk.run()
        del self._running[0 if self._reseeded else first + 1 :]
        players = {row.player for row in walk.rows} | self._reseeded
        for direct in self._edited.values():
            players.update(self._ids[number] for number in direct if number != EVERYBODY)
        for number, state in walk.differing.items():
            self._final[number] = state
            players.add(self._ids[number])
        for row in walk.rows:
            step = (row.new is not None) - (row.old is not None)
            self.row_count += step
            self._rows_of[self._numbers[row.player]] += step
        for key in self._edited:
            if not self._events_in.get(key, True):
                del self._events_in[key]
        self._edited, self._reseeded = {}, set()
        return Change(walk.rows, players)

    # ------------------------------------------------------------------ reading

    @property
    def player_count(self) -> int:
        """Players with a row or a seed."""
        return sum(1 for i, n in enumerate(self._rows_of) if n or self._ids[i] in self._seeds)

    def state(self, person: str) -> State | None:
        """A person's state after the last period; None without rows and seed."""
        number = self._numbers.get(person)
        return None if number is None else self._final[number]

    def seed_of(self, person: str) -> tuple[str, State] | None:
        """A person's seed: as_of and state."""
        return self._seeds.get(person)

    def career(self, person: str) -> Career | None:
        """What a person's rows add up to; None without rows."""
        number, total = self._numbers.get(person), None
        if number is None or not self._rows_of[number]:
            return None
        for block in self._blocks:
            if number in block.players and (part := block.career(number, self._events, self.rules.rated)) is not None:
                total = part if total is None else add_careers(total, part)
        return total

    def last_key(self, person: str) -> Key | None:
        """The last period in which a person has a row."""
        number = self._numbers.get(person)
        if number is None or not self._rows_of[number]:
            return None
        for block in reversed(self._blocks):
            if number in block.players:
                for i in range(len(block.keys) - 1, -1, -1):
                    if number in block.row_players[block.row_starts[i] : block.row_starts[i + 1]]:
                        return block.keys[i]
        return None

    def persons(self) -> Iterator[str]:
        """Everyone with a row or a seed, by id."""
        return (p for p in sorted(self._numbers) if self._rows_of[self._numbers[p]] or p in self._seeds)

    def row_keys(self) -> Iterator[tuple[Key, str]]:
        """Period and player of every row, in period order."""
        for block in self._blocks:
            for i, key in enumerate(block.keys):
                for r in range(block.row_starts[i], block.row_starts[i + 1]):
                    yield key, self._ids[block.row_players[r]]

    def periods(self) -> Iterator[tuple[Key, bytes, bytes]]:
        """Key, digest and input digest of every period that exists, in order; the period of seeds left out."""
        for block in self._blocks:
            for i, key in enumerate(block.keys):
                yield key, bytes(block.digests[32 * i : 32 * i + 32]), bytes(block.inputs[32 * i : 32 * i + 32])

    def states_before(self, key: Key) -> list[State | None]:
        """Everybody's state before the first period that is not below a key, by player number."""
        block, end = self._place(key)
        states = block.before + [None] * (len(self._ids) - len(block.before))
        rows = slice(0, block.row_starts[end])
        for player, state in zip(block.row_players[rows], block.row_states[rows], strict=True):
            states[player] = state
        return states

    def period(self, key: Key) -> Period | None:
        """A period with games as it was rated last; None if there is none of this key."""
        block, i = self._place(key)
        if key not in block.keys[i : i + 1] or key in block.adjusting:
            return None
        older = cache(self.states_before) if self.rules.reads_older else None
        return Period(key, block.games, block.game_starts[i], block.game_starts[i + 1], self._events, self.states_before(key), older)

    def walked(self) -> Iterator[Period]:
        """Every period with games as it was rated last, in order. The states before it move on with the walk: a period is to be read
        before the next one is asked for."""
        older = lru_cache(OLDER_LISTS)(self.states_before) if self.rules.reads_older else None
        states = self._blocks[0].before + [None] * (len(self._ids) - len(self._blocks[0].before))
        for block in self._blocks:
            for i, key in enumerate(block.keys):
                if key not in block.adjusting:
                    yield Period(key, block.games, block.game_starts[i], block.game_starts[i + 1], self._events, states, older)
                rows = slice(block.row_starts[i], block.row_starts[i + 1])
                for player, state in zip(block.row_players[rows], block.row_states[rows], strict=True):
                    states[player] = state

    def row(self, person: str, key: Key) -> State | None:
        """A person's state after a period in which he has a row, else None."""
        number = self._numbers.get(person)
        block, i = self._place(key)
        if key not in block.keys[i : i + 1]:
            return None
        rows = range(block.row_starts[i], block.row_starts[i + 1])
        return next((block.row_states[r] for r in rows if block.row_players[r] == number), None)

    def number_of(self, person: str) -> int | None:
        """A person's number in columns."""
        return self._numbers.get(person)

    def person(self, number: int) -> str:
        """The person of a number in columns."""
        return self._ids[number]

    def dates_with_rows(self) -> Iterator[str]:
        """Dates (or months) of the periods that exist, in order."""
        return (date_of(key) for block in self._blocks for key in block.keys)

    def event_id(self, number: int) -> str:
        """The id of an event by its number in a row's line."""
        return self._events[number].id

    def digest(self) -> tuple[bytes, bytes]:
        """The list digest and the input digest."""
        if not self._running:
            rows, games = sha256(LIST), sha256(INPUTS)
            rows.update(self.seeds_digest())
            self._running.append((rows, games))
        while len(self._running) <= len(self._blocks):
            block = self._blocks[len(self._running) - 1]
            rows, games = (running.copy() for running in self._running[-1])
            rows.update(block.digests)
            games.update(block.inputs)
            self._running.append((rows, games))
        rows, games = self._running[-1]
        return rows.digest(), games.digest()

    def seeds_digest(self) -> bytes:
        """The digest of the period of seeds; empty if there is none."""
        return seeds_digest({p: (as_of, self.rules.at(as_of).pack(s)) for p, (as_of, s) in self._seeds.items()}) if self._seeds else b""

    # ------------------------------------------------------------------ inside

    def _place(self, key: Key) -> tuple[Block, int]:
        """The block where a period of this key stands or would stand, and its place there."""
        at = bisect_right(self._blocks, key, key=_first_key)
        block = self._blocks[max(at - 1, 0)]
        return block, bisect_left(block.keys, key)

    def _number(self, person: str) -> int:
        number = self._numbers.get(person)
        if number is None:
            number = self._numbers[person] = len(self._ids)
            self._ids.append(person)
            self._tags.append(tag(person))
            self._rows_of.append(0)
            self._final.append(None)
        return number

    def _event_number(self, event: EventInfo) -> int:
        number = self._event_numbers.get(event)
        if number is None:
            number = self._event_numbers[event] = len(self._events)
            self._events.append(event)
        return number

    def _columns(self, key: Key) -> Made:
        """What a period is made of as it is now."""
        if key in self._adjusting:
            _, adjusting, inputs = self._adjustments[self._adjusting[key]]
            return Made(Games(), inputs, adjusting)
        entries = sorted(entry for event in self._events_in.get(key, ()) for entry in self._entered[event] if entry.key == key)
        games = Games()
        for e in entries:
            white, black, event = self._numbers[e.white], self._numbers[e.black], self._event_number(e.info)
            games.append(white, black, e.white_half, e.black_half, e.rated, event, e.id, e.white_traits, e.black_traits, e.day)
        return Made(games, input_digest(key_bytes(self.kind, key), entries), None)


def _first_key(block: Block) -> Key:
    return block.keys[0] if block.keys else ()


def _is_before(key: Key, as_of: str) -> bool:
    """Whether an adjustment is made before a seed begins."""
    date = date_of(key)
    return date < as_of[: len(date)]
