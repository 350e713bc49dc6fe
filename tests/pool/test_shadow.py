"""A shadow list is rated like any other, and its head says that it is none of the official ones."""

from rerate.pool.head import read_head
from tests.kit.driving import Driven, club_list, lists
from tests.kit.published import SNAPSHOTS
from tests.kit.saying import POOL, published

FACTS = (published("e1", 1, "A>B"), published("e2", 1, "A=C", date="2024-01-12"))


def test_a_list_becomes_official_without_a_row_sent_again() -> None:
    pool = Driven(lists(1, club_list(shadow=True)), *FACTS)
    shadow = pool.published.head.lists["elo"]
    assert shadow.shadow
    update = pool.take(lists(2, club_list()))
    assert update is not None
    official = read_head(update.head).lists["elo"]
    assert not official.shadow
    assert (official.edition, official.list_digest) == (shadow.edition, shadow.list_digest)
    assert not update.rows[SNAPSHOTS]


def test_a_shadow_list_has_rows_of_its_own_beside_the_official_ones() -> None:
    pool = Driven(lists(1, club_list(), club_list("trial", {"k_new": 10}, shadow=True)), *FACTS)
    assert (pool.rating("A"), pool.rating("A", "trial")) == ("1218.8", "1204.9")
    assert {key.rpartition("/")[0] for key in pool.topics[SNAPSHOTS]} == {f"{POOL}/elo@1", f"{POOL}/trial@1"}


def test_the_head_of_a_shadow_list_that_is_held_says_so_too() -> None:
    pool = Driven(lists(1, club_list(shadow=True, rules=[{"system": "unheard-of/1", "parameters": {}}])), *FACTS)
    assert (pool.published.head.lists["elo"].held, pool.published.head.lists["elo"].shadow) == ("system", True)
