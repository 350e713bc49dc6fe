"""A list on which the rating of another list stands in for who has none: rapid on standard (FIDE rapid and blitz regulations)."""

import re
from collections.abc import Mapping
from random import Random

import pytest

from rerate.audit.scoring import NothingToScore, under_system
from rerate.audit.why import NothingToExplain, explain
from rerate.pool.lists import HeldList, LiveList
from rerate.pool.pool import Halt, Pool, Settings
from rerate.ratings.fide import Fide
from rerate.ratings.systems import SYSTEMS
from tests.kit.driving import Driven, club_list, lists
from tests.kit.saying import POOL, adjusted, corrected, deleted, merged, minted, published, seeded, unmerged, withdrawn
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


def held(pool: Driven) -> dict[str, str]:
    """List -> why it is held, in the newest head."""
    head = pool.pool.head
    assert head is not None
    return {name: one.held for name, one in head.lists.items() if one.held is not None}


def test_without_the_other_list_it_is_held_and_nothing_of_it_stands() -> None:
    pool = Driven(lists(1, STANDARD, RAPID), *seeds(("A", "1800"), ("B", "1900")), rapid("r1", 1, "A>B"))
    pool.each(lists(2, RAPID))
    assert held(pool) == {"rapid": "fallback"}
    assert not [key for rows in pool.topics.values() for key in rows if "/rapid@" in key]
    pool.each(rapid("r2", 1, "B>A", date="2024-06-10"))
    pool.each(lists(3, STANDARD, RAPID))
    assert held(pool) == {}
    assert pool.rating("A", "rapid") == pool.fresh().rating("A", "rapid") != "1826"
    pool.each(deleted("r2", 2, "void"))
    assert pool.rating("A", "rapid") == "1826"


@pytest.mark.parametrize(
    ("others", "fault", "able"),
    [
        ([], "fallback names std, and the pool has no such list: ", []),
        ([fide("st", "x")], "fallback names std, and the pool has no such list (is st meant?): ", ["st"]),
        ([fide("std", "standard", k="x")], "fallback names std, which is held itself (parameters): mend that list; or ", []),
        (
            [fide("std", "standard", k="x"), fide("open", "open"), club_list("club")],
            "fallback names std, which is held itself (parameters): mend that list; or ",
            ["open"],
        ),
        (
            [fide("std", "blitz", kind="blitz", fallback="a"), fide("a", "a"), fide("b", "b")],
            "fallback names std, which itself falls back on a: ",
            ["a", "b"],
        ),
    ],
)
def test_what_cannot_stand_in_is_named(others: list[Data], fault: str, able: list[str]) -> None:
    pool = Driven(lists(1, *others, RAPID, fide("tried", "rapid")), rapid("r1", 1, "A>B"))
    assert held(pool)["rapid"] == "fallback"
    with pytest.raises(NothingToExplain) as told:
        explain(pool.pool, minted("A"), None, "rapid")
    assert str(told.value) == f"{POOL}: list rapid is held (fallback): {fault}{' or '.join([*able, 'tried'])} would do, or leave it out"
    with pytest.raises(NothingToScore) as scored:
        under_system(pool.pool, "tried", "fide/1,kind=rapid,fallback=std")
    would_do = f"{' or '.join(able)} would do, or leave it out" if able else "leave it out"
    assert str(scored.value) == f"fide/1,kind=rapid,fallback=std: {fault}{would_do}"


def test_where_no_list_is_rated_it_is_said_of_each_why() -> None:
    pool = Driven(lists(1, fide("std", "standard", k="x"), RAPID), rapid("r1", 1, "A>B"))
    with pytest.raises(
        NothingToExplain, match=r"^t:pool: list std is held \(parameters\): k cannot be x.*; list rapid is held \(fallback\)"
    ):
        explain(pool.pool, minted("A"), None, None)


def test_a_list_of_another_family_would_do_where_there_is_no_other() -> None:
    pool = Driven(lists(1, club_list("club"), RAPID), rapid("r1", 1, "A>B"))
    with pytest.raises(NothingToExplain, match="no such list: club would do, or leave it out"):
        explain(pool.pool, minted("A"), None, "rapid")


def test_two_that_fall_back_on_each_other_or_on_themselves_are_held() -> None:
    blitz = fide("blitz", "blitz", kind="blitz", fallback="rapid")
    pool = Driven(lists(1, fide("rapid", "rapid", kind="rapid", fallback="blitz"), blitz, fide("own", "own", kind="rapid", fallback="own")))
    assert held(pool) == {"rapid": "fallback", "blitz": "fallback", "own": "fallback"}


UNHEARD = STANDARD | {"rules": [{"system": "acme/1", "parameters": {}}]}
NEWER, OLDER = Settings(engine="newer", systems={**SYSTEMS, "acme/1": Fide}), Settings(engine="older")


