"""One walk through a list's blocks: from the first edit forward, skipping what it does not touch, stopping when nothing can differ.

The states as they were and as they are go along side by side; `differs` are the players for whom they are not the same.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from rerate.messages.errors import RerateError
from rerate.ratings.face import EventInfo, Games, Key, Period, Row, State, States, System
from rerate.ratings.systems import ListRules
from rerate.replay.adjusting import EVERYBODY, Adjusting
from rerate.replay.block import Block
from rerate.replay.builder import Builder
from rerate.replay.digests import PERIOD, frame
from rerate.replay.look_back import LookBack
from rerate.replay.periods import date_of, key_bytes


class Made(NamedTuple):
    """What a period is made of."""

    games: Games
    inputs: bytes
    """Their digest, or the adjustment's."""
    adjusting: Adjusting | None
    """Set for an adjustment, which has no games."""


Columns = Callable[[Key], Made]
"""What an edited period is made of as it is now."""


class ReplayBroken(RerateError):
    """Raised when a period worked out from the kept states is not the period kept: the memory of this pool is not what was published."""


class RowChange(NamedTuple):
    """One player's row of one period, as it was (its state) and as it is."""

    key: Key
    player: str
    old: State | None
    new: Row | None
    direct: bool
    """Whether the player's own games in the period changed, or only ratings that they were judged by."""


