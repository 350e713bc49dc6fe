"""The commands that read: for people and for programs."""

import json
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner

from rerate.cli import cli, showing
from rerate.intake import football
from rerate.intake.cloudevents import CloudEvent, cloud_event
from tests.cli.conftest import FACTS, POOL, Command, MakeNames, history, jsonl

SECOND = "irl:open"


def test_a_ladder_is_ranked_by_rating_with_the_provisional_below(rated: Command) -> None:
    lines = rated.lines("ladder", POOL)
    established = [line for line in lines if not line["provisional"]]
    assert lines == established + [line for line in lines if line["provisional"]]
    assert [line["rank"] for line in established][:2] == [1, 2]
    ratings = [float(line["rating"]) for line in established]
    assert ratings == sorted(ratings, reverse=True)


def test_a_ladder_for_people_shows_names(rated: Command, names_file: MakeNames) -> None:
    names = names_file("id,name\nfootball:t1,Scotland\n")
    said = rated("ladder", POOL, "--top", "3", "--names", str(names)).output
    assert said.startswith(f"{POOL}, list elo, update 1\n")
    assert "Scotland" in said
    assert "3 of " in said


def test_a_ladder_as_of_a_date_is_the_ladder_that_the_facts_up_to_it_make(rated: Command, fresh: Command) -> None:
    """Exactly: publish only what happened up to that date, and rate it."""
    date = sorted(fact["data"]["event"]["date"] for fact in history() if "event" in fact["data"])[FACTS // 2]
    facts = [fact for fact in history() if fact["data"].get("event", {}).get("date", "") <= date]
    fresh("publish", "-", input=jsonl(facts))
    fresh("rater", "--until-idle")
    keys = ("rank", "player", "rating", "shown", "provisional", "games", "last_game")
    then = [[line[key] for key in keys] for line in rated.lines("ladder", POOL, "--as-of", date)]
    assert then == [[line[key] for key in keys] for line in fresh.lines("ladder", POOL)]
    assert then != [[line[key] for key in keys] for line in rated.lines("ladder", POOL)]


@pytest.mark.parametrize("date", ["1885-02-30", "yesterday", "1885-3"])
def test_a_date_that_is_none_is_a_matter_of_usage(rated: Command, date: str) -> None:
    assert rated("ladder", POOL, "--as-of", date).exit_code == 2


def test_a_player_has_a_standing_a_history_and_a_drawing(rated: Command) -> None:
    (page,) = rated.lines("player", POOL, "football:t1")
    assert page["snapshot"]["games"] == len(page["rows"]) > 20
    assert page["rows"][0]["before"] == "1200.0"
    assert page["rows"][0]["change"] == "+20.0"
    said = rated("player", POOL, "football:t1").output
    assert "│" in said
    assert "because" in said


def test_a_player_has_the_state_that_the_system_keeps(federation: Command, rated: Command) -> None:
    (page,) = federation.lines("player", FEDERATION, "fed:ann", "--list", "std")
    assert page["state"] | {"rating": page["snapshot"]["rating"], "games": 30, "first_event_over": True} == page["state"]
    assert "first_event_over yes" in federation("player", FEDERATION, "fed:ann", "--list", "std").output
    assert "after the last row" not in rated("player", POOL, "football:t1").output, "a club's state is rating and games"


def test_an_id_that_was_merged_is_followed_to_the_person(rated: Command) -> None:
    (page,) = rated.lines("player", POOL, "football:t3")
    assert (page["asked"], page["player"], page["merges"]) == ("football:t3", "football:t4", ["football:x1"])
    assert "football:t3 is this person, by football:x1" in rated("player", POOL, "football:t3").output


def test_an_event_names_its_games_its_facts_and_what_it_did_to_ratings(rated: Command) -> None:
    (page,) = rated.lines("event", POOL, "football:e1")
    assert [fact["id"] for fact in page["row"]["by"]["facts"]] == ["m1", "c1"]
    assert [(one["player"], one["score"], one["rating"]) for one in page["ratings"]] == [
        ("football:t1", "1.0", "1220.0"),
        ("football:t2", "0.0", "1180.0"),
    ]
    said = rated("event", POOL, "football:e1").output
    assert "football/history/c1 (revision 2)" in said


def test_a_game_that_is_not_rated_says_why(rated: Command) -> None:
    assert "The game was not played." in rated("event", SECOND, "irl:bunratty-2011").output


def test_receipts_are_counted_filtered_and_say_why_a_message_was_rejected(rated: Command) -> None:
    assert len(rated.lines("receipts", "--pool", POOL)) == FACTS + 4
    (rejected,) = rated.lines("receipts", "--status", "rejected")
    assert (rejected["pool"], rejected["reason"]) == (POOL, "not-cloudevents")
    said = rated("receipts", "--last", "2").output
    assert "1 rejected" in said
    assert "the last 2 of" in said


def test_receipts_of_a_kind_are_counted_as_such(rated: Command, fresh: Command) -> None:
    every = len(rated.lines("receipts"))
    said = rated("receipts", "--status", "rejected").output.splitlines()
    assert said[0] == f"1 rejected, of {every} messages"
    assert said[2].split() == ["message", "pool", "status", "what"], "the rater was catching up: no receipt names an update"
    fresh("publish", "-", input=jsonl(history()[:1]))
    fresh("rater", "--until-idle")
    assert fresh("receipts", "--status", "rejected").output == "0 rejected, of 1 message\n"


def test_a_standing_says_what_a_fact_counts_for(rated: Command) -> None:
    (row,) = rated.lines("standing", "football/history/c1")
    assert [content["standing"] for content in row["contents"]] == ["in-force"]
    assert "in-force. It counts." in rated("standing", "football/history/c1", "--pool", POOL).output


def test_heads_are_a_chain(rated: Command) -> None:
    (line,) = rated.lines("heads", POOL)
    assert (line["head"]["update"], len(line["digest"])) == (1, 64)
    assert "1 head, chain unbroken" in rated("heads", POOL).output


def test_status_tells_how_far_the_rater_is(rated: Command) -> None:
    partition, *pools = rated.lines("status")
    assert (partition["behind"], partition["next"]) == (0, partition["ends"])
    assert [line["pool"] for line in pools] == [POOL, SECOND]
    assert "0 behind" in rated("status").output


def test_status_before_any_rating_tells_what_waits(fresh: Command) -> None:
    fresh("publish", "-", input=jsonl(history()[:5]))
    (partition,) = fresh.lines("status")
    assert partition["behind"] == 5
    assert "no pool has been rated yet" in fresh("status").output


def test_a_subscriber_gets_whole_updates_and_goes_on_where_it_was(altered: Command, tmp_path: Path) -> None:
    arguments = ("subscribe", POOL, "--topics", "rating-snapshots,person-ids", "--store", str(tmp_path / "subscriber"))
    (first,) = (json.loads(line) for line in altered(*arguments).stdout.splitlines())
    assert (first["update"], first["since"], sorted(first["rows"])) == (1, None, ["person-ids", "rating-snapshots"])
    assert len(first["rows"]["rating-snapshots"]) == len(altered.lines("ladder", POOL))
    assert altered(*arguments).stdout == ""
    altered("rater", "--rebuild", POOL)
    (second,) = (json.loads(line) for line in altered(*arguments).stdout.splitlines())
    assert (second["update"], second["since"], second["rows"]["rating-snapshots"]) == (2, 1, [])


@pytest.mark.parametrize(
    "arguments",
    [("ladder", "nix:no"), ("player", "nix:no", "x:y"), ("event", "nix:no", "x:y"), ("heads", "nix:no"), ("verify", "nix:no"),
     ("subscribe", "nix:no"), ("receipts", "--pool", "nix:no"), ("standing", "a/b/c", "--pool", "nix:no")],
)  # fmt: skip
def test_an_unknown_pool_says_which_pools_there_are(rated: Command, arguments: tuple[str, ...]) -> None:
    result = rated(*arguments)
    assert result.exit_code == 1
    assert result.stderr == f"Error: there is no pool nix:no; there are: {POOL}, {SECOND}\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("player", POOL, "football:nobody"), "has no rating of football:nobody"),
        (("event", POOL, "football:nowhere"), "knows no event football:nowhere"),
        (("standing", "football/history/m9999"), "no fact football/history/m9999"),
        (("ladder", POOL, "--list", "blitz"), "has no list blitz; its lists are: elo"),
    ],
)
def test_what_is_not_there_is_said(rated: Command, arguments: tuple[str, ...], said: str) -> None:
    result = rated(*arguments)
    assert result.exit_code == 1
    assert said in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [("ladder", POOL), ("player", POOL, "x:y"), ("event", POOL, "x:y"), ("receipts",), ("standing", "a/b/c"), ("heads", POOL),
     ("status",), ("verify",), ("subscribe", POOL)],
)  # fmt: skip
def test_a_log_that_does_not_exist_cannot_be_reached(fresh: Command, arguments: tuple[str, ...]) -> None:
    result = fresh(*arguments)
    assert result.exit_code == 3
    assert result.stderr.startswith(f"Error: there is no log at {fresh.directory}/")
    assert not fresh.directory.exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("standing", "m1"), "authority/program/id"),
        (("subscribe", POOL, "--topics", "fact-receipts"), "expected some of"),
        (("ladder", POOL, "--names", "nowhere.csv"), "there is no file nowhere.csv"),
        (("--log", "http://x", "status"), "expected file:DIR"),
        (("--log", "kafka://x", "status"), "expected kafka://HOST:PORT"),
        (("--prefix", "other", "status"), "an embedded log has one set of topics"),
    ],
)
def test_usage_errors_say_what_was_expected(rated: Command, arguments: tuple[str, ...], said: str) -> None:
    result = rated(*arguments)
    assert result.exit_code == 2
    assert said in result.stderr


