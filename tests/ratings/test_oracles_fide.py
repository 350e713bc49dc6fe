"""The worked numbers of the FIDE systems (`oracles_fide.json`): `fide/1`, `fide-curve/1` and `fide-2009/1` to their printed precision.

Where a number is declared wrong, the test says that we do not give it.
"""

import json
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from rerate.messages.facts import Event
from rerate.ratings.expected import SCALE, expected_score
from rerate.ratings.face import State
from rerate.ratings.fide import Fide
from rerate.ratings.fide_2009 import Fide2009
from rerate.ratings.fide_curve import FideCurve
from rerate.ratings.fide_initial import initial_rating, raise_2024
from rerate.ratings.fide_k import limited
from rerate.ratings.fide_tables import dp, pd
from rerate.ratings.quantum import decimal, round_half_away
from tests.kit.foretelling import expected
from tests.ratings.fide_kit import ME, Built, adds, exact_change, moved, one_player, seeded

Data = dict[str, Any]
ORACLES: dict[str, Data] = {one["id"]: one for one in json.loads((Path(__file__).parent / "oracles_fide.json").read_bytes())}


def of(kind: str, system: str = "fide", declared: str = "reproduced") -> list[str]:
    return [id for id, one in ORACLES.items() if (one["kind"], one["system"], one["declared"]) == (kind, system, declared)]


def data(id: str) -> tuple[Data, dict[str, str]]:
    return ORACLES[id]["inputs"], ORACLES[id]["expected"]


def is_as_printed(found: Fraction | int, printed: str) -> bool:
    """Within half of the last digit that is printed."""
    places = len(printed.partition(".")[2])
    return abs(Fraction(found) - Fraction(printed)) <= Fraction(5, 10 ** (places + 1))


def is_like(found: Fraction | int | str, printed: str) -> bool:
    return found == printed if isinstance(found, str) else is_as_printed(found, printed)


def unlike(found: Mapping[str, Fraction | int | str], printed: dict[str, str]) -> dict[str, object]:
    """What is not as printed; every printed name must be found."""
    assert printed.keys() <= found.keys()
    return {name: found[name] for name, text in printed.items() if not is_like(found[name], text)}


def test_none_of_these_oracles_is_left_out() -> None:
    tried = {"fide_event", "fide_event_filtered", "fide_period", "fide_initial", "fide_pd", "fide_dp", "fide_700", "fide_k"}
    tried |= {"fide_2024_boost", "fide_earliest_list", "fide_list_in_force", "fide_old_average", "fide_old_average_vs_per_game"}
    tried |= {"elo_event", "elo_expected", "elo_pair"}
    assert {one["kind"] for one in ORACLES.values()} == tried
    assert len(ORACLES) == 188


# ---------------------------------------------------------------------- the tables


@pytest.mark.parametrize("id", [*of("fide_pd"), *of("fide_pd", "fide-old")])
def test_the_expected_score_of_a_gap(id: str) -> None:
    inputs, printed = data(id)
    gap = int(inputs["gap"])
    assert unlike({"pd_higher": Fraction(pd(gap), 100), "pd_lower": Fraction(100 - pd(gap), 100)}, printed) == {}
    assert pd(-gap) == 100 - pd(gap)


@pytest.mark.parametrize("id", [*of("fide_dp"), *of("fide_dp", "fide-old")])
def test_the_difference_of_a_share(id: str) -> None:
    inputs, printed = data(id)
    assert dp(int(Decimal(inputs["p"]) * 100)) == int(printed["dp"])


# ---------------------------------------------------------------------- K


def with_k(k: str, own: str) -> tuple[State, str]:
    """A state whose K is this one, and the month in which it is."""
    fide = Fide({}, 1, "month")
    match k:
        case "40":
            return seeded(fide, own, 0), "2026-03"
        case "20" | "17":
            return seeded(fide, own, 30), "2026-03"
        case "10":
            return seeded(fide, own, 30, reached_2400=True), "2026-03"
        case "15":
            return seeded(fide, own, 30), "2013-03"
        case "30":
            return seeded(fide, own, 0), "2013-03"
        case "25":
            return seeded(fide, own, 0), "2010-03"
        case _:
            raise AssertionError(k)


