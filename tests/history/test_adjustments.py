"""Changes of ratings that people ordered: which are in use on which list, for whom, and what their facts count for."""

from functools import partial

import pytest

from rerate.history import Adjustment, History
from rerate.messages.codes import CONFLICT
from rerate.messages.facts import RatingAdjusted, RatingList
from rerate.ratings.club import Club
from rerate.ratings.systems import SYSTEMS, adjustment_problem, bind
from tests.kit.saying import (
    adjusted,
    configured,
    history_of,
    identity_of,
    merged,
    minted,
    sent,
    standing,
    stands,
    unmerged,
    withdrawn,
)
from tests.kit.sendable import Sendable

CONFIGURED = configured(1, "elo", "fast")


def persons(history: History, adjustment: str, list_id: str = "elo") -> str | None:
    """Of an adjustment in use: the persons' names in one word; None for everybody."""
    found = history.adjustments(list_id)[adjustment].persons
    return None if found is None else "".join(person.removeprefix("t:") for person in found)


def test_an_adjustment_of_a_list_of_the_pool_is_in_use() -> None:
    fact = adjusted("a1", 1, "B", "A", set="1612.5", before="2024-02-01")
    history = history_of(CONFIGURED, fact)
    assert history.adjustments("elo") == {
        "a1": Adjustment(id="a1", before="2024-02-01", kind="set", value="1612.5", persons=(minted("A"), minted("B")))
    }
    assert dict(history.adjustments("fast")) == {}
    assert stands(history, fact) == "in-force"


def test_without_players_it_is_for_everybody() -> None:
    history = history_of(CONFIGURED, adjusted("a1", add="-5"))
    assert history.adjustments("elo")["a1"] == Adjustment(id="a1", before="2024-01-05", kind="add", value="-5", persons=None)


@pytest.mark.parametrize(
    ("fact", "stood"),
    [
        (adjusted("a1", 1, "A", list="unheard", add="5"), "no-effect list"),
        (adjusted("a1", 1, list="unheard"), "no-effect list"),
        (adjusted("a1", 1, "A", set="1500.05"), "no-effect state"),
        (adjusted("a1", 1, add="0.05"), "no-effect state"),
        (adjusted("a1", 1, formula="unheard-of"), "no-effect state"),
    ],
)
def test_what_its_list_cannot_use_has_no_effect(fact: Sendable, stood: str) -> None:
    history = history_of(CONFIGURED, fact)
    assert stands(history, fact) == stood
    assert dict(history.adjustments(fact.data["list"])) == {}


def ruled_lists(revision: int, *rules: str, quantum: str = "0.1") -> Sendable:
    """The list "elo" under systems by date: "club/1", then "club/1 from 2024-02-01"."""
    parsed = [(system, date) for system, _, date in (rule.partition(" from ") for rule in rules)]
    described = [{"system": system, "parameters": {}} | ({"from": date} if date else {}) for system, date in parsed]
    return sent(
        "pool-configured",
        revision=revision,
        lists=[{"id": "elo", "quantum": quantum, "shown": "1", "period": "event", "rules": described}],
    )


def test_of_a_held_list_it_has_no_effect_until_the_list_is_held_no_more() -> None:
    fact = adjusted("a1", 1, "A", add="5")
    history = history_of(ruled_lists(1, "unheard-of/1"), fact)
    assert stands(history, fact) == "no-effect list"
    assert history.add([ruled_lists(2, "club/1").fact()]).adjusted == {("elo", "a1")}
    assert stands(history, fact) == "in-force"


def test_a_list_reconfigured_judges_its_adjustments_anew() -> None:
    fine, coarse = ruled_lists(1, "club/1", quantum="0.01"), ruled_lists(2, "club/1")
    fact = adjusted("a1", 1, "A", set="1500.05")
    history = history_of(fine, fact)
    assert stands(history, fact) == "in-force"
    changes = history.add([coarse.fact()])
    assert changes.adjusted == {("elo", "a1")}
    assert (stands(history, fact), dict(history.adjustments("elo"))) == ("no-effect state", {})
    assert history.add([withdrawn(coarse).fact()]).adjusted == {("elo", "a1")}
    assert stands(history, fact) == "in-force"


