"""What the engine does, thing by thing, on the simulated log; `test_engine_on_disk` has what needs a real store."""

from collections.abc import Iterable, Sequence
from typing import Any

import orjson
import pytest

from rerate.history import History
from rerate.log.errors import LogInconsistent
from rerate.log.seam import Out
from rerate.messages.codes import DIGEST, FOLD, HALTED, LIVE, SEMANTICS, TOO_MANY_ROWS
from rerate.messages.facts import FACT_TOPICS, ROW_TOPICS, Fact
from rerate.messages.reading import Message
from rerate.messages.writing import STRUCTURED_HEADERS
from rerate.pool.head import head_digest, read_head, write_head
from rerate.pool.pool import Settings
from rerate.rater.cache import Accepted, FactCache
from rerate.rater.world import Limits
from rerate.ratings.club import Club
from rerate.ratings.systems import SYSTEMS
from rerate.replay.replay import ListReplay
from tests.kit.outcomes import check_schema
from tests.kit.saying import POOL, configured, corrected, deleted, merged, published, seeded, sent, unmerged, withdrawn
from tests.kit.sendable import Sendable
from tests.kit.simlog import SimWriter
from tests.kit.simloop import Crashed, SimProcess
from tests.rater.place import Life, Place, row_count

OTHER = "t:other"
BAD = Message("pool-facts", 0, POOL.encode(), b"no fact at all")


def of(pool: str, fact: Sendable) -> Sendable:
    """The same fact for another pool."""
    return Sendable(fact.type, fact.source, fact.id, {**fact.data, "pool": pool}, fact.actor)


def season(nights: int = 3) -> list[Sendable]:
    """A ladder with some nights."""
    return [configured(1, "elo"), *(published(f"e{n}", 1, "A>B", "C=D", date=f"2024-01-{n:02d}") for n in range(1, nights + 1))]


def rated_place(*more: Sendable) -> Place:
    """A pool and another one, rated."""
    place = Place()
    place.send(*season(), *(of(OTHER, fact) for fact in season()), *more)
    place.rate()
    return place


# ---------------------------------------------------------------------- start, catch up, live


def test_the_first_start_publishes_once_a_pool_and_its_receipts_name_no_update() -> None:
    place = rated_place()
    assert [head.update for head in place.heads(POOL)] == [1]
    assert [head.update for head in place.heads(OTHER)] == [1]
    assert {(told["status"], told["update"]) for told in place.receipts()} == {("accepted", None)}
    place.check()


def test_nothing_is_said_of_an_empty_log() -> None:
    place = Place()
    place.rate()
    assert place.said == []


def test_a_live_receipt_names_the_update_that_takes_its_message_in() -> None:
    place = Place()
    with place.living() as rater:
        place.each(rater, *season(2))
    assert [told["update"] for told in place.receipts()] == [1, 2, 3]
    assert [head.update for head in place.heads()] == [1, 2, 3]
    place.check()


def test_a_duplicate_and_a_rejected_message_make_no_update() -> None:
    place = rated_place()
    with place.living() as rater:
        place.each(rater, season()[0], BAD)
        place.each(rater, published("e1", 1, "A>B", "C=D", date="2024-01-01", id="again"), published("e1", 1, "A>B", id="again"))
    first = place.log.messages()[0]
    place.send(Message(first.topic, 0, first.key, first.value, first.headers))
    place.rate()
    told = place.receipt(first.topic)
    assert (told["status"], told["update"]) == ("duplicate", None)
    place.check()


def test_a_live_duplicate_names_the_update_in_force_and_a_rejected_message_none() -> None:
    place, facts = Place(), season()
    with place.living() as rater:
        place.each(rater, *facts, facts[1], BAD)
    assert len(place.heads()) == len(facts)
    duplicate, rejected = place.receipt("result-published"), place.receipt("pool-facts")
    assert (duplicate["status"], duplicate["update"]) == ("duplicate", len(facts))
    assert (rejected["status"], rejected["reason"], rejected["update"]) == ("rejected", "not-json", None)
    place.check()


