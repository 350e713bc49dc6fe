"""The laws of a pool over random histories of all facts: what is published, folded as a subscriber would.

Each law is a function of `tests/kit/pool_laws.py`. Histories have two lists, one of the club's and one that looks back (`lag/1`), rules
that change in the middle, and blocks of one to five games. How many, and by which seed: `tests/kit/laws.py`.
"""

import os
import subprocess
import sys
from functools import lru_cache
from itertools import combinations, islice, permutations
from pathlib import Path
from random import Random
from typing import Any

import orjson
import pytest
from hypothesis import strategies as st
from jsonschema import Draft202012Validator, FormatChecker

from rerate.messages.facts import ROW_TOPICS
from rerate.messages.reading import read
from rerate.messages.refusals import Refusal
from tests.kit import pool_laws
from tests.kit.alphabet import small_alphabet
from tests.kit.histories import first_configuration, random_of
from tests.kit.lagged import TWO_LISTS, date_corrections, pool_histories
from tests.kit.laws import IS_LONG, SEED, law
from tests.kit.pool_laws import blocks_of, scratch
from tests.kit.published import difference, fed, placed
from tests.kit.sendable import Sendable

ROOT = Path(__file__).parents[2]
DATES = st.integers(0, 2**32).map(date_corrections)


def share(part: float) -> float:
    """Of the examples of a plain run; a long one tries every law as often."""
    return 1 if IS_LONG else part


@law(pool_histories())
def test_any_order_repetition_and_batching_publishes_the_same(history: list[Sendable]) -> None:
    pool_laws.order_free(history)


@law(pool_histories(), share=share(0.5))
def test_topics_are_those_of_a_fresh_pool_after_every_prefix(history: list[Sendable]) -> None:
    pool_laws.incremental(history)


@law(DATES, share=share(0.2))
def test_corrected_dates_of_a_list_that_looks_back_are_those_of_a_fresh_pool(history: list[Sendable]) -> None:
    pool_laws.incremental(history)
    pool_laws.as_plain(history)


@law(pool_histories())
def test_a_restored_pool_goes_on_with_the_same_bytes(history: list[Sendable]) -> None:
    pool_laws.restored(history)


@law(pool_histories(), share=share(0.5))
def test_a_rebuilt_pool_mends_what_stands_on_the_topics(history: list[Sendable]) -> None:
    pool_laws.rebuilt(history)


@law(pool_histories(max_length=18))
def test_withdrawn_is_as_if_never_sent(history: list[Sendable]) -> None:
    pool_laws.withdrawn(history)


@law(pool_histories(max_length=18))
def test_unmerged_is_as_if_never_merged(history: list[Sendable]) -> None:
    pool_laws.unmerged(history)


@law(pool_histories(max_length=18))
def test_corrected_back_or_published_again_ends_in_the_same_ratings(history: list[Sendable]) -> None:
    pool_laws.corrected_back(history)


@law(pool_histories())
def test_every_accepted_fact_has_one_standing(history: list[Sendable]) -> None:
    pool_laws.accounted(history)


@law(pool_histories(), share=share(0.5))
def test_published_rows_give_the_digests_of_the_head(history: list[Sendable]) -> None:
    pool_laws.audited(history)


@law(pool_histories())
def test_only_games_really_played_between_two_people_are_counted(history: list[Sendable]) -> None:
    pool_laws.only_played(history)


@law(pool_histories())
def test_rows_add_up_to_the_snapshot_and_never_pass_its_peak(history: list[Sendable]) -> None:
    pool_laws.adds_up(history)


@law(pool_histories())
def test_the_plainest_calculation_says_the_same(history: list[Sendable]) -> None:
    pool_laws.as_plain(history)


DECIDED = ("rerate.identity-merged.v1", "rerate.identity-unmerged.v1", "rerate.fact-withdrawn.v1", "rerate.rating-adjusted.v1")


