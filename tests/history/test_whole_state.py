"""Configurations, registrations and seeds: the last counts, and of a merged person one."""

from typing import Any

import pytest

from rerate.history import History, SeedGroup
from rerate.messages.codes import CONFLICT
from rerate.messages.facts import PlayerRegistered, RatingSeeded
from tests.kit.saying import (
    configured,
    history_of,
    identity_of,
    merged,
    minted,
    registered,
    seeded,
    standing,
    stands,
    unmerged,
    withdrawn,
)
from tests.kit.sendable import Sendable

CONFIGURED = configured(1, "elo", "fast")


def group(history: History, person: str, list_id: str = "elo") -> tuple[str, list[str]]:
    """The players whose seeds are in use: the chosen, then the others."""
    found = history.seed(list_id, minted(person))
    assert found is not None
    return found.chosen.player.removeprefix("t:"), [seed.player.removeprefix("t:") for seed in found.others]


def data_of(fact: Sendable) -> Any:
    return fact.fact().data


def test_the_configuration_of_the_greatest_revision_counts_whenever_it_comes() -> None:
    older, newer = configured(1, "elo"), configured(2, "fast")
    history = history_of(newer, older)
    assert history.configuration == data_of(newer)
    assert (stands(history, older), standing(history, older).superseded_by) == ("superseded", identity_of(newer))


def test_of_one_revision_the_last_by_source_id_and_digest_counts_and_all_are_in_conflict() -> None:
    first, last = configured(1, "elo", id="a"), configured(1, "fast", id="b")
    history = history_of(last, first)
    assert history.configuration == data_of(last)
    assert [standing(history, one).flags for one in (first, last)] == [(CONFLICT,)] * 2


def test_the_configuration_before_is_back_when_the_newest_is_withdrawn() -> None:
    older, newer = configured(1, "elo"), configured(2, "fast")
    history = history_of(older, newer)
    changes = history.add([withdrawn(newer).fact()])
    assert changes.configuration == (data_of(newer), data_of(older))
    assert stands(history, older) == "in-force"


def test_a_newer_revision_with_the_same_lists_is_another_configuration() -> None:
    history = history_of(configured(1, "elo"))
    assert history.add([configured(2, "elo").fact()]).configuration is not None


def test_a_configuration_with_semantics_not_known_is_in_force() -> None:
    newer = configured(2, "elo", semantics=9)
    assert stands(history_of(CONFIGURED, newer), newer) == "in-force"


def test_a_pool_without_configuration_has_none() -> None:
    history = history_of(seeded("A"))
    assert (history.configuration, dict(history.seeds("elo"))) == (None, {})


def registration(history: History, person: str) -> PlayerRegistered | None:
    return history.registration(minted(person))


def test_the_registration_of_the_naming_id_counts() -> None:
    own, other = registered("A", 1, birth_year=1980), registered("X", 9, birth_year=2012)
    history = history_of(own, other, merged("m1", "X", "A"))
    assert registration(history, "A") == data_of(own)
    assert [stands(history, one) for one in (own, other)] == ["in-force", "no-effect registration"]
    assert registration(history, "X") is None


def test_else_the_registration_of_the_smallest_id_that_has_one() -> None:
    facts = [registered("Y", birth_year=1), registered("X", birth_year=2), registered("X", 2, birth_year=3)]
    history = history_of(*facts, merged("m1", "X", "A"), merged("m2", "Y", "A"))
    assert registration(history, "A") == data_of(facts[2])
    assert [stands(history, one) for one in facts] == ["no-effect registration", "superseded", "in-force"]


def test_an_unmerge_gives_everybody_his_registration_back() -> None:
    facts = [registered("A", birth_year=1), registered("X", birth_year=2)]
    history = history_of(*facts, merged("m1", "X", "A"), unmerged("m1"))
    assert [registration(history, name) for name in "AX"] == [data_of(fact) for fact in facts]
    assert [stands(history, one) for one in facts] == ["in-force"] * 2


def test_a_seed_of_a_list_of_the_pool_is_in_use() -> None:
    seed = seeded("A", as_of="2023-12-31")
    history = history_of(CONFIGURED, seed)
    assert history.seed("elo", minted("A")) == SeedGroup(chosen=data_of(seed), others=())
    assert history.seeds("elo")[minted("A")].as_of == "2023-12-31"
    assert stands(history, seed) == "in-force"


