"""`rerate verify` proves what follows from the facts, and names what does not."""

from typing import Any

import orjson

from rerate.intake import football
from rerate.intake.cloudevents import cloud_event
from rerate.log.seam import Out
from rerate.messages.canonical import canonical
from rerate.pool.head import head_digest
from tests.cli.conftest import FACTS, POOL, Command, jsonl


def forge_head(command: Command, **list_fields: str) -> None:
    """A further head in the chain, with other digests."""
    value = command.newest("rating-heads", POOL)
    head = orjson.loads(value)
    head["id"], data = f"{POOL}@2", head["data"]
    data |= {"update": 2, "previous": head_digest(value)}
    data["lists"]["elo"] |= list_fields
    command.commit([Out(topic, POOL.encode(), canonical(head)) for topic in ("rating-updates", "rating-heads")])


def alter_row(command: Command, key: str, rating: str) -> None:
    row: dict[str, Any] = orjson.loads(command.newest("rating-deltas", key))
    row["row"]["rating"] = row["row"]["state"]["rating"] = rating
    command.commit([Out("rating-deltas", key.encode(), canonical(row))])


def test_what_follows_from_the_facts_is_the_same(rated: Command) -> None:
    first, second = rated.lines("verify")
    assert (first["holds"], first["verdict"]["facts"], first["verdict"]["heads"]) == (True, FACTS + 3, 1)
    assert [one["verdict"] for one in first["verdict"]["lists"] + second["verdict"]["lists"]] == ["same", "same"]
    assert "list elo: same" in rated("verify", POOL).output


def test_another_list_digest_is_arithmetic(altered: Command) -> None:
    forge_head(altered, list_digest="0" * 64)
    (line,) = altered.lines("verify", POOL, code=1)
    (one,) = line["verdict"]["lists"]
    assert (line["holds"], one["verdict"], one["differs_in"], one["rows_say"]) == (False, "differs", "ratings", "facts")


def test_another_input_digest_is_games(altered: Command) -> None:
    forge_head(altered, input_digest="0" * 64)
    result = altered("verify", POOL)
    assert result.exit_code == 1
    assert "list elo: DIFFERS, other games are rated" in result.output
    assert f"what is published of {POOL} does not follow from the facts" in result.stderr


def test_what_was_never_published_is_not_explained(altered: Command) -> None:
    """The facts give other numbers than the head: no reason is told for either."""
    forge_head(altered, list_digest="0" * 64)
    for command in (["explain", POOL, "football:t1"], ["preview", POOL, "--game", "football:t1,football:t2"], ["score", POOL]):
        answer = altered(*command)
        assert answer.exit_code == 1
        assert "the ratings of list elo are not those of head 2" in answer.stderr


def test_the_first_period_that_differs_is_named_with_its_players(altered: Command) -> None:
    forge_head(altered, list_digest="0" * 64)
    alter_row(altered, f"{POOL}/elo@1/football:t1/1872-11-30", "1221.0")
    (line,) = altered.lines("verify", POOL, code=1)
    (one,) = line["verdict"]["lists"]
    assert one["first"] == {"period": "1872-11-30", "players": [["football:t1", "1220.0", "1221.0"]], "differing": 1}
    assert "first period that differs: 1872-11-30, 1 player" in altered("verify", POOL).output


def test_a_broken_chain_of_heads_is_named(altered: Command) -> None:
    value = orjson.loads(altered.newest("rating-heads", POOL))
    value["data"] |= {"update": 3, "previous": "0" * 64}
    altered.commit([Out(topic, POOL.encode(), canonical(value)) for topic in ("rating-updates", "rating-heads")])
    (line,) = altered.lines("verify", POOL, code=1)
    assert line["verdict"]["faults"] == ["update 2 is expected after 1, found 3"]
    assert altered("heads", POOL).exit_code == 1


def test_a_head_that_is_not_in_the_chain_is_named(altered: Command) -> None:
    value = orjson.loads(altered.newest("rating-heads", POOL))
    value["data"]["update"] = 2
    altered.commit([Out("rating-heads", POOL.encode(), canonical(value))])
    (line,) = altered.lines("verify", POOL, code=1)
    assert line["verdict"]["faults"] == ["the newest head in rating-heads is not in rating-updates"]


def test_a_halted_pool_is_named_and_what_it_shows_still_holds(altered: Command) -> None:
    strange = {"pool": POOL, "revision": 9, "semantics": 2, "lists": []}
    altered("publish", "-", input=jsonl([cloud_event("pool-configured", football.OFFICE, "strange", strange)]))
    (done,) = altered.lines("rater", "--until-idle")
    assert done["halted"] == {POOL: "semantics"}
    result = altered("verify", POOL)
    assert result.exit_code == 0
    assert "halted: The configuration names semantics that this engine does not know" in result.output
    assert "HALTED" in altered("ladder", POOL).output