@law(pool_histories())
def test_what_a_person_must_decide_is_refused_without_the_person(history: list[Sendable]) -> None:
    for sent in history:
        if sent.type in DECIDED or "ruling" in sent.data:
            refused = read(Sendable(sent.type, sent.source, sent.id, sent.data).message(), partitions=1)
            assert isinstance(refused, Refusal)
            assert (refused.reason, refused.pointer) == ("schema", "/actor")


# ---------------------------------------------------------------------- every small set


@lru_cache(maxsize=1)
def _alphabet() -> list[tuple[str, Any]]:
    return placed(small_alphabet())


def _in_every_order(chosen: tuple[tuple[str, Any], ...]) -> None:
    """A set of facts, one by one in every order, upon a plain configuration that comes first or last."""
    base = placed([first_configuration(TWO_LISTS)])
    expected = scratch([*base, *chosen])
    for place, order in enumerate(permutations(chosen)):
        facts = [*base, *order] if place % 2 == 0 else [*order, *base]
        with blocks_of(1):
            published = fed([fact] for fact in facts).holds()
        assert published == expected, f"{facts}: {difference(published, expected)}"


@pytest.mark.parametrize("size", [1, 2])
def test_every_small_set_in_every_order(size: int) -> None:
    for chosen in combinations(_alphabet(), size):
        _in_every_order(chosen)


def test_some_sets_of_three_in_every_order() -> None:
    sets = list(combinations(_alphabet(), 3))
    for chosen in Random(SEED).sample(sets, 150):
        _in_every_order(chosen)


@pytest.mark.long
@pytest.mark.timeout(7_200)
@pytest.mark.parametrize("part", range(4))
def test_every_set_of_three_in_every_order(part: int) -> None:
    for chosen in islice(combinations(_alphabet(), 3), part, None, 4):
        _in_every_order(chosen)


# ---------------------------------------------------------------------- the same bytes everywhere

ENVIRONMENTS = (
    {"PYTHONHASHSEED": "0", "TZ": "UTC", "LC_ALL": "C"},
    {"PYTHONHASHSEED": "1", "TZ": "Asia/Jakarta", "LC_ALL": "tr_TR.UTF-8"},
    {"PYTHONHASHSEED": "random", "TZ": "America/Los_Angeles", "LC_ALL": "C.UTF-8"},
    {"PYTHONHASHSEED": "4294967295", "TZ": "Pacific/Kiritimati", "LC_ALL": "de_DE.UTF-8"},
)


@pytest.mark.parametrize("histories", ["20", pytest.param("1000", marks=pytest.mark.long)])
def test_bytes_do_not_depend_on_hash_seed_time_zone_and_locale(histories: str) -> None:
    printed = {
        subprocess.run(
            [sys.executable, "-m", "tests.kit.same_bytes", histories, str(SEED)],
            cwd=ROOT,
            env=os.environ | environment,
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for environment in ENVIRONMENTS
    }
    assert len(printed) == 1
    assert len(printed.pop().strip()) == 64


# ---------------------------------------------------------------------- what is published is what the schemas say

_OF_TOPIC = {
    "person-ids": "person-id",
    "rated-events": "rated-event",
    "fact-standings": "fact-standing",
    "rating-deltas": "rating-delta",
    "rating-snapshots": "rating-snapshot",
}


@lru_cache(maxsize=8)
def _schema(name: str) -> Draft202012Validator:
    return Draft202012Validator(orjson.loads((ROOT / "schemas" / f"{name}.v1.json").read_bytes()), format_checker=FormatChecker())


@law(pool_histories(), share=0.1)
def test_rows_and_heads_are_what_their_schemas_say(history: list[Sendable]) -> None:
    pool = fed(pool_laws.batches(random_of(history), placed(history)))
    for topic in ROW_TOPICS:
        for value in pool.published.topics[topic].values():
            _schema(_OF_TOPIC[topic]).validate(orjson.loads(value))
    for head in pool.published.heads:
        _schema("rating-head").validate(orjson.loads(head)["data"])
