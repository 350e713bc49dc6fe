"""Schemas, examples, codes, worked bytes and code say the same."""

import json
import re
from hashlib import sha256
from typing import Any, get_args

import jsonschema
import pytest
from msgspec import inspect

from rerate.messages import codes, facts
from rerate.messages.canonical import canonical, content_digest
from rerate.messages.partition import murmur2, partition_of
from rerate.messages.reading import read
from tests.messages.samples import PARTITIONS, SCHEMAS, binary, example, fact_examples, structured

STRUCTURES: dict[str, tuple[type, ...]] = {
    "result-published.v1": (facts.ResultPublished,),
    "result-corrected.v1": (facts.EventCorrected, facts.EventRuled),
    "event-deleted.v1": (facts.EventDeleted, facts.DeletionRuled),
    "identity-merged.v1": (facts.IdentityMerged,),
    "identity-unmerged.v1": (facts.IdentityUnmerged,),
    "pool-configured.v1": (facts.PoolConfigured,),
    "player-registered.v1": (facts.PlayerRegistered,),
    "rating-seeded.v1": (facts.RatingSeeded,),
    "rating-adjusted.v1": (facts.RatingAdjusted,),
    "fact-withdrawn.v1": (facts.FactWithdrawn,),
}
OUTCOMES = (
    "rating-snapshot.v1",
    "rating-delta.v1",
    "rated-event.v1",
    "person-id.v1",
    "fact-standing.v1",
    "fact-receipt.v1",
    "rating-head.v1",
    "partition-head.v1",
)
EXAMPLES = sorted(f"{path.parent.name}/{path.stem}" for path in (SCHEMAS / "examples").glob("*/*.json"))

Schema = dict[str, Any]


def schema(name: str) -> Schema:
    value: Schema = json.loads((SCHEMAS / f"{name}.json").read_bytes())
    return value