@pytest.mark.parametrize(
    ("seed", "stood"),
    [
        (seeded("A", list="unheard"), "no-effect list"),
        (seeded("A", state={"strength": 7}), "no-effect state"),
        (seeded("A", state={"rating": "1400.05", "games": 1}), "no-effect state"),
    ],
)
def test_what_its_list_cannot_use_has_no_effect(seed: Sendable, stood: str) -> None:
    history = history_of(CONFIGURED, seed)
    assert stands(history, seed) == stood
    assert dict(history.seeds(seed.data["list"])) == {}


def test_a_seed_not_usable_hides_the_older_ones() -> None:
    older, newer = seeded("A", 1), seeded("A", 2, state={"strength": 7})
    history = history_of(CONFIGURED, older, newer)
    assert [stands(history, one) for one in (older, newer)] == ["superseded", "no-effect state"]
    assert history.seed("elo", minted("A")) is None


def test_a_configuration_brings_its_lists_seeds_into_use_and_out_of_it() -> None:
    seed = seeded("A")
    history = history_of(seed)
    assert stands(history, seed) == "no-effect list"
    assert history.add([CONFIGURED.fact()]).seeds == {("elo", minted("A"))}
    assert stands(history, seed) == "in-force"
    assert history.add([configured(2, "fast").fact()]).seeds == {("elo", minted("A"))}
    assert (stands(history, seed), dict(history.seeds("elo"))) == ("no-effect list", {})


def test_seeds_of_two_lists_are_apart() -> None:
    history = history_of(CONFIGURED, seeded("A"), seeded("A", list="fast", as_of="2024-01-02"))
    assert [history.seeds(name)[minted("A")].as_of for name in ("elo", "fast")] == ["2023-12-31", "2024-01-02"]


def test_of_a_merged_person_the_naming_ids_seed_is_chosen() -> None:
    own, other = seeded("A", as_of="2023-01-01"), seeded("X", as_of="2023-12-31")
    history = history_of(CONFIGURED, other, own, merged("m1", "X", "A"))
    assert group(history, "A") == ("A", ["X"])
    assert [stands(history, one) for one in (own, other)] == ["in-force", "in-force counters-only"]
    assert history.seed("elo", minted("X")) is None


def test_else_the_newest_as_of_then_the_smallest_id() -> None:
    seeds = [seeded("V", as_of="2023-01-01"), seeded("Y", as_of="2023-12-31"), seeded("X", as_of="2023-12-31")]
    merges = [merged("m1", "V", "A"), merged("m2", "X", "A"), merged("m3", "Y", "A")]
    assert group(history_of(CONFIGURED, *seeds, *merges), "A") == ("X", ["V", "Y"])


def test_only_usable_seeds_compete() -> None:
    own, other = seeded("A", state={"strength": 7}), seeded("X")
    history = history_of(CONFIGURED, own, other, merged("m1", "X", "A"))
    assert group(history, "A") == ("X", [])
    assert [stands(history, one) for one in (own, other)] == ["no-effect state", "in-force"]


def test_a_merge_and_its_unmerge_regroup_the_seeds() -> None:
    history = history_of(CONFIGURED, seeded("A"), seeded("X"))
    both = {("elo", minted("A")), ("elo", minted("X"))}
    assert history.add([merged("m1", "X", "A").fact()]).seeds == both
    assert history.add([unmerged("m1").fact()]).seeds == both
    assert [group(history, name) for name in "AX"] == [("A", []), ("X", [])]


def test_two_contents_of_one_revision_of_a_seed_are_in_conflict() -> None:
    seeds = [seeded("A", as_of="2023-12-30"), seeded("A", as_of="2023-12-31")]
    history = history_of(CONFIGURED, *seeds)
    assert [standing(history, one).flags for one in seeds] == [(CONFLICT,)] * 2


def test_a_history_asks_the_function_it_is_given_about_seeds() -> None:
    def refuses_all(_: object, seed: RatingSeeded) -> str:
        return "state"

    history, seed = History(refuses_all), seeded("A")
    history.add([CONFIGURED.fact(), seed.fact()])
    assert stands(history, seed) == "no-effect state"
