"""Tournament reports are read by their columns, and refused where two rows disagree."""

from collections import Counter
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rerate.intake import irish
from rerate.intake.trf import TrfError, TrfReport, read_trf
from tests.kit.football_plain import PlainFacts, rate

HEAD = "012 Autumn Open\n042 2024/10/05\n052 2024/10/06\n"


def row(number: int, *rounds: str, id: str = "", points: str = "") -> str:
    return (
        f"001 {number:4} m    {f'Player {number}':33} {'':4} {'':3} {id:>11} {'':10} {points:>4} {'':4}  {'  '.join(rounds)}".rstrip()
        + "\n"
    )


def read(text: str | bytes) -> TrfReport:
    data = text if isinstance(text, bytes) else text.encode()
    return read_trf(data, pool="club:rook", event_id="club:autumn", source="club/arbiter", category="open")


def games_of(text: str | bytes) -> list[dict[str, Any]]:
    games: list[dict[str, Any]] = read(text).fact["data"]["games"]
    return games


# The counts of an independent reader of these files.
@pytest.mark.parametrize(
    ("event_id", "players", "rounds", "results"),
    [
        ("irl:bunratty-2011", 40, 6, {"played": 99, "-/-": 1, "bye-half": 6, "bye-zero": 1}),
        ("irl:kilkenny-2011", 34, 6, {"played": 97, "bye-half": 1}),
    ],
)
def test_a_shipped_report_has_the_players_rounds_and_games_that_were_counted(
    event_id: str, players: int, rounds: int, results: dict[str, int]
) -> None:
    report = next(report for report in irish.reports() if report.fact["data"]["event"]["id"] == event_id)
    games = report.fact["data"]["games"]
    played = ("1-0", "1/2-1/2", "0-1")
    assert Counter("played" if game["result"] in played else game["result"] for game in games) == results
    assert max(game["round"] for game in games) == rounds
    assert len(report.names) == players + 1
    assert len({game["id"] for game in games}) == len(games)


def test_the_shipped_reports_share_the_players_who_have_a_number() -> None:
    bunratty, kilkenny = (report.names.keys() for report in irish.reports())
    assert len(bunratty & kilkenny) == 15
    assert {"irl:3129", "irl:5445"} <= bunratty & kilkenny


def test_the_plain_ratings_take_the_games_of_both_reports_and_no_bye() -> None:
    found = rate(PlainFacts(report.fact for report in irish.reports()).games())
    games = Counter(rating.games for rating in found.values())
    assert sum(count * players for count, players in games.items()) == 2 * (99 + 97)
    assert found["irl:3129"].last_played == "2011-11-27"
    assert found["irl:3129"].games == 12


def test_a_shipped_report_keeps_its_days_and_the_dates_of_its_rounds() -> None:
    bunratty, kilkenny = (report.fact["data"] for report in irish.reports())
    assert (bunratty["event"]["start_date"], bunratty["event"]["date"]) == ("2011-02-25", "2011-02-27")
    dates = {game["round"]: game["date"] for game in bunratty["games"]}
    assert dates == {1: "2011-02-25", 2: "2011-02-26", 3: "2011-02-26", 4: "2011-02-26", 5: "2011-02-27", 6: "2011-02-27"}
    assert (kilkenny["event"]["start_date"], kilkenny["event"]["date"]) == ("2011-11-25", "2011-11-27")
    assert not any("date" in game for game in kilkenny["games"])


def test_dates_of_rounds_with_day_and_month_swapped_are_read_and_noted() -> None:
    notes = irish.reports()[0].notes
    assert [(note.line, note.column) for note in notes if "YY.DD.MM" in note.sentence] == [(13, 92)]


def test_the_first_game_of_the_second_report() -> None:
    assert irish.reports()[1].fact["data"]["games"][0] == {
        "id": "g1-1-18",
        "round": 1,
        "white": "irl:78534",
        "black": "irl:3129",
        "result": "0-1",
    }


@pytest.mark.parametrize(
    ("codes", "said"),
    [
        ("10", {"result": "1-0"}),
        ("01", {"result": "0-1"}),
        ("==", {"result": "1/2-1/2"}),
        ("WL", {"result": "1-0", "rated": "none", "unrated_reason": "not-both-moved"}),
        ("dd", {"result": "1/2-1/2", "rated": "none", "unrated_reason": "not-both-moved"}),
        ("+-", {"result": "+/-"}),
        ("-+", {"result": "-/+"}),
        ("--", {"result": "-/-"}),
        ("  ", {"result": "*"}),
        ("??", {"result": "*"}),
    ],
)
def test_results_of_two_players(codes: str, said: dict[str, str]) -> None:
    sides = {"id": "g1-1-2", "round": 1, "white": "club:autumn.1", "black": "club:71"}
    assert games_of(HEAD + row(1, f"   2 w {codes[0]}") + row(2, f"   1 b {codes[1]}", id="71")) == [sides | said]


@pytest.mark.parametrize(
    ("block", "said"),
    [
        ("0000 - U", {"result": "bye-pairing", "points": 2}),
        ("0000 - F", {"result": "bye-full"}),
        ("0000 - +", {"result": "bye-full"}),
        ("0000 - h", {"result": "bye-half"}),
        ("0000 - =", {"result": "bye-half"}),
        ("     - Z", {"result": "bye-zero"}),
        ("0000 - -", {"result": "bye-zero"}),
    ],
)
def test_byes(block: str, said: dict[str, Any]) -> None:
    assert games_of(HEAD + row(1, block)) == [{"id": "g1-1", "round": 1, "white": "club:autumn.1"} | said]