@pytest.mark.parametrize("key", [b"no-pool", b"", b"\xff\xfe", b"club:" + b"x" * 100, None])
def test_the_receipt_of_a_message_whose_key_is_no_pool_has_no_key(key: bytes | None) -> None:
    place = Place()
    place.send(BAD._replace(key=key))
    place.rate()
    assert [record.key for record in place.said if record.topic == "fact-receipts"] == [None]
    assert place.receipt("pool-facts")["status"] == "rejected"


def test_far_behind_it_folds_first_and_publishes_once() -> None:
    place = Place(limits=Limits(records_a_step=4, behind=10))
    place.send(*season(1))
    with place.living() as rater:
        before = len(place.heads())
        place.send(*(published(f"late{n}", 1, "A>B") for n in range(60)))
        rater.settle()
    updates = len(place.heads()) - before
    assert 1 <= updates < 15
    assert sum(told["update"] is None for told in place.receipts()) > 40
    assert place.progress()["catching_up"] is False
    place.check()


def test_pools_that_are_dropped_from_memory_come_back_as_they_were() -> None:
    place = Place(limits=Limits(resident_facts=1))
    with place.living() as rater:
        for facts in zip(season(4), [of(OTHER, fact) for fact in season(4)], strict=True):
            place.each(rater, *facts)
        assert len(rater.engine._residents._pools) == 1
    assert len(place.heads(POOL)) == len(place.heads(OTHER)) == 5
    place.check()


def test_a_crash_after_the_last_receipts_leaves_no_partition_that_says_it_is_catching_up() -> None:
    """Only bad messages: there is no pool that would publish, and say so, at the next start."""
    was_left_catching_up = False
    for at in range(1, 60):
        place = Place()
        place.send(BAD, BAD)
        with pytest.raises(Crashed):
            place.rate(process=SimProcess(crash_at=at))
        said = [record for record in place.said if record.topic == "rater-progress"]
        was_left_catching_up |= bool(said) and place.progress()["catching_up"]
        place.rate()
        assert place.progress() == {"by": {}, "catching_up": False, "next": place.log_ends(), "partition": 0, "partitions": 1}
        if said and not place.progress()["catching_up"] and len(said) == 2:
            break
    assert was_left_catching_up


# ---------------------------------------------------------------------- what a transaction says


def test_a_transaction_says_things_in_the_order_of_the_contract(monkeypatch: pytest.MonkeyPatch) -> None:
    place, committed = Place(), list[Sequence[Out]]()
    commit = SimWriter.commit

    async def noting(self: SimWriter, records: Sequence[Out], consumed: dict[str, int]) -> None:
        committed.append(records)
        assert consumed.keys() == set(FACT_TOPICS), "offsets of all fact topics"
        await commit(self, records, consumed)

    monkeypatch.setattr(SimWriter, "commit", noting)
    with place.living(limits=Limits(records_a_step=100, behind=10_000)) as rater:
        place.send(*season(), BAD, *(of(OTHER, fact) for fact in season()), merged("m1", "A", "B"))
        rater.settle()
    whole = [records for records in committed if {POOL.encode(), OTHER.encode()} <= {record.key for record in records}]
    assert whole, "no transaction has both pools"
    for records in committed:
        shape = [part for part in map(_part, records) if part != ("rows", "")]
        pools = sorted({pool for kind, pool in shape if kind.startswith("head ")})
        receipts = [part for part in shape if part == ("receipt", "")]
        assert shape == [
            *((f"head {topic}", pool) for pool in pools for topic in ROW_TOPICS),
            *receipts,
            *((f"again {topic}", pool) for pool in pools for topic in ("rating-updates", "rating-heads")),
            ("partition head", ""),
        ]
        _check_rows(records)


def _part(record: Out) -> tuple[str, str]:
    key = (record.key or b"").decode()
    if record.topic in ROW_TOPICS:
        return ("rows", "") if "/" in key else (f"head {record.topic}", key)
    if record.topic in ("rating-updates", "rating-heads"):
        return f"again {record.topic}", key
    return ("receipt", "") if record.topic == "fact-receipts" else ("partition head", "")


def _check_rows(records: Sequence[Out]) -> None:
    """Rows by the bytes of their keys, directly before the head that closes them, which is the same everywhere."""
    keys: list[bytes] = []
    topic, heads = "", dict[bytes, set[bytes | None]]()
    for record in records:
        if record.topic not in ROW_TOPICS or record.key is None:
            continue
        if b"/" in record.key:
            assert not keys or (record.topic == topic and keys[-1] <= record.key)
            topic = record.topic
            keys.append(record.key)
        else:
            assert not keys or record.topic == topic
            assert all(key.startswith(record.key) for key in keys)
            heads.setdefault(record.key, set()).add(record.value)
            keys = []
    assert not keys
    assert all(len(values) == 1 for values in heads.values())


