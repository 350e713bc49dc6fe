"""`schemas/asyncapi.yaml` says what the code does: topics and their settings, messages, keys, headers, who writes and who reads.

No package that could be pinned here has the JSON Schema of AsyncAPI 3.0 in it, so the shape of the document is held to a table of the
fields that the specification gives to each of its objects.
"""

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012
from ruamel.yaml import YAML

from rerate import __version__
from rerate.cli.base import Options
from rerate.cli.topics import all_topics
from rerate.log.seam import Out, Record
from rerate.log.topics import PARTITIONS, REPLICATION, SETTINGS, Kind
from rerate.messages import reading, writing
from rerate.messages.facts import COMMAND_TOPIC, COMPACTED_TOPICS, FACT_TOPICS, OUTCOME_TOPICS, ROW_TOPICS
from rerate.messages.reading import Message, read
from rerate.messages.writing import fact_topic, head_message, row_headers
from rerate.rater import bus
from rerate.rater.outcome import progress_record, receipt_record, transaction
from tests.kit.published import Fed, placed
from tests.kit.saying import POOL, configured, game, merged, published, seeded, withdrawn
from tests.messages.samples import PARTITIONS as SAMPLE_PARTITIONS
from tests.messages.samples import SCHEMAS, binary, example, fact_examples, structured

Node = dict[str, Any]

DOCUMENT: Node = YAML(typ="safe").load(SCHEMAS / "asyncapi.yaml")
CHANNELS: Node = DOCUMENT["channels"]
OPERATIONS: Node = DOCUMENT["operations"]
COMPONENTS: Node = DOCUMENT["components"]
MESSAGES: Node = COMPONENTS["messages"]
SCHEMA_FILES = {path.name for path in SCHEMAS.glob("*.v*.json")}

BASE = "file:///schemas/"
"""Where the document and the files beside it are said to lie."""
REGISTRY: Registry[Any] = Registry().with_resources(
    [
        (f"{BASE}asyncapi.yaml", Resource.from_contents(DOCUMENT, default_specification=DRAFT202012)),
        *((BASE + name, Resource.from_contents(json.loads((SCHEMAS / name).read_bytes()))) for name in SCHEMA_FILES),
    ]
)

OTHER_FACT, ROW_THAT_GOES, COMMAND = "later-fact", "row-that-goes", "command"
"""Messages without a schema file of their own."""


def validator(message: str, *at: str) -> Draft202012Validator:
    """Of a schema that stands at a place in a message."""
    pointer = "/".join(("components", "messages", message, *at))
    return Draft202012Validator(
        {"$ref": f"{BASE}asyncapi.yaml#/{pointer}"}, registry=REGISTRY, format_checker=Draft202012Validator.FORMAT_CHECKER
    )


def payload(message: str) -> Draft202012Validator:
    return validator(message, "payload", "schema") if "schema" in MESSAGES[message]["payload"] else validator(message, "payload")


def nodes(node: Any, *at: str) -> Iterator[tuple[tuple[str, ...], Node]]:
    """Every object of the document with its place; what is in an example is a message, not a part of the document."""
    if isinstance(node, list):
        for inner in node:
            yield from nodes(inner, *at)
    elif isinstance(node, dict):
        yield at, node
        for name, inner in node.items():
            if name != "examples":
                yield from nodes(inner, *at, name)


def followed(node: Node) -> Node:
    """What a reference inside the document names."""
    while "$ref" in node:
        parts = node["$ref"].removeprefix("#/").split("/")
        node = DOCUMENT
        for part in parts:
            node = node[part]
    return node


def names_of(channel: str) -> list[str]:
    """The messages of a channel."""
    assert all(ref["$ref"] == f"#/components/messages/{name}" for name, ref in CHANNELS[channel]["messages"].items())
    return list(CHANNELS[channel]["messages"])


def with_traits(message: str) -> list[Node]:
    """A message and what it takes over."""
    return [MESSAGES[message], *map(followed, MESSAGES[message].get("traits", ()))]


def key_validator(message: str) -> Draft202012Validator:
    ref = next(node["bindings"]["$ref"] for node in with_traits(message) if "bindings" in node)
    return Draft202012Validator({"$ref": f"{BASE}asyncapi.yaml{ref}/kafka/key"}, registry=REGISTRY)


def check(kind: str, key: bytes | None, value: bytes | None, headers: Iterable[tuple[str, bytes | None]]) -> None:
    """Hold a record to the message that it is said to be."""
    key_validator(kind).validate(None if key is None else key.decode())
    payload(kind).validate(None if value is None else json.loads(value))
    told = {name: (raw or b"").decode() for name, raw in headers}
    if "headers" in MESSAGES[kind]:
        validator(kind, "headers").validate(told)
    if "content-type" in told:
        assert told["content-type"].partition(";")[0] == next(node["contentType"] for node in with_traits(kind) if "contentType" in node)


