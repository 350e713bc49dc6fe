"""`rerate calc`: the worked numbers of the calculators that people know, at the command line, and what is refused."""

import json
import re
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from rerate.cli import cli

Data = dict[str, Any]
ORACLES_OF = Path(__file__).parents[1] / "ratings"
ORACLES: dict[str, Data] = {
    one["id"]: one
    for name in ("fide", "club", "performance", "glicko", "uschess")
    for one in json.loads((ORACLES_OF / f"oracles_{name}.json").read_bytes())
}
NOW = ["--date", "2026-03-05"]


def call(*words: str) -> Result:
    result = CliRunner().invoke(cli, ["calc", *words])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def ask(*words: str) -> Data:
    result = call(*words, "--json")
    assert result.exit_code == 0, result.output
    (line,) = result.stdout.splitlines()
    answer: Data = json.loads(line)
    return answer


def only(answer: Data) -> Data:
    (outcome,) = answer["outcomes"]
    assert outcome["open"] is None
    return dict(outcome)


def met(games: Sequence[Sequence[str]]) -> list[str]:
    return [word for rating, score in games for word in ("--vs", f"{rating}:{score}")]


def is_as_printed(found: str, printed: str) -> bool:
    places = len(printed.partition(".")[2])
    return abs(Fraction(found) - Fraction(printed)) <= Fraction(5, 10 ** (places + 1))


def changes(outcome: Data) -> list[str]:
    return [step["adds"] for step in outcome["steps"] if step["code"] == "change"]


def seed_ids(kind: str) -> list[str]:
    return [id for id, one in ORACLES.items() if id[:2] in ("S0", "S1", "S2") and one["kind"] == kind]


@pytest.mark.parametrize("id", seed_ids("elo_event"))
def test_the_curve_as_the_calculators_have_it(id: str) -> None:
    inputs, printed = ORACLES[id]["inputs"], ORACLES[id]["expected"]
    rules = ["--set", f"cap={inputs.get('cap', 0)}", "--set", "exempt_2650=no", "--set", "floor=none"]
    outcome = only(ask("fide-curve", "--own", inputs["own"], "--k", inputs["K"], *met(inputs["games"]), *rules, *NOW))
    found = {"change": outcome["exact"], "change_rounded": outcome["change"], "new_rounded": outcome["after"]}
    texts = [step["text"] for step in outcome["steps"] if step["code"] == "change"]
    expected = [text.partition("expected ")[2].partition(",")[0] for text in texts]
    found |= {f"E_{number}": one for number, one in enumerate(expected, 1)}
    found |= {"E_sum": str(sum(map(Fraction, expected))), "new": str(Fraction(inputs["own"]) + Fraction(outcome["exact"]))}
    found |= {f"change_{number}": one for number, one in enumerate(changes(outcome), 1)}
    assert printed.keys() <= found.keys()
    assert {name: found[name] for name, text in printed.items() if not is_as_printed(found[name], text)} == {}


REGIMES = {"std-2025-10": "2026-03-05", "std-2024-03": "2025-09-05"}


@pytest.mark.parametrize("id", [id for id in seed_ids("fide_event") if ORACLES[id]["inputs"]["regime"] in REGIMES])
def test_the_official_table_beside_it(id: str) -> None:
    """(Without the cap, as in two more of them, FIDE's rules cannot be had below 2650.)"""
    inputs, printed = ORACLES[id]["inputs"], ORACLES[id]["expected"]
    words = ["--own", inputs["own"], "--k", inputs["K"], *met(inputs["games"]), "--set", "floor=none"]
    answer = ask("fide", *words, "--date", REGIMES[inputs["regime"]])
    assert is_as_printed(only(answer)["exact"], printed["change"])
    if "change_rounded" in printed:
        assert int(only(answer)["change"]) == int(printed["change_rounded"])


def test_where_table_and_curve_differ_both_say_so() -> None:
    """1900 beats 1400 with K 20: +1.6 by the table and +1.8 on the curve."""
    words = ["--own", "1900", "--k", "20", "--vs", "1400:1", *NOW]
    (remark,) = ask("fide", *words)["remarks"]
    assert remark == {"code": "curve", "text": "on the continuous curve, as many calculators have it, it would be +1.8182 and not +1.6"}
    (remark,) = ask("fide-curve", *words)["remarks"]
    assert remark == {"code": "table", "text": "by FIDE's table, which makes the official number, it would be +1.6 and not +1.8182"}
    assert "it would be +1.8182 and not +1.6" in call("fide", *words).output
    assert ask("fide", "--own", "1500", "--k", "20", "--vs", "1400:1", *NOW)["remarks"] == []
    assert ask("fide-curve", *words, "--set", "cap=0")["remarks"] == [], "the table knows no such parameter"
    assert ask("fide-curve", *words, "--vs", "1400.5:1", "--quantum", "0.1")["remarks"] == [], "nor such ratings"