def test_rows_heads_receipts_and_partition_heads_have_their_headers_and_schemas() -> None:
    place = Place()
    with place.living() as rater:
        place.each(rater, *season(), seeded("A"), merged("m1", "D", "C"), corrected("e2", 2, "A<B"), deleted("e1", 2, "void"), BAD)
        place.each(rater, unmerged("m1"), withdrawn(published("e1", 1, id="gone")), sent("result-published", version=2))
    seen = set()
    for record in place.said:
        is_head = record.topic in ("rating-updates", "rating-heads") or (record.topic in ROW_TOPICS and b"/" not in (record.key or b""))
        check_schema("head" if is_head else record.topic, record)
        seen.add((record.topic, record.value is None))
    assert {(topic, True) for topic in ("rating-deltas", "rating-snapshots", "person-ids")} <= seen
    receipt = next(record for record in place.said if record.topic == "fact-receipts")
    assert dict(receipt.headers)["ce_id"] == b"pool-facts/0/0"
    assert receipt.key == POOL.encode()
    progress = next(record for record in place.said if record.topic == "rater-progress")
    assert progress.key == dict(progress.headers)["ce_id"].partition(b"@")[0] == b"0"
    snapshot = next(record for record in place.said if record.topic == "rating-snapshots" and b"/" in (record.key or b""))
    assert snapshot.key == b"t:pool/elo@1/t:A"
    assert dict(snapshot.headers) == {
        "ce_specversion": b"1.0",
        "ce_type": b"rerate.rating-snapshot.v1",
        "ce_source": b"rerate/rater",
        "ce_id": b"t:pool/elo@1/t:A@2",
        "content-type": b"application/json",
    }


def test_a_row_that_goes_is_sent_as_a_delta_and_then_as_a_tombstone() -> None:
    place = Place()
    with place.living() as rater:
        place.each(rater, *season(), deleted("e1", 2, "void"))
    gone = [(key, value) for key, value in place.updates()[-1].rows["rating-deltas"] if "/0/t:e1" in key]
    assert len(gone) == 8
    for (key, delta), (same_key, tombstone) in zip(gone[::2], gone[1::2], strict=True):
        assert key == same_key
        assert delta is not None
        assert orjson.loads(delta)["row"] is None
        assert tombstone is None
    record = next(record for record in place.said if record.value is None)
    assert record.headers == ()


# ---------------------------------------------------------------------- the store is a cache


def test_a_deleted_store_comes_back_by_itself() -> None:
    place = rated_place()
    place.disk.wipe()
    counts = place.rate()
    assert counts.refilled == len(place.log.messages())
    assert len(place.heads(POOL)) == len(place.heads(OTHER)) == 1
    place.send(published("e9", 1, "A>C"))
    place.rate()
    place.check()


def test_facts_that_were_receipted_before_a_crash_are_published_at_the_next_start_also_without_the_store() -> None:
    for at in range(1, 200):
        place = Place()
        place.send(*season())
        with pytest.raises(Crashed):
            place.rate(process=SimProcess(crash_at=at))
        if place.receipts() and not place.heads():
            break
    else:
        raise AssertionError("never between the receipts and the update")
    place.disk.wipe()
    place.rate()
    assert [head.update for head in place.heads()] == [1]
    place.check()


def test_a_store_ahead_of_the_partition_head_is_thrown_away() -> None:
    """As after the log has been put back to an older copy."""
    old, new = rated_place(), rated_place(published("e9", 1, "A>C"))
    old.disk.content = dict(new.disk.content)
    counts = old.rate()
    assert counts.refilled == len(old.log.messages())
    old.send(published("e8", 1, "A>C"))
    old.rate()
    old.check()


def test_a_store_of_another_engine_is_thrown_away() -> None:
    place = rated_place()
    counts = place.rate(settings=Settings(engine="rerate/later"))
    assert counts.refilled == len(place.log.messages())
    assert len(place.heads()) == 1


