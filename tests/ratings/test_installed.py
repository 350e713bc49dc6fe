"""Rating systems that other packages bring: found by their entry points, refused with a sentence, rated by the real engine."""

import os
import shutil
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import orjson
import pytest

from rerate.ratings.face import Usual
from rerate.ratings.installed import GROUP, BadPlugin, known_systems
from rerate.ratings.systems import SYSTEMS

ROOT = Path(__file__).parents[2]
PLUGIN = ROOT / "tests" / "plugin"
NAME = "acme-elo/1"


# ---------------------------------------------------------------------- a package of its own, installed


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory into which the package was installed, by pip and without a network."""
    source, target = tmp_path_factory.mktemp("source") / "acme", tmp_path_factory.mktemp("target")
    shutil.copytree(PLUGIN, source, ignore=shutil.ignore_patterns("__pycache__"))
    options = ["--quiet", "--disable-pip-version-check", "--no-index", "--no-deps", "--no-build-isolation", "--target", str(target)]
    subprocess.run([sys.executable, "-m", "pip", "install", *options, str(source)], check=True, capture_output=True, text=True)
    return target


_COMMANDS = """
import sys
from click.testing import CliRunner
from rerate.cli import cli
log, facts = sys.argv[1:]
for arguments in (["publish", facts], ["rater", "--until-idle"], ["ladder", "acme:pool"], ["verify"]):
    result = CliRunner().invoke(cli, ["--log", "file:" + log, *arguments, "--json"])
    print(result.exit_code, result.stdout.replace("\\n", " ").strip(), result.stderr.replace("\\n", " ").strip(), sep="\\t")
"""


def facts() -> bytes:
    """A list of the plugin, and two events on both sides of the day on which K changes."""
    rules = [{"system": NAME, "parameters": {"k": 40}}]
    one = {"id": "acme", "quantum": "0.1", "shown": "1", "period": "event", "rules": rules}
    said: list[tuple[str, dict[str, Any]]] = [("pool-configured", {"revision": 1, "lists": [one]})]
    for name, date in (("e1", "2024-01-05"), ("e2", "2024-02-02")):
        event = {"id": f"acme:{name}", "date": date, "category": "club", "status": "final"}
        games = [{"id": "g1", "white": "acme:a", "black": "acme:b", "result": "1-0"}]
        said.append(("result-published", {"revision": 1, "event": event, "games": games}))
    events = [
        {
            "specversion": "1.0",
            "type": f"rerate.{kind}.v1",
            "source": "acme/tests",
            "id": f"f{place}",
            "data": {"pool": "acme:pool", **data},
        }
        for place, (kind, data) in enumerate(said)
    ]
    return b"".join(orjson.dumps(event) + b"\n" for event in events)


def commanded(tmp_path: Path, *paths: Path) -> dict[str, tuple[int, list[Any], str]]:
    """Exit code, objects and errors of each command, in a process of its own that sees these paths."""
    (tmp_path / "facts.jsonl").write_bytes(facts())
    ran = subprocess.run(
        [sys.executable, "-c", _COMMANDS, str(tmp_path / "log"), str(tmp_path / "facts.jsonl")],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, paths))},
        check=True,
        capture_output=True,
        text=True,
    )
    said = {}
    for command, line in zip(("publish", "rater", "ladder", "verify"), ran.stdout.splitlines(), strict=True):
        code, objects, errors = line.split("\t")
        said[command] = (int(code), [orjson.loads(one) for one in objects.replace("} {", "}\n{").splitlines()], errors)
    return said


def test_the_engine_rates_by_an_installed_system(installed: Path, tmp_path: Path) -> None:
    said = commanded(tmp_path, installed)
    assert [said["publish"][0], said["rater"][0]] == [0, 0]
    assert said["rater"][1][0]["held"] == {}
    # 1000 each: K 40 gives +20; in February K 20 and the table's E(40) = 0.557312 give 8.854, rounded to tenths
    ratings = {row["player"]: row["rating"] for row in said["ladder"][1]}
    assert ratings == {"acme:a": "1028.9", "acme:b": "971.1"}
    code, (verdict,), _ = said["verify"]
    assert (code, verdict["holds"], verdict["verdict"]["lists"][0]["verdict"]) == (0, True, "same")


def test_without_it_the_same_list_is_held(tmp_path: Path) -> None:
    said = commanded(tmp_path)
    assert said["rater"][1][0]["held"] == {"acme:pool/acme": "system"}
    assert said["verify"][1][0]["verdict"]["lists"][0]["verdict"] == "held"


def test_a_system_that_cannot_be_loaded_ends_the_rater_with_a_sentence(installed: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    shutil.copytree(installed, broken)
    (broken / "acme_elo.py").write_text("import no_such_module\n")
    said = commanded(tmp_path, broken)
    code, objects, errors = said["rater"]
    assert (code, objects) == (1, [])
    assert "the installed package acme-elo 1.0 brings the rating system 'acme-elo/1'" in errors
    assert "acme_elo:AcmeElo cannot be loaded (ModuleNotFoundError: No module named 'no_such_module'). Mend it, or uninstall it" in errors
    assert said["verify"][0] == 1
    assert "acme_elo:AcmeElo cannot be loaded" in said["verify"][2]


# ---------------------------------------------------------------------- names and values


def point(name: str, value: str = "tests.plugin.acme_elo:AcmeElo") -> EntryPoint:
    return EntryPoint(name, value, GROUP)


class Bare(Usual):
    """A system as somebody begins one."""

    name = NAME


def test_systems_of_packages_stand_beside_ours() -> None:
    systems = known_systems([point(NAME)])
    assert systems.keys() == {*SYSTEMS, NAME}
    assert systems[NAME]({}, 10, "event").name == NAME


def test_without_packages_there_are_ours() -> None:
    assert known_systems([]) == SYSTEMS


@pytest.mark.parametrize(
    ("points", "sentence"),
    [
        ([point("fide/1")], "'fide/1': rerate itself has a system of this name"),
        ([point(NAME), point(NAME)], "'acme-elo/1': an unnamed package has a system of this name"),
        ([point("Acme/1")], "'Acme/1': its name is no name of a system with a version"),
        ([point("acme-elo")], "'acme-elo': its name is no name of a system with a version"),
        ([point("acme-elo/0")], "'acme-elo/0': its name is no name of a system with a version"),
        ([point("acme-elo/1\n")], "its name is no name of a system with a version"),
        ([point("acme-elo/2")], "tests.plugin.acme_elo:AcmeElo calls itself 'acme-elo/1'; both must be the same"),
        ([point(NAME, "tests.plugin.acme_elo:Gone")], "cannot be loaded (AttributeError: "),
        ([point(NAME, "tests.plugin.gone:AcmeElo")], "cannot be loaded (ModuleNotFoundError: "),
        ([point(NAME, "tests.ratings.test_installed:Bare")], "tests.ratings.test_installed:Bare has no adjust, explain, foretell, "),
        ([point(NAME, "tests.plugin.acme_elo:NEW_GAMES")], "cannot be called to make a system"),
    ],
)
def test_a_system_that_cannot_be_used_is_refused(points: list[EntryPoint], sentence: str) -> None:
    with pytest.raises(BadPlugin) as raised:
        known_systems(points)
    assert sentence in str(raised.value)
    assert str(raised.value).endswith(". Mend it, or uninstall it")
