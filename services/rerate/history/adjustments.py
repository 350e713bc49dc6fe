"""Which changes of ratings that people ordered are in use on which list.

Of each (list, adjustment id) the last counts, if its list can use it. Players are named by raw ids; who they are is the merges' matter.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import cast

from rerate.history.identities import Persons
from rerate.history.values import Adjustment, ContentStanding
from rerate.history.whole_state import WholeState
from rerate.messages.codes import NO_EFFECT, StandingReason
from rerate.messages.facts import Fact, PoolConfigured, RatingAdjusted, RatingList

AdjustmentProblem = Callable[[RatingList | None, RatingAdjusted], str | None]
"""Why a list (None: the pool has none of this id) cannot use an adjustment: `list`, `state`, or None."""

Subject = tuple[str, str]
"""List, adjustment id."""


class Adjustments:
    """The adjustments of a pool, per list."""

    def __init__(self, adjustment_problem: AdjustmentProblem) -> None:
        self._adjustment_problem = adjustment_problem
        self._adjustments: WholeState[Subject] = WholeState()
        self._on: dict[str, dict[Subject, int]] = {}
        """List -> its adjustments -> facts."""
        self._naming: dict[str, dict[Subject, int]] = {}
        """Raw id -> adjustments that name it -> facts that do."""
        self._in_use: dict[str, dict[str, Adjustment]] = {}

    def enter(self, fact: Fact, data: RatingAdjusted) -> None:
        subject = data.list, data.adjustment
        self._adjustments.enter(subject, fact)
        _count(self._on, data.list, subject)
        for player in data.players or ():
            _count(self._naming, player, subject)

    def leave(self, fact: Fact, data: RatingAdjusted) -> None:
        subject = data.list, data.adjustment
        self._adjustments.leave(subject, fact)
        _discount(self._on, data.list, subject)
        for player in data.players or ():
            _discount(self._naming, player, subject)

    def of(self, list_id: str) -> Mapping[str, Adjustment]:
        """Adjustment id -> adjustment in use on a list."""
        return self._in_use.get(list_id, {})

    def settle(
        self, configuration: PoolConfigured | None, lists: Iterable[str], persons: Persons, ids: Iterable[str]
    ) -> Iterator[tuple[Subject | None, list[ContentStanding]]]:
        """Bring the adjustments in use up to date.

        Args:
            lists: ids of the lists that are configured in another way than before.
            ids: raw ids that are another person than before.

        Yields:
            (list, adjustment id) if another adjustment is in use there than before, else None; and standings that may have changed.
        """
        stale = self._adjustments.touched()
        stale.update(subject for list_id in lists for subject in self._on.get(list_id, ()))
        stale.update(subject for raw in ids for subject in self._naming.get(raw, ()))
        configured = {} if configuration is None else {rating_list.id: rating_list for rating_list in configuration.lists}
        for subject in stale:
            list_id, adjustment_id = subject
            standings = self._adjustments.standings(subject)
            newest = self._adjustments.newest.get(subject)
            adjustment = None
            if newest is not None:
                adjusted = cast(RatingAdjusted, newest.data)
                problem = self._adjustment_problem(configured.get(list_id), adjusted)
                if problem is None:
                    adjustment = _in_use(adjusted, persons)
                else:
                    standings = [
                        replace(content, standing=NO_EFFECT, reason=cast(StandingReason, problem))
                        if content.identity == newest.identity
                        else content
                        for content in standings
                    ]
            is_other = adjustment != self.of(list_id).get(adjustment_id)
            self._put(subject, adjustment)
            yield subject if is_other else None, standings

    def _put(self, subject: Subject, adjustment: Adjustment | None) -> None:
        list_id, adjustment_id = subject
        if adjustment is not None:
            self._in_use.setdefault(list_id, {})[adjustment_id] = adjustment
        elif list_id in self._in_use:
            self._in_use[list_id].pop(adjustment_id, None)
            if not self._in_use[list_id]:
                del self._in_use[list_id]


def _in_use(data: RatingAdjusted, persons: Persons) -> Adjustment | None:
    """What an adjustment says by now; None if it withdraws itself."""
    if data.change is None:
        return None
    kind, value = data.change
    who = None if data.players is None else tuple(sorted({persons.of(player) for player in data.players}))
    return Adjustment(id=data.adjustment, before=data.before, kind=kind, value=value, persons=who)


def _count(counts: dict[str, dict[Subject, int]], key: str, subject: Subject) -> None:
    of_key = counts.setdefault(key, {})
    of_key[subject] = of_key.get(subject, 0) + 1


def _discount(counts: dict[str, dict[Subject, int]], key: str, subject: Subject) -> None:
    of_key = counts[key]
    of_key[subject] -= 1
    if not of_key[subject]:
        del of_key[subject]
    if not of_key:
        del counts[key]