def test_without_a_log_the_command_says_how_to_name_one(monkeypatch: pytest.MonkeyPatch) -> None:
    from click.testing import CliRunner

    from rerate.cli import cli

    monkeypatch.delenv("RERATE_LOG", raising=False)
    result = CliRunner().invoke(cli, ["status"])
    assert result.exit_code == 2
    assert "Say --log file:DIR, or set RERATE_LOG" in result.stderr


def test_the_log_may_come_from_the_environment_and_after_the_command(rated: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    from click.testing import CliRunner

    from rerate.cli import cli

    monkeypatch.setenv("RERATE_LOG", "file:/nowhere/at/all")
    assert CliRunner().invoke(cli, ["status"]).exit_code == 3
    assert CliRunner().invoke(cli, ["status", "--log", f"file:{rated.directory}"]).exit_code == 0


@pytest.mark.parametrize(
    ("text", "said"), [("name,id\n", "line 1: expected the columns id,name"), ("id,name\nx\n", "line 2: expected an id and a name")]
)
def test_a_file_of_names_that_is_none_is_named_with_its_line(rated: Command, names_file: MakeNames, text: str, said: str) -> None:
    result = rated("ladder", POOL, "--names", str(names_file(text)))
    assert result.exit_code == 2
    assert said in result.stderr


def test_a_log_that_is_named_goes_before_the_one_that_is_set(rated: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RERATE_LOG", f"file:{rated.directory}")
    nowhere = f"file:{tmp_path / 'nowhere'}"
    assert CliRunner().invoke(cli, ["--log", nowhere, "status"]).exit_code == 3
    assert CliRunner().invoke(cli, ["status", "--log", nowhere]).exit_code == 3
    assert CliRunner().invoke(cli, ["status"]).exit_code == 0


def test_a_held_list_says_so_wherever_it_is_asked_for(fresh: Command) -> None:
    config = cloud_event(
        "pool-configured",
        football.OFFICE,
        "c",
        {
            "pool": POOL,
            "revision": 1,
            "lists": [
                {
                    "id": "elo",
                    "quantum": "0.1",
                    "shown": "1",
                    "period": "event",
                    "rules": [{"system": "club/1", "parameters": {"k": 32}}],
                }
            ],
        },
    )
    fresh("publish", "-", input=jsonl([config]))
    assert f"list {POOL}/elo is held (parameters)" in fresh("rater", "--until-idle").output
    ladder = fresh("ladder", POOL)
    assert ladder.exit_code == 1
    assert "held (parameters): The list's system refuses its parameters" in ladder.stderr


def test_a_log_that_is_a_file_ends_with_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    result = CliRunner().invoke(cli, ["--log", f"file:{tmp_path / 'file'}", "publish", "-"], input=b"{}")
    assert result.exit_code in (1, 3)
    assert not isinstance(result.exception, OSError)


# ---------------------------------------------------------------------- a federation's list

FEDERATION = "fed:pool"
STANDARD = {"id": "std", "quantum": "1", "shown": "1", "period": "month", "categories": ["standard"]}


def fide_list(**more: object) -> dict[str, object]:
    return STANDARD | {"rules": [{"system": "fide/1", "parameters": {}}]} | more


def fed(kind: str, id: str, **data: object) -> CloudEvent:
    return cloud_event(kind, "fed/office", id, {"pool": FEDERATION, **data})


def played(id: str, date: str, *games: tuple[str, str, str], category: str = "standard", **about: object) -> CloudEvent:
    of = {"id": f"fed:{id}", "date": date, "category": category, "status": "final", **about}
    described = [{"id": f"g{n}", "white": f"fed:{w}", "black": f"fed:{b}", "result": r} for n, (w, b, r) in enumerate(games, 1)]
    return fed("result-published", id, event=of, revision=1, games=described)


@pytest.fixture(scope="module")
def federation(tmp_path_factory: pytest.TempPathFactory) -> Command:
    """A standard list with seeds, a rapid list that falls back on it, one that is held; three months. To be read only."""
    rapid = fide_list(id="rapid", categories=["rapid"], rules=[{"system": "fide/1", "parameters": {"kind": "rapid", "fallback": "std"}}])
    bad = fide_list(id="bad", rules=[{"system": "fide/1", "parameters": {"foo": 1}}])
    facts = [fed("pool-configured", "c", revision=1, lists=[fide_list(), rapid, bad])]
    for who, rating, games in (("ann", "2100", 200), ("bob", "1850", 80), ("dan", "1833", 60)):
        state, origin = {"rating": rating, "games": games}, {"code": "fide"}
        seed = {"list": "std", "player": f"fed:{who}", "revision": 1, "as_of": "2025-12-01", "state": state, "origin": origin}
        facts.append(fed("rating-seeded", f"s-{who}", **seed))
    facts += [
        played("early", "2025-11-05", ("ann", "bob", "1-0")),
        played("open", "2026-02-20", ("ann", "bob", "1-0"), ("dan", "new", "1-0")),
        played("league", "2026-03-10", ("bob", "dan", "0-1")),
        played("fast", "2026-03-12", ("dan", "bob", "0-1"), category="rapid"),
        played("late", "2026-03-20", ("ann", "dan", "1-0"), status="running"),
    ]
    command = Command(tmp_path_factory.mktemp("federation"))
    assert command("publish", "-", input=jsonl(facts)).exit_code == 0
    assert command("rater", "--until-idle").exit_code == 0
    return command


def test_an_earlier_ladder_names_the_period_and_who_is_inactive(federation: Command) -> None:
    begin = federation("ladder", FEDERATION, "--list", "std", "--as-of", "2025-12-31").output
    assert [line.split()[-2:] for line in begin.splitlines()[4:]] == [["fed:ann", "200"], ["fed:bob", "80"], ["fed:dan", "60"]]
    said = federation("ladder", FEDERATION, "--list", "std", "--as-of", "2027-03-01").output
    assert "last period" in said
    assert "last game" not in said
    marks = {line[line.index("fed:") :].split()[0]: line.split()[-1] for line in said.splitlines() if " fed:" in line}
    assert marks == {"fed:ann": "inactive", "fed:bob": "2026-03", "fed:dan": "2026-03", "fed:new": "inactive"}
    told = federation.lines("ladder", FEDERATION, "--list", "std", "--as-of", "2027-03-01")
    assert {line["player"]: line["inactive"] for line in told} == {"fed:ann": True, "fed:bob": False, "fed:dan": False, "fed:new": True}
    unrated = next(line for line in told if line["player"] == "fed:new")
    assert (unrated["rating"], unrated["shown"]) == (None, None)


def test_a_ladder_of_now_says_who_is_inactive_today(federation: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    for today, are in (("2027-02-19", [False] * 4), ("2027-03-10", [True] * 4)):
        monkeypatch.setattr(showing, "today", lambda today=today: today)
        assert [line["inactive"] for line in federation.lines("ladder", FEDERATION, "--list", "std")] == are
        (page,) = federation.lines("player", FEDERATION, "fed:ann", "--list", "std")
        assert page["inactive"] is are[0]
    assert "inactive, without a rated game since 2026-02-20" in federation("player", FEDERATION, "fed:ann").output


def test_a_ladder_on_which_nobody_is_says_so(federation: Command) -> None:
    assert "nobody was on it by 2020-01-01" in federation("ladder", FEDERATION, "--list", "std", "--as-of", "2020-01-01").output


def test_an_explanation_begins_with_the_rating_that_stands_in_as_the_history_does(federation: Command) -> None:
    said = federation("explain", FEDERATION, "fed:dan", "--list", "rapid").output
    (page,) = federation.lines("player", FEDERATION, "fed:dan", "--list", "rapid")
    (told,) = federation.lines("explain", FEDERATION, "fed:dan", "--list", "rapid")
    assert told["before"] == page["rows"][0]["before"] == "1833"
    assert f"1833 from list std -> {told['rating']}" in said


def test_a_held_list_says_in_the_end_which_parameter_is_refused(federation: Command) -> None:
    assert f"`rerate explain {FEDERATION} ID --list bad`" in federation("ladder", FEDERATION, "--list", "bad").output
    answer = federation("explain", FEDERATION, "fed:ann", "--list", "bad")
    assert answer.exit_code == 1
    assert "list bad is held (parameters): fide/1 has no parameter foo" in answer.output


def test_a_preview_shows_the_planned_part_the_games_beside_it_and_the_steps(federation: Command) -> None:
    asked = ("preview", FEDERATION, "--list", "std", "--game", "fed:bob,fed:ann", "--date", "2026-03-20")
    said = federation(*asked).output
    (told,) = federation.lines(*asked)
    bob = next(one for one in told["scenarios"][0]["outcomes"] if one["player"] == "fed:bob")
    assert f"fed:bob has games in it already: fed:league g1; {bob['before']} -> {bob['without']} by them" in said
    assert f"{bob['before']} -> {bob['after']} (planned {bob['planned']})" in said
    assert "rounded half away" not in said
    assert "rounded half away" in federation(*asked, "--steps").output
    assert "no rating" in federation("preview", FEDERATION, "--list", "std", "--game", "fed:x,fed:y,1-0").output
    nonsense = federation(*asked, "--category", "nonsense")
    assert nonsense.exit_code == 1
    assert "takes no event of category nonsense; those it takes are standard" in nonsense.output


def test_an_event_tells_of_each_list_why_nothing_moved(federation: Command) -> None:
    early = federation("event", FEDERATION, "fed:early").output
    assert "no list has rated a game of it" in early
    assert "by no list" in early
    assert "list std does not rate g1: before the day on which the rating of fed:ann, fed:bob begins there" in early
    assert "list bad rates no game of it: it is held (parameters)" in early
    assert "1 list without a game of it, rapid: it has other categories" in early
    assert "no list has rated a game of it" in federation("event", FEDERATION, "fed:late").output
    said = federation("event", FEDERATION, "fed:open").output
    (dan,) = [line for line in said.splitlines() if line.startswith("std") and "fed:dan" in line]
    words = ["1", "not", "counted:", "opponent", "without", "a", "rating"]
    assert dan.split() == ["std", "fed:dan", "2026-02", "1833", "0.0", "of", "0", "1833", *words]
    assert "on std" in said


# ---------------------------------------------------------------------- why, and what if


def test_a_row_is_explained_by_steps_that_add_up_to_it(rated: Command) -> None:
    (page,) = rated.lines("player", POOL, "football:t1")
    row = page["rows"][3]
    (told,) = rated.lines("explain", POOL, "football:t1", row["period"])
    assert (told["before"], told["rating"], told["period"]) == (row["before"], row["rating"], row["period"])
    assert sum(Fraction(step["adds"]) for step in told["steps"] if "adds" in step) == Fraction(row["change"])
    assert {step["opponent"] for step in told["steps"] if step["code"] == "change"}
    said = rated("explain", POOL, "football:t1", row["period"]).output
    assert f"{row['before']} -> {row['rating']}" in said
    assert "rounded half away from zero" in said


def test_without_a_period_the_last_row_is_explained(rated: Command) -> None:
    (page,) = rated.lines("player", POOL, "football:t1")
    (told,) = rated.lines("explain", POOL, "football:t1")
    assert told["period"] == page["rows"][-1]["period"]


def test_a_row_that_is_not_there_is_an_answer_of_no(rated: Command) -> None:
    answer = rated("explain", POOL, "football:t1", "1700-01-01")
    assert answer.exit_code == 1
    assert "the last is" in answer.output


def test_a_planned_game_is_previewed_with_each_result(rated: Command) -> None:
    (told,) = rated.lines("preview", POOL, "--game", "football:t1,football:t2", "--date", "1990-01-01")
    assert [scenario["results"] for scenario in told["scenarios"]] == [["1-0"], ["1/2-1/2"], ["0-1"]]
    (page,) = rated.lines("player", POOL, "football:t1")
    won, drawn, lost = (next(o for o in s["outcomes"] if o["player"] == "football:t1") for s in told["scenarios"])
    assert won["before"] == drawn["before"] == lost["before"] == page["snapshot"]["rating"]
    assert float(won["after"]) > float(drawn["after"]) > float(lost["after"])
    assert "football:t1" in rated("preview", POOL, "--game", "football:t1,football:t2,1-0").output


@pytest.mark.parametrize(
    "said", [["--game", "football:t1"], ["--game", "football:t1,football:t2,2-0"], ["--game", "a:b,c:d", "--date", "x"]]
)
def test_a_planned_game_that_is_none_is_a_matter_of_usage(rated: Command, said: list[str]) -> None:
    assert rated("preview", POOL, *said).exit_code == 2


def test_games_of_an_event_stand_in_the_order_in_which_people_count(fresh: Command) -> None:
    ids = ["g10", "g2", "g1", "10", "2", "a"]
    games: list[dict[str, object]] = [{"id": id, "white": "fed:a", "black": "fed:b", "result": "1-0"} for id in ids]
    games += [{"id": "z9", "round": 1, "board": 2, "white": "fed:a", "black": "fed:b", "result": "1-0"}]
    event = {"id": "fed:e", "date": "2024-01-05", "category": "open", "status": "final"}
    fact = cloud_event("result-published", "fed/desk", "r", {"pool": "fed:main", "event": event, "revision": 1, "games": games})
    fresh("publish", "-", input=jsonl([fact]))
    fresh("rater", "--until-idle")
    lines = fresh("event", "fed:main", "fed:e").output.splitlines()
    assert [line.split()[0].rstrip(",") for line in lines if "fed:a" in line] == ["2", "10", "a", "g1", "g2", "g10", "z9"]
