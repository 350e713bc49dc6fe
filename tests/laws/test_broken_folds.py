"""The laws are worth something: folds that are wrong in one place each, every one of them a fault somebody could make, are caught.

Each breakage replaces one function of the history room; the same comparison as in the laws has to find a history that shows it.
"""

from collections.abc import Callable
from dataclasses import replace
from itertools import count
from random import Random
from typing import Any

import pytest

from rerate.history import History, adjustments, events, history, identities, judging, names, publisher, rulings, seeds, whole_state
from rerate.history.identities import Persons, changed_ids
from rerate.history.order import event_order
from rerate.history.publisher import Published
from tests.kit.histories import facts_of, random_history
from tests.kit.plain_fold import plain_fold
from tests.kit.told import told

MOST = 500
"""Histories to try before a breakage counts as not caught."""

Break = Callable[[pytest.MonkeyPatch], None]


def is_caught() -> bool:
    """Whether one of many histories, given one by one, comes out other than the plainest fold says, or not at all."""
    for seed in range(MOST):
        drawn = random_history(Random(seed), 20)
        broken = History()
        try:
            for fact in facts_of(drawn):
                broken.add([fact])
        except (LookupError, AssertionError):
            return True
        if told(broken) != plain_fold(drawn):
            return True
    return False


def newest_ruling_by_arrival(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(rulings, "event_order", lambda fact: 0)


def newest_configuration_by_arrival(patch: pytest.MonkeyPatch) -> None:
    arrived = count()
    patch.setattr(whole_state, "state_order", lambda fact, seen={}: seen.setdefault(fact.identity, next(arrived)))


def corrections_before_publications(patch: pytest.MonkeyPatch) -> None:
    whole = event_order
    patch.setattr(publisher, "event_order", lambda fact: (whole(fact)[0], -whole(fact)[1], whole(fact)[2]))


def ties_broken_by_arrival(patch: pytest.MonkeyPatch) -> None:
    whole = event_order
    patch.setattr(publisher, "event_order", lambda fact: whole(fact)[:2])


def rulings_name_games_without_sides(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(rulings, "_named", lambda published, item: None if item.id in published else "unknown-game")


def rulings_lift_an_archive(patch: pytest.MonkeyPatch) -> None:
    whole = rulings.fold_rulings

    def fold(published: Published, facts: Any) -> rulings.Ruled:
        ruled = whole(published, facts)
        return replace(ruled, state="live") if published.state == "hidden" else ruled

    patch.setattr(events, "fold_rulings", fold)


def withdrawals_take_only_what_is_there(patch: pytest.MonkeyPatch) -> None:
    whole = names.Names.add

    def add(self: names.Names, fact: Any) -> Any:
        entering, leaving, standings = whole(self, fact)
        if not entering and fact.type != "rerate.fact-withdrawn.v1":
            return [fact], [], []
        return entering, leaving, standings

    patch.setattr(names.Names, "add", add)


def unmerges_kill_only_merges_that_came_before(patch: pytest.MonkeyPatch) -> None:
    whole = identities.fold_identities

    def fold(merges: Any, unmerges: Any) -> Persons:
        merges, unmerges = list(merges), list(unmerges)
        return whole(merges, [undo for undo in unmerges if any(undo.data.merge_id == one.data.merge_id for one in merges[:-1])])

    patch.setattr(history, "fold_identities", fold)


def merges_by_event_also_hold_elsewhere(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Persons, "resolver", lambda self, event: self.of)


def only_aliases_are_judged_again(patch: pytest.MonkeyPatch) -> None:
    whole = changed_ids
    patch.setattr(history, "changed_ids", lambda old, new: {raw for raw in whole(old, new) if raw in new.person})


def scoped_merges_do_not_judge_again(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(history, "changed_scopes", lambda old, new: set())


def clashes_need_no_two_ids(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(judging, "clashes_of", lambda games, person: {})


def byes_count_as_played(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(judging, "PLAYED", judging.PLAYED | {"bye-half", "+/-"})


def seeds_are_not_regrouped_by_a_configuration(patch: pytest.MonkeyPatch) -> None:
    whole = seeds.Seeds.settle
    patch.setattr(
        seeds.Seeds, "settle", lambda self, configuration, lists, persons, changed: whole(self, configuration, (), persons, changed)
    )


def adjustments_are_not_judged_again_by_a_configuration(patch: pytest.MonkeyPatch) -> None:
    whole = adjustments.Adjustments.settle
    patch.setattr(
        adjustments.Adjustments, "settle", lambda self, configuration, lists, persons, ids: whole(self, configuration, (), persons, ids)
    )


def adjustments_do_not_follow_merges(patch: pytest.MonkeyPatch) -> None:
    whole = adjustments.Adjustments.settle
    patch.setattr(
        adjustments.Adjustments, "settle", lambda self, configuration, lists, persons, ids: whole(self, configuration, lists, persons, ())
    )


def patches_are_never_refused(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(publisher, "event_problem", lambda event, games: None)


BREAKS: list[Break] = [
    newest_ruling_by_arrival,
    newest_configuration_by_arrival,
    corrections_before_publications,
    ties_broken_by_arrival,
    rulings_name_games_without_sides,
    rulings_lift_an_archive,
    withdrawals_take_only_what_is_there,
    unmerges_kill_only_merges_that_came_before,
    merges_by_event_also_hold_elsewhere,
    only_aliases_are_judged_again,
    scoped_merges_do_not_judge_again,
    clashes_need_no_two_ids,
    byes_count_as_played,
    seeds_are_not_regrouped_by_a_configuration,
    adjustments_are_not_judged_again_by_a_configuration,
    adjustments_do_not_follow_merges,
    patches_are_never_refused,
]


def test_the_whole_fold_is_not_caught() -> None:
    assert not is_caught()


@pytest.mark.parametrize("breakage", BREAKS, ids=lambda one: one.__name__)
def test_a_broken_fold_is_caught(breakage: Break, monkeypatch: pytest.MonkeyPatch) -> None:
    breakage(monkeypatch)
    assert is_caught()