def test_ratings_below_the_floor_of_the_day_count_and_are_said_to_be_nobodys() -> None:
    words = ["--own", "1500", "--k", "20", "--vs", "1000:1", "--vs", "1399:1", "--vs", "1400:1"]
    answer = ask("fide", *words, *NOW)
    assert answer["remarks"][0] == {
        "code": "below-floor",
        "text": "1000, 1399: below 1400, the lowest rating of that day, so on a list it is nobody's: here it counts; "
        "--set floor=rule takes who has it for unrated",
    }
    assert len(changes(only(answer))) == 3
    ruled = ask("fide", *words, *NOW, "--set", "floor=rule")
    assert only(ruled)["exact"] == only(ask("fide", "--own", "1500", "--k", "20", "--vs", "1400:1", *NOW))["exact"]
    assert ruled["remarks"][0]["text"].endswith("it is nobody's: who is said to have it counts as unrated")
    for more in (["--date", "2020-03-05"], [*NOW, "--set", "floor=none"]):
        counted = ask("fide", *words, *more)
        assert "below-floor" not in [one["code"] for one in counted["remarks"]]
        assert len(changes(only(counted))) == 3
    (remark,) = ask("fide-2009", "--own", "1500", "--k", "20", "--vs", "900:1")["remarks"]
    assert (remark["code"], "--set" in remark["text"]) == ("below-floor", False)


def test_both_sides_of_a_game_between_near_equals() -> None:
    inputs, printed = ORACLES["S2-K32"]["inputs"], ORACLES["S2-K32"]["expected"]
    a = only(ask("fide-curve", "--own", inputs["a"], "--k", "32", "--vs", f"{inputs['b']}:1", *NOW))
    b = only(ask("fide-curve", "--own", inputs["b"], "--k", "32", "--vs", f"{inputs['a']}:0", *NOW))
    assert (a["after"], b["after"]) == (printed["new_a"], printed["new_b"])
    assert is_as_printed(a["exact"], printed["change_a"])


@pytest.mark.parametrize("id", ["S1-700-40x20", "S1-700-20x40"])
def test_the_rule_of_700(id: str) -> None:
    inputs, used = ORACLES[id]["inputs"], ORACLES[id]["expected"]["K_used"]
    games = ["--vs", "1500:0.5"] * int(inputs["n"])
    behind = "0" if inputs["K"] == "40" else "30"
    steps = only(ask("fide", "--own", "1500", "--games", behind, *games, *NOW))["steps"]
    assert any(step["code"] == "k" and step["text"].endswith(f"so K {used}") for step in steps)
    (remark,) = ask("fide", "--own", "1500", "--k", inputs["K"], *games, *NOW)["remarks"]
    assert remark["code"] == "by-hand"
    assert f"K would be {used}" in remark["text"]
    assert ask("fide", "--own", "1500", "--k", inputs["K"], *games, "--date", "2014-05-05")["remarks"] == [], "there was no such rule yet"
    assert ask("fide-2009", "--own", "1500", "--k", inputs["K"], *games)["remarks"] == []


@pytest.mark.parametrize("id", [id for id in ORACLES if id.startswith("S3-K")])
def test_k_of_the_older_method(id: str) -> None:
    inputs, printed = ORACLES[id]["inputs"], ORACLES[id]["expected"]
    steps = only(ask("fide-2009", "--own", inputs["rating"], "--games", inputs["games_before"], "--vs", "2000:1"))["steps"]
    (k,) = [step["text"] for step in steps if step["code"] == "k"]
    assert k.startswith(f"K {printed['K']} ")


