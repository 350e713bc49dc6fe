"""Puts the periods of a block together again while a walk goes through it."""

from collections.abc import Sequence

from rerate.ratings.face import Games, Key, State
from rerate.replay.adjusting import Adjusting
from rerate.replay.block import TARGET_GAMES, Block


class Builder:
    """Puts the periods of a visited block together again, cutting it when it has grown too large."""

    def __init__(self, block: Block, edits: list[Key]) -> None:
        self._blocks: list[Block] = []
        self.is_cutting = len(block.games) + len(edits) >= 2 * TARGET_GAMES
        self._full = TARGET_GAMES if self.is_cutting else 2 * TARGET_GAMES

    def open(self, states: list[State | None]) -> None:
        self._blocks.append(Block(states.copy()))

    def keep(self, block: Block, index: int, after: list[State | None]) -> None:
        """Take over a period as it is."""
        low, high = block.game_starts[index], block.game_starts[index + 1]
        rows = slice(block.row_starts[index], block.row_starts[index + 1])
        digest = bytes(block.digests[32 * index : 32 * index + 32])
        players, states = block.row_players[rows], block.row_states[rows]
        key = block.keys[index]
        self.add(key, block.games, low, high, players, states, digest, self.inputs(block, index), after, block.adjusting.get(key))

    def keep_stretch(self, block: Block, first: int, end: int, after: list[State | None]) -> None:
        """Take over periods first..end (exclusive) as they are."""
        self._blocks[-1].append_stretch(block, first, end)
        if len(self._blocks[-1].games) >= self._full:
            self.open(after)

    def add(
        self,
        key: Key,
        games: Games,
        low: int,
        high: int,
        players: Sequence[int],
        states: Sequence[State],
        digest: bytes,
        inputs: bytes,
        after: list[State | None],
        adjusting: Adjusting | None,
    ) -> None:
        """Append a period; `after` are everybody's states after it."""
        current = self._blocks[-1]
        current.append(key, games, low, high, players, states, digest, inputs, adjusting)
        if len(current.games) >= self._full:
            self.open(after)

    def inputs(self, block: Block, index: int | None) -> bytes:
        assert index is not None
        return bytes(block.inputs[32 * index : 32 * index + 32])

    def blocks(self) -> list[Block]:
        """The blocks made; none if no period is left. The last block of a list stays without one: its checkpoint holds the seeds."""
        return [block for block in self._blocks if block.keys]