# ---------------------------------------------------------------------- the document

_SAID = {"title", "summary", "description", "tags", "bindings"}
FIELDS: dict[str, tuple[set[str], set[str]]] = {
    "root": ({"asyncapi", "info"}, {"servers", "defaultContentType", "channels", "operations", "components"}),
    "info": ({"title", "version"}, {"description", "license"}),
    "server": ({"host", "protocol"}, {"protocolVersion", "description"}),
    "channel": ({"address", "messages"}, {*_SAID, "parameters"}),
    "operation": ({"action", "channel"}, {*_SAID, "traits"}),
    "operationTrait": (set(), _SAID),
    "message": ({"name", "payload"}, {*_SAID, "contentType", "headers", "traits", "examples"}),
    "messageTrait": (set(), {*_SAID, "contentType", "headers"}),
    "example": ({"payload"}, {"name", "summary", "headers"}),
    "parameter": (set(), {"default", "description", "enum"}),
    "kafka channel": ({"partitions", "replicas", "topicConfiguration", "bindingVersion"}, set()),
    "kafka operation": ({"groupId", "bindingVersion"}, set()),
    "kafka message": ({"key", "bindingVersion"}, set()),
}
"""Kind of object -> the fields it must have here, and the others that AsyncAPI 3.0 gives it and that are used."""


def objects() -> Iterator[tuple[str, Node]]:
    """Kind and content of every object that is not a JSON Schema."""
    yield from (("root", DOCUMENT), ("info", DOCUMENT["info"]))
    parts = {"operationTraits": "operationTrait", "messages": "message", "messageTraits": "messageTrait", "parameters": "parameter"}
    for group, kind in ((DOCUMENT["servers"], "server"), (CHANNELS, "channel"), (OPERATIONS, "operation")):
        yield from ((kind, one) for one in group.values())
    for part, kind in parts.items():
        yield from ((kind, one) for one in COMPONENTS[part].values())
    yield from (("example", one) for message in MESSAGES.values() for one in message.get("examples", ()))
    yield from (("kafka channel", one["kafka"]) for one in COMPONENTS["channelBindings"].values())
    yield from (("kafka message", one["kafka"]) for one in COMPONENTS["messageBindings"].values())
    yield from (("kafka operation", one["bindings"]["kafka"]) for one in COMPONENTS["operationTraits"].values() if "bindings" in one)


def test_the_document_has_the_fields_of_asyncapi_3_and_no_others() -> None:
    assert DOCUMENT["asyncapi"] == "3.0.0"
    for kind, found in objects():
        required, optional = FIELDS[kind]
        assert required <= found.keys() <= required | optional, f"{kind}: {sorted(found)}"
        assert found.get("bindingVersion", "0.5.0") == "0.5.0"
    assert COMPONENTS.keys() == {
        *("parameters", "schemas", "messages", "messageTraits", "messageBindings", "channelBindings", "operationTraits")
    }


def test_it_describes_the_version_it_comes_with() -> None:
    assert DOCUMENT["info"]["version"] == __version__
    assert DOCUMENT["defaultContentType"] == "application/json"


def test_every_reference_leads_somewhere_and_every_schema_is_referred_to() -> None:
    refs = [node["$ref"] for _, node in nodes(DOCUMENT) if isinstance(node.get("$ref"), str)]
    for ref in refs:
        REGISTRY.resolver(f"{BASE}asyncapi.yaml").lookup(ref)
    assert {ref for ref in refs if not ref.startswith("#")} == SCHEMA_FILES


def test_nothing_stands_among_the_components_that_nothing_refers_to() -> None:
    refs = {node["$ref"] for _, node in nodes(DOCUMENT) if isinstance(node.get("$ref"), str)}
    there = {f"#/components/{part}/{name}" for part, named in COMPONENTS.items() for name in named}
    assert there <= refs


def test_every_schema_in_it_is_one() -> None:
    for at, node in nodes(COMPONENTS):
        if at[-1:] in (("headers",), ("key",), ("groupId",), ("schema",)) or (len(at) == 2 and at[0] == "schemas"):
            Draft202012Validator.check_schema(node)


def test_a_schema_beside_it_is_told_to_be_of_its_dialect() -> None:
    for name, message in MESSAGES.items():
        if any("$ref" in node and not node["$ref"].startswith("#") for _, node in nodes(message["payload"])):
            assert message["payload"]["schemaFormat"] == "application/schema+json;version=draft-2020-12", name


# ---------------------------------------------------------------------- topics


