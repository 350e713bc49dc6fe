"""The laws are worth something: engines that are wrong in one place each are caught by the law that is named beside each.

The fold: it takes the newest ruling by arrival; the newest configuration by arrival; unmerges and withdrawals only if they come after what
they undo; facts for what they are by their place in the log, so that a repeated one counts twice.

The replay: it stops where nobody differs, without looking back; it skips a period of which only the list that it reads differs; it skips a
period in which only an opponent without a row differs; it passes over a block and leaves its checkpoint as it was; it keeps the running
digest after an edit in the middle; it compares rows by their state only; a list that empties forgets its seeds; games before a seed's new
date stay; bughouse is rated; games of running events are rated early by every list, by none, or in spite of a clash; a game's own day is
forgotten; adjustments without rows are forgotten, made for those who begin later, or made after their day.

The system: it rounds half to even; rounds every event of a period apart; takes K by the count after the period.

What is published: a deleted event leaves the snapshot; a peak is never lowered; carried rows are not sent; an edition that ends leaves its
rows; a list that returns begins with the first edition again, also after a restart; superseded facts have no standing.

Breakages of the fold alone that only the plainest fold shows are in `test_broken_folds.py`.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import count
from typing import Any, NamedTuple

import msgspec
import pytest

from rerate.history import History, JudgedGame, judging, names, rulings, whole_state
from rerate.messages.facts import Game, Identity, IdentityUnmerged
from rerate.pool import lists, pool, rows
from rerate.pool.pool import Pool
from rerate.ratings import club
from rerate.ratings.club import Club
from rerate.ratings.face import Row
from rerate.replay import entries, replay
from rerate.replay.adjusting import Adjusting
from rerate.replay.block import Block
from rerate.replay.walk import Walk
from tests.kit import pool_laws
from tests.kit.lagged import date_corrections, random_pool_history, rounding_ties
from tests.kit.sendable import Sendable

MOST = 400
"""Histories to try before an engine counts as not caught."""

Patch = pytest.MonkeyPatch
Law = Callable[[Sequence[Sendable]], None]


# ---------------------------------------------------------------------- the fold


def newest_ruling_by_arrival(patch: Patch) -> None:
    patch.setattr(rulings, "event_order", lambda fact: 0)


def newest_configuration_by_arrival(patch: Patch) -> None:
    arrived = count()
    patch.setattr(whole_state, "state_order", lambda fact, seen={}: seen.setdefault(id(fact), next(arrived)))


def unmerges_count_only_after_their_merge(patch: Patch) -> None:
    sound = History._move

    def move(self: History, fact: Any, *, enters: bool) -> None:
        if isinstance(fact.data, IdentityUnmerged) and enters:
            if fact.data.merge_id in {merge.data.merge_id for merge in self._merges.values()}:
                sound(self, fact, enters=True)
        elif fact.identity in self._unmerges or not isinstance(fact.data, IdentityUnmerged):
            sound(self, fact, enters=enters)

    patch.setattr(History, "_move", move)


def withdrawals_count_only_after_their_fact(patch: Patch) -> None:
    sound = names.Names.add

    def add(self: names.Names, fact: Any) -> Any:
        entering, leaving, standings = sound(self, fact)
        return ([fact], [], []) if not entering and fact.type != "rerate.fact-withdrawn.v1" else (entering, leaving, standings)

    patch.setattr(names.Names, "add", add)


def repeated_facts_count_twice(patch: Patch) -> None:
    sound = Pool._apply

    def apply(self: Pool, batch: Iterable[Any], *others: Any) -> None:
        placed = [
            (_at_its_place(fact, position.offset) if fact.identity in self._positions else fact, position) for fact, position in batch
        ]
        sound(self, placed, *others)

    patch.setattr(Pool, "_apply", apply)


def _at_its_place(fact: Any, offset: int) -> Any:
    source, name, digest = fact.identity
    return msgspec.structs.replace(fact, identity=Identity(source, name, digest[:-4] + offset.to_bytes(4, "big")))


# ---------------------------------------------------------------------- the replay


def stops_without_looking_back(patch: Patch) -> None:
    patch.setattr(Walk, "_settled", lambda self, block: not self.differing)


def skips_what_only_the_list_read_changes(patch: Patch) -> None:
    def touched(self: Walk, block: Block, index: int, old: Any, new: Any, differs: set[int]) -> bool:
        games = slice(block.game_starts[index], block.game_starts[index + 1])
        return not (differs.isdisjoint(block.games.white[games]) and differs.isdisjoint(block.games.black[games]))

    patch.setattr(Walk, "_touched", touched)


def skips_where_only_an_opponent_without_row_differs(patch: Patch) -> None:
    sound = Walk._touched

    def touched(self: Walk, block: Block, index: int, old: Any, new: Any, differs: set[int]) -> bool:
        own = set(block.row_players[block.row_starts[index] : block.row_starts[index + 1]])
        return not own.isdisjoint(differs) and sound(self, block, index, old, new, differs)

    patch.setattr(Walk, "_touched", touched)


def leaves_checkpoints_as_they_were(patch: Patch) -> None:
    patch.setattr(Walk, "_patch", lambda self, block: None)


def keeps_the_running_digest(patch: Patch) -> None:
    sound = replay.ListReplay.replay

    def replayed(self: replay.ListReplay) -> Any:
        kept = [*self._running]
        change = sound(self)
        if len(kept) > len(self._running):
            self._running = kept[: max(len(self._running), len(self._blocks))]
        return change

    patch.setattr(replay.ListReplay, "replay", replayed)


def compares_rows_by_state_only(patch: Patch) -> None:
    patch.setattr(Row, "__eq__", lambda self, other: self.state == other.state, raising=False)


def forgets_the_seeds_of_a_list_that_empties(patch: Patch) -> None:
    sound = Walk._visit

    def visit(self: Walk, block: Block, edits: Any) -> list[Block]:
        made = sound(self, block, edits)
        return made if made and made[0].keys else [Block([])]

    patch.setattr(Walk, "_visit", visit)


def leaves_games_before_a_seed(patch: Patch) -> None:
    sound = lists.LiveList.reseed

    def reseed(self: lists.LiveList, history: Any, person: str) -> set[str]:
        sound(self, history, person)
        return set()

    patch.setattr(lists.LiveList, "reseed", reseed)


def forgets_adjustments_without_rows(patch: Patch) -> None:
    patch.setattr(Walk, "_waiting_in", lambda self, since, until: [])


def adjusts_those_who_begin_later(patch: Patch) -> None:
    sound = Adjusting.rows
    patch.setattr(Adjusting, "rows", lambda self, system, states: sound(self._replace(not_yet=frozenset()), system, states))


def adjusts_after_the_day(patch: Patch) -> None:
    def key(kind: str, before: str, name: str) -> Any:
        when = before[:7] if kind == "month" else before
        return (f"{when}~", when, name)

    patch.setattr(replay, "adjustment_key", key)


def rates_bughouse(patch: Patch) -> None:
    sound = entries.takes
    patch.setattr(entries, "takes", lambda one, event: sound(one, msgspec.structs.replace(event, variant=None)))


def rates_running_events_on_every_list(patch: Patch) -> None:
    patch.setattr(entries, "sides_rated", lambda one, judged: judged.early if judged.why == "running" else judged.rated)


def rates_running_events_nowhere(patch: Patch) -> None:
    patch.setattr(entries, "sides_rated", lambda one, judged: judged.rated)


def rates_early_in_spite_of_a_clash(patch: Patch) -> None:
    sound = judging.judge

    def judge(games: Sequence[Game], is_running: bool, person: Callable[[str], str]) -> tuple[JudgedGame, ...]:
        judged = sound(games, is_running, person)
        return tuple(replace(one, early="both") if one.why == "running" and one.game.date is not None else one for one in judged)

    patch.setattr("rerate.history.events.judge", judge)


def forgets_the_days_of_games(patch: Patch) -> None:
    sound = replay.ListReplay.edit
    patch.setattr(
        replay.ListReplay, "edit", lambda self, event, entered: sound(self, event, tuple(one._replace(day="") for one in entered))
    )


# ---------------------------------------------------------------------- the system


def rounds_half_to_even(patch: Patch) -> None:
    def to_even(numerator: int, denominator: int) -> int:
        whole, rest = divmod(numerator, denominator)
        return whole + (2 * rest > denominator or (2 * rest == denominator and whole % 2 == 1))

    patch.setattr(club, "round_half_away", to_even)


def rounds_every_event_apart(patch: Patch) -> None:
    sound = Club._row

    def row(self: Club, scores: list[tuple[int, int, int]], frozen: Any, now: Any) -> Row:
        whole = sound(self, scores, frozen, now)
        apart = [sound(self, [score for score in scores if score[0] == line.event], frozen, (0, 0)).state[0] for line in whole.lines]
        return Row((now[0] + sum(apart), whole.state[1]), whole.lines)

    patch.setattr(Club, "_row", row)


def takes_k_by_the_count_after_the_period(patch: Patch) -> None:
    sound = Club._row
    patch.setattr(Club, "_row", lambda self, scores, frozen, now: sound(self, scores, (frozen[0], frozen[1] + len(scores)), now))


# ---------------------------------------------------------------------- what is published


def deleted_events_leave_the_snapshot(patch: Patch) -> None:
    sound = lists.snapshot_of
    shown: dict[Any, Any] = {}

    def snapshot_of(one: Any, person: str, seed_games: int) -> Any:
        shown[one, person] = sound(one, person, seed_games) or shown.get((one, person))
        return shown[one, person]

    patch.setattr(lists, "snapshot_of", snapshot_of)


def peaks_are_never_lowered(patch: Patch) -> None:
    sound = lists.snapshot_of
    peaks: dict[Any, Any] = {}

    def snapshot_of(one: Any, person: str, seed_games: int) -> Any:
        snapshot = sound(one, person, seed_games)
        if snapshot is None or snapshot.peak is None:
            return snapshot
        peaks[one, person] = max(peaks.get((one, person), snapshot.peak), snapshot.peak)
        return snapshot._replace(peak=peaks[one, person])

    patch.setattr(lists, "snapshot_of", snapshot_of)


def carried_rows_are_not_sent(patch: Patch) -> None:
    sound = lists.LiveList._emit_rows
    patch.setattr(lists.LiveList, "_emit_rows", lambda self, changes, emit: sound(self, [row for row in changes if row.direct], emit))


def editions_that_end_leave_their_rows(patch: Patch) -> None:
    patch.setattr(lists.LiveList, "row_keys", lambda self: iter(()))


def lists_that_return_begin_again(patch: Patch) -> None:
    sound = Pool._leave

    def leave(self: Pool, old: Any, collected: Any) -> None:
        sound(self, old, collected)
        del self._left[old.config.id]

    patch.setattr(Pool, "_leave", leave)


def editions_begin_again_after_a_restart(patch: Patch) -> None:
    sound = Pool._begin

    def begin(self: Pool, head: bytes | None) -> None:
        sound(self, head)
        self._left = {}

    patch.setattr(Pool, "_begin", begin)


def superseded_facts_have_no_standing(patch: Patch) -> None:
    sound = rows.standing_value

    def value(pool_id: str, name: Any, row: Any) -> Any:
        return sound(pool_id, name, replace(row, contents=tuple(one for one in row.contents if one.standing != "superseded")))

    patch.setattr(pool, "standing_value", value)


class Broken(NamedTuple):
    """An engine that is wrong in one place, the law that catches it, and histories that show it."""

    by: Callable[[Patch], None]
    law: Law
    histories: Callable[[int], Sequence[Sendable]] = random_pool_history


ENGINES = [
    Broken(newest_ruling_by_arrival, pool_laws.order_free),
    Broken(newest_configuration_by_arrival, pool_laws.order_free),
    Broken(unmerges_count_only_after_their_merge, pool_laws.unmerged),
    Broken(withdrawals_count_only_after_their_fact, pool_laws.withdrawn),
    Broken(repeated_facts_count_twice, pool_laws.order_free),
    Broken(stops_without_looking_back, pool_laws.incremental, date_corrections),
    Broken(skips_what_only_the_list_read_changes, pool_laws.incremental, date_corrections),
    Broken(skips_where_only_an_opponent_without_row_differs, pool_laws.incremental),
    Broken(leaves_checkpoints_as_they_were, pool_laws.incremental),
    Broken(keeps_the_running_digest, pool_laws.incremental),
    Broken(compares_rows_by_state_only, pool_laws.incremental),
    Broken(forgets_the_seeds_of_a_list_that_empties, pool_laws.incremental),
    Broken(leaves_games_before_a_seed, pool_laws.order_free),
    Broken(forgets_adjustments_without_rows, pool_laws.incremental),
    Broken(adjusts_those_who_begin_later, pool_laws.as_plain),
    Broken(adjusts_after_the_day, pool_laws.as_plain),
    Broken(rates_bughouse, pool_laws.only_played),
    Broken(rates_running_events_on_every_list, pool_laws.only_played),
    Broken(rates_running_events_nowhere, pool_laws.only_played),
    Broken(rates_early_in_spite_of_a_clash, pool_laws.only_played),
    Broken(forgets_the_days_of_games, pool_laws.as_plain),
    Broken(rounds_half_to_even, pool_laws.as_plain, rounding_ties),
    Broken(rounds_every_event_apart, pool_laws.adds_up),
    Broken(takes_k_by_the_count_after_the_period, pool_laws.as_plain),
    Broken(deleted_events_leave_the_snapshot, pool_laws.incremental),
    Broken(peaks_are_never_lowered, pool_laws.corrected_back),
    Broken(carried_rows_are_not_sent, pool_laws.incremental),
    Broken(editions_that_end_leave_their_rows, pool_laws.incremental),
    Broken(lists_that_return_begin_again, pool_laws.incremental),
    Broken(editions_begin_again_after_a_restart, pool_laws.restored),
    Broken(superseded_facts_have_no_standing, pool_laws.accounted),
]


def caught_at(engine: Broken) -> int | None:
    """The number of the first history that breaks the law, None if none does. An engine that halts is caught, too."""
    for number in range(MOST):
        try:
            engine.law(engine.histories(number))
        except Exception:  # whatever a broken engine comes to
            return number
    return None


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.by.__name__)
def test_a_broken_engine_is_caught_where_the_sound_one_is_not(engine: Broken) -> None:
    with pytest.MonkeyPatch.context() as patch:
        engine.by(patch)
        number = caught_at(engine)
    assert number is not None
    for sound in range(number + 1):
        engine.law(engine.histories(sound))