class Rigid(Club):
    """A club ladder whose ratings nobody changes by decision."""

    def adjust(self, *_: object) -> None:
        return None


@pytest.mark.parametrize(
    ("before", "stood"),
    [("2023-12-31", "in-force"), ("2024-01-31", "in-force"), ("2024-02-01", "no-effect state"), ("2025-01-01", "no-effect state")],
)
def test_the_rule_of_its_date_judges_it(before: str, stood: str) -> None:
    systems = {**SYSTEMS, "rigid/1": Rigid}
    history = History(adjustment_problem=lambda rating_list, data: adjustment_problem(rating_list, data, partial(bind, systems=systems)))
    fact, withdrawal = adjusted("a1", 1, "A", add="5", before=before), adjusted("a2", 1, before=before)
    history.add(one.fact() for one in (ruled_lists(1, "club/1", "rigid/1 from 2024-02-01"), fact, withdrawal))
    assert [stands(history, one) for one in (fact, withdrawal)] == [stood, "in-force"]


def test_a_configuration_brings_adjustments_into_use_and_out_of_it() -> None:
    fact = adjusted("a1", 1, "A", add="5")
    history = history_of(fact)
    assert stands(history, fact) == "no-effect list"
    assert history.add([CONFIGURED.fact()]).adjusted == {("elo", "a1")}
    assert history.add([configured(2, "fast").fact()]).adjusted == {("elo", "a1")}
    assert (stands(history, fact), dict(history.adjustments("elo"))) == ("no-effect list", {})


def test_a_configuration_under_which_it_is_the_same_changes_no_adjustment() -> None:
    history = history_of(CONFIGURED, adjusted("a1", 1, "A", add="5"))
    changes = history.add([configured(2, "elo/date", "fast").fact()])
    assert changes.configuration is not None
    assert changes.adjusted == set()


def test_the_greatest_revision_counts_whenever_it_comes() -> None:
    older, newer = adjusted("a1", 1, "A", add="5"), adjusted("a1", 2, "B", add="7")
    for order in ((older, newer), (newer, older)):
        history = history_of(CONFIGURED, *order)
        assert [(one.value, persons(history, name)) for name, one in history.adjustments("elo").items()] == [("7", "B")]
        assert (stands(history, older), standing(history, older).superseded_by) == ("superseded", identity_of(newer))


def test_a_later_revision_that_says_nothing_withdraws_it_and_is_in_force() -> None:
    raised, withdrawal, again = adjusted("a1", 1, add="5"), adjusted("a1", 2), adjusted("a1", 3, add="6")
    history = history_of(CONFIGURED, raised)
    assert history.add([withdrawal.fact()]).adjusted == {("elo", "a1")}
    assert [stands(history, one) for one in (raised, withdrawal)] == ["superseded", "in-force"]
    assert dict(history.adjustments("elo")) == {}
    assert history.add([again.fact()]).adjusted == {("elo", "a1")}
    assert history.adjustments("elo")["a1"].value == "6"


def test_the_withdrawal_of_nothing_changes_nothing() -> None:
    history = history_of(CONFIGURED)
    changes = history.add([adjusted("a1", 2).fact()])
    assert (changes.adjusted, len(changes.standings)) == (set(), 1)


def test_one_that_is_not_usable_hides_the_older_ones() -> None:
    older, newer = adjusted("a1", 1, "A", add="5"), adjusted("a1", 2, "A", add="0.05")
    history = history_of(CONFIGURED, older, newer)
    assert [stands(history, one) for one in (older, newer)] == ["superseded", "no-effect state"]
    assert dict(history.adjustments("elo")) == {}


def test_a_withdrawn_fact_brings_the_revision_before_back() -> None:
    older, newer = adjusted("a1", 1, "A", add="5"), adjusted("a1", 2, "A", add="7")
    history = history_of(CONFIGURED, older, newer)
    assert history.add([withdrawn(newer).fact()]).adjusted == {("elo", "a1")}
    assert history.adjustments("elo")["a1"].value == "5"
    assert history.add([withdrawn(older).fact()]).adjusted == {("elo", "a1")}
    assert dict(history.adjustments("elo")) == {}