class Walk:
    """Brings blocks up to date with edits; afterwards `rows` says what changed, `differing` whose final state is another."""

    def __init__(
        self,
        blocks: list[Block],
        kind: str,
        rules: ListRules,
        ids: Sequence[str],
        tags: Sequence[bytes],
        events: Sequence[EventInfo],
        edits: Mapping[Key, set[int]],
        columns: Columns,
        adjustments: Mapping[Key, Adjusting],
    ) -> None:
        """Args:
        blocks: the list's blocks, changed in place.
        ids, tags: of each player number, the id and the id as digests frame it.
        events: by event number; grows as `columns` is asked.
        edits: edited periods, and the numbers of the players whose own games in them changed, or `EVERYBODY`.
        columns: gives an edited period's games.
        adjustments: all there are.
        """
        self.rows: list[RowChange] = []
        self.differing: dict[int, State | None] = {}
        """New states of those who differ where the walk stands."""
        self._blocks, self._kind, self._rules = blocks, kind, rules
        self._ids, self._tags, self._events = ids, tags, events
        self._edits = edits
        self._ahead = sorted(edits, reverse=True)
        self._last_difference: Key | None = None
        self._look_back: LookBack | None = None
        self._columns = columns
        self._waiting = {key: adjustments[key] for key in sorted(self._without_rows(adjustments)) if key not in edits}
        """Adjustments that nobody has a row of, in order: no block knows of them, and whoever differs may be the first."""
        if rules.reads_older:
            made = {key: columns(key) for key in edits}
            self._columns = lambda key: made[key] if key in made else columns(key)
            self._look_back = LookBack(self._reads(made))

    def reseed(self, player: int, state: State | None) -> None:
        """A player starts from another state. To be said before `run`."""
        if _at(self._blocks[0].before, player) != state:
            self.differing[player] = state

    def run(self) -> int:
        """Walk.

        Returns:
            The first block that may have changed.

        Raises:
            ReplayBroken: see there; blocks are in pieces then, and the pool must be built anew.
        """
        blocks = self._blocks
        if not self.differing and not self._ahead:
            return len(blocks)
        at = first = 0 if self.differing else self._start_of(self._ahead[-1])
        while at < len(blocks):
            block = blocks[at]
            until = blocks[at + 1].keys[0] if at + 1 < len(blocks) else None
            edits = self._take_edits(until)
            waiting = self._waiting_in(block.keys[0] if at else None, until)
            if not edits:
                if self._settled(block):
                    if not self._ahead:
                        break
                    start = self._start_of(self._ahead[-1])
                    if start > at:
                        at = start
                        continue
                if self._look_back is None and self._are_elsewhere(block, waiting):
                    self._patch(block)
                    at += 1
                    continue
            made = self._visit(block, sorted(edits + waiting))
            blocks[at : at + 1] = made
            at += len(made)
        return first

    def _are_elsewhere(self, block: Block, waiting: Sequence[Key]) -> bool:
        """Whether none of those who differ has to do with a block, or with adjustments in it that nobody has a row of."""
        if EVERYBODY in block.players or not self.differing.keys().isdisjoint(block.players):
            return False
        return not any(self._waiting[key].touches(self.differing.keys()) for key in waiting)

    def _without_rows(self, adjustments: Mapping[Key, Adjusting]) -> set[Key]:
        return set(adjustments).difference(*(block.adjusting for block in self._blocks)) if adjustments else set()

    def _waiting_in(self, since: Key | None, until: Key | None) -> list[Key]:
        return [key for key in self._waiting if (since is None or since <= key) and (until is None or key < until)]

    # ------------------------------------------------------------------ where to go

    def _start_of(self, key: Key) -> int:
        """The block to start from, so that everything that the period `key` reads lies ahead."""
        key = self._oldest_read(key)
        low, high = 0, len(self._blocks)
        while low < high:
            middle = (low + high) // 2
            keys = self._blocks[middle].keys
            if not keys or keys[0] <= key:
                low = middle + 1
            else:
                high = middle
        return max(low - 1, 0)

    def _oldest_read(self, key: Key) -> Key:
        return key if self._look_back is None else self._look_back.oldest_read(key)

    def _reads(self, edited: Mapping[Key, Made]) -> Iterator[tuple[Key, Key]]:
        """Of every period, as it was and as it is, from where on it reads: in no order."""
        for block in self._blocks:
            for i, key in enumerate(block.keys):
                yield key, self._read_from(key, block.games, block.game_starts[i], block.game_starts[i + 1])
        for key, made in edited.items():
            yield key, self._read_from(key, made.games, 0, len(made.games))

    def _read_from(self, key: Key, games: Games, low: int, high: int) -> Key:
        return min((reads for number in set(games.event[low:high]) if (reads := self._events[number].reads)), default=key)

    def _take_edits(self, until: Key | None) -> list[Key]:
        taken = []
        while self._ahead and (until is None or self._ahead[-1] < until):
            taken.append(self._ahead.pop())
        return taken

    def _settled(self, block: Block) -> bool:
        """Whether nothing from `block` on can be another, edits aside."""
        if self.differing:
            return False
        if self._look_back is None or self._last_difference is None or not block.keys:
            return True
        return self._oldest_read(block.keys[0]) > self._last_difference

    def _patch(self, block: Block) -> None:
        """Pass over a block in which none of those who differ plays: only its checkpoint knows of them."""
        _pad(block.before, len(self._ids))
        for player, state in self.differing.items():
            block.before[player] = state

    # ------------------------------------------------------------------ one block

    def _visit(self, block: Block, edits: list[Key]) -> list[Block]:
        old = block.before
        _pad(old, len(self._ids))
        new = old.copy()
        for player, state in self.differing.items():
            new[player] = state
        builder = Builder(block, edits)
        builder.open(new)
        differs = set(self.differing)
        at, ahead = 0, len(edits)
        while at < len(block.keys) or ahead:
            edit = edits[-ahead] if ahead else None
            if not differs and self._look_back is None and not builder.is_cutting:
                end = len(block.keys) if edit is None else bisect_left(block.keys, edit, at)
                if end > at:
                    _restore(block, at, end, old, new)
                    builder.keep_stretch(block, at, end, new)
                    at = end
                    continue
            edited = edit is not None and (at == len(block.keys) or edit <= block.keys[at])
            key = edit if edited and edit is not None else block.keys[at]
            index = at if at < len(block.keys) and block.keys[at] == key else None
            ahead -= edited
            at += index is not None
            system = self._rules.at(date_of(key))
            if index is not None and not edited and not self._touched(block, index, old, new, differs):
                self._skip(block, index, key, old, new, differs)
                builder.keep(block, index, new)
                continue
            self._replay_period(builder, block, index, key, edited, system, old, new, differs)
        self.differing = {player: new[player] for player in differs}
        made = builder.blocks()
        return made if made or len(self._blocks) > 1 else [Block(new)]

    def _touched(self, block: Block, index: int, old: list[State | None], new: list[State | None], differs: set[int]) -> bool:
        """Whether a player of the period differs in the list it is written to, or in a list it reads."""
        games, low, high = block.games, block.game_starts[index], block.game_starts[index + 1]
        if (adjusting := block.adjusting.get(block.keys[index])) is not None:
            return adjusting.touches(differs)
        if differs and not (differs.isdisjoint(games.white[low:high]) and differs.isdisjoint(games.black[low:high])):
            return True
        if self._look_back is None or self._last_difference is None:
            return False
        for number in set(games.event[low:high]):
            reads = self._events[number].reads
            if not reads or (reads > self._last_difference and not differs):
                continue
            was, now = self._look_back.was(reads, old), self._look_back.now(reads, new)
            for g in range(low, high):
                if games.event[g] == number and any(was[p] != now[p] for p in (games.white[g], games.black[g])):
                    return True
        return False

    def _skip(self, block: Block, index: int, key: Key, old: list[State | None], new: list[State | None], differs: set[int]) -> None:
        """Nobody in the period differs: its states come from the log."""
        if self._look_back is not None:
            players = block.row_players[block.row_starts[index] : block.row_starts[index + 1]]
            self._note(key, players, old, new, differs)
        _restore(block, index, index + 1, old, new)

    def _replay_period(
        self,
        builder: Builder,
        block: Block,
        index: int | None,
        key: Key,
        edited: bool,
        system: System,
        old: list[State | None],
        new: list[State | None],
        differs: set[int],
    ) -> None:
        kept: dict[int, State] = {}
        low = high = 0
        if index is not None:
            low, high = block.game_starts[index], block.game_starts[index + 1]
            span = slice(block.row_starts[index], block.row_starts[index + 1])
            kept = dict(zip(block.row_players[span], block.row_states[span], strict=True))
        old_low, old_high = low, high
        old_adjusting = block.adjusting.get(key)
        made = self._columns(key) if edited else Made(block.games, builder.inputs(block, index), old_adjusting)
        games, inputs = made.games, made.inputs
        if edited:
            low, high = 0, len(games)
        now = self._rate(system, games, low, high, key, new, made.adjusting, old=False)
        was: dict[int, Row] | None = None
        players = sorted(kept.keys() | now.keys(), key=self._ids.__getitem__)
        direct = self._edits.get(key, set()) if edited else set()
        same_states = not edited
        changed: list[RowChange] = []
        for player in players:
            before, after = kept.get(player), now.get(player)
            if after is not None and before == after.state:
                if was is None:
                    was = self._rate(system, block.games, old_low, old_high, key, old, old_adjusting, old=True)
                    self._hold_to_log(key, kept, was)
                if self._are_same(was[player], after):
                    continue
            else:
                same_states = False
            changed.append(RowChange(key, self._ids[player], before, after, player in direct or EVERYBODY in direct))
        self.rows += changed
        if self._look_back is not None:
            self._note(key, players, old, new, differs)
        for player, state in kept.items():
            old[player] = state
        for player, row in now.items():
            new[player] = row.state
        for player in players:
            if old[player] == new[player]:
                differs.discard(player)
            else:
                differs.add(player)
        if differs or (players and not same_states):
            self._last_difference = key
        if now:
            ranked = [player for player in players if player in now]
            states = [now[player].state for player in ranked]
            if same_states and index is not None:
                digest = bytes(block.digests[32 * index : 32 * index + 32])
            else:
                tags = self._tags
                rows = [tags[player] + system.pack(state) for player, state in zip(ranked, states, strict=True)]
                digest = frame(PERIOD, key_bytes(self._kind, key), len(rows), rows)
            builder.add(key, games, low, high, ranked, states, digest, inputs, new, made.adjusting)

    def _rate(
        self,
        system: System,
        games: Games,
        low: int,
        high: int,
        key: Key,
        states: list[State | None],
        adjusting: Adjusting | None,
        *,
        old: bool,
    ) -> dict[int, Row]:
        if adjusting is not None:
            return adjusting.rows(system, date_of(key), states)
        if low == high:
            return {}
        if self._look_back is None or not system.reads_older:
            return system.rate(Period(key, games, low, high, self._events, states))
        older: dict[Key, States] = {}
        view = self._look_back.was if old else self._look_back.now

        def read(bound: Key) -> States:
            if bound not in older:
                older[bound] = view(bound, states)
            return older[bound]

        return system.rate(Period(key, games, low, high, self._events, states, read))

    def _are_same(self, one: Row, other: Row) -> bool:
        """Whether two rows of one state say the same; an event seen in another way has another number."""
        if one == other:
            return True
        events = self._events
        if len(one.lines) != len(other.lines) or one.adjusted_from != other.adjusted_from:
            return False
        return all(a[1:] == b[1:] and events[a[0]].id == events[b[0]].id for a, b in zip(one.lines, other.lines, strict=True))

    def _note(self, key: Key, players: Sequence[int], old: list[State | None], new: list[State | None], differs: set[int]) -> None:
        assert self._look_back is not None
        self._look_back.note(key, {p: old[p] for p in players}, {p: new[p] for p in players}, self._oldest_read(key))
        if differs:
            self._last_difference = key

    @staticmethod
    def _hold_to_log(key: Key, kept: Mapping[int, State], was: Mapping[int, Row]) -> None:
        if kept != {player: row.state for player, row in was.items()}:
            raise ReplayBroken(f"period {key} worked out again is not the one that was kept; the pool must be rebuilt")


def _restore(block: Block, first: int, end: int, old: list[State | None], new: list[State | None]) -> None:
    """Take the states after periods first..end (exclusive) from the log."""
    rows = slice(block.row_starts[first], block.row_starts[end])
    for player, state in zip(block.row_players[rows], block.row_states[rows], strict=True):
        old[player] = new[player] = state


def _pad(states: list[State | None], length: int) -> None:
    states.extend([None] * (length - len(states)))


def _at(states: Sequence[State | None], player: int) -> State | None:
    return states[player] if player < len(states) else None