def test_the_older_method_on_the_mean_and_its_performance() -> None:
    """2080, K 25, five points of six against a mean of 2064: 3.12 expected, +47, 2127."""
    inputs, printed = ORACLES["S3-HANAN"]["inputs"], ORACLES["S3-HANAN"]["expected"]
    games = met(list(zip(inputs["opponents"], ["1", "1", "1", "1", "1", "0"], strict=True)))
    answer = ask("fide-2009", "--own", inputs["own"], "--games", "10", *games)
    assert (only(answer)["after"], only(answer)["exact"], answer["date"]) == (printed["new"], f"+{printed['change']}", "2009-06-01")
    assert any(f"expected {printed['We']}, K 25" in step["text"] for step in only(answer)["steps"])
    assert {one["name"]: one["rating"] for one in answer["performance"]} == {"pf": "2337", "linear": "2330.67", "linear-800": "2330.67"}
    present = only(ask("fide", "--own", inputs["own"], "--k", "25", *games, *NOW))
    assert (present["after"], present["exact"]) == (ORACLES["S3-PERGAME"]["expected"]["new"], "+46.5")


def test_the_club_ladders_example() -> None:
    inputs, printed = ORACLES["S0-ANN"]["inputs"], ORACLES["S0-ANN"]["expected"]
    words = ["club", "--own", inputs["own"], "--games", "30", *met(inputs["games"]), *NOW]
    outcome = only(ask(*words))
    assert (outcome["after"], outcome["change"]) == (printed["new"], f"+{printed['change']}")
    said = call(*words).output
    assert "1400.0 -> 1413.8 (+13.8, before rounding +13.7657)" in said
    assert "against 1600.0: scored 0.5, expected 0.240253, K 20: +5.1949" in said
    loss, win, draw, another = map(Fraction, changes(outcome))
    assert loss < 0 < draw < min(win, another), "the guide's remark that the draw brought more than both wins is not true"


def test_a_newcomer_of_the_club_and_somebody_provisional() -> None:
    outcome = only(ask("club", "--vs", "1200/0:1", *NOW))
    assert (outcome["after"], outcome["change"]) == ("1220.0", "+20.0")
    protected = ask("club", "--own", "1500", "--vs", "1200/4:0", "--vs", "1200/5:1", *NOW)
    assert [step["code"] for step in only(protected)["steps"]] == ["own", "not-counted", "change", "k", "rounding"]
    assert [remark["code"] for remark in protected["remarks"]] == ["assumed"]
    assert only(ask("club", "--own", "1500", "--k", "10", "--vs", "1500:1", *NOW))["change"] == "+5.0"


@pytest.mark.parametrize("id", [id for id, one in ORACLES.items() if one["kind"] in ("linear_performance", "fide_performance")])
def test_performances_stand_beside_the_rating(id: str) -> None:
    one = ORACLES[id]
    found = {told["name"]: told for told in ask("fide", "--own", "1500", *met(one["inputs"]["games"]), *NOW)["performance"]}
    name, printed = ("fide", "Rp") if "Rp" in one["expected"] else ("linear-800", "performance")
    assert found[name]["rating"] == one["expected"][printed]
    assert found.keys() == {"fide", "perfect-tournament", "linear", "linear-800"}


def test_an_unrated_opponent_counts_for_a_title_norm_only() -> None:
    words = ["fide", "--own", "1500", "--vs", "2000:1", "--vs", "unrated:1", *NOW]
    assert only(ask(*words))["exact"] == only(ask(*words[:5], *NOW))["exact"]
    rated = [{one["name"]: one["rating"] for one in ask(*words, *more)["performance"]} for more in ([], ["--title-norm"])]
    assert [one["fide"] for one in rated] == ["2800", "2500"]
    assert [one["perfect-tournament"] for one in rated] == ["2736", "2736"]


@pytest.mark.parametrize(
    ("words", "k"),
    [
        (["--games", "29"], 40),
        (["--games", "30"], 20),
        ([], 20),
        (["--peak", "2399"], 20),
        (["--peak", "2400"], 10),
        (["--age", "18"], 40),
        (["--age", "19"], 20),
        (["--birth-year", "2008"], 40),
        (["--birth-year", "2007"], 20),
        (["--birth-year", "2008", "--peak", "2300"], 20),
        (["--kind", "rapid", "--date", "2022-09-05", "--games", "3"], 20),
        (["--kind", "rapid", "--date", "2022-10-05", "--games", "3"], 40),
        (["--date", "2014-06-05"], 15),
        (["--k", "13", "--age", "10"], 13),
        (["--set", "k=14"], 14),
    ],
)
@pytest.mark.parametrize("system", ["fide", "fide-curve"])
def test_k_comes_from_games_peak_and_age_or_by_hand(system: str, words: list[str], k: int) -> None:
    answer = ask(system, "--own", "1500", "--vs", "1500:1", *NOW, *words)
    assert Fraction(only(answer)["exact"]) == Fraction(k, 2)
    is_assumed = not {"--games", "--k"} & set(words)
    assert ("assumed" in [remark["code"] for remark in answer["remarks"]]) is is_assumed