@pytest.mark.parametrize("value", [b"", b"{", b'{"schema":1}', b'{"schema":1,"engine":"rerate/simulated","next":{}}'])
def test_a_store_that_cannot_say_how_far_it_goes_is_thrown_away(value: bytes) -> None:
    place = rated_place()
    place.disk.content[b"n"] = value
    counts = place.rate()
    assert counts.refilled == len(place.log.messages())
    place.send(published("e9", 1, "A>C"))
    place.rate()
    place.check()


class Rereads:
    """Counts how often pools are read again from the log."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.pools: list[str] = []
        replace = FactCache.replace

        def counting(cache: FactCache, pool: str, accepted: Iterable[Accepted]) -> None:
            self.pools.append(pool)
            replace(cache, pool, accepted)

        patch.setattr(FactCache, "replace", counting)


def cached(place: Place, kind: bytes, pool: str = POOL) -> list[bytes]:
    """Keys of the cache of one kind."""
    return sorted(key for key in place.disk.content if key.startswith(b"%b\x00%b\x00" % (kind, pool.encode())))


def test_an_altered_message_in_the_store_is_read_again_from_the_log_once(monkeypatch: pytest.MonkeyPatch) -> None:
    place, rereads = rated_place(), Rereads(monkeypatch)
    key = next(key for key in cached(place, b"f") if b'"1-0"' in place.disk.content[key])
    place.disk.content[key] = place.disk.content[key].replace(b'"1-0"', b'"0-1"')
    before = place.head()
    place.rate()
    assert rereads.pools == [POOL]
    place.rate()
    assert rereads.pools == [POOL]
    assert place.head() == before
    place.send(published("e9", 1, "A>C"), season()[1])
    place.rate()
    place.check()


@pytest.mark.parametrize("kind", [b"f", b"i"])
def test_a_value_missing_in_the_store_is_read_again_from_the_log_once(kind: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without its identity a fact that is sent again would be taken for a new one."""
    place, rereads = rated_place(), Rereads(monkeypatch)
    for key in cached(place, kind)[:2]:
        del place.disk.content[key]
    place.rate()
    assert rereads.pools == [POOL]
    place.send(*place_messages(place))
    place.rate()
    assert rereads.pools == [POOL]
    assert {told["status"] for told in place.receipts()[len(season()) :]} <= {"duplicate", "accepted"}
    place.check()


def place_messages(place: Place) -> list[Message]:
    """Everything on the log, to be sent again."""
    return [Message(record.topic, 0, record.key, record.value, record.headers) for record in place.log.messages()]


# ---------------------------------------------------------------------- halted pools


def forge_head(place: Place, pool: str = POOL) -> None:
    """Publish a head with a digest that the facts do not give, in every topic."""
    value = next(record.value for record in reversed(place.said) if record.topic == "rating-heads" and record.key == pool.encode())
    assert value is not None
    head = read_head(value)
    data = orjson.loads(value)["data"]
    data["lists"]["elo"]["list_digest"] = "0" * 64
    forged = type(head)(
        **{
            **{name: getattr(head, name) for name in head.__struct_fields__},
            "update": head.update + 1,
            "previous": head_digest(value),
            "lists": {"elo": type(head.lists["elo"])(**data["lists"]["elo"])},
        }
    )
    topics = (*ROW_TOPICS, "rating-updates", "rating-heads")
    place.write(*(Out(topic, pool.encode(), write_head(forged), STRUCTURED_HEADERS) for topic in topics))


def test_a_head_that_the_log_does_not_give_halts_its_pool_and_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    place, rereads = rated_place(), Rereads(monkeypatch)
    forge_head(place)
    forged = place.head()
    place.rate()
    head = place.head()
    assert (head.update, head.state, head.reason) == (3, HALTED, DIGEST)
    assert (head.positions, head.lists, head.append_time_ms) == (forged.positions, forged.lists, forged.append_time_ms)
    assert rereads.pools == [POOL]
    assert row_count(place.updates()[-1]) == 0
    assert any("t:pool is halted (digest)" in told for told in place.told)
    with place.living() as rater:
        place.each(rater, published("e9", 1, "A>C"), of(OTHER, published("e9", 1, "A>C")))
    assert place.heads()[-1] == head, "it stands still"
    assert place.receipt("result-published", -2)["update"] is None
    assert place.receipt("result-published")["update"] == 2
    assert place.head(OTHER).state == LIVE


