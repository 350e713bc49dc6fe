"""The football history becomes facts that say what its messages say."""

import csv
import gzip
import hashlib
import io
import json
from collections import Counter
from typing import Any

import orjson
import pytest

from rerate.intake import football
from rerate.intake.cloudevents import CloudEvent, to_line
from rerate.intake.football import FootballFacts, SourceMessage, category, data_file, facts, source_messages
from tests.kit.football_plain import FIRST_COMMIT, PlainFacts, PlainRating, PlainSource, rate


@pytest.fixture(scope="module")
def messages() -> list[SourceMessage]:
    return list(source_messages())


@pytest.fixture(scope="module")
def raw() -> list[dict[str, Any]]:
    return [json.loads(line) for line in gzip.decompress(data_file("messages.jsonl.gz")).splitlines()]


@pytest.fixture(scope="module")
def history(messages: list[SourceMessage]) -> list[CloudEvent]:
    return list(facts(messages))


@pytest.fixture(scope="module")
def names(messages: list[SourceMessage]) -> dict[str, str]:
    converter = FootballFacts()
    for message in messages:
        converter.convert(message)
    return converter.names


def test_every_message_is_one_fact(history: list[CloudEvent]) -> None:
    assert Counter(fact["type"] for fact in history) == {
        "rerate.result-published.v1": 43_266,
        "rerate.result-corrected.v1": 5_646,
        "rerate.event-deleted.v1": 458,
        "rerate.identity-merged.v1": 77,
        "rerate.identity-unmerged.v1": 7,
    }


def test_the_first_fact_is_the_one_whose_bytes_the_contract_gives(history: list[CloudEvent]) -> None:
    said = orjson.dumps([history[0]["type"], None, history[0]["data"]], option=orjson.OPT_SORT_KEYS)
    assert hashlib.sha256(said).hexdigest() == "7e9318e7e06536b1f0c0b6e56763c1038357bab2966f2118a6f991f672980ea7"


def test_fact_ids_follow_the_messages_and_are_used_once(history: list[CloudEvent]) -> None:
    assert [fact["id"] for fact in history] == [f"m{n}" for n in range(1, 49_455)]
    assert {fact["source"] for fact in history} == {"football/history"}


def test_the_same_messages_give_the_same_bytes(messages: list[SourceMessage], history: list[CloudEvent]) -> None:
    assert all(to_line(one) == to_line(other) for one, other in zip(facts(messages), history, strict=True))


def test_ids_are_minted_in_order_of_first_appearance(history: list[CloudEvent], names: dict[str, str]) -> None:
    events = dict.fromkeys(fact["data"]["event"]["id"] for fact in history if "event" in fact["data"])
    games = dict.fromkeys(game["id"] for fact in history for game in fact["data"].get("games", ()))
    assert list(events) == [f"football:e{n}" for n in range(1, 43_265)]
    assert list(games) == [f"g{n}" for n in range(1, 50_065)]
    assert [id for id in names if id.startswith("football:t")] == [f"football:t{n}" for n in range(1, len(names) - len(events) + 1)]


def test_a_game_stands_once_in_its_event_and_goes_only_when_it_is_there(history: list[CloudEvent]) -> None:
    standing: dict[str, set[str]] = {}
    for fact in history:
        data = fact["data"]
        ids = [game["id"] for game in data.get("games", ())]
        assert len(ids) == len(set(ids))
        if "event" in data:
            standing[data["event"]["id"]] = set(ids)
        elif "event_id" in data:
            gone = set(data.get("removed", ()))
            assert gone <= standing[data["event_id"]]
            assert not gone & set(ids)
            standing[data["event_id"]] = set(ids)


def test_a_game_keeps_its_id_when_a_team_or_the_result_is_corrected(history: list[CloudEvent]) -> None:
    corrected = [fact["data"] for fact in history if fact["type"] == "rerate.result-corrected.v1"]
    same_games = [data for data in corrected if data["reason"] in ("wrong-player", "wrong-result", "label") and "removed" not in data]
    assert len(same_games) > 5_200
    published = {fact["data"]["event"]["id"]: fact["data"]["games"] for fact in history if "event" in fact["data"]}
    once = [data for data in same_games if data["revision"] == 2 and data["reason"] != "label"]
    assert all({g["id"] for g in data["games"]} >= {g["id"] for g in published[data["event_id"]]} for data in once)


def test_revisions_have_no_gap_and_a_correction_saw_the_one_before(history: list[CloudEvent]) -> None:
    newest: Counter[str] = Counter()
    for data in (fact["data"] for fact in history):
        if "revision" in data:
            event_id = data["event_id"] if "event_id" in data else data["event"]["id"]
            assert data.get("saw", newest[event_id]) == newest[event_id]
            newest[event_id] += 1
            assert data["revision"] == newest[event_id]


def test_reasons_are_given_where_the_changes_are_plain(history: list[CloudEvent]) -> None:
    assert Counter(fact["data"]["reason"] for fact in history if "reason" in fact["data"]) == {
        "label": 5_180,
        "never-played": 458,
        "game-added": 185,
        "wrong-date": 132,
        "wrong-player": 53,
        "game-removed": 48,
        "wrong-result": 48,
    }