@pytest.mark.parametrize("system", ["glicko", "glicko2"])
def test_the_papers_of_glicko(system: str) -> None:
    printed = ORACLES["G1-1" if system == "glicko" else "G2-1"]["expected"]
    games = ["--vs", "1400/30:1", "--vs", "1550/100:0", "--vs", "1700/300:0"]
    more = ["--volatility", "0.06"] if system == "glicko2" else []
    outcome = only(ask(system, "--own", "1500", "--deviation", "200", *more, *games, *NOW))
    tolerance = Fraction("0.05") if system == "glicko" else Fraction("0.01")
    assert abs(Fraction(outcome["after"]) - Fraction(printed["rating"])) <= tolerance
    assert abs(Fraction(outcome["state"]["deviation"]) - Fraction(printed["rd"])) <= tolerance
    if more:
        assert abs(Fraction(outcome["state"]["volatility"]) - Fraction(printed["sigma"])) <= tolerance / 1000
    said = call(system, "--own", "1500", "--deviation", "200", *more, *games, *NOW).output
    assert f"deviation: 200.000 -> {outcome['state']['deviation']}" in said


@pytest.mark.parametrize("id", ["L-01", "L-03", "L-04"])
def test_lichess_game_by_game_and_by_colour(id: str) -> None:
    inputs, printed = ORACLES[id]["inputs"], ORACLES[id]["expected"]
    advantage = inputs.get("advantage", "0")
    rating, deviation, volatility = inputs["white"]
    words = ["glicko2", "--own", rating, "--deviation", deviation, "--volatility", volatility, "--set", "preset=lichess"]
    words += ["--set", f"white_advantage={advantage}", "--period", "date", *NOW]
    score = int(inputs["score_white"])
    found = {
        f"{colour}.rating": only(ask(*words, "--vs", f"{rating}/{deviation}:{points}:{colour}"))["after"]
        for colour, points in (("white", score), ("black", 1 - score))
    }
    assert {name: found[name] for name in found if not is_as_printed(found[name], printed[name])} == {}


def test_a_deviation_grows_with_the_time_since_the_last_game() -> None:
    words = ["glicko", "--own", "1500", "--deviation", "50", "--vs", "1500/50:1", *NOW]
    resting = only(ask(*words, "--last", "2025-09-05"))
    assert "6.000000 periods since the last" in resting["steps"][0]["text"]
    assert Fraction(resting["change"]) > Fraction(only(ask(*words))["change"])


@pytest.mark.parametrize("id", ["US-S1", "US-S1-B10"])
def test_the_standard_formula_of_us_chess(id: str) -> None:
    inputs, printed = ORACLES[id]["inputs"], ORACLES[id]["expected"]
    words = ["uschess", "--own", inputs["own"], "--games", inputs["games_before"], *met(inputs["games"])]
    outcome = only(ask(*words, "--set", f"bonus={inputs['B']}", *NOW))
    (change,), (bonus,) = ([step["adds"] for step in outcome["steps"] if step["code"] == code] for code in ("change", "bonus"))
    assert is_as_printed(bonus, printed["bonus"])
    assert is_as_printed(str(Fraction(inputs["own"]) + Fraction(change) + Fraction(bonus)), printed["new"])
    assert outcome["after"] == f"{float(printed['new']):.2f}"


def test_the_special_formula_of_us_chess_and_starting_values() -> None:
    games = met(ORACLES["US-X1"]["inputs"]["games"])
    assert only(ask("uschess", *games, *NOW))["after"] == "1550.00"
    for words, value in ((["--age", "20"], 1000), (["--age", "2"], 100), (["--fide", "1840"], Fraction("1809.728")), ([], 1300)):
        first = only(ask("uschess", *words, *games, *NOW))["steps"][0]
        assert (first["code"], Fraction(first["adds"])) == ("start", value)


