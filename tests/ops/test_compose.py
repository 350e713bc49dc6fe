"""`docker-compose.yml` and `ops/Dockerfile`: valid by the compose specification, and what they start exists.

The specification's JSON Schema comes with check-jsonschema. No engine runs here: each service's command is read by the command itself.
"""

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from ops.kafka.local import HERE as LOCAL_KAFKA
from rerate.rater.bus import STOP_SECONDS
from tests.ops.command_lines import parsed

ROOT = Path(__file__).parents[2]
COMPOSE: dict[str, Any] = YAML(typ="safe").load(ROOT / "docker-compose.yml")
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
RATERS = ["rater-1", "rater-2"]
OURS = ["topics", *RATERS]
BROKER: dict[str, str] = SERVICES["kafka"]["environment"]


def test_the_file_is_what_the_compose_specification_allows() -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec", "docker-compose.yml"]
    checked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_it_starts_kafka_its_topics_and_two_raters() -> None:
    assert list(SERVICES) == ["kafka", *OURS]


# ---------------------------------------------------------------------- kafka


def test_kafka_is_the_one_that_the_tests_run_on() -> None:
    pom = (LOCAL_KAFKA / "pom.xml").read_text(encoding="utf-8")
    (version,) = re.findall(r"<kafka\.version>([^<]+)</kafka\.version>", pom)
    assert SERVICES["kafka"]["image"] == f"apache/kafka:{version}"


def test_kafka_creates_no_topic_by_itself_and_needs_no_second_node() -> None:
    assert BROKER["KAFKA_AUTO_CREATE_TOPICS_ENABLE"] == "false"
    alone = {name: value for name, value in BROKER.items() if name.endswith(("_REPLICATION_FACTOR", "_MIN_ISR"))}
    assert set(alone.values()) == {"1"}
    assert {name.split("_TOPIC")[0].split("_LOG")[0] for name in alone} == {
        *("KAFKA_OFFSETS", "KAFKA_TRANSACTION_STATE", "KAFKA_SHARE_COORDINATOR_STATE")
    }


def test_kafka_tells_each_side_the_address_that_it_came_by() -> None:
    listeners, advertised = (
        dict(one.split("://") for one in BROKER[f"KAFKA_{name}"].split(",")) for name in ("LISTENERS", "ADVERTISED_LISTENERS")
    )
    (published,) = SERVICES["kafka"]["ports"]
    outside, _, inside_port = published.rpartition(":")
    assert (advertised["OUTSIDE"], listeners["OUTSIDE"]) == (outside, f":{inside_port}")
    assert advertised["INSIDE"] == f"kafka{listeners['INSIDE']}"
    assert BROKER["KAFKA_CONTROLLER_QUORUM_VOTERS"] == f"{BROKER['KAFKA_NODE_ID']}@{listeners['CONTROLLER']}"
    protocols = dict(one.split(":") for one in BROKER["KAFKA_LISTENER_SECURITY_PROTOCOL_MAP"].split(","))
    assert protocols == dict.fromkeys(listeners, "PLAINTEXT")


def test_the_broker_of_the_asyncapi_document_is_this_one() -> None:
    server = YAML(typ="safe").load(ROOT / "schemas" / "asyncapi.yaml")["servers"]["local"]
    assert SERVICES["kafka"]["ports"][0].startswith(f"{server['host']}:")


def test_kafka_keeps_its_data_and_says_when_it_is_ready() -> None:
    assert SERVICES["kafka"]["volumes"] == [f"kafka-data:{BROKER['KAFKA_LOG_DIRS']}"]
    assert SERVICES["kafka"]["healthcheck"]["test"][-1] == "kafka:9092"


# ---------------------------------------------------------------------- what runs on it


def test_topics_are_made_once_kafka_is_ready_and_before_a_rater_starts() -> None:
    assert SERVICES["topics"]["depends_on"] == {"kafka": {"condition": "service_healthy"}}
    assert SERVICES["topics"]["restart"] == "no"
    for name in RATERS:
        conditions = {other: one["condition"] for other, one in SERVICES[name]["depends_on"].items()}
        assert conditions == {"kafka": "service_healthy", "topics": "service_completed_successfully"}