def test_an_unmerge_names_the_merge_in_force_and_no_merge_id_is_used_twice(history: list[CloudEvent]) -> None:
    in_force: dict[str, str] = {}
    ended: set[str] = set()
    for fact in history:
        data = fact["data"]
        if fact["type"] == "rerate.identity-merged.v1":
            assert data["merge_id"] not in in_force.keys() | ended
            assert data["alias"] not in in_force.values(), "two targets for one alias"
            in_force[data["merge_id"]] = data["alias"]
        elif fact["type"] == "rerate.identity-unmerged.v1":
            del in_force[data["merge_id"]]
            ended.add(data["merge_id"])
    assert (len(in_force), len(ended)) == (70, 7)


def test_merges_and_unmerges_name_who_decided(history: list[CloudEvent]) -> None:
    assert all(fact.get("actor") == ("football:maintainer" if "identity" in fact["type"] else None) for fact in history)


def test_the_facts_never_carry_a_name(history: list[CloudEvent], names: dict[str, str]) -> None:
    teams = {name for id, name in names.items() if id.startswith("football:t")}
    said = {word for fact in history for game in fact["data"].get("games", ()) for word in game.values()}
    assert not said & teams


def test_categories_are_the_tournaments_and_two_pairs_of_spellings_share_one(messages: list[SourceMessage]) -> None:
    tournaments = {message.tournament for message in messages if message.tournament}
    shared = Counter(category(tournament) for tournament in tournaments)
    assert len(tournaments) == 217
    assert {word for word, count in shared.items() if count > 1} == {"conifa-world-football-cup", "conifa-european-football-cup"}
    assert category("CONMEBOL–UEFA Cup of Champions") == "conmebol-uefa-cup-of-champions"  # noqa: RUF001 the source writes a dash
    assert category("Évence Coppée Trophy") == "evence-coppee-trophy"
    assert category("International Tournament of Peoples, Cultures and Tribes") == "international-tournament-of-peoples-cult"


def test_the_facts_hold_the_same_games_as_the_source_at_the_ends_of_commits_all_along(
    raw: list[dict[str, Any]], history: list[CloudEvent], names: dict[str, str]
) -> None:
    source, said = PlainSource(), PlainFacts()
    ends = [n for n, (one, other) in enumerate(zip(raw, [*raw[1:], {"commit": None}], strict=True)) if one["commit"] != other["commit"]]
    assert len(ends) == 257
    checked = {*ends[:2], *ends[40:-1:40], ends[-1]}
    for n, (message, fact) in enumerate(zip(raw, history, strict=True)):
        source.take(message)
        said.take(fact)
        if n in checked:
            named = sorted(game._replace(white=names[game.white], black=names[game.black]) for game in said.games())
            assert named == source.games()
    assert len(source.games()) == 49_520


@pytest.mark.parametrize(("after", "right"), [(FIRST_COMMIT, "whole_tenths_first_commit.csv"), (49_454, "whole_tenths_newest.csv")])
def test_the_plain_ratings_are_the_right_ones_exactly(history: list[CloudEvent], names: dict[str, str], after: int, right: str) -> None:
    rows = csv.DictReader(io.StringIO(data_file(right).decode()))
    expected = {row["team"]: PlainRating(int(row["rating_quanta"]), int(row["games"]), row["last_played"]) for row in rows}
    found = rate(PlainFacts(history[:after]).games())
    assert {names[id]: rating for id, rating in found.items()} == expected


@pytest.mark.parametrize(("after", "right"), [(FIRST_COMMIT, "elo_first_commit.csv"), (49_454, "elo_newest.csv")])
def test_in_hundredths_the_plain_ratings_stay_within_a_twentieth_of_floating_point(
    raw: list[dict[str, Any]], after: int, right: str
) -> None:
    rows = {row["team"]: row for row in csv.DictReader(io.StringIO(data_file(right).decode()))}
    found = rate(PlainSource(raw[:after]).games(), "0.01")
    assert found.keys() == rows.keys()
    assert all(abs(found[team].quanta / 100 - float(row["rating_6dp"])) < 0.05 for team, row in rows.items())


def test_the_configuration_writes_every_parameter_of_the_club_system_out() -> None:
    (elo,) = football.configuration("0.01", revision=2)["data"]["lists"]
    assert (elo["id"], elo["quantum"], elo["shown"], elo["period"]) == ("elo", "0.01", "1", "date")
    assert elo["rules"] == [
        {
            "system": "club/1",
            "parameters": {
                "start": "1200",
                "k_new": 40,
                "k_new_games": 20,
                "k_established": 20,
                "provisional_below": 5,
                "k_policy": "event_start",
                "protected_game_counts": "yes",
            },
        }
    ]


def test_the_command_writes_the_configuration_first_and_one_fact_a_line(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    football.main(["--quantum", "0.01"])
    lines = capfdbinary.readouterr().out.splitlines()
    assert len(lines) == 49_455
    assert orjson.loads(lines[0]) == football.configuration("0.01")
    assert orjson.loads(lines[1])["id"] == "m1"


def test_the_command_writes_names(capfdbinary: pytest.CaptureFixture[bytes], names: dict[str, str]) -> None:
    football.main(["--names"])
    rows = list(csv.reader(io.StringIO(capfdbinary.readouterr().out.decode())))
    assert rows[:3] == [["id", "name"], ["football:e1", "Friendly, Scotland"], ["football:t1", "Scotland"]]
    assert rows[1:] == [list(pair) for pair in names.items()]