def test_games_of_us_chess_that_were_all_won_a_match_and_a_peak() -> None:
    words = ["uschess", "--own", "1500", "--games", "20", "--vs", "1500:0.5", *NOW]
    special = [only(ask(*words, "--earlier", earlier))["steps"][-2]["code"] for earlier in ("won", "mixed")]
    assert special == ["special", "bonus"]
    match = only(ask("uschess", "--own", "1500", "--vs", "2000:1", "--match", *NOW))
    assert [step["code"] for step in match["steps"]] == ["own", "not-counted"]
    dual = only(ask("uschess", "--own", "2300", "--games", "40", *["--vs", "2300:0.5"] * 6, "--dual", *NOW))
    assert any("K is 13.043478" in step["text"] for step in dual["steps"])
    floored = only(ask("uschess", "--own", "1805", "--peak", "2000", "--vs", "1700:0", *NOW))
    assert floored["after"] == "1800.00"


def test_win_draw_and_loss_side_by_side() -> None:
    answer = ask("fide-curve", "--own", "1500", "--k", "20", "--vs", "1700", *NOW)
    assert [(one["open"], one["change"], one["after"]) for one in answer["outcomes"]] == [
        ("win", "+15", "1515"),
        ("draw", "+5", "1505"),
        ("loss", "-5", "1495"),
    ]
    assert answer["performance"] == []
    said = call("fide-curve", "--own", "1500", "--k", "20", "--vs", "1700", *NOW).output.splitlines()
    row = next(line for line in said if line.startswith("game 1, against 1700"))
    assert row.split()[-3:] == ["+15.1949", "+5.1949", "-4.8051"]
    assert next(line for line in said if line.startswith("rating ")).split() == ["rating", "1515", "1505", "1495"]
    assert [line for line in said if line.endswith(":")] == ["in each case:", "win:", "draw:", "loss:"]


def test_a_score_that_is_known_stands_in_each_of_the_three() -> None:
    mixed = ask("glicko", "--own", "1500", "--deviation", "200", "--vs", "1400/30", "--vs", "1550/100:0", *NOW)
    scored = [
        only(ask("glicko", "--own", "1500", "--deviation", "200", "--vs", f"1400/30:{score}", "--vs", "1550/100:0", *NOW))
        for score in ("1", "0.5", "0")
    ]
    assert [one | {"open": None} for one in mixed["outcomes"]] == scored


def test_without_a_rating_the_first_one_is_worked_out() -> None:
    answer = ask("fide", *met([("1600", "1"), ("1700", "1"), ("1800", "1"), ("1800", "0"), ("1900", "0.5")]), *NOW)
    assert (answer["before"], only(answer)["after"], only(answer)["change"]) == (None, "1873", None)
    few = call("fide", "--vs", "1600:1", *NOW)
    assert "no rating -> no rating" in few.output
    assert "1 game is too few for a rating" in few.output


def test_below_the_floor_nobody_has_a_rating() -> None:
    answer = only(ask("fide", "--own", "1400", "--vs", "1400:0", *NOW))
    assert (answer["after"], answer["change"], answer["exact"]) == (None, None, "-10")


def test_today_is_the_day_if_none_is_said() -> None:
    from datetime import date

    before = date.today().isoformat()
    found = ask("club", "--vs", "1200:1")["date"]
    assert before <= found <= date.today().isoformat()


def test_an_object_says_what_it_was_asked() -> None:
    answer = ask("glicko2", "--own", "1500", "--deviation", "200", "--set", "tau=0.6", "--vs", "1400/30:1", "--vs", "1500/30:0:black", *NOW)
    assert (answer["system"], answer["quantum"], answer["period"], answer["parameters"]) == ("glicko2/1", "0.01", "2026-03", {"tau": "0.6"})
    assert [(game["opponent"]["deviation"], game["score"], game["colour"]) for game in answer["games"]] == [
        ("30.000", "1.0", "white"),
        ("30.000", "0.0", "black"),
    ]
    assert answer["state"]["deviation"] == "200.000"
    assert [step.get("game") for step in only(answer)["steps"] if step["code"] == "change"] == [1, 2]