@pytest.mark.parametrize("block", ["        ", "       -", "0000 -  ", "     -  "])
def test_a_round_of_which_nothing_is_said_is_left_out(block: str) -> None:
    block = block if block != "       -" else "     -"
    assert [game["round"] for game in games_of(HEAD + row(1, block.ljust(8), "   2 w 1") + row(2, " " * 8, "   1 b 0"))] == [2]


def test_a_forfeit_without_colours_has_the_smaller_number_as_white_and_a_note() -> None:
    report = read(HEAD + row(7, "   9 - -") + row(9, "   7 - +"))
    (game,) = report.fact["data"]["games"]
    assert (game["white"], game["black"], game["result"]) == ("club:autumn.7", "club:autumn.9", "-/+")
    assert [(note.line, note.column) for note in report.notes] == [(4, 97)]


REFUSED = [
    ("a result that does not fit", row(1, "   2 w 1") + row(2, "   1 b 1"), 4, 99),
    ("a forfeit told by one side", row(1, "   2 w +") + row(2, "   1 b 0"), 4, 99),
    ("a result told by one side", row(1, "   2 w 1") + row(2, "   1 b  "), 4, 99),
    ("one colour twice", row(1, "   2 w 1") + row(2, "   1 w 0"), 4, 97),
    ("a game played without a colour", row(1, "   2 - 1") + row(2, "   1 - 0"), 4, 97),
    ("an opponent who names nobody", row(1, "   2 w 1") + row(2, "0000 - Z"), 4, 92),
    ("an opponent who names another", row(1, "   2 w 1") + row(2, "   3 b 0") + row(3, "   2 w 1"), 4, 92),
    ("an opponent whose row ends before", row(1, "0000 - Z", "   2 w 1") + row(2, "0000 - Z"), 4, 102),
    ("an opponent who is not there", row(1, "   2 w 1"), 4, 92),
    ("himself", row(1, "   1 w 1"), 4, 92),
    ("a code that does not exist", row(1, "   2 w x") + row(2, "   1 b 0"), 4, 99),
    ("a colour that does not exist", row(1, "   2 x 1") + row(2, "   1 b 0"), 4, 97),
    ("a shifted row", row(1, "   2 w 1").replace("Player", "Two letters more, Player and a name that is much too long"), 4, 49),
    ("a game without an opponent", row(1, "0000 w D"), 4, 92),
    ("a start number twice", row(1) + row(1), 5, 5),
    ("a player's number twice", row(1, id="71") + row(2, id="71"), 5, 58),
    ("a round too many", "XXR 1\n" + row(1, "0000 - Z", "0000 - Z"), 5, 102),
    ("no player", "", 1, 1),
    ("a round before the event", f"132{' ' * 88}24/10/04\n" + row(1), 4, 92),
]


@pytest.mark.parametrize(("rows", "line", "column"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_refused_with_line_and_column(rows: str, line: int, column: int) -> None:
    with pytest.raises(TrfError) as caught:
        read(HEAD + rows)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert str(caught.value).startswith(f"line {line}, column {column}: expected ")


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("042 2024-10-05\n052 2024-10-06\n", "2024-10-05", "2024-10-06"),
        ("042 05.10.2024\n052 06. 10. 2024\n", "2024-10-05", "2024-10-06"),
        ("042 25/10/2024\n052 \n", "2024-10-25", "2024-10-25"),
        ("052 2024/10/06\n", "2024-10-06", "2024-10-06"),
    ],
)
def test_days_of_an_event(text: str, start: str, end: str) -> None:
    event = read(text + row(1)).fact["data"]["event"]
    assert (event["start_date"], event["date"]) == (start, end)


@pytest.mark.parametrize(
    "text", ["042 05/10/2024\n", "042 24.10.05\n", "042 May 29, 2020\n", "042 2024/02/30\n", "042 \n", "042 2024/10/05\n052 2024/10/04\n"]
)
def test_days_that_cannot_be_read_one_way_are_refused(text: str) -> None:
    with pytest.raises(TrfError):
        read(text + row(1))


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_other_line_ends_say_the_same(end: str) -> None:
    text = HEAD + row(1, "   2 w 1") + row(2, "   1 b 0")
    assert read(text.replace("\n", end)) == read(text)


def test_a_file_that_is_not_utf_8_is_read_as_latin_1_with_a_note() -> None:
    report = read((HEAD + row(1).replace("Player 1", "Pl\xe4yer 1")).encode("latin-1"))
    assert report.names["club:autumn.1"] == "Pl\xe4yer 1"
    assert [(note.line, note.column) for note in report.notes] == [(4, 17)]


def test_points_that_the_rounds_do_not_come_to_are_noted() -> None:
    report = read(HEAD + row(1, "0000 - H", points="1.0"))
    assert [note.sentence for note in report.notes] == ["the rounds come to 0.5 points, 1.0 are printed"]


def test_names_are_beside_the_fact_and_never_in_it() -> None:
    report = read(HEAD + row(1, "   2 w 1") + row(2, "   1 b 0", id="71"))
    assert report.names == {"club:autumn": "Autumn Open", "club:autumn.1": "Player 1", "club:71": "Player 2"}
    assert "Player" not in str(report.fact)


@given(st.sampled_from(irish.EVENTS), st.lists(st.tuples(st.integers(0, 7_000), st.binary(max_size=3)), min_size=1, max_size=4))
def test_a_damaged_file_is_read_or_refused_and_nothing_else(event_id: str, damage: list[tuple[int, bytes]]) -> None:
    data = irish.report_file(event_id)
    for at, other in damage:
        data = data[:at] + other + data[at + len(other) :]
    with suppress(TrfError):
        read(data)
