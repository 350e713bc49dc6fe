"""Explanations add up to their rows, and a preview is what then happens."""

from fractions import Fraction

import pytest

from rerate.audit.what_if import PLANNED, Planned, preview
from rerate.audit.why import NothingToExplain, explain
from rerate.pool.lists import LiveList
from rerate.pool.pool import Pool
from rerate.replay.periods import is_adjustment, key_text
from tests.kit.driving import Driven, club_list, lists
from tests.kit.lagged import SETTINGS, pool_histories
from tests.kit.laws import law
from tests.kit.saying import adjusted, game, games, merged, minted, published, registered, seeded, sent
from tests.kit.sendable import Data, Sendable

FIDE = {"id": "std", "quantum": "1", "shown": "1", "period": "month", "rules": [{"system": "fide/1", "parameters": {}}]}
US = {"id": "us", "quantum": "0.01", "shown": "1", "period": "event", "rules": [{"system": "uschess/1", "parameters": {}}]}
GLICKO = {"id": "g2", "quantum": "0.1", "shown": "1", "period": "event", "rules": [{"system": "glicko2/1", "parameters": {}}]}


def all_add_up(pool: Pool) -> int:
    """Hold the explanation of every row to the row; how many there were."""
    count = 0
    for name, live in pool.lists.items():
        if not isinstance(live, LiveList):
            continue
        for key, person in live.replay.row_keys():
            told = explain(pool, person, key_text(key), name)
            assert is_adjustment(key) == (told.steps[0].code == "adjustment")
            count += not is_adjustment(key)
            assert told.steps
            adds = sum((Fraction(step.adds) for step in told.steps if step.adds is not None), Fraction(0))
            before = live.replay.states_before(key)[live.replay.number_of(person) or 0]
            if told.rating is not None and (before is None or told.before is not None):
                start = live.replay.rules.at(str(key[0])).start()
                was = Fraction(told.before if told.before is not None else (live.replay.rules.rating(start) or 0))
                assert was + adds == Fraction(told.rating), told
    return count


@law(pool_histories(), share=0.3)
def test_the_steps_of_every_row_add_up_to_it(history: list[Sendable]) -> None:
    pool = Driven(settings=SETTINGS)
    pool.take(*history)
    all_add_up(pool.pool)


def season() -> list[Sendable]:
    facts = [lists(1, club_list(), FIDE, US, GLICKO)]
    facts += [seeded("A", list="std", state={"rating": "1800", "games": 30})]
    facts += [published(f"e{n}", 1, "A>B", "C=D", "B>C", "D<A", date=f"2024-{1 + n:02}-05") for n in range(8)]
    return [*facts, merged("m1", "D", "B"), adjusted("raise", 1, before="2024-04-01", list="elo", add="25.0")]


def test_every_system_explains_its_rows() -> None:
    pool = Driven(*season())
    assert all_add_up(pool.pool) > 80


def test_an_explanation_names_opponents_results_and_rules() -> None:
    pool = Driven(lists(1, club_list()), published("e1", 1, "A>B", "A=C"))
    told = explain(pool.pool, minted("A"))
    games = [(step.opponent, step.colour, step.event, step.game) for step in told.steps if step.code == "change"]
    assert games == [(minted("B"), "white", minted("e1"), "g1"), (minted("C"), "white", minted("e1"), "g2")]
    assert all(step.source for step in told.steps if step.code in ("change", "rounding"))
    assert (told.before, told.rating) == (None, "1220.0")


def test_a_game_that_the_facts_leave_unrated_is_told_with_its_reason() -> None:
    pool = Driven(lists(1, club_list()), published("e1", 1, "A>B", game("g9", "A-C", result="*")))
    (step,) = [step for step in explain(pool.pool, minted("A")).steps if step.code == "not-rated"]
    assert (step.game, step.opponent) == ("g9", minted("C"))
    assert "not rated" in step.text


def test_what_cannot_be_explained_says_what_there_is() -> None:
    pool = Driven(*season()).pool
    with pytest.raises(NothingToExplain, match="elo, g2, std, us"):
        explain(pool, minted("A"))
    with pytest.raises(NothingToExplain, match="no row on list elo"):
        explain(pool, minted("Z"), None, "elo")
    with pytest.raises(NothingToExplain, match="begins 8 periods"):
        explain(pool, minted("A"), "2024", "us")
    with pytest.raises(NothingToExplain, match="the last is 2024-08-05"):
        explain(pool, minted("A"), "2030", "us")
    assert explain(pool, minted("A"), "2024-03-05", "us").period == f"2024-03-05/0/{minted('e2')}"


