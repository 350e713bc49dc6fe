"""The worked digests, through the real replay: no byte of them is put together by the test."""

from hashlib import sha256

import pytest

from rerate.messages.facts import RatingList, Rule
from rerate.ratings.face import EventInfo
from rerate.ratings.systems import ListRules
from rerate.replay import digests
from rerate.replay.entries import Entry
from rerate.replay.replay import ListReplay

PERIOD_1 = (
    "7265726174652e706572696f642e310a 0018 03 323032342d30312d3035 00000000 0007 636c75623a6531"
    "00000002 0006 636c75623a61 00002fa8 01 0006 636c75623a62 00002e18 01"
)
EMPTY_LIST, EMPTY_INPUTS = sha256(b"rerate.list.1\n").digest(), sha256(b"rerate.inputs.1\n").digest()


def replay(period: str = "event") -> ListReplay:
    rules = (Rule(system="club/1", parameters={}),)
    return ListReplay(period, ListRules(RatingList(id="elo", quantum="0.1", shown="1", period=period, rules=rules)))  # type: ignore[arg-type]


def entry(event: str, date: str, white: str, black: str, half_points: int = 2, id: str = "g1") -> Entry:
    return Entry((date, 0, event), 0, event, 0, 0, id, white, black, half_points, 2 - half_points, 3, EventInfo(event, date))


def worked() -> ListReplay:
    of = replay()
    of.edit("club:e1", (entry("club:e1", "2024-01-05", "club:a", "club:b"),))
    of.edit("club:e2", (entry("club:e2", "2024-01-12", "club:b", "club:c"),))
    of.replay()
    return of


def hashed(monkeypatch: pytest.MonkeyPatch, head: bytes) -> list[bytes]:
    """What is hashed from here on under a head, as a list that fills."""
    seen: list[bytes] = []

    def watching(data: bytes = b"") -> "hashlib._Hash":  # type: ignore[name-defined]  # noqa: F821
        if data.startswith(head):
            seen.append(data)
        return sha256(data)

    monkeypatch.setattr(digests, "sha256", watching)
    return seen


def test_the_worked_rows() -> None:
    of = worked()
    assert {player: of.state(player) for player in ("club:a", "club:b", "club:c")} == {
        "club:a": (12_200, 1),
        "club:b": (12_012, 2),
        "club:c": (11_788, 1),
    }


def test_the_first_worked_period_is_its_72_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = hashed(monkeypatch, b"rerate.period.1\n")
    worked()
    assert seen[0].hex() == PERIOD_1.replace(" ", "")
    assert [len(raw) for raw in seen] == [72, 72]


def test_the_first_worked_input_is_its_77_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = hashed(monkeypatch, b"rerate.games.1\n")
    worked()
    assert [len(raw) for raw in seen] == [77, 77]


def test_the_worked_digests_of_periods_and_inputs() -> None:
    assert [(period.hex(), inputs.hex()) for _, period, inputs in worked().periods()] == [
        (
            "0b6ab2bee5d3baa6b9cbdb2c617f92df1fa4f32b42bc066da1c50fdbd9c81112",
            "d26dc1ed1156fa587e723cf77765f2b097951f11079ebd2b6dd569ac5afe5c45",
        ),
        (
            "e36afe2d8ff7d9b76a27ef74a8bd629cabe010d2018e49041236f1450ee4472d",
            "4b26c79644d4a35f51487013f40793ef1c252a515b304e88eac625a99949bb43",
        ),
    ]


def test_the_worked_digests_of_the_list_and_its_inputs() -> None:
    rows, inputs = worked().digest()
    assert rows.hex() == "2f8164e7f32fe478fc84823ff4ee539d248ccb6ce502b17bca3c046374df4247"
    assert inputs.hex() == "e0542ac7dec890e0d49d9a7055d662dcacf0cd0868cbbeed22730ade3a057c88"


def test_the_worked_seed_is_the_first_period_of_its_list() -> None:
    of = replay()
    of.seed("club:a", ("2023-12-31", (14_000, 20)))
    of.replay()
    period = bytes.fromhex("59f126e85d5d7bb5583a948a58eb94ddf355d5466ac0701b725e3196e341efa2")
    assert of.digest() == (sha256(b"rerate.list.1\n" + period).digest(), EMPTY_INPUTS)


def test_seeds_stand_before_the_periods_and_sort_by_id() -> None:
    of, other = worked(), worked()
    for replayed, persons in ((of, ("club:x", "club:X")), (other, ("club:X", "club:x"))):
        for person in persons:
            replayed.seed(person, ("2023-12-31", (14_000, 20)))
        replayed.replay()
    seeds = digests.seeds_digest({person: ("2023-12-31", bytes.fromhex("000036b014")) for person in ("club:x", "club:X")})
    periods = b"".join(period for _, period, _ in of.periods())
    assert of.digest() == other.digest()
    assert of.digest()[0] == sha256(b"rerate.list.1\n" + seeds + periods).digest()


def test_nothing_and_all_deleted_are_the_empty_list() -> None:
    assert replay().digest() == (EMPTY_LIST, EMPTY_INPUTS)
    of = worked()
    for event in ("club:e1", "club:e2"):
        of.edit(event, ())
    of.replay()
    assert of.digest() == (EMPTY_LIST, EMPTY_INPUTS)
    assert (of.row_count, of.player_count, list(of.periods())) == (0, 0, [])


def test_a_digest_says_nothing_of_the_way_there() -> None:
    of = replay()
    for half_points in (0, 1, 2):
        of.edit("club:e1", (entry("club:e1", "2024-01-05", "club:a", "club:b", half_points),))
        of.replay()
        of.digest()
    of.edit("club:e2", (entry("club:e2", "2024-01-12", "club:b", "club:c"),))
    of.replay()
    assert of.digest() == worked().digest()


def test_facts_that_differ_where_ratings_do_not_differ_in_the_input_alone() -> None:
    """Two draws, or a win each: the same rows from other games."""
    digest = []
    for results in ((1, 1), (2, 0)):
        of = replay()
        of.edit("club:e1", tuple(entry("club:e1", "2024-01-05", "club:a", "club:b", r, f"g{r}{n}") for n, r in enumerate(results)))
        of.replay()
        digest.append(of.digest())
    assert digest[0][0] == digest[1][0]
    assert digest[0][1] != digest[1][1]