def test_a_halted_pool_is_not_halted_again_at_the_next_start() -> None:
    place = rated_place()
    forge_head(place)
    place.rate()
    said = len(place.said)
    place.rate()
    assert len(place.said) == said


def test_a_pool_that_nobody_needs_is_held_against_its_head_all_the_same() -> None:
    place = rated_place()
    forge_head(place, OTHER)
    with place.living() as rater:
        place.each(rater, published("e9", 1, "A>C"))
    assert (place.head(OTHER).state, place.head(OTHER).reason) == (HALTED, DIGEST)
    assert place.head(POOL).state == LIVE


def test_a_rebuild_ends_a_halt_with_a_head_and_no_row_if_none_was_wrong() -> None:
    place = rated_place()
    forge_head(place)
    place.rate()
    update = place.rebuild()
    assert (update.number, row_count(update)) == (4, 0)
    assert place.head().state == LIVE
    assert place.heads()[3].lists == place.heads()[0].lists
    place.send(published("e9", 1, "A>C"))
    place.rate()
    place.check()


def test_a_rebuild_of_a_pool_that_is_well_publishes_a_head_and_no_row() -> None:
    place = rated_place()
    assert row_count(place.rebuild()) == 0
    assert len(place.heads()) == 2
    place.rate()
    assert len(place.heads()) == 2
    place.check()


def test_a_rebuild_takes_in_what_waited_while_the_pool_stood_still() -> None:
    place = rated_place()
    forge_head(place)
    waited = published("e9", 1, "A>C")
    place.send(waited)
    place.rate()
    assert place.row("fact-standings", f"{POOL}@1/{waited.source}/{waited.id}") is None
    assert row_count(place.rebuild()) > 0
    assert place.standing(waited)["standing"] == "in-force"
    place.rate()
    place.check()


def test_a_rebuild_mends_rows_that_are_wrong_on_the_topics() -> None:
    place = rated_place()
    key = f"{POOL}/elo@1/t:A"
    wrong = {**place.row("rating-snapshots", key), "rating": "9999.0"}
    place.write(
        Out("rating-snapshots", key.encode(), orjson.dumps(wrong, option=orjson.OPT_SORT_KEYS), ()),
        Out("rating-snapshots", f"{POOL}/elo@1/t:nobody".encode(), orjson.dumps({**wrong, "player": "t:nobody"}), ()),
    )
    forge_head(place)
    place.rate()
    update = place.rebuild()
    assert [row_key for row_key, _ in update.rows["rating-snapshots"]] == [key, f"{POOL}/elo@1/t:nobody"]
    assert update.rows["rating-snapshots"][1][1] is None
    assert sum(len(rows) for rows in update.rows.values()) == 2


def test_a_rebuild_under_another_configuration_begins_a_new_edition() -> None:
    """Rows of another quantum must not stand beside those that readers have."""
    place = rated_place()
    forge_head(place)
    place.send(sent("pool-configured", revision=2, lists=[{**season()[0].data["lists"][0], "quantum": "0.01"}]))
    place.rate()
    place.rebuild()
    assert place.head().lists["elo"].edition == 2
    assert len(place.rating("A", "elo@2").partition(".")[2]) == 2
    place.rate()
    place.check()


def test_a_rebuild_remembers_the_edition_of_a_list_that_has_left() -> None:
    place = rated_place()
    forge_head(place)
    place.send(configured(2, "fast"))
    place.rate()
    place.rebuild()
    assert place.head().left == {"elo": 1}
    place.rate()
    place.check()


def test_a_configuration_of_unknown_semantics_halts_its_pool_until_a_known_one_comes() -> None:
    place = rated_place()
    with place.living() as rater:
        place.each(rater, configured(2, "elo", semantics=2), published("e8", 1, "A>C"))
        assert (place.head().state, place.head().reason) == (HALTED, SEMANTICS)
        assert place.receipt("result-published")["update"] is None
        place.each(rater, configured(3, "elo", semantics=1))
    assert (place.head().update, place.head().state) == (3, LIVE)
    assert place.receipt("pool-facts")["update"] == 3
    place.check()