def test_events_that_the_list_does_not_take_are_no_part_of_the_explanation() -> None:
    """Two ids of one person in a round of the cup, which the league's list never takes."""
    facts = [published("e1", 1, "A>B", category="league"), merged("m1", "AA", "A")]
    clash = [game("g1", "A-C", round=1, result="1-0"), game("g2", "AA-D", round=1, result="1-0")]
    for category, told in (("cup", set()), ("league", {"g1", "g2"})):
        league, cup = club_list(categories=["league"], period="date"), club_list("cup", categories=["cup"], period="date")
        pool = Driven(lists(1, league, cup), *facts, published("e2", 1, *clash, category=category)).pool
        steps = explain(pool, minted("A"), None, "elo").steps
        assert {step.game for step in steps if step.code == "not-rated"} == told


def rapid_beside_standard() -> list[Sendable]:
    rapid = {"kind": "rapid", "fallback": "std"}
    on_rapid = FIDE | {"id": "rapid", "categories": ["rapid"], "rules": [{"system": "fide/1", "parameters": rapid}]}
    seeds = [
        seeded(who, list="std", as_of="2025-12-01", state={"rating": str(rating), "games": 60})
        for who, rating in (("A", 1833), ("B", 1850))
    ]
    return [lists(1, FIDE | {"categories": ["club"]}, on_rapid), *seeds]


def test_a_rating_that_stands_in_is_the_rating_before() -> None:
    """A gap of 17 is 0.48 by table 8.1.2: K 40 for a newcomer of the rapid list, -19.2."""
    pool = Driven(*rapid_beside_standard(), published("e1", 1, "B>A", date="2026-03-10", category="rapid")).pool
    told = explain(pool, minted("A"), None, "rapid")
    assert (told.before, told.before_from, told.rating) == ("1833", "std", "1814")
    assert sum(Fraction(step.adds) for step in told.steps if step.adds is not None) == 1814 - 1833
    planned = preview(pool, [Planned(white=minted("A"), black=minted("B"), result="0-1")], "2026-03-11", "rapid").scenarios[0].outcomes[0]
    assert (planned.before, planned.before_from, planned.without, planned.after) == ("1833", "std", "1814", "1795")


def test_a_list_that_is_held_says_what_is_refused() -> None:
    pool = Driven(
        lists(1, club_list(), club_list("odd", {"k_old": 20}), club_list("far", rules=[{"system": "nix/1", "parameters": {}}]))
    ).pool
    with pytest.raises(NothingToExplain, match=r"list odd is held \(parameters\): club/1 has no parameter k_old"):
        explain(pool, minted("A"), None, "odd")
    with pytest.raises(NothingToExplain, match=r"list far is held \(system\): there is no system nix/1"):
        preview(pool, [Planned(white=minted("A"), black=minted("B"))], "2024-05-01", "far")


# ---------------------------------------------------------------------- previews


@pytest.mark.parametrize("list_id", ["elo", "std", "us", "g2"])
@pytest.mark.parametrize(("result", "sign"), [("1-0", ">"), ("1/2-1/2", "="), ("0-1", "<")])
def test_a_preview_is_what_then_happens(list_id: str, result: str, sign: str) -> None:
    pool = Driven(*season())
    told = preview(pool.pool, [Planned(white=minted("A"), black=minted("B"))], "2024-09-01", list_id)
    (scenario,) = [one for one in told.scenarios if one.results == (result,)]
    pool.take(published("planned", 1, f"A{sign}B", date="2024-09-01"))
    for outcome in scenario.outcomes:
        snapshot = pool.snapshot(outcome.player.removeprefix("t:"), list_id)
        assert snapshot is not None
        assert outcome.after == snapshot["rating"]


def test_a_preview_of_a_past_day_tells_the_ratings_of_that_day() -> None:
    pool = Driven(lists(1, club_list()), published("e1", 1, "A>B", date="2024-01-05"), published("e2", 1, "A>B", date="2024-03-05"))
    told = preview(pool.pool, [Planned(white=minted("A"), black=minted("C"), result="1-0")], "2024-02-05")
    outcome = told.scenarios[0].outcomes[0]
    assert (told.update, outcome.before) == (3, "1220.0")
    assert outcome.after is not None
    added = sum((Fraction(step.adds) for step in outcome.steps if step.adds is not None), Fraction(0))
    assert Fraction(outcome.after) - Fraction(outcome.before or 0) == added