def test_a_counter_at_its_end_stands_for_so_many_or_more() -> None:
    """A state counts games as far as a rule asks for them: 30, and 50 at US Chess."""
    answer = ask("fide", "--own", "1500", "--games", "29", "--vs", "1500:1", *NOW)
    assert (answer["most_games"], only(answer)["state"]["games"]) == (30, 30)
    assert "games: 29 -> 30 or more" in call("fide", "--own", "1500", "--games", "29", "--vs", "1500:1", *NOW).output
    assert next(
        line.split()
        for line in call("fide", "--own", "1500", "--games", "29", "--vs", "1500", *NOW).output.splitlines()
        if "or more" in line
    ) == ["games", *["30", "or", "more"] * 3]
    many = ask("uschess", "--own", "1500", "--games", "500", "--vs", "1500:1", *NOW)
    assert (many["most_games"], many["state"]["games"]) == (50, 50)
    assert (
        "500 games count as 50, which stands for 50 or more" in call("uschess", "--own", "1500", "--games", "500", "--vs", "1500:1").output
    )
    exactly = ask("uschess", "--own", "1500", "--games", "50", "--vs", "1500:1", *NOW)
    assert "counted-to" not in [remark["code"] for remark in exactly["remarks"]]
    assert ask("club", "--own", "1500", "--games", "3", "--vs", "1500:1", "--set", "k_new_games=7", *NOW)["most_games"] == 7
    assert ask("glicko", "--own", "1500", "--deviation", "50", "--vs", "1500/50:1", *NOW)["most_games"] is None


def test_games_after_the_closing_day_go_to_the_next_list_and_k_by_its_year() -> None:
    """18 in 2026 is a junior until the period 2026-12; the last days of December are rated in 2027-01, when K 40 is over."""
    words = ["fide", "--own", "1500", "--age", "18", "--games", "30", "--vs", "1500:1", "--date"]
    early, late = ask(*words, "2026-12-29"), ask(*words, "2026-12-30")
    assert [(one["period"], one["list_date"], only(one)["exact"]) for one in (early, late)] == [
        ("2026-12", "2027-01-01", "+20"),
        ("2027-01", "2027-02-01", "+10"),
    ]
    assert early["remarks"] == []
    (remark,) = late["remarks"]
    assert remark["code"] == "next-list"
    assert remark["text"] == (
        "the period 2026-12, of the list of 2027-01-01, was closed by 2026-12-30: the games go to the period 2027-01, of the list of "
        "2027-02-01; K goes by its year"
    )
    assert call(*words, "2026-12-30").output.startswith(
        "fide/1, games of 2026-12-30, in the period 2027-01, whose list comes out on 2027-02-01\n"
    )
    (remark,) = ask("fide", "--own", "1500", "--games", "30", "--vs", "1500:1", "--date", "2026-11-30")["remarks"]
    assert (remark["code"], "K goes" in remark["text"]) == ("next-list", False)


def test_a_quarterly_list_comes_out_after_its_quarter_and_other_systems_know_no_such_day() -> None:
    old = ask("fide-2009", "--own", "1500", "--games", "30", "--vs", "1500:1", "--date", "2009-04-05")
    assert (old["period"], old["list_date"], old["remarks"]) == ("2009-06", "2009-07-01", [])
    assert ask("glicko", "--own", "1500", "--deviation", "50", "--vs", "1500/50:1", *NOW)["list_date"] is None
    assert ask("club", "--own", "1500", "--vs", "1500:1", *NOW)["list_date"] is None


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("fide --k 20 --vs 1500:1", "K plays no part in a first rating"),
        ("fide --k 20 --age 12 --vs 1500:1", "K and age play no part in a first rating"),
        ("uschess --own 1500 --games 40 --age 12 --vs 1500:1", "age plays no part: it makes the starting value of who has no rating"),
    ],
)
def test_what_plays_no_part_is_said(line: str, text: str) -> None:
    assert text in [remark["text"] for remark in ask(*line.split(), *NOW)["remarks"] if remark["code"] == "no-part"]


@pytest.mark.parametrize(
    "line",
    ["fide --k 20 --own 1500 --vs 1500:1", "fide-curve --k 20 --set newcomer=1500 --vs 1500:1", "uschess --age 12 --vs 1500:1"],
)
def test_what_plays_a_part_is_not_said_to_play_none(line: str) -> None:
    assert "no-part" not in [remark["code"] for remark in ask(*line.split(), *NOW)["remarks"]]


def test_a_provisional_player_of_us_chess_may_be_above_the_highest_established_rating() -> None:
    assert ask("uschess", "--own", "1500", "--games", "25", "--peak", "1400", "--vs", "1500:1", *NOW)["before"] == "1500.00"


