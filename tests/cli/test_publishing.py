"""`rerate publish` and `rerate rater`."""

import os
import signal
import subprocess
import sys
import time
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from rerate.intake.cloudevents import CloudEvent, cloud_event
from tests.cli.conftest import FACTS, POOL, Command, history, jsonl

Data = dict[str, Any]
RERATE = [sys.executable, "-c", "from rerate.cli import main; main()"]


def test_facts_are_published_from_a_file_and_from_the_standard_input(fresh: Command, tmp_path: Path) -> None:
    file = tmp_path / "facts.jsonl"
    file.write_bytes(jsonl(history()))
    assert fresh("publish", str(file)).output == f"{FACTS + 3} facts published for {POOL}\n"
    (summary,) = fresh.lines("publish", "-", input=jsonl(history()[:2]))
    assert summary == {"published": 2, "bad": 0, "topics": {"pool-facts": 1, "result-published": 1}, "pools": {POOL: 2}}


def test_every_good_line_is_published_and_the_bad_one_is_named_with_line_and_column(fresh: Command) -> None:
    good, other = jsonl(history()[:1]), jsonl(history()[1:2])
    bad = other.replace(b'"1872-11-30"', b'"1872-02-30"')
    result = fresh("publish", "-", input=good + bad + b"\n" + other)
    assert result.exit_code == 1
    assert result.stdout == f"2 facts published for {POOL}\n"
    column = bad.index(b'"1872-02-30"') + 1
    assert f"line 2, column {column}: " in result.stderr
    assert "/data/event/date" in result.stderr
    assert "1 line is not published" in result.stderr


def test_waiting_without_a_rater_times_out_and_says_what_to_start(fresh: Command) -> None:
    result = fresh("publish", "--wait", "0.2", "-", input=jsonl(history()[:3]))
    assert result.exit_code == 4
    assert f"rerate --log file:{fresh.directory} rater" in result.stderr


def test_waiting_brings_the_receipts(fresh: Command) -> None:
    rater = subprocess.Popen([*RERATE, "--log", f"file:{fresh.directory}", "rater"], stderr=subprocess.PIPE)
    try:
        lines = fresh.lines("publish", "-", "--wait", "60", input=jsonl(history()[:3] + history()[:1]))
    finally:
        rater.send_signal(signal.SIGINT)
        _, said = rater.communicate(timeout=60)
    assert [line["status"] for line in sorted(lines[:4], key=lambda line: line["line"])] == ["accepted"] * 3 + ["duplicate"]
    assert lines[4]["receipts"] == {"accepted": 3, "duplicate": 1}
    assert (rater.returncode, said) == (0, b"")


def test_a_missing_file_is_a_matter_of_usage(fresh: Command) -> None:
    assert fresh("publish", "nowhere.jsonl").exit_code == 2


def test_the_rater_says_what_it_did_and_has_nothing_left_to_do(fresh: Command) -> None:
    fresh("publish", "-", input=jsonl(history()))
    (done,) = fresh.lines("rater", "--until-idle")
    assert (done["facts"], done["updates"], done["halted"]) == (FACTS + 3, 1, {})
    assert fresh("rater", "--until-idle").output == f"{FACTS + 3} messages rated in all; now 0 updates with 0 rows published\n"


def test_a_rebuilt_pool_publishes_a_head_and_no_row_if_all_was_right(altered: Command) -> None:
    (done,) = altered.lines("rater", "--rebuild", POOL)
    assert done == {"pool": POOL, "update": 2, "rows": 0}
    assert altered("verify").exit_code == 0