def test_the_channels_are_the_topics() -> None:
    assert set(CHANNELS) == set(all_topics()) == {*FACT_TOPICS, *OUTCOME_TOPICS, COMMAND_TOPIC}
    for name, channel in CHANNELS.items():
        assert channel["address"] == f"{{prefix}}.{name}"
        assert followed(channel["parameters"]["prefix"])["default"] == Options().prefix


@pytest.mark.parametrize("topic", all_topics())
def test_a_topic_is_of_the_kind_that_it_is_made_as(topic: str) -> None:
    assert CHANNELS[topic]["bindings"] == {"$ref": f"#/components/channelBindings/{all_topics()[topic].replace(' ', '-')}"}


def test_the_settings_of_each_kind_are_those_that_topics_are_made_with() -> None:
    assert set(COMPONENTS["channelBindings"]) == {kind.replace(" ", "-") for kind in get_args(Kind)}
    for kind, settings in SETTINGS.items():
        kafka = COMPONENTS["channelBindings"][kind.replace(" ", "-")]["kafka"]
        assert (kafka["partitions"], kafka["replicas"]) == (PARTITIONS, REPLICATION)
        said = kafka["topicConfiguration"]
        assert {name: ",".join(value) if isinstance(value, list) else str(value) for name, value in said.items()} == settings


# ---------------------------------------------------------------------- messages


def test_every_fact_type_stands_on_its_topic_in_both_modes() -> None:
    for topic in FACT_TOPICS:
        expected = [type for type in reading._BY_TYPE if fact_topic(type) == topic]
        modes = [f"{type.removeprefix('rerate.')}{mode}" for type in expected for mode in ("", ".binary")]
        assert names_of(topic) == modes + [OTHER_FACT] * (topic == "pool-facts")
        assert [MESSAGES[name]["name"] for name in modes] == [type for type in expected for _ in range(2)]
    assert all(re.fullmatch(r"rerate\.[a-z-]+\.v1", type) for type in reading._BY_TYPE)


def test_every_outcome_type_is_a_message_and_the_other_way_round() -> None:
    types = {value for name, value in vars(writing).items() if name.isupper() and isinstance(value, str) and value.startswith("rerate.")}
    told = {MESSAGES[name]["name"] for topic in OUTCOME_TOPICS for name in names_of(topic)}
    assert told == types | {ROW_THAT_GOES}
    assert names_of(COMMAND_TOPIC) == [COMMAND]


def test_every_row_topic_has_rows_rows_that_go_and_heads() -> None:
    for topic in ROW_TOPICS:
        assert names_of(topic)[1:] == [ROW_THAT_GOES, "rating-head.v1"]
    assert set(ROW_TOPICS) <= set(COMPACTED_TOPICS)


def test_facts_that_need_an_actor_say_so() -> None:
    needs = {type.removeprefix("rerate.") for type, structure in reading._BY_TYPE.items() if structure in reading._NEEDS_ACTOR}
    structured_ones = {name for name in MESSAGES if "actor" in str(MESSAGES[name]["payload"].get("schema", {}))}
    binary_ones = {name.removesuffix(".binary") for name in MESSAGES if "ce_actor" in str(MESSAGES[name].get("headers"))}
    assert structured_ones == binary_ones == needs


@pytest.mark.parametrize("name", [name for name in MESSAGES if "examples" in MESSAGES[name]])
def test_an_example_is_the_one_in_its_file(name: str) -> None:
    (said,) = MESSAGES[name]["examples"]
    if name == COMMAND:
        assert said["payload"] == {"rebuild": "club:rook"}
        return
    value = example(f"{name}/{said['name']}")
    assert said["payload"] == (json.loads(head_message(value["pool"], value["update"], value)) if name == "rating-head.v1" else value)


@pytest.mark.parametrize("name", [name for name in MESSAGES if "examples" in MESSAGES[name]])
def test_an_example_is_a_message_of_its_kind(name: str) -> None:
    (said,) = MESSAGES[name]["examples"]
    payload(name).validate(said["payload"])
    if "headers" not in said:
        return
    validator(name, "headers").validate(said["headers"])
    id = said["headers"]["ce_id"]
    assert said["headers"] == {header: raw.decode() for header, raw in row_headers(MESSAGES[name]["name"], id)}
    if "update" in said["payload"]["by"]:  # a row
        key, _, update = id.rpartition("@")
        assert update == str(said["payload"]["by"]["update"])
        key_validator(name).validate(key)


def test_every_message_but_the_other_modes_has_an_example() -> None:
    without = {name for name in MESSAGES if "examples" not in MESSAGES[name]}
    assert without == {OTHER_FACT, ROW_THAT_GOES, *(name for name in MESSAGES if name.endswith(".binary"))}