def test_a_peak_of_us_chess_is_said_to_be_in_whole_hundreds() -> None:
    words = ["uschess", "--own", "1750", "--games", "26", "--peak", "1750", *["--vs", "1800:1"] * 3, *NOW]
    assert "peak, in whole hundreds: 1700.00 -> 1800.00" in call(*words).output


def test_an_unrated_opponent_of_us_chess_counts_with_the_starting_value_that_the_help_says() -> None:
    words = ["--own", "1500", "--games", "40"]
    unrated, rated = (only(ask("uschess", *words, "--vs", f"{of}:1", *NOW)) for of in ("unrated", "1300"))
    assert unrated["after"] == rated["after"]
    help = " ".join(call("uschess", "--help").output.split())
    assert "counts with the starting value of who is of unknown age, 1300." in help
    assert "one who is provisional is not told apart" in help


def test_lichess_rates_game_by_game_as_the_help_says() -> None:
    """Two games as one period are not the two games one after the other."""
    assert "It rates game by game: ask for each by itself" in " ".join(call("glicko2", "--help").output.split())
    lichess = ["glicko2", "--set", "preset=lichess", "--period", "date", *NOW]
    games = ["1600/60:1:white", "1650/70:0:black"]
    at_once = only(ask(*lichess, "--own", "1500", "--deviation", "80", "--vs", games[0], "--vs", games[1]))
    first = only(ask(*lichess, "--own", "1500", "--deviation", "80", "--vs", games[0]))["state"]
    state = ["--own", first["rating"], "--deviation", first["deviation"], "--volatility", first["volatility"], "--last", NOW[1]]
    assert only(ask(*lichess, *state, "--vs", games[1]))["after"] != at_once["after"]


def test_the_older_methods_help_names_one_day_only() -> None:
    said = " ".join(call("fide-2009", "--help").output.split())
    assert "dated rules go by it; default: 2009-06-01." in said
    assert len(re.findall("2009-06-01|default: today", said)) == 1


def test_any_system_is_asked_by_its_name_with_the_version() -> None:
    words = ["--vs", "rating=1600,games=40:1", *NOW]
    answer = ask("other", "club/1", "--own", "rating=1500,games=30", *words)
    assert only(answer) == only(ask("club", "--own", "1500", "--games", "30", "--vs", "1600/40:1", *NOW))
    assert (answer["quantum"], answer["period"]) == ("0.1", NOW[1])
    state = ["--own", "rating=1500,deviation=200,volatility=0.06,last=20260205", "--vs", "rating=1400,deviation=30:1", *NOW]
    asked = ask("other", "glicko2/1", *state, "--quantum", "0.01")
    words = ["--own", "1500", "--deviation", "200", "--volatility", "0.06", "--last", "2026-02-05", "--vs", "1400/30:1", *NOW]
    assert only(asked) == only(ask("glicko2", *words, "--period", "date"))