def test_a_closed_pipe_ends_without_a_word(rated: Command) -> None:
    reading = subprocess.Popen(
        [*RERATE, "--log", f"file:{rated.directory}", "receipts", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert reading.stdout is not None
    assert reading.stderr is not None
    reading.stdout.close()
    said = reading.stderr.read()
    reading.stderr.close()
    assert (reading.wait(timeout=60), said) == (0, b"")


def test_a_pipe_has_no_colour_codes(rated: Command) -> None:
    environment = os.environ | {"TERM": "xterm-256color"}
    done = subprocess.run([*RERATE, "--log", f"file:{rated.directory}", "ladder", POOL], capture_output=True, env=environment, timeout=60)
    assert done.returncode == 0
    assert b"\x1b" not in done.stdout
    assert done.stderr == b""


def test_ctrl_c_ends_a_follower_without_a_word(rated: Command) -> None:
    following = subprocess.Popen(
        [*RERATE, "--log", f"file:{rated.directory}", "subscribe", POOL, "--follow"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert following.stdout is not None
    assert following.stdout.readline().startswith(b'{"pool":"football:world"')
    time.sleep(0.2)
    following.send_signal(signal.SIGINT)
    _, said = following.communicate(timeout=60)
    assert (following.returncode, said) == (130, b"")


def configured(lists: list[Data]) -> bytes:
    return jsonl([cloud_event("pool-configured", "fed/office", "c1", {"pool": "fed:main", "revision": 1, "lists": lists})])


def a_list(id: str, system: str, quantum: str = "1", **parameters: object) -> Data:
    rule = {"system": system, "parameters": parameters}
    return {"id": id, "quantum": quantum, "shown": "1", "period": "month", "rules": [rule]}


def test_a_list_that_would_be_held_is_published_with_a_word_on_what_it_is_held_for(fresh: Command) -> None:
    lists = [a_list("std", "fide/1", closing_days=50, knew=40), a_list("fine", "glicko2/1", "0.1")]
    result = fresh("publish", "-", input=configured(lists))
    assert (result.exit_code, result.stdout) == (0, "1 fact published for fed:main\n")
    assert result.stderr.splitlines()[0] == (
        "line 1: fed:main, list std would be held: closing_days cannot be 50: so many days before its list's date a period closes, "
        "1 to 28 (default 3)"
    )
    assert "list std would be held: fide/1 has no parameter knew" in result.stderr
    assert "fine" not in result.stderr
    (done,) = fresh.lines("rater", "--until-idle")
    assert done["held"] == {"fed:main/std": "parameters"}


def test_a_list_that_has_none_to_fall_back_on_says_so_wherever_it_is_looked_at(fresh: Command) -> None:
    lists = [a_list("standard", "fide/1"), a_list("rapid", "fide/1", kind="rapid", fallback="standart")]
    result = fresh("publish", "-", input=configured(lists))
    assert result.stderr.splitlines()[0] == (
        "line 1: fed:main, list rapid would be held: fallback names standart, and the pool has no such list (is standard meant?): "
        "standard would do, or leave it out"
    )
    (done,) = fresh.lines("rater", "--until-idle")
    assert done["held"] == {"fed:main/rapid": "fallback"}
    ladder = fresh("ladder", "fed:main", "--list", "rapid")
    assert (ladder.exit_code, "list rapid is held (fallback): The list it falls back on is not in" in ladder.stderr) == (1, True)
    assert "held (fallback)" in fresh("status").output


def test_a_program_is_told_of_lists_that_would_be_held(fresh: Command) -> None:
    (summary,) = fresh.lines("publish", "-", input=configured([a_list("std", "fide/1", k="no"), a_list("new", "fide/9")]))
    assert [(one["line"], one["pool"], one["list"]) for one in summary["held"]] == [(1, "fed:main", "std"), (1, "fed:main", "new")]
    (refusal,) = summary["held"][0]["refusals"]
    assert (refusal["reason"], refusal["rule"], refusal["parameter"]) == ("parameters", 1, "k")
    assert refusal["sentence"].startswith("k cannot be no: rule, or K for everyone, 0 to 1,000")
    assert [one["reason"] for one in summary["held"][1]["refusals"]] == ["system"]


def test_a_type_that_this_version_does_not_know_is_published_and_said_to_be_held(fresh: Command) -> None:
    facts = [cloud_event("list-published", "fed/office", f"l{number}", {"pool": "fed:main"}) for number in (1, 2)]
    result = fresh("publish", "-", input=jsonl(facts))
    assert (result.exit_code, result.stdout) == (0, "2 facts published for fed:main\n")
    assert result.stderr == (
        "rerate.list-published.v1 is no type that this version knows: 2 facts kept, and held until a newer version knows it\n"
    )
    (summary,) = fresh.lines("publish", "-", input=jsonl(facts[:1]))
    assert summary["unknown"] == {"rerate.list-published.v1": 1}
    misspelt = fresh("publish", "-", input=jsonl([cloud_event("result-publshed", "fed/office", "m", {"pool": "fed:main"})]))
    assert "rerate.result-publshed.v1 is no type that this version knows (is rerate.result-published meant?): 1 fact" in misspelt.stderr
    of_later = {**cloud_event("x", "fed/office", "n", {"pool": "fed:main"}), "type": "rerate.result-published.v2"}
    newer = fresh("publish", "-", input=jsonl([of_later]))
    assert "rerate.result-published.v2 is no type that this version knows: 1 fact" in newer.stderr


def test_a_trait_that_nobody_asks_for_is_named(fresh: Command) -> None:
    def registered(number: int, **traits: object) -> CloudEvent:
        data = {"pool": "fed:main", "player": f"fed:p{number}", "revision": 1, "traits": traits}
        return cloud_event("player-registered", "fed/office", f"p{number}", data)

    facts = [registered(1, birthyear=2011), registered(2, birthyear=2012, birth_year=2012)]
    facts += [registered(3, us_chess="1500", fide="1500", uscf="1500")]
    result = fresh("publish", "-", input=jsonl(facts))
    assert (result.exit_code, result.stdout) == (0, "3 facts published for fed:main\n")
    assert result.stderr == "trait birthyear (is birth_year meant?) in 2 registrations: no rating system asks for it by default\n"
    (summary,) = fresh.lines("publish", "-", input=jsonl(facts))
    assert summary["unasked"] == {"birthyear": 2}


def test_final_events_of_days_to_come_are_named_up_to_five(fresh: Command) -> None:
    def played(number: int, day: str, status: str = "final") -> CloudEvent:
        event = {"id": f"fed:e{number}", "date": day, "category": "open", "status": status}
        return cloud_event("result-published", "fed/desk", f"r{number}", {"pool": "fed:main", "event": event, "revision": 1, "games": []})

    soon = (date.today() + timedelta(days=20)).isoformat()
    past_and_running = [played(1, "2024-01-05"), played(2, soon), played(3, "9998-01-05", "running")]
    assert fresh("publish", "-", input=jsonl(past_and_running)).stderr == ""
    result = fresh("publish", "-", input=jsonl([played(number, f"999{number}-01-05") for number in range(3, 10)]))
    assert (result.exit_code, result.stdout) == (0, "7 facts published for fed:main\n")
    said = result.stderr.splitlines()
    assert said[0] == "line 1: fed:e3 is final, and dated 9993-01-05, which is to come: is the year right?"
    assert (len(said), said[-1]) == (6, "and 2 more final events of days to come")
    (summary,) = fresh.lines("publish", "-", input=jsonl([played(3, "9993-01-05")]))
    assert summary["to_come"] == [{"line": 1, "event": "fed:e3", "date": "9993-01-05"}]