def test_one_id_on_two_lists_is_two_adjustments() -> None:
    facts = adjusted("a1", 1, "A", add="5"), adjusted("a1", 2, "A", add="7", list="fast")
    history = history_of(CONFIGURED, *facts)
    assert [history.adjustments(name)["a1"].value for name in ("elo", "fast")] == ["5", "7"]
    assert [stands(history, one) for one in facts] == ["in-force"] * 2


def test_two_contents_of_one_revision_are_in_conflict_and_the_last_by_id_counts() -> None:
    facts = adjusted("a1", 1, "A", add="5", id="x"), adjusted("a1", 1, "A", add="7", id="y")
    for order in (facts, facts[::-1]):
        history = history_of(CONFIGURED, *order)
        assert history.adjustments("elo")["a1"].value == "7"
        assert [standing(history, one).flags for one in facts] == [(CONFLICT,)] * 2


def test_merged_players_are_one_person_until_they_are_unmerged() -> None:
    history = history_of(CONFIGURED, adjusted("a1", 1, "X", "B", "A", add="5"))
    assert persons(history, "a1") == "ABX"
    assert history.add([merged("m1", "X", "A").fact()]).adjusted == {("elo", "a1")}
    assert persons(history, "a1") == "AB"
    assert history.add([unmerged("m1").fact()]).adjusted == {("elo", "a1")}
    assert persons(history, "a1") == "ABX"


def test_a_merge_before_it_comes_names_the_person() -> None:
    history = history_of(merged("m1", "A", "Z"), CONFIGURED, adjusted("a1", 1, "A", add="5"))
    assert persons(history, "a1") == "Z"


def test_a_merge_in_one_event_only_is_none_of_its_matter() -> None:
    history = history_of(CONFIGURED, adjusted("a1", 1, "X", add="5"))
    assert history.add([merged("m1", "X", "A", "e1").fact()]).adjusted == set()
    assert persons(history, "a1") == "X"


def test_a_merge_touches_only_what_names_its_ids_and_is_in_use() -> None:
    facts = [
        adjusted("named", 1, "X", add="5"),
        adjusted("other", 1, "B", add="5"),
        adjusted("everybody", add="5"),
        adjusted("superseded", 1, "X", add="5"),
        adjusted("superseded", 2, "B", add="5"),
        adjusted("unusable", 1, "X", add="0.05"),
    ]
    history = history_of(CONFIGURED, *facts)
    assert history.add([merged("m1", "X", "A").fact()]).adjusted == {("elo", "named")}


def test_only_what_is_touched_is_judged_again() -> None:
    asked: list[str] = []

    def takes_all(_: RatingList | None, data: RatingAdjusted) -> None:
        asked.append(data.adjustment)

    history = History(adjustment_problem=takes_all)
    history.add(fact.fact() for fact in (CONFIGURED, *(adjusted(f"a{n}", 1, f"P{n}", add="5") for n in range(20))))
    asked.clear()
    history.add([merged("m1", "P3", "A").fact(), adjusted("a7", 2).fact()])
    assert sorted(asked) == ["a3", "a7"]


def test_a_history_asks_the_function_it_is_given_about_adjustments() -> None:
    def knows_one_formula(_: object, data: RatingAdjusted) -> str | None:
        return None if data.change == ("formula", "raise-2024") else "state"

    facts = [adjusted("a1", formula="raise-2024"), adjusted("a2", formula="raise-2025")]
    history = History(adjustment_problem=knows_one_formula)
    history.add(fact.fact() for fact in facts)
    assert [stands(history, fact) for fact in facts] == ["in-force", "no-effect state"]
    assert history.adjustments("elo")["a1"].kind == "formula"


def test_lists_judged_otherwise_from_outside_are_judged_again() -> None:
    asleep = {"elo"}
    history = History(adjustment_problem=lambda rating_list, _: "list" if rating_list is None or rating_list.id in asleep else None)
    fact = adjusted("a1", 1, "A", add="5")
    history.add([CONFIGURED.fact(), fact.fact()])
    assert stands(history, fact) == "no-effect list"
    asleep.clear()
    assert history.add([], {"elo"}).adjusted == {("elo", "a1")}
    assert stands(history, fact) == "in-force"