@pytest.mark.parametrize("name", OURS)
def test_a_service_runs_a_command_that_exists(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    said = parsed(SERVICES[name]["command"], monkeypatch, tmp_path)
    assert said.command == name.partition("-")[0]
    assert said.bootstrap == "kafka:9092"
    if name in RATERS:
        assert (said.parameters["slot"], said.parameters["data"]) == (name, Path("/data"))
    else:
        assert said.parameters["replication"] == 1


def test_each_rater_has_a_volume_of_its_own_and_is_started_again_when_it_fails() -> None:
    for name in RATERS:
        assert SERVICES[name]["volumes"] == [f"{name}-data:/data"]
        assert SERVICES[name]["restart"] == "on-failure"
    assert set(COMPOSE["volumes"]) == {"kafka-data", *(f"{name}-data" for name in RATERS)}


def test_a_rater_has_longer_to_stop_than_it_takes() -> None:
    for name in RATERS:
        assert int(SERVICES[name]["stop_grace_period"].removesuffix("s")) > STOP_SECONDS


# ---------------------------------------------------------------------- what it may


def test_nothing_is_reachable_from_another_machine() -> None:
    ports = [port for service in SERVICES.values() for port in service.get("ports", ())]
    assert all(port.startswith("127.0.0.1:") for port in ports)
    assert not any({"network_mode", "networks", "privileged", "pid"} & service.keys() for service in SERVICES.values())


@pytest.mark.parametrize("name", SERVICES)
def test_no_service_gains_rights(name: str) -> None:
    assert SERVICES[name]["security_opt"] == ["no-new-privileges:true"]
    assert not any(volume.startswith(("/", ".", "~")) for volume in SERVICES[name].get("volumes", ()))


@pytest.mark.parametrize("name", OURS)
def test_our_services_are_no_root_and_write_to_their_volume_alone(name: str) -> None:
    service = SERVICES[name]
    assert service["user"] == DOCKERFILE["USER"][-1] == "10001:10001"
    assert service["read_only"] is True
    assert service["tmpfs"] == ["/tmp"]
    assert service["cap_drop"] == ["ALL"]


# ---------------------------------------------------------------------- the image


def instructions(path: Path) -> dict[str, list[str]]:
    """Instruction -> what was said to it, each time, in order."""
    text = re.sub(r"\\\n", " ", re.sub(r"^#.*\n", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE))
    said: dict[str, list[str]] = {}
    for line in filter(None, text.splitlines()):
        name, _, rest = line.partition(" ")
        said.setdefault(name, []).append(rest)
    return said


DOCKERFILE = instructions(ROOT / "ops" / "Dockerfile")


@pytest.mark.parametrize("name", OURS)
def test_the_image_is_built_from_here(name: str) -> None:
    assert SERVICES[name]["build"] == {"context": ".", "dockerfile": "ops/Dockerfile"}
    assert SERVICES[name]["image"] == "rerate"


def test_what_the_image_is_made_of_is_here_and_not_ignored() -> None:
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split("\n")
    assert ignored[1] == "*"
    sources = {word for said in DOCKERFILE["COPY"] if not said.startswith("--from") for word in said.split()[:-1]}
    assert sources == {line.removeprefix("!") for line in ignored if line.startswith("!")}
    assert all((ROOT / source).exists() for source in sources)


def test_the_image_holds_every_package_to_the_lock() -> None:
    fetched, installed = DOCKERFILE["RUN"][:2]
    assert {"--require-hashes", "--no-deps", "requirements.lock"} <= set(fetched.split())
    assert "--no-index --find-links /wheels" in installed


def test_the_image_runs_rerate_where_it_may_write() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert DOCKERFILE["ENTRYPOINT"] == [f'["{name}"]' for name in project["scripts"]]
    assert DOCKERFILE["WORKDIR"][-1] == "/data"
    assert len(DOCKERFILE["FROM"]) == 2
    assert all(one.split()[0] == f"python:{project['requires-python'].removeprefix('>=')}-slim" for one in DOCKERFILE["FROM"])