def test_a_halt_for_semantics_ends_also_after_a_start_far_behind_and_by_withdrawal() -> None:
    unknown = configured(2, "elo", semantics=2)
    for ending in (configured(3, "elo"), withdrawn(unknown)):
        place = rated_place()
        place.send(unknown)
        place.rate()
        assert place.head().state == HALTED
        place.send(ending)
        place.rate()
        assert place.head().state == LIVE
        place.check()


def test_a_halt_for_semantics_ends_also_while_catching_up_in_the_middle_of_a_life() -> None:
    place = Place(limits=Limits(records_a_step=4, behind=10))
    place.send(*season())
    with place.living() as rater:
        place.each(rater, configured(2, "elo", semantics=2))
        assert place.head().state == HALTED
        place.send(configured(3, "elo"), *(published(f"late{n}", 1, "A>B") for n in range(60)))
        rater.settle()
    assert place.head().state == LIVE
    place.check()


def test_an_update_of_more_rows_than_the_bound_halts_its_pool() -> None:
    place = Place(settings=Settings(engine="rerate/simulated", max_rows=20))
    place.send(*season(5), of(OTHER, configured(1, "elo")))
    place.rate()
    assert (place.head().update, place.head().state, place.head().reason) == (1, HALTED, TOO_MANY_ROWS)
    assert row_count(place.updates()[0]) == 0
    assert place.head(OTHER).state == LIVE


def test_a_fault_in_the_fold_halts_its_pool_and_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    place = rated_place()
    add = History.add

    def failing(self: History, facts: list[Fact], *more: Any) -> Any:
        if any(fact.data.pool == POOL and fact.identity.id == "e9" for fact in facts):
            raise ZeroDivisionError("a fault")
        return add(self, facts, *more)

    monkeypatch.setattr(History, "add", failing)
    with place.living() as rater:
        place.each(rater, published("e9", 1, "A>C", id="e9"), of(OTHER, published("e9", 1, "A>C", id="e9")))
    assert (place.head().state, place.head().reason) == (HALTED, FOLD)
    assert place.receipt("result-published", -2)["update"] is None
    assert place.head(OTHER).state == LIVE
    assert any("ZeroDivisionError: a fault" in told for told in place.told), place.told
    monkeypatch.undo()
    place.rebuild()
    place.rate()
    place.check()


def test_a_digest_that_cannot_be_worked_out_halts_its_pool_and_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    place = rated_place()
    digest = ListReplay.digest

    def failing(self: ListReplay) -> tuple[bytes, bytes]:
        if self.row_count == 12:
            raise ZeroDivisionError("a fault")
        return digest(self)

    place.send(of(OTHER, published("e9", 1, "A>C")))
    place.rate()
    monkeypatch.setattr(ListReplay, "digest", failing)
    place.rate()
    assert (place.head().state, place.head().reason) == (HALTED, FOLD)
    assert place.head(OTHER).state == LIVE


# ---------------------------------------------------------------------- held lists


def with_unknown_system() -> Sendable:
    plain = season()[0].data["lists"][0]
    odd = {**plain, "id": "odd", "rules": [{"system": "club/2", "parameters": {}}]}
    return sent("pool-configured", revision=2, lists=[plain, odd])


def test_a_list_of_an_unknown_system_is_held_and_begins_an_edition_when_an_engine_knows_it() -> None:
    place = Place()
    seed = seeded("A", list="odd")
    place.send(*season(), with_unknown_system(), seed)
    place.rate()
    assert (place.head().lists["odd"].held, place.head().lists["odd"].edition) == ("system", 1)
    assert place.head().lists["elo"].held is None
    assert place.standing(seed)["standing"] == "no-effect"
    place.rate()
    assert len(place.heads()) == 1, "a list that is held is not compared"
    place.settings = Settings(engine="rerate/later", systems={**SYSTEMS, "club/2": Club})
    place.rate()
    odd = place.head().lists["odd"]
    assert (place.head().update, odd.held, odd.edition) == (2, None, 2)
    assert place.standing(seed)["standing"] == "in-force"
    assert not [key for key, _ in place.updates()[-1].rows["rating-deltas"] if "/elo@" in key]
    place.rate()
    assert len(place.heads()) == 2
    place.check()


# ---------------------------------------------------------------------- the partition's own faults


