"""`rerate score`, and what readers are told of shadow lists."""

from pathlib import Path
from typing import Any

import pytest

from rerate.intake import football
from rerate.intake.cloudevents import cloud_event
from tests.cli.conftest import POOL, Command, history, jsonl

TRIAL = "glicko"


@pytest.fixture(scope="module")
def shadowed(tmp_path_factory: pytest.TempPathFactory) -> Command:
    """A rated log of a pool with an official list and a shadow list."""
    directory: Path = tmp_path_factory.mktemp("shadowed")
    command = Command(directory)
    assert command("publish", "-", input=jsonl([*history(), two_lists()])).exit_code == 0
    assert command("rater", "--until-idle").exit_code == 0
    return command


def two_lists() -> Any:
    official = football.configuration()["data"]["lists"][0]
    trial = official | {"id": TRIAL, "shadow": True, "rules": [{"system": "glicko/1", "parameters": {}}]}
    return cloud_event("pool-configured", football.OFFICE, "lists-2", {"pool": POOL, "revision": 2, "lists": [official, trial]})


def test_lists_and_systems_are_compared_for_programs(rated: Command) -> None:
    elo, glicko = rated.lines("score", POOL, "--system", "glicko/1")
    assert [elo["name"], glicko["name"]] == ["elo", "glicko/1"]
    assert elo["games"] == glicko["games"] == sum(band["games"] for band in elo["calibration"])
    assert elo["score"] == glicko["score"]
    assert (glicko["pool"], glicko["list"], glicko["systems"], glicko["period"]) == (POOL, "elo", ["glicko/1"], "date")
    assert 0 < elo["brier"] < elo["log_loss"] < 1
    assert elo["log_loss"] == round(elo["log_loss"], 6)
    assert elo["coin"]["log_loss"] == 0.693147


def test_lists_are_compared_for_people_with_a_chart(rated: Command) -> None:
    (told,) = rated.lines("score", POOL)
    said = rated("score", POOL).output
    assert said.startswith(f"{POOL}: {told['games']} games that the list rates\n")
    (line,) = [line for line in said.splitlines() if line.startswith("elo")]
    assert line.split() == ["elo", "club/1", "date", f"{told['log_loss']:.4f}", f"{told['brier']:.4f}", f"{told['forecast']:.3f}", "0"]
    assert told["unrated"] == 0
    assert "`no rating`:" not in said
    fide = rated("score", POOL, "--system", "fide/1").output
    (one,) = [line for line in rated.lines("score", POOL, "--system", "fide/1") if line["name"] == "fide/1"]
    (row,) = [line for line in fide.splitlines() if line.startswith("fide/1 ")]
    assert row.split()[-1] == str(one["unrated"]) == str(one["games"]), "nobody ever gets a rating without rated opponents"
    assert "`no rating`: games of which the list had no rating for a player." in fide
    (middle,) = [line for line in said.splitlines() if line.startswith("0.4 - 0.5")]
    band = told["calibration"][4]
    assert middle.split()[-2:] == [f"{band['score']:.2f}", str(band["games"])]
    assert len(middle.split()[3]) == -(-round(band["score"] * 80) // 8), "eighths of ten characters"


def test_the_lists_to_compare_can_be_named(shadowed: Command) -> None:
    assert [line["name"] for line in shadowed.lines("score", POOL)] == ["elo", TRIAL]
    assert [line["name"] for line in shadowed.lines("score", POOL, "--lists", f"{TRIAL},elo")] == [TRIAL, "elo"]
    (trial,) = shadowed.lines("score", POOL, "--lists", TRIAL)
    (bound,) = [line for line in shadowed.lines("score", POOL, "--lists", "elo", "--system", "glicko/1") if line["name"] == "glicko/1"]
    assert (trial["log_loss"], trial["brier"]) == (bound["log_loss"], bound["brier"])


def test_what_cannot_be_scored_is_said(rated: Command) -> None:
    for asked in (["--lists", "nix"], ["--system", "nix/1"]):
        answer = rated("score", POOL, *asked)
        assert answer.exit_code == 1
        assert "elo" in answer.stderr or "club/1" in answer.stderr
    assert rated("score", "club:nix").exit_code == 1


def test_a_shadow_list_is_published_apart_and_every_reader_is_told(shadowed: Command) -> None:
    (head,) = [line["head"] for line in shadowed.lines("status") if "pool" in line]
    assert head["lists"][TRIAL]["shadow"] is True
    assert "shadow" not in head["lists"]["elo"]
    assert f"{TRIAL}@1 (shadow): " in shadowed("heads", POOL).output
    assert f"{TRIAL} (shadow)" in shadowed("status").output
    assert "a shadow list: for comparison, not official" in shadowed("ladder", POOL, "--list", TRIAL).output
    assert all(line["shadow"] is True for line in shadowed.lines("ladder", POOL, "--list", TRIAL))
    assert f"list {TRIAL} (shadow): " in shadowed("player", POOL, "football:t1").output
    assert {line["list"]: line.get("shadow") for line in shadowed.lines("player", POOL, "football:t1")} == {"elo": None, TRIAL: True}
    assert f"{TRIAL} " in shadowed("score", POOL).output
    assert "glicko/1 (shadow)" in shadowed("score", POOL).output
    assert shadowed("verify", POOL).exit_code == 0


def test_who_names_no_list_means_the_official_one(shadowed: Command) -> None:
    assert "shadow" not in shadowed("ladder", POOL).output
    assert {line["list"] for line in shadowed.lines("ladder", POOL)} == {"elo"}
    assert [line["list"] for line in shadowed.lines("explain", POOL, "football:t1")] == ["elo"]
    assert [line["list"] for line in shadowed.lines("preview", POOL, "--game", "football:t1,football:t2", "--date", "1990-01-01")] == [
        "elo"
    ]