@pytest.mark.parametrize("id", of("fide_k"))
def test_k_by_its_tests_in_order(id: str) -> None:
    inputs, printed = data(id)
    fide = Fide({}, 1, "month")
    latches = {f"reached_{peak}": inputs[f"ever_{peak}"] == "yes" for peak in (2300, 2400) if f"ever_{peak}" in inputs}
    built = Built(fide, f"{inputs.get('list_year', '2026')}-03")
    built.now = {ME: seeded(fide, inputs["rating"], int(inputs["games_before"]), **latches), 1: seeded(fide, "2000")}
    if "birth_year" in inputs:
        built.traits[ME] = (("birth_year", int(inputs["birth_year"])),)
    built.game(built.event(f"{built.key[0]}-02"), ME, 1, 2)
    assert built.rate()[ME].lines[0].k == int(printed["K"])


@pytest.mark.parametrize("id", of("fide_k", "fide-old"))
@pytest.mark.parametrize(("maker", "month"), [(Fide2009, "2009-03"), (Fide, "2010-03")])
def test_k_25_15_10(id: str, maker: type[Fide] | type[Fide2009], month: str) -> None:
    inputs, printed = data(id)
    system = maker({}, 1, "month")
    ever = {"reached_2400": inputs["ever_2400"] == "yes"}
    built = one_player(
        system, seeded(system, inputs["rating"], int(inputs["games_before"]), **ever), [(None, [["2000", "1"]])], f"{month}-02", month
    )
    built.older[(month, 0)][ME] = built.now[ME]
    assert built.rate()[ME].lines[0].k == int(printed["K"])


@pytest.mark.parametrize("id", of("fide_700"))
def test_the_700_rule(id: str) -> None:
    inputs, printed = data(id)
    games = int(inputs["n"])
    assert limited(int(inputs["K"]), games) == int(printed["K_used"])
    own, month = with_k(inputs["K"], "2000")
    built = one_player(Fide({}, 1, "month"), own, [(None, [["2000", "0.5"]] * games)], month=month)
    assert built.rate()[ME].lines[0].k == int(printed["K_used"])


# ---------------------------------------------------------------------- an event, a period


def event_of(inputs: Data, games: list[list[str]] | None = None) -> Built:
    own, month = with_k(inputs["K"], inputs["own"])
    kind = "rapid" if inputs["regime"].startswith("rapid") else "standard"
    if inputs["regime"] == "std-2024-03":
        month = "2024-03"
    games = inputs["games"] if games is None else games
    # Some examples have opponents whom no list of their date shows with a rating.
    floor = "none" if any(theirs and int(theirs) < 1400 for theirs, _ in games) else "rule"
    return one_player(Fide({"kind": kind, "floor": floor}, 1, "month"), own, [(None, games)], f"{month}-05", month)


def found_in(built: Built) -> dict[str, Fraction | int | str]:
    row = built.rate()[ME]
    change = exact_change(built.system, row)
    return {"change": change, "change_rounded": moved(built), "rated_games": row.lines[0].games, "sum_delta": change / row.lines[0].k}


@pytest.mark.parametrize("id", [id for id in of("fide_event") if ORACLES[id]["inputs"]["regime"] != "no-cap"])
def test_the_change_of_an_event(id: str) -> None:
    inputs, printed = data(id)
    built = event_of(inputs)
    assert built.rate()[ME].lines[0].k == int(inputs["K"])
    assert unlike(found_in(built), printed) == {}
    assert adds(built) == moved(built)


