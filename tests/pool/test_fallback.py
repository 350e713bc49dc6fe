"""A list on which the rating of another list stands in for who has none: rapid on standard (FIDE rapid and blitz regulations)."""

from random import Random

import pytest

from rerate.audit.why import explain
from rerate.pool.lists import LiveList
from tests.kit.driving import Driven, lists
from tests.kit.saying import adjusted, corrected, deleted, merged, minted, published, seeded, unmerged, withdrawn
from tests.kit.sendable import Data, Sendable


def fide(name: str, category: str, **parameters: object) -> Data:
    rules = [{"system": "fide/1", "parameters": parameters}]
    return {"id": name, "quantum": "1", "shown": "1", "period": "month", "categories": [category], "rules": rules}


STANDARD = fide("std", "standard")
RAPID = fide("rapid", "rapid", kind="rapid", fallback="std")


def seeds(*ratings: tuple[str, str], list: str = "std") -> list[Sendable]:
    return [seeded(player, list=list, state={"rating": rating, "games": 30}) for player, rating in ratings]


def rapid(event: str, revision: int, *pairings: str, date: str = "2024-05-10") -> Sendable:
    return published(event, revision, *pairings, date=date, category="rapid")


def standard(event: str, revision: int, *pairings: str, date: str = "2024-04-10") -> Sendable:
    return published(event, revision, *pairings, date=date, category="standard")


def test_who_has_only_a_standard_rating_plays_as_rated_with_it() -> None:
    pool = Driven(lists(1, STANDARD, RAPID), *seeds(("A", "1800"), ("B", "1900")), rapid("r1", 1, "A>B"))
    assert (pool.rating("A", "rapid"), pool.rating("B", "rapid")) == ("1826", "1874")  # 40 x .64, a newcomer's K
    told = explain(pool.pool, minted("A"), None, "rapid")
    assert (told.before, told.before_from, told.rating) == ("1800", "std", "1826")
    assert told.steps[0].code == "fallback"
    assert "1800" in told.steps[0].text


def test_the_standard_rating_is_that_of_the_list_in_force_when_the_event_begins() -> None:
    facts = [lists(1, STANDARD, RAPID), *seeds(("A", "1800"), ("B", "1900")), standard("s1", 1, "A>B", date="2024-04-10")]
    before = Driven(*facts, rapid("r1", 1, "A=B", date="2024-04-20"))
    after = Driven(*facts, rapid("r1", 1, "A=B", date="2024-05-20"))
    assert before.rating("A", "std") == after.rating("A", "std") == "1813"
    assert before.rating("A", "rapid") == "1806"  # from 1800 against 1900
    assert after.rating("A", "rapid") == "1817"  # from 1813 against 1887, who expect .60


def test_a_correction_of_the_other_list_re_rates_this_one() -> None:
    pool = Driven(lists(1, STANDARD, RAPID), *seeds(("A", "1800"), ("B", "1900")), standard("s1", 1, "A>B"), rapid("r1", 1, "A=B"))
    then = pool.rating("A", "rapid")
    pool.each(corrected("s1", 2, "A<B"))
    assert pool.rating("A", "rapid") != then
    assert pool.rating("A", "rapid") == pool.fresh().rating("A", "rapid")
    pool.each(deleted("s1", 3, "void"))
    assert pool.rating("A", "rapid") == "1806"


def test_a_rating_of_its_own_is_what_counts() -> None:
    pool = Driven(
        lists(1, STANDARD, RAPID), *seeds(("A", "1800"), ("B", "1900")), *seeds(("A", "1700"), list="rapid"), rapid("r1", 1, "A>B")
    )
    assert pool.rating("A", "rapid") == "1715"  # 20 x .76 against 1900
    pool.each(standard("s1", 1, "A>B"))
    assert pool.rating("A", "rapid") == "1715"


def test_without_the_other_list_nobody_stands_in() -> None:
    pool = Driven(lists(1, STANDARD, RAPID), *seeds(("A", "1800"), ("B", "1900")), rapid("r1", 1, "A>B"))
    pool.each(lists(2, RAPID))
    assert pool.snapshot("A", "rapid")["rating"] is None  # type: ignore[index]  # he has a row
    pool.each(lists(3, STANDARD, RAPID))
    assert pool.rating("A", "rapid") == "1826"


@pytest.mark.parametrize("parameters", [{"fallback": "std"}, {"kind": "standard", "fallback": "rapid"}, {"kind": "rapid", "fallback": 7}])
def test_a_standard_list_has_no_other_to_fall_back_on(parameters: Data) -> None:
    pool = Driven(lists(1, fide("rapid", "rapid", **parameters)))
    assert not isinstance(pool.pool.lists["rapid"], LiveList)


@pytest.mark.parametrize("seed", range(25))
def test_step_by_step_it_is_what_a_fresh_pool_says(seed: int) -> None:
    """Law 2, with the standard list corrected, adjusted, merged and moved under the rapid one."""
    random = Random(f"fallback {seed}")
    names = "ABCDEF"
    months = [f"2024-{month:02d}" for month in range(1, 10)]

    def day() -> str:
        return f"{random.choice(months)}-{random.choice(('03', '17', '29'))}"

    def pairing() -> str:
        white, black = random.sample(names, 2)
        return f"{white}{random.choice('><=')}{black}"

    rated = random.sample([(name, str(random.randint(1_450, 2_500))) for name in names], 4)
    pool = Driven(lists(1, STANDARD, RAPID), *seeds(*rated))
    sent: list[Sendable] = []
    for step in range(24):
        revision = step + 1
        make = random.choice((standard, standard, rapid))
        event = f"{make.__name__}{random.randrange(4)}"
        fact = random.choice(
            [
                make(event, revision, *(pairing() for _ in range(random.randint(1, 6))), date=day()),
                make(event, revision, *(pairing() for _ in range(random.randint(1, 6))), date=day()),
                make(event, revision, *(pairing() for _ in range(random.randint(1, 6))), date=day()),
                corrected(event, revision, pairing(), set={"date": day()}),
                adjusted(f"a{random.randrange(2)}", revision, list="std", before=day(), add=str(random.randint(-80, 80))),
                merged(f"m{random.randrange(3)}", *random.sample(names, 2)),
                unmerged(f"m{random.randrange(3)}"),
                seeded(random.choice(names), revision + 1, list="std", as_of=day(), state={"rating": str(random.randint(1_400, 2_000))}),
                withdrawn(random.choice(sent)) if sent else lists(revision + 1, STANDARD, RAPID),
                lists(revision + 1, *random.choice(([RAPID], [STANDARD, RAPID], [STANDARD, RAPID]))),
            ]
        )
        sent.append(fact)
        pool.each(fact)
        fresh = pool.fresh()
        for name, one in pool.pool.lists.items():
            other = fresh.pool.lists[name]
            assert isinstance(one, LiveList)
            assert isinstance(other, LiveList)
            assert one.replay.digest() == other.replay.digest(), (step, name, fact)
            assert {person: pool.rating(person, name) for person in names} == {person: fresh.rating(person, name) for person in names}