def test_no_real_event_is_taken_for_the_planned_one() -> None:
    config = {"id": "elo", "quantum": "0.1", "shown": "1", "period": "date", "rules": [{"system": "club/1", "parameters": {}}]}
    event = {"id": "planned:event", "date": "2024-01-05", "category": "club", "status": "final"}
    real = sent("result-published", source="planned/club", event=event, revision=1, games=games("A>B"))
    pool = Driven(lists(1, config), real, published("e2", 1, "A>B", date="2024-01-12"))
    before = pool.digests()
    found = preview(pool.pool, [Planned(white=minted("A"), black=minted("B"), result="1-0")], "2024-01-05")
    assert [(one.event, one.games) for one in found.beside] == [("planned:event", ("g1",))] * 2
    assert pool.pool.live()["elo"].replay.digest()[0].hex() == before[0]


def test_a_preview_leaves_no_trace() -> None:
    pool = Driven(*season())
    before = {name: live.replay.digest() for name, live in pool.pool.lists.items() if isinstance(live, LiveList)}
    games = [Planned(white=minted("A"), black=minted("N"), result="1-0"), Planned(white=minted("N"), black=minted("C"), result="0-1")]
    told = preview(pool.pool, games, "2024-03-05", "elo")
    assert [outcome.player for outcome in told.scenarios[0].outcomes] == [minted("A"), minted("C"), minted("N")]
    assert told.scenarios[0].outcomes[2].before is None
    assert {name: live.replay.digest() for name, live in pool.pool.lists.items() if isinstance(live, LiveList)} == before
    assert PLANNED in told.period


def test_a_preview_that_cannot_be_made_says_why() -> None:
    pool = Driven(lists(1, club_list(until="2024-06-01"))).pool
    one = Planned(white=minted("A"), black=minted("B"))
    with pytest.raises(NothingToExplain, match="would not rate"):
        preview(pool, [one], "2024-07-01")
    with pytest.raises(NothingToExplain, match="each needs its result"):
        preview(pool, [one, one], "2024-05-01")
    with pytest.raises(NothingToExplain, match="one person"):
        preview(pool, [Planned(white=minted("A"), black=minted("A"))], "2024-05-01")


def test_one_of_several_games_that_the_list_would_not_rate_is_named() -> None:
    pool = Driven(lists(1, club_list()), seeded("C", as_of="2024-12-31")).pool
    games = [Planned(white=minted("A"), black=minted("B"), result="1-0"), Planned(white=minted("A"), black=minted("C"), result="1-0")]
    with pytest.raises(NothingToExplain, match="t:A against t:C; see"):
        preview(pool, games, "2024-05-01")


def test_on_a_list_by_round_every_player_has_his_steps() -> None:
    pool = Driven(lists(1, club_list(period="round"))).pool
    games = [Planned(white=minted("A"), black=minted("B"), result="1-0"), Planned(white=minted("C"), black=minted("D"), result="1-0")]
    (scenario,) = preview(pool, games, "2024-05-01").scenarios
    assert all(outcome.steps for outcome in scenario.outcomes)


def test_a_list_of_another_variant_is_previewed_with_it() -> None:
    pool = Driven(lists(1, club_list(variants=["rapid"]))).pool
    told = preview(pool, [Planned(white=minted("A"), black=minted("B"), result="1-0")], "2024-05-01")
    assert [outcome.after for outcome in told.scenarios[0].outcomes] == ["1220.0", "1180.0"]


def test_a_preview_names_whom_nobody_knows() -> None:
    facts = [seeded("S", list="std", state={"rating": "1850"}), registered("R"), merged("m", "P", "Q"), published("e", 1, "A>B")]
    pool = Driven(lists(1, FIDE, club_list()), *facts).pool
    games = [Planned(white=minted(white), black=minted(black), result="1-0") for white, black in ("AX", "SR", "PY", "BQ", "XB")]
    assert preview(pool, games, "2024-05-01", "elo").unknown == ("t:X", "t:Y")


def test_a_preview_tells_the_planned_games_apart_from_those_of_the_period() -> None:
    """B loses to C as 150 more: -14 with K 20; the planned draw against him as 150 less alone costs 4 (0.70 expected)."""
    seeds = [
        seeded(who, list="std", as_of="2025-12-01", state={"rating": rating, "games": 60}) for who, rating in (("B", "1850"), ("C", "1700"))
    ]
    pool = Driven(lists(1, FIDE), *seeds, published("e1", 1, "B<C", date="2026-03-10")).pool
    told = preview(pool, [Planned(white=minted("B"), black=minted("C"), result="1/2-1/2")], "2026-03-20")
    assert [(one.player, one.event, one.games) for one in told.beside] == [("t:B", "t:e1", ("g1",)), ("t:C", "t:e1", ("g1",))]
    outcomes = told.scenarios[0].outcomes
    assert [(one.before, one.without, one.after, one.planned) for one in outcomes] == [
        ("1850", "1836", "1832", "-4"),
        ("1700", "1714", "1718", "+4"),
    ]
    alone = preview(pool, [Planned(white=minted("B"), black=minted("C"), result="1/2-1/2")], "2026-05-20")
    assert alone.beside == ()
    assert all(one.without == one.before for one in alone.scenarios[0].outcomes)