@pytest.mark.parametrize("id", [id for id in of("fide_event") if ORACLES[id]["inputs"]["regime"] == "no-cap"])
def test_the_table_without_a_cap(id: str) -> None:
    """No list has it; so it is the table alone."""
    inputs, printed = data(id)
    [[theirs, score]] = inputs["games"]
    change = int(inputs["K"]) * (Fraction(score) - Fraction(pd(int(inputs["own"]) - int(theirs)), 100))
    assert unlike({"change": change}, printed) == {}


@pytest.mark.parametrize("id", of("fide_event", declared="does-not-reproduce"))
def test_the_online_calculator_that_caps_above_2650_is_not_followed(id: str) -> None:
    inputs, printed = data(id)
    assert unlike(found_in(event_of(inputs)), printed) == {"change": found_in(event_of(inputs))["change"]}


@pytest.mark.parametrize("id", of("fide_event_filtered"))
def test_unplayed_games_and_unrated_opponents_drop_out(id: str) -> None:
    """Unplayed ones never reach a system."""
    inputs, printed = data(id)
    played = [[theirs, score] for theirs, score, code in inputs["games"] if code in "1=0"]
    assert unlike(found_in(event_of(inputs, played)), printed) == {}


def period_of(inputs: Data) -> Built:
    events = inputs["events"]
    own, month = with_k(inputs["K"], events[-1]["own"])
    rounding = {"rounding": inputs["rounding"]} if "rounding" in inputs else {}
    return one_player(Fide(rounding, 1, "month"), own, [(one["own"], one["games"]) for one in events], f"{month}-05", month)


def found_in_period(built: Built) -> dict[str, Fraction | int | str]:
    row = built.rate()[ME]
    lines = [line.k * Fraction(50 * line.half - line.expected, 100) for line in row.lines]
    found: dict[str, Fraction | int | str] = {f"event_{at}": change for at, change in enumerate(lines, start=1)}
    found |= {"total": sum(lines, Fraction(0)), "list_change": moved(built), "rounded_per_period": moved(built)}
    found["rounded_per_event"] = sum(round_half_away(one.numerator, one.denominator) for one in lines)
    return found | {"games": sum(line.games for line in row.lines)}


@pytest.mark.parametrize("id", of("fide_period"))
def test_a_published_period(id: str) -> None:
    inputs, printed = data(id)
    built = period_of(inputs)
    assert {line.k for line in built.rate()[ME].lines} == {int(inputs["K"])}
    assert unlike(found_in_period(built), printed) == {}
    assert adds(built) == moved(built)


@pytest.mark.parametrize("id", [id for id in of("fide_period") if "rounded_per_event" in ORACLES[id]["expected"]])
def test_rounding_each_event_gives_the_other_number(id: str) -> None:
    inputs, printed = data(id)
    assert moved(period_of(inputs | {"rounding": "event"})) == int(printed["rounded_per_event"])


def test_one_published_period_fits_rounding_per_event_only() -> None:
    """FP-02-list, declared wrong: the list moved by 6, one rounding gives 5."""
    [id] = of("fide_period", declared="does-not-reproduce")
    inputs, printed = data(id)
    assert (id, printed["list_change"]) == ("FP-02-list", "6")
    assert moved(period_of(inputs)) == 5


# ---------------------------------------------------------------------- first ratings, the raise


