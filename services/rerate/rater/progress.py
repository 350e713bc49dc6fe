"""The partition head read back: how far a partition has been rated."""

import msgspec


class PartitionHead(msgspec.Struct, frozen=True, kw_only=True):
    """Everything before `next` has its receipt. The truth about consumed positions; the group's offsets must be equal or absent."""

    partition: int
    partitions: int
    next: dict[str, int]
    """Fact topic -> next offset."""
    catching_up: bool


_DECODER = msgspec.json.Decoder(PartitionHead)


def read_partition_head(value: bytes) -> PartitionHead:
    """The partition head in the value of a `rater-progress` record."""
    return _DECODER.decode(value)