REFUSED = [
    ("fide --own 1500 --vs 1600:0.7", "0.7 is no score of a game: 1 is a win, 0.5 a draw, 0 a loss"),
    ("fide --own 1500 --vs 1600:", "nothing is no score"),
    ("fide --own 1500 --vs :1", "say a rating and a score"),
    ("fide --own 1500 --vs 1600:1:black:2", "is no game"),
    ("fide --own 1500 --vs 1600:1:red", "red is no colour"),
    ("fide --own 1500", "Missing option '--vs'"),
    ("fide --own 1500.5 --vs 1600:1", "1500.5 is no rating in steps of 1"),
    ("fide --own 1500 --vs strong:1", "--vs: strong is no rating"),
    ("fide --own 10000 --vs 1600:1", "below 10,000"),
    (
        "fide --own 0 --vs 1600:1",
        "fide/1 cannot use rating 0, games 30; rating: a decimal string of the list's quantum, above 0, and below",
    ),
    ("fide --own 1500 --vs 1600/30:1", "fide/1 knows nothing beside an opponent's rating"),
    ("uschess --own 1500 --vs 1600/30:1", "uschess/1 knows nothing beside"),
    ("club --own 1500 --vs unrated/3:1", "nothing is known of who is unrated"),
    ("club --own 1500 --vs 1600/few:1", "few is no number of games"),
    ("fide --vs 1600:1 --games 3", "--games: goes with --own"),
    ("glicko --vs 1600/30:1 --deviation 30", "--deviation: goes with --own"),
    ("fide --own 1500 --vs 1600:1 --k 1001", "1001 is not in the range"),
    ("fide --own 1500 --vs 1600:1 --peak high", "--peak: high is no rating"),
    ("fide --own 1500 --vs 1600:1 --age 12 --birth-year 2010", "say --age or --birth-year"),
    ("fide --own 1500 --vs 1600:1 --date 2020-02-01 --birth-year 2021", "2021 is after the games"),
    ("fide --own 1500 --vs 1600:1 --date 2020-02-30", "there is no day 2020-02-30"),
    ("fide --own 1500 --vs 1600:1 --date 2020-2-3", "2020-2-3 is no day: say YYYY-MM-DD"),
    ("glicko --own 1500 --deviation 50 --vs 1600/50:1 --last 2020-06-31", "there is no day 2020-06-31"),
    ("fide --own 1500 --vs 1600:1 --peak 1499", "--peak: 1499 is below --own 1500"),
    ("uschess --own 1500 --vs 1600:1 --peak 1499", "--peak: 1499 is below --own 1500"),
    ("uschess --own 1600 --vs 1500:1 --fide 1700", "--fide: goes without --own"),
    ("fide --own 1500 --vs 1600:1 --kind rapid --set kind=standard", "--set: kind is said by --kind, here rapid: say it there only"),
    ("fide-curve --own 1500 --vs 1600:1 --k 13 --set k=14", "--set: k is said by --k, here 13"),
    ("club --own 1500 --vs 1600:1 --k 13 --set k_new=14", "--set: k_new is said by --k, here 13"),
    ("uschess --own 1500 --vs 1600:1 --set match_category=club", "--set: match_category is said by --match"),
    ("club --own 1500 --vs 1600:1 --set k_new=4000", "--set: k_new cannot be 4000: K of the first games"),
    ("glicko --own 1500 --deviation -50 --vs 1600/30:1", "--deviation: glicko/1 cannot use rating 1500, deviation -50"),
    ("glicko --own -9999.99 --deviation 50 --vs 1600/30:1", "--own: glicko/1 cannot use rating -9999.99"),
    ("glicko2 --own 1500 --deviation 50 --volatility 5 --vs 1600/30:1", "--volatility: glicko2/1 cannot use rating 1500"),
    ("fide-curve --own 1500 --vs 1600:1 --quantum 0.5", "is not one of"),
    ("club --own 1500 --vs 1600:1 --quantum 1", "is not one of '0.1', '0.01', '0.001'"),
    ("club --own 1500 --vs 1600:1 --set stat=1200", "club/1 has no parameter stat (is start meant?); it has k_established"),
    ("club --own 1500 --vs 1600:1 --set start=x", "start cannot be x: a newcomer's rating"),
    ("club --own 1500 --vs 1600:1 --set start", "say NAME=VALUE"),
    ("glicko --own 1500 --vs 1600/30:1", "--deviation: say the deviation"),
    ("glicko --own 1500 --deviation 50 --vs 1600:1", "1600/80"),
    ("glicko --own 1500 --deviation 400 --vs 1600/30:1", "--deviation: glicko/1 cannot use rating 1500, deviation 400"),
    ("glicko --own 1500 --deviation 50 --vs 1600/x:1", "--vs: glicko/1 cannot use rating 1600, deviation x"),
    ("glicko --own 1500 --deviation 50 --date 2026-01-01 --last 2026-01-02 --vs 1600/30:1", "--last: 2026-01-02 is after the games"),
    ("uschess --own 1500 --vs 1600:1 --match --dual", "--match or --dual"),
    ("uschess --vs 1600:1 --fide 50", "--fide: 50 is no rating from 100 to 4,000"),
    (
        "uschess --own 99 --vs 1600:1",
        "uschess/1 cannot use rating 99, games 50; rating: a decimal string of the list's quantum, 100 or more\n",
    ),
    ("other checkers/1 --vs 1600:1", "SYSTEM: there is no system checkers/1; those known are club/1"),
    (
        "checkers --own 1500",
        "there is no calculator checkers; there are club, fide, fide-2009, fide-curve, glicko, glicko2, other, uschess",
    ),
]


@pytest.mark.parametrize(("line", "sentence"), REFUSED)
def test_what_cannot_be_calculated_says_what_would_do(line: str, sentence: str) -> None:
    result = call(*line.split())
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert result.stdout == ""