def validator(name: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(schema(name), format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER)


@pytest.mark.parametrize("name", [*STRUCTURES, *OUTCOMES, "fact-envelope.v1"])
def test_every_schema_is_one_and_has_examples(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(schema(name))
    assert schema(name)["$id"] == f"urn:rerate:schema:{name}"
    assert name == "fact-envelope.v1" or any(one.startswith(f"{name}/") for one in EXAMPLES)


def test_every_schema_file_is_known() -> None:
    assert {path.stem for path in SCHEMAS.glob("*.v*.json")} == {*STRUCTURES, *OUTCOMES, "fact-envelope.v1"}
    assert {path.name for path in (SCHEMAS / "examples").iterdir()} == {*STRUCTURES, *OUTCOMES}


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_what_its_schema_says(name: str) -> None:
    value = example(name)
    if name in fact_examples():
        validator("fact-envelope.v1").validate(value)
        value = value["data"]
    validator(name.split("/")[0]).validate(value)


@pytest.mark.parametrize("name", fact_examples())
def test_an_example_of_a_fact_is_read_as_what_it_says(name: str) -> None:
    event = example(name)
    fact = read(structured(event), partitions=PARTITIONS)
    assert isinstance(fact, facts.Fact)
    assert isinstance(fact.data, STRUCTURES[name.split("/")[0]])
    assert fact == read(binary(event), partitions=PARTITIONS)
    assert fact.identity == (event["source"], event["id"], content_digest(event["type"], event.get("actor"), event["data"]))
    assert json.loads(canonical(fact.data)) == event["data"]


def objects(node: Any) -> list[Schema]:
    """Every schema of an object that lists its properties, wherever it stands."""
    if isinstance(node, list):
        return [found for inner in node for found in objects(inner)]
    if not isinstance(node, dict):
        return []
    own = [node] if node.get("type") == "object" else []
    return own + [found for inner in node.values() for found in objects(inner)]


@pytest.mark.parametrize("name", [*STRUCTURES, *OUTCOMES])
def test_no_object_is_open(name: str) -> None:
    for found in objects(schema(name)):
        assert "additionalProperties" in found
        assert found["additionalProperties"] is False or "propertyNames" in found


@pytest.mark.parametrize("name", STRUCTURES)
def test_a_schema_agrees_with_the_types(name: str) -> None:
    root = schema(name)
    nodes = [root] if len(STRUCTURES[name]) == 1 else [resolve(root, option) for option in root["oneOf"]]
    for node, structure in zip(nodes, STRUCTURES[name], strict=True):
        agree(root, node, inspect.type_info(structure), nullable=False)


def resolve(root: Schema, node: Schema) -> Schema:
    """The node with its reference followed; what stands beside the reference stays."""
    if "$ref" not in node:
        return node
    inner = resolve(root, root["$defs"][node["$ref"].rpartition("/")[2]])
    return {**inner, **{key: value for key, value in node.items() if key != "$ref"}}


def agree(root: Schema, node: Schema, kind: inspect.Type, nullable: bool) -> None:
    """The schema allows what the type allows: properties, required ones, enums, patterns, limits."""
    node = resolve(root, node)
    match kind:
        case inspect.UnionType(types=types):
            inner = [one for one in types if not isinstance(one, inspect.NoneType) and type(one).__name__ != "UnsetType"]
            is_nullable = nullable and any(isinstance(one, inspect.NoneType) for one in types)
            options = [one for one in node.get("anyOf", [node]) if one != {"type": "null"}]
            assert ({"type": "null"} in node.get("anyOf", [])) == is_nullable
            assert len(options) == len(inner)
            for option in options:
                option = resolve(root, option)
                agree(root, option, next(one for one in inner if json_type(one) == option.get("type")), nullable)
        case inspect.StructType(cls=cls, fields=fields):
            assert node["additionalProperties"] is False
            assert set(node["properties"]) == {field.encode_name for field in fields}
            assert set(node.get("required", [])) == {field.encode_name for field in fields if field.required}
            for field in fields:
                agree(root, node["properties"][field.encode_name], field.type, cls.__name__.endswith("Patch"))
        case inspect.VarTupleType(item_type=item, min_length=low, max_length=high):
            assert (node["type"], node.get("minItems"), node.get("maxItems")) == ("array", low, high)
            for inner_node in (node["items"], *node.get("prefixItems", [])):
                agree(root, inner_node["allOf"][0] if "allOf" in inner_node else inner_node, item, nullable)
        case inspect.DictType(key_type=key, value_type=value, min_length=low, max_length=high):
            assert (node["type"], node.get("minProperties"), node.get("maxProperties")) == ("object", low, high)
            agree(root, node["propertyNames"], key, nullable)
            agree(root, node["additionalProperties"], value, nullable)
        case inspect.StrType(pattern=pattern, max_length=high):
            assert pattern is not None
            assert (node["type"], node["pattern"], node.get("maxLength")) == ("string", pattern.replace(r"\Z", "$"), high)
        case inspect.IntType(ge=low, le=high):
            assert (node["type"], node.get("minimum"), node.get("maximum")) == ("integer", low, high)
        case inspect.LiteralType(values=values):
            assert sorted(map(str, node["enum"])) == sorted(map(str, values))
        case inspect.BoolType():
            assert node["type"] == "boolean"
        case _:
            raise AssertionError(kind)


def json_type(kind: inspect.Type) -> str | None:
    names = {
        inspect.StrType: "string",
        inspect.IntType: "integer",
        inspect.BoolType: "boolean",
        inspect.StructType: "object",
        inspect.VarTupleType: "array",
    }
    return names.get(type(kind))


def test_every_code_has_its_sentence_and_the_other_way_round() -> None:
    assert schema("codes")["families"] == {family: dict(sentences) for family, sentences in codes.SENTENCES.items()}
    closed: dict[str, Any] = {
        "result": facts.Result,
        "rated-sides": facts.RatedSides,
        "unrated-reason": facts.UnratedReason,
        "correction-reason": facts.ReasonCode,
        "adjustment-reason": facts.AdjustmentReason,
        "event-status": facts.Event.__annotations__["status"],
        "deletion-mode": facts.EventDeleted.__annotations__["mode"],
        "receipt-status": codes.ReceiptStatus,
        "receipt-reason": codes.Reason,
        "standing": codes.Standing,
        "standing-reason": codes.StandingReason,
        "misfit-reason": codes.MisfitReason,
        "flag": codes.Flag,
        "unrated-why": codes.UnratedWhy,
        "event-state": codes.EventState,
        "cause": codes.Cause,
        "head-state": codes.HeadState,
        "halt-reason": codes.HaltReason,
        "list-held": codes.ListHeld,
    }
    assert {family: list(sentences) for family, sentences in codes.SENTENCES.items()} == {
        family: list(get_args(literal)) for family, literal in closed.items()
    }


def test_every_code_is_in_some_schema() -> None:
    enums = [set(node["enum"]) for path in SCHEMAS.glob("*.v*.json") for node in walk(json.loads(path.read_bytes())) if "enum" in node]
    for family, sentences in codes.SENTENCES.items():
        assert set(sentences) in enums, family


def walk(node: Any) -> list[Schema]:
    if isinstance(node, list):
        return [found for inner in node for found in walk(inner)]
    if not isinstance(node, dict):
        return []
    return [node, *(found for inner in node.values() for found in walk(inner))]


PAGE = (SCHEMAS / "digests.md").read_text()


def test_the_worked_content_digest_is_that_of_the_example() -> None:
    line = next(line.strip() for line in PAGE.splitlines() if line.startswith('    ["rerate.'))
    kind, actor, data = json.loads(line)
    assert len(line) == 247
    assert canonical([kind, actor, data]) == line.encode()
    assert content_digest(kind, actor, data).hex() in PAGE
    assert example("result-published.v1/first-football-match")["data"] == data


def test_the_worked_digests_are_those_of_the_worked_bytes() -> None:
    """Each block of bytes on the page is followed by its SHA-256, and the running digests are over those."""
    blocks = re.findall(r"((?:^    [0-9a-f ]+\n)+)\n^    ([0-9a-f]{64})$", PAGE, re.MULTILINE)
    digests = []
    for text, digest in blocks:
        raw = bytes.fromhex(re.sub(r"\s", "", text))
        assert f"{len(raw)} bytes" in PAGE
        assert sha256(raw).hexdigest() == digest
        digests.append(digest)
    first, second, _, games, more_games = digests
    for name, parts in ((b"rerate.list.1\n", (first, second)), (b"rerate.inputs.1\n", (games, more_games))):
        assert sha256(name + b"".join(map(bytes.fromhex, parts))).hexdigest() in PAGE


def test_murmur2_is_that_of_the_java_client() -> None:
    for key, value, n, partition in re.findall(r"\| `([^`]+)` \| (0x[0-9a-f]+) \| ([0-9]+) \| ([0-9]+) \|", PAGE):
        assert murmur2(key.encode()) == int(value, 16)
        assert partition_of(key, int(n)) == int(partition)


@pytest.mark.parametrize(
    ("key", "value"),
    [(b"21", -973932308), (b"foobar", -790332482), (b"a-little-bit-long-string", -985981536), (b"abc", 479470107)],
)
def test_murmur2_gives_the_numbers_of_kafkas_own_tests(key: bytes, value: int) -> None:
    """Source: Apache Kafka, UtilsTest.testMurmur2."""
    assert murmur2(key) == value % 2**32