def test_a_list_that_does_not_take_the_category_says_so_and_another_is_not_asked_for() -> None:
    pool = Driven(lists(1, club_list(categories=["league", "cup"]))).pool
    one = [Planned(white=minted("A"), black=minted("B"), result="1-0")]
    with pytest.raises(NothingToExplain, match="list elo takes no event of category nonsense; those it takes are league, cup"):
        preview(pool, one, "2024-05-01", category="nonsense")
    for category in (None, "cup"):
        assert preview(pool, one, "2024-05-01", category=category).scenarios[0].outcomes[0].after == "1220.0"


def test_newcomers_on_a_list_that_does_not_rate_them_yet_have_no_rating_before_and_after() -> None:
    pool = Driven(lists(1, FIDE)).pool
    (outcome, _) = preview(pool, [Planned(white=minted("A"), black=minted("B"), result="1-0")], "2026-03-20").scenarios[0].outcomes
    assert (outcome.before, outcome.without, outcome.after, outcome.planned) == (None, None, None, None)


@pytest.mark.parametrize(
    ("config", "state", "why"),
    [
        (FIDE, {"rating": "1350"}, '{"rating":"1350"}; rating: a decimal string of the list\'s quantum, above 0, and below the lowest'),
        (FIDE, {"rating": "1500", "games": -3}, '{"games":-3,"rating":"1500"}; games: rated games so far, 0 up'),
        (FIDE, {"rating": "1500", "gmaes": 3}, '{"gmaes":3,"rating":"1500"}; it has no gmaes, but rating, games, reached_2300'),
        (FIDE, {"rating": 1500}, 'fide/1 cannot use {"rating":1500}; rating: a decimal string of the list\'s quantum'),
        (FIDE, {"rating": "1500", "foo": 1, "games3": True}, "; it has no foo and no games3, but rating, games"),
        (FIDE, {"rating": "1500", "reached_2200": True}, "; it has no reached_2200, but rating, games, reached_2300"),
        (FIDE, {"rating": "1500", "pool_2025_11": "games1-half1-sum1500"}, "; pool_2025_11: of who has no rating, a field for each"),
        (GLICKO, {"rating": "1500"}, '{"rating":"1500"} without deviation; deviation: a decimal string of at most three places'),
        (GLICKO, {"rating": "1500", "deviation": "0"}, "within the list's min_deviation and max_deviation (here min_deviation 0.001, max_"),
    ],
)
def test_who_has_no_row_because_a_seed_is_none_is_told_why(config: Data, state: Data, why: str) -> None:
    seed = seeded("A", list=config["id"], as_of="2026-01-01", state=state)
    pool = Driven(lists(1, config), seed)
    assert pool.standing(seed) == "no-effect state"
    with pytest.raises(NothingToExplain) as told:
        explain(pool.pool, "t:A")
    assert str(told.value).startswith(f"t:A has no row on list {config['id']} of t:pool; the seed of t:A (revision 1) has no effect: ")
    assert why in str(told.value)


def test_who_has_a_row_is_told_of_a_seed_that_is_none_too() -> None:
    pool = Driven(lists(1, FIDE), seeded("A", list="std", state={"rating": 1850}), published("e1", 1, "A>B"))
    (told,) = explain(pool.pool, "t:A").refused_seeds
    assert told.startswith('the seed of t:A (revision 1) has no effect: fide/1 cannot use {"rating":1850}; rating: a decimal')
    assert explain(pool.pool, "t:B").refused_seeds == ()


def test_of_a_person_the_seeds_of_all_ids_are_told_but_for_those_that_count() -> None:
    wrong, merge = seeded("B", list="std", state={"k": 1}), merged("m", "B", "A")
    pool = Driven(lists(1, FIDE), seeded("A", list="std", state={"rating": "x"}), wrong, merge)
    with pytest.raises(NothingToExplain, match=r"seed of t:A .*; rating: .*; the seed of t:B .*; it has no k, but rating"):
        explain(pool.pool, "t:B")
    pool = Driven(lists(1, FIDE), seeded("A", list="std", state={"rating": "1800"}), wrong, merge)
    with pytest.raises(NothingToExplain, match=r"of t:pool; the seed of t:B .*; it has no k, but rating"):
        explain(pool.pool, "t:A")