def died(place: Place) -> str:
    """The sentence with which a rater dies."""
    with pytest.raises(Crashed):
        place.rate()
    return place.told[-1]


def test_a_gap_that_a_publishers_transaction_leaves_is_counted() -> None:
    place = rated_place()
    place.log.leave_gap(0, "result-published", 2)
    place.send(published("e9", 1, "A>C"))
    assert place.rate().gaps == 2
    assert place.receipt("result-published")["status"] == "accepted"
    place.disk.wipe()
    place.rate()
    place.check()


def test_a_gap_at_the_very_beginning_is_counted() -> None:
    place = Place()
    place.log.leave_gap(0, "pool-facts")
    place.send(*season())
    assert place.rate().gaps == 1
    place.check()


def test_facts_deleted_before_they_were_read_end_the_process() -> None:
    place = rated_place()
    place.send(published("e8", 1, "A>C"), published("e9", 1, "A>C"))
    place.log.delete_before(0, "result-published", 7)
    with pytest.raises(LogInconsistent, match="result-published holds offsets 7 to 8, but is to be read from 6"):
        place.rate()
    assert len(place.heads()) == 1


def test_facts_deleted_after_they_were_read_do_not_matter_as_long_as_there_is_the_store() -> None:
    place = rated_place()
    place.log.delete_before(0, "result-published", 3)
    place.send(published("e9", 1, "A>C"))
    place.rate()
    assert place.head().update == 2
    place.disk.wipe()
    with pytest.raises(LogInconsistent):
        place.rate()


def test_another_number_of_partitions_ends_the_process() -> None:
    place = rated_place()
    value = {**place.progress(), "partitions": 3}
    place.write(Out("rater-progress", b"0", orjson.dumps(value, option=orjson.OPT_SORT_KEYS), ()))
    assert "was rated as one of 3, the log has 1 partitions" in died(place)


def test_offsets_of_the_group_that_are_not_the_partition_heads_end_the_process() -> None:
    place = rated_place()

    async def meddle() -> None:
        writer = await place.log.client().writer(0)
        await writer.commit([], {**place.log_ends(), "pool-facts": 0})

    place.loop.run(meddle())
    assert "one of them was changed from outside" in died(place)
    assert len(place.heads()) == 1


def test_offsets_of_the_group_without_a_partition_head_end_the_process() -> None:
    place = Place()
    place.send(*season())

    async def meddle() -> None:
        writer = await place.log.client().writer(0)
        await writer.commit([], {"pool-facts": 1})

    place.loop.run(meddle())
    assert "one of them was changed from outside" in died(place)
    assert place.said == []


def test_expired_offsets_of_the_group_do_not_matter() -> None:
    place = rated_place()
    place.log.expire_group(0)
    place.send(published("e9", 1, "A>C"))
    place.rate()
    assert place.log.committed(0) == place.log_ends()
    place.check()


def test_a_rater_that_was_stopped_ends_when_another_has_taken_over() -> None:
    place = rated_place()
    with place.living() as rater:
        rater.process.is_paused = True
        place.disk.release()
        place.send(published("e8", 1, "A>C"))
        place.rate()
        place.send(published("e9", 1, "A>C"))
        rater.process.is_paused = False
        with pytest.raises(Crashed, match="ownership lost"):
            rater.settle()
    place.rate()
    place.check()


def test_a_rater_that_was_overtaken_while_it_started_says_so_and_accuses_nobody() -> None:
    place = rated_place()
    place.send(published("e9", 1, "A>C"))
    process = SimProcess("slow")
    life = Life(place, process, place.settings, place.limits)
    life.task = place.loop.spawn(life.engine.run(), process)
    place.loop.run_until(lambda: process.last_point == "writer: opened")
    process.is_paused = True
    place.disk.release()
    place.rate()
    process.is_paused = False
    with pytest.raises(Crashed, match="ownership lost"):
        life.settle()


def test_a_rater_rates_its_own_partition_only() -> None:
    place = Place(partitions=6)
    place.send(*(of("football:world", fact) for fact in season()), *(of("club:rook", fact) for fact in season()))
    assert [len(place.log.messages(partition)) for partition in range(6)] == [0, 0, 0, 4, 4, 0]
    place.rate()
    assert place.said == []