def first_games(inputs: Data) -> list[list[str]]:
    if "games" in inputs:
        return list(inputs["games"])
    half = int(Decimal(inputs["W"]) * 2)
    scores = ["1"] * (half // 2) + ["0.5"] * (half % 2)
    return [[inputs["Rc"], score] for score in [*scores, *["0"] * (int(inputs["N"]) - len(scores))]]


@pytest.mark.parametrize("id", of("fide_initial"))
def test_a_first_rating(id: str) -> None:
    inputs, printed = data(id)
    games = first_games(inputs)
    month = "2022-03" if inputs["regime"] == "2022" else "2026-03"
    half, ratings = sum(int(Decimal(score) * 2) for _, score in games), sum((Fraction(rating) for rating, _ in games), Fraction(0))
    first = initial_rating(len(games), half, ratings, f"{month}-05", Fraction(20))
    fide = Fide({}, 1, "month")
    built = one_player(fide, None, [(None, games)], f"{month}-05", month)
    after = built.rate()[ME].state
    is_rated = fide.rated(after)
    found: dict[str, Fraction | int | str] = {"Ru": first.rating, "Ra": first.mean, "p": Fraction(first.share, 100), "dp": first.over}
    assert unlike(found | {"published": "yes" if is_rated else "no"}, printed) == {}
    assert (decimal(after[0], 1) if is_rated else None) == (None if printed.get("published") == "no" else printed["Ru"])
    assert adds(built) == moved(built)


@pytest.mark.parametrize("id", of("fide_2024_boost"))
def test_the_raise_of_2024(id: str) -> None:
    inputs, printed = data(id)
    assert raise_2024(int(inputs["rating"])) == int(printed["new_rounded"])


# ---------------------------------------------------------------------- dates


@pytest.mark.parametrize("id", of("fide_earliest_list"))
def test_the_earliest_list_of_an_event(id: str) -> None:
    """A period gives the list of the first of the next month."""
    inputs, printed = data(id)
    category = "fide-official" if inputs["official"] == "yes" else "open"
    event = Event(id="w:e", date=inputs["end"], category=category, status="final")
    month = Fide({}, 1, "month").month(event, event.date, None)
    assert month is not None
    year, number = int(month[:4]), int(month[5:])
    assert f"{year + number // 12}-{number % 12 + 1:02d}-01" == printed["list"]


@pytest.mark.parametrize("id", of("fide_list_in_force"))
def test_the_list_in_force_at_the_start(id: str) -> None:
    """Before the first period that is not below 2026-08 stands the list of 2026-08-01, even for what is rated two lists later."""
    inputs, printed = data(id)
    for month in ("2026-08", "2026-09", "2026-10"):
        assert Fide({}, 1, "month").reads((month,), inputs["start"]) == (printed["list"][:7],)


# ---------------------------------------------------------------------- the older method


def test_hanan_timun() -> None:
    """S3-HANAN, every number of it."""
    [id] = of("fide_old_average", "fide-old")
    inputs, printed = data(id)
    system = Fide2009({}, 1, "month")
    games = [[rating, "1" if at < int(inputs["W"]) else "0"] for at, rating in enumerate(inputs["opponents"])]
    built = one_player(system, seeded(system, inputs["own"], 0), [(None, games)], "2009-03-05", "2009-03")
    [line] = built.rate()[ME].lines
    event = system.judge(0, built.now[ME], False, [(0, 0, int(rating)) for rating in inputs["opponents"]], "2009-03-05")
    scored = event.games
    found: dict[str, Fraction | int | str] = {"sum": line.ratings, "Ra": Fraction(event.ratings, 6), "D": scored[0].gap}
    found |= {"PD": Fraction(scored[0].expected, 100), "We": Fraction(line.expected, 100), "change": exact_change(system, built.rate()[ME])}
    found |= {"W_minus_We": Fraction(line.half, 2) - Fraction(line.expected, 100), "new": int(inputs["own"]) + moved(built)}
    assert line.k == int(inputs["K"])
    assert unlike(found, printed) == {}
    assert adds(built) == moved(built) == 47


def test_the_same_event_game_by_game() -> None:
    [id] = of("fide_old_average_vs_per_game")
    inputs, printed = data(id)
    games = [[rating, "1" if at < int(inputs["W"]) else "0"] for at, rating in enumerate(inputs["opponents"])]
    own, month = with_k(inputs["K"], inputs["own"])
    built = one_player(Fide({}, 1, "month"), own, [(None, games)], f"{month}-05", month)
    [line] = built.rate()[ME].lines
    change = exact_change(built.system, built.rate()[ME])
    assert unlike({"We": Fraction(line.expected, 100), "change": change, "new": int(inputs["own"]) + moved(built)}, printed) == {}


# ---------------------------------------------------------------------- the curve


def curve_of(inputs: Data, games: list[list[str]] | None = None, per_point: int = 1000) -> Built:
    """A player at a K by hand; seeds want decimal strings and there is no floor."""
    cap = int(inputs.get("cap", "0"))
    system = FideCurve({"k": int(inputs["K"]), "cap": cap, "exempt_2650": "no", "floor": "none"}, per_point, "month")
    return one_player(system, seeded(system, inputs["own"]), [(None, inputs["games"] if games is None else games)])


@pytest.mark.parametrize("id", of("elo_event", "elo"))
@pytest.mark.parametrize("per_point", [1, 10, 100, 1000])
def test_an_event_on_the_curve(id: str, per_point: int) -> None:
    inputs, printed = data(id)

    def change(games: list[list[str]] | None = None) -> Fraction:
        built = curve_of(inputs, games, per_point)
        return exact_change(built.system, built.rate()[ME])

    each = [change([one]) for one in inputs["games"]]
    expected = [Fraction(score) - one / int(inputs["K"]) for one, (_, score) in zip(each, inputs["games"], strict=True)]
    found: dict[str, Fraction | int | str] = {f"E_{n}": one for n, one in enumerate(expected, start=1)}
    found |= {f"change_{n}": one for n, one in enumerate(each, start=1)}
    found |= {"E_sum": sum(expected, Fraction(0)), "change": change(), "new": int(inputs["own"]) + change()}
    whole = curve_of(inputs, per_point=1)
    found |= {"change_rounded": moved(whole), "new_rounded": int(inputs["own"]) + moved(whole)}
    assert unlike(found, printed) == {}
    assert adds(whole) == moved(whole)


def curve_expected(inputs: Data) -> Fraction:
    system = FideCurve({"cap": 0}, 10, "month")
    return Fraction(expected(system, seeded(system, inputs["own"]), seeded(system, inputs["opp"]), ("2026-03",)), SCALE)


@pytest.mark.parametrize("id", of("elo_expected", "elo"))
def test_an_expected_score_on_the_curve(id: str) -> None:
    inputs, printed = data(id)
    assert unlike({"E": curve_expected(inputs)}, printed) == {}


def test_the_page_that_expects_a_fifth_of_what_the_curve_gives_is_wrong() -> None:
    """S2-1200-E: .000999 and not .0002."""
    assert of("elo_expected", "elo", "does-not-reproduce") == ["S2-1200-E"]
    inputs, printed = data("S2-1200-E")
    assert not is_as_printed(curve_expected(inputs), printed["E"])
    assert is_as_printed(curve_expected(inputs), "0.000999")


@pytest.mark.parametrize("id", of("elo_pair", "elo"))
def test_two_players_of_one_game(id: str) -> None:
    inputs, printed = data(id)
    system = FideCurve({"k": int(inputs["K"])}, 1, "event")
    built = Built(system)
    built.key = ("2026-03-05", 0, "w:e0")
    built.now = {0: seeded(system, inputs["a"]), 1: seeded(system, inputs["b"])}
    built.game(built.event("2026-03-05"), 0, 1, int(inputs["score_a"]) * 2)
    rows = built.rate()
    found: dict[str, Fraction | int | str] = {"new_a": rows[0].state[0], "new_b": rows[1].state[0]}
    found |= {"E_a": Fraction(rows[0].lines[0].expected, SCALE), "change_a": exact_change(system, rows[0])}
    assert unlike(found, printed) == {}


def test_the_calculators_table_of_expected_scores() -> None:
    """Seed 002: 50, 57, 64, 76, 85, 91 percent."""
    score = expected_score(10)
    assert [round_half_away(score(gap * 10), 10_000) for gap in (0, 50, 100, 200, 300, 400)] == [50, 57, 64, 76, 85, 91]