def restarted(pool: Driven, settings: Settings) -> Driven:
    """The same pool, its topics as they are, with another engine."""
    pool.pool, pool.settings = Pool.restore(POOL, settings, pool.log, pool.updates[-1].head), settings
    return pool


def test_what_waits_for_a_list_of_a_newer_engine_comes_with_it_and_its_next_update() -> None:
    seed = seeded("A", list="rapid", state={"rating": "1800", "games": 30})
    pool = Driven(lists(1, UNHEARD, RAPID), seed, seeded("B", list="std", state={"rating": "1900", "games": 30}))
    assert held(pool) == {"std": "system", "rapid": "fallback"}
    assert pool.standing(seed) == "in-force"
    restarted(pool, NEWER)
    assert {name: type(one) for name, one in pool.pool.lists.items()} == {"std": HeldList, "rapid": HeldList}
    pool.each(rapid("r1", 1, "A>B"))
    assert held(pool) == {}
    assert (pool.rating("A", "rapid"), pool.rating("B", "std")) == ("1813", "1900")
    assert pool.holds() == pool.fresh().holds()


@pytest.mark.parametrize("names", [("std", "rapid"), ("a", "z"), ("z", "a")])
def test_an_engine_that_lacks_the_other_list_stands_still_and_says_for_which(names: tuple[str, str]) -> None:
    other, own = names
    pool = Driven(lists(1, UNHEARD | {"id": other}, fide(own, "rapid", kind="rapid", fallback=other)), settings=NEWER)
    with pytest.raises(Halt, match=re.escape(f"cannot rate list {other} of head 1 (system): install what it lacks")):
        restarted(pool, OLDER)


def test_an_engine_that_lacks_the_system_of_a_list_that_waits_stands_still() -> None:
    """Its seeds are in force on the wire, and would have no effect in memory."""
    pool = Driven(lists(1, RAPID | {"rules": [{"system": "acme/1", "parameters": {"kind": "rapid", "fallback": "std"}}]}), settings=NEWER)
    assert held(pool) == {"rapid": "fallback"}
    with pytest.raises(Halt, match=re.escape("cannot rate list rapid of head 1 (system): install what it lacks")):
        restarted(pool, OLDER)


class Changed(Fide):
    """A package that changed its mind: its rapid list falls back on none."""

    def __init__(self, parameters: Mapping[str, object], per_point: int, period: str) -> None:
        super().__init__({"kind": "rapid"}, per_point, period)


def test_a_list_that_need_not_wait_any_more_comes_with_the_next_update_and_not_before() -> None:
    rules = [{"system": "acme/1", "parameters": {"kind": "rapid", "fallback": "std"}}]
    pool = Driven(lists(1, RAPID | {"rules": rules}), *seeds(("A", "1800"), ("B", "1900"), list="rapid"), settings=NEWER)
    pool.each(rapid("r1", 1, "A>B"))
    assert held(pool) == {"rapid": "fallback"}
    restarted(pool, Settings(engine="changed", systems={**SYSTEMS, "acme/1": Changed}))
    assert isinstance(pool.pool.lists["rapid"], HeldList)
    pool.each(rapid("r2", 1, "A=B", date="2024-06-10"))
    assert held(pool) == {}
    assert pool.holds() == pool.fresh().holds()
    assert pool.rating("A", "rapid") is not None


def test_by_another_engine_a_rated_list_may_have_none_to_fall_back_on() -> None:
    rules = [{"system": "acme/1", "parameters": {"kind": "rapid", "fallback": "std"}}]
    pool = Driven(lists(1, RAPID | {"rules": rules}), settings=Settings(engine="changed", systems={**SYSTEMS, "acme/1": Changed}))
    assert held(pool) == {}
    with pytest.raises(Halt, match="list rapid of head 1 has no list to fall back on: use the one that made it, or rebuild"):
        restarted(pool, NEWER)


@pytest.mark.parametrize("parameters", [{"fallback": "std"}, {"kind": "standard", "fallback": "rapid"}, {"kind": "rapid", "fallback": 7}])
def test_a_standard_list_has_no_other_to_fall_back_on(parameters: Data) -> None:
    pool = Driven(lists(1, fide("rapid", "rapid", **parameters)))
    assert held(pool) == {"rapid": "parameters"}


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
            if isinstance(one, HeldList):
                assert (name, one.reason) == ("rapid", "fallback")
                assert isinstance(other, HeldList)
                continue
            assert isinstance(one, LiveList)
            assert isinstance(other, LiveList)
            assert one.replay.digest() == other.replay.digest(), (step, name, fact)
            assert {person: pool.rating(person, name) for person in names} == {person: fresh.rating(person, name) for person in names}