@pytest.mark.parametrize("name", fact_examples())
def test_a_fact_in_either_mode_is_what_its_message_says(name: str) -> None:
    for message, suffix in ((structured(example(name)), ""), (binary(example(name)), ".binary")):
        kind = name.split("/")[0] + suffix
        assert kind in names_of(message.topic)
        check(kind, message.key, message.value, message.headers)


# ---------------------------------------------------------------------- what the rater writes


def outcomes() -> list[Out]:
    """What is published of a pool with a list of each kind of period, of good and bad messages, and of a partition."""
    fed = Fed(pool=POOL)
    lists = configured(1, *(f"{kind}/{kind}" for kind in ("game", "round", "event", "date", "month")))
    first = published("e1", 1, game("g1", "A>B", round=1, board=2), "B=C")
    merge = merged("m1", "X", "A")
    updates = [
        fed.take(placed(batch)) for batch in ([lists, seeded("C", list="event"), first, merge], [withdrawn(merge)], [withdrawn(first)])
    ]
    records = [
        Record("result-published", 0, offset, 0, b"club:rook", value) for offset, value in enumerate((first.message().value, b"!", None))
    ]
    receipts = [
        receipt_record(record, read(Message(*record[:2], record.key, record.value), partitions=1), is_duplicate=False, update=1)
        for record in (*records, records[2]._replace(key=None))
    ]
    progress = progress_record(0, SAMPLE_PARTITIONS, fed.positions, is_catching_up=False)
    return transaction([update for update in updates if update is not None], receipts, progress)


def kind_of(record: Out) -> str:
    """Which message a record says it is."""
    if record.value is None:
        return ROW_THAT_GOES
    type = dict(record.headers).get("ce_type")
    return (type.decode() if type else str(json.loads(record.value)["type"])).removeprefix("rerate.")


def test_what_a_rater_writes_is_what_the_document_says() -> None:
    seen: set[tuple[str, str]] = set()
    for record in outcomes():
        kind = kind_of(record)
        assert kind in names_of(record.topic)
        check(kind, record.key, record.value, record.headers)
        seen.add((record.topic, kind))
    never_here = {("fact-standings", ROW_THAT_GOES)}  # a standing goes only where a rebuild finds one that should not be there
    assert seen == {(topic, name) for topic in OUTCOME_TOPICS for name in names_of(topic)} - never_here


def test_a_head_has_no_row_s_key_and_no_row_a_head_s() -> None:
    for record in outcomes():
        if record.topic in ROW_TOPICS and record.key is not None:
            key = record.key.decode()
            assert key_validator(ROW_THAT_GOES).is_valid(key) == (kind_of(record) != "rating-head.v1")
            assert ("/" not in key) == (kind_of(record) == "rating-head.v1")


# ---------------------------------------------------------------------- who writes and who reads


def told(role: str, action: str) -> set[str]:
    """The topics that a role sends to or receives from."""
    found = set()
    for name, operation in OPERATIONS.items():
        if name.startswith(f"{role}.") and operation["action"] == action:
            topic = name.removeprefix(f"{role}.")
            assert operation["channel"] == {"$ref": f"#/channels/{topic}"}
            assert operation["traits"][0] == {"$ref": f"#/components/operationTraits/{role}"}
            found.add(topic)
    return found


@pytest.mark.parametrize(
    ("role", "sends", "receives"),
    [
        ("publisher", FACT_TOPICS, ()),
        ("rater", OUTCOME_TOPICS, (*FACT_TOPICS, COMMAND_TOPIC)),
        ("subscriber", (), OUTCOME_TOPICS),
        ("auditor", (), (*FACT_TOPICS, "rating-updates")),
        ("operator", (COMMAND_TOPIC,), ()),
    ],
)
def test_each_role_sends_and_receives_its_topics(role: str, sends: tuple[str, ...], receives: tuple[str, ...]) -> None:
    assert told(role, "send") == set(sends)
    assert told(role, "receive") == set(receives)


def test_no_operation_is_of_another_role() -> None:
    assert {name.partition(".")[0] for name in OPERATIONS} == {"publisher", "rater", "subscriber", "auditor", "operator"}


def test_the_raters_group_is_the_one_that_commits_offsets() -> None:
    group = COMPONENTS["operationTraits"]["group"]["bindings"]["kafka"]["groupId"]["const"]
    assert group == bus.Bus(bootstrap="", prefix=Options().prefix, data=Path()).group
    with_group = {name for name, one in OPERATIONS.items() if {"$ref": "#/components/operationTraits/group"} in one["traits"]}
    assert with_group == {f"rater.{topic}" for topic in FACT_TOPICS}


def test_the_command_is_the_one_that_raters_obey() -> None:
    assert set(MESSAGES[COMMAND]["payload"]["properties"]) == {field.name for field in msgspec.structs.fields(bus._Command)}
