"""What one transaction says, in the order in which it is written."""

from collections.abc import Iterable, Mapping, Sequence

from rerate.log.seam import Out, Record
from rerate.messages.facts import ROW_TOPICS, Fact
from rerate.messages.reading import pool_of_key
from rerate.messages.refusals import Refusal
from rerate.messages.writing import (
    FACT_RECEIPT,
    FACT_STANDING,
    PARTITION_HEAD,
    PERSON_ID,
    RATED_EVENT,
    RATING_DELTA,
    RATING_SNAPSHOT,
    STRUCTURED_HEADERS,
    partition_head,
    receipt,
    row_headers,
)
from rerate.pool.update import Update

_ROW_TYPES = {
    "person-ids": PERSON_ID,
    "rated-events": RATED_EVENT,
    "fact-standings": FACT_STANDING,
    "rating-deltas": RATING_DELTA,
    "rating-snapshots": RATING_SNAPSHOT,
}


def update_records(update: Update) -> list[Out]:
    """An update's rows topic by topic, each topic closed by the head, rows there or not."""
    key, out = update.pool.encode(), []
    for topic in ROW_TOPICS:
        ce_type = _ROW_TYPES[topic]
        for row_key, value in update.rows[topic]:
            headers = () if value is None else row_headers(ce_type, f"{row_key}@{update.number}")
            out.append(Out(topic, row_key.encode(), value, headers))
        out.append(Out(topic, key, update.head, STRUCTURED_HEADERS))
    return out


def head_records(updates: Iterable[Update]) -> list[Out]:
    """The heads once more, for who reads nothing else."""
    return [
        Out(topic, update.pool.encode(), update.head, STRUCTURED_HEADERS)
        for update in updates
        for topic in ("rating-updates", "rating-heads")
    ]


def receipt_record(record: Record, verdict: Fact | Refusal, *, is_duplicate: bool, update: int | None) -> Out:
    """The receipt of one message, under the pool that its key names, if it names one."""
    pool = pool_of_key(record.key)
    value = receipt(record.topic, record.partition, record.offset, verdict, update=update, is_duplicate=is_duplicate, value=record.value)
    headers = row_headers(FACT_RECEIPT, f"{record.topic}/{record.partition}/{record.offset}")
    return Out("fact-receipts", None if pool is None else pool.encode(), value, headers)


def progress_record(partition: int, partitions: int, next_offsets: Mapping[str, int], *, is_catching_up: bool) -> Out:
    """The partition head: "read up to here"."""
    key = str(partition)
    value = partition_head(partition, partitions, next_offsets, is_catching_up=is_catching_up)
    return Out("rater-progress", key.encode(), value, row_headers(PARTITION_HEAD, f"{key}@{sum(next_offsets.values())}"))


def transaction(updates: Sequence[Update], receipts: Sequence[Out], progress: Out) -> list[Out]:
    """Pool by pool the rows and closing heads; receipts; heads; the partition head."""
    ordered = sorted(updates, key=lambda update: update.pool)
    rows = [record for update in ordered for record in update_records(update)]
    return [*rows, *receipts, *head_records(ordered), progress]
