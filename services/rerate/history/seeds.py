"""Which ratings from elsewhere a list starts its persons from.

Of each (list, player) the newest seed counts, if its list can use it. Of a person's usable seeds on a list the naming id's is chosen, else
the one with the newest `as_of`, then of the smallest id; the others give their counters only.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import cast

from rerate.history.identities import Persons
from rerate.history.values import ContentStanding, SeedGroup
from rerate.history.whole_state import WholeState, is_same
from rerate.messages.codes import COUNTERS_ONLY, NO_EFFECT, StandingReason
from rerate.messages.facts import Fact, PoolConfigured, RatingList, RatingSeeded

SeedProblem = Callable[[RatingList | None, RatingSeeded], str | None]
"""Why a list (None: the pool has none of this id) cannot use a seed: `list`, `state`, or None."""


class Seeds:
    """The seeds of a pool, per list and person."""

    def __init__(self, seed_problem: SeedProblem) -> None:
        self._seed_problem = seed_problem
        self._seeds: WholeState[tuple[str, str]] = WholeState()
        self._players: dict[str, dict[str, int]] = {}
        """List -> player -> facts."""
        self._groups: dict[str, dict[str, SeedGroup]] = {}

    def enter(self, fact: Fact, data: RatingSeeded) -> None:
        self._seeds.enter((data.list, data.player), fact)
        players = self._players.setdefault(data.list, {})
        players[data.player] = players.get(data.player, 0) + 1

    def leave(self, fact: Fact, data: RatingSeeded) -> None:
        self._seeds.leave((data.list, data.player), fact)
        players = self._players[data.list]
        players[data.player] -= 1
        if not players[data.player]:
            del players[data.player]
        if not players:
            del self._players[data.list]

    def groups(self, list_id: str) -> Mapping[str, SeedGroup]:
        """Person -> seeds in use on a list."""
        return self._groups.get(list_id, {})

    def lists(self) -> Iterable[str]:
        """Ids of the lists that use a seed."""
        return self._groups

    def newest(self, list_id: str, players: Iterable[str]) -> list[RatingSeeded]:
        """The newest seed of each of the ids on a list, whether the list can use it or not."""
        found = (self._seeds.newest.get((list_id, player)) for player in players)
        return [cast(RatingSeeded, fact.data) for fact in found if fact is not None]

    def settle(
        self, configuration: PoolConfigured | None, lists: Iterable[str], persons: Persons, changed: Iterable[str]
    ) -> Iterator[tuple[tuple[str, str] | None, list[ContentStanding]]]:
        """Bring the groups up to date.

        Args:
            lists: ids of the lists that are configured in another way than before.
            changed: persons who consist of other ids than before.

        Yields:
            (list, person) if that group changed, else None; and standings that may have changed.
        """
        stale = {(list_id, persons.of(player)) for list_id, player in self._seeds.touched()}
        stale.update((list_id, persons.of(player)) for list_id in lists for player in self._players.get(list_id, ()))
        stale.update((list_id, person) for person in changed for list_id in self._players.keys() | self._groups.keys())
        configured = {} if configuration is None else {rating_list.id: rating_list for rating_list in configuration.lists}
        for list_id, person in stale:
            group, standings = self._group(configured.get(list_id), list_id, person, persons)
            old = self.groups(list_id).get(person)
            if group is not None:
                self._groups.setdefault(list_id, {})[person] = group
            elif old is not None:
                del self._groups[list_id][person]
                if not self._groups[list_id]:
                    del self._groups[list_id]
            yield None if is_same(group, old) else (list_id, person), standings

    def _group(
        self, rating_list: RatingList | None, list_id: str, person: str, persons: Persons
    ) -> tuple[SeedGroup | None, list[ContentStanding]]:
        """The seeds of one person on one list, and the standing of each fact about them."""
        standings: list[ContentStanding] = []
        usable: list[tuple[RatingSeeded, ContentStanding]] = []
        for player in persons.ids_of(person):
            newest = self._seeds.newest.get((list_id, player))
            for content in self._seeds.standings((list_id, player)):
                if newest is None or content.identity != newest.identity:
                    standings.append(content)
                    continue
                seed = cast(RatingSeeded, newest.data)
                problem = self._seed_problem(rating_list, seed)
                if problem is None:
                    usable.append((seed, content))
                else:
                    standings.append(replace(content, standing=NO_EFFECT, reason=cast(StandingReason, problem)))
        if not usable:
            return None, standings
        newest_as_of = max(seed.as_of for seed, _ in usable)
        own = [seed for seed, _ in usable if seed.player == person]
        chosen = (own or [seed for seed, _ in usable if seed.as_of == newest_as_of])[0]
        standings += [content if seed is chosen else replace(content, reason=COUNTERS_ONLY) for seed, content in usable]
        return SeedGroup(chosen=chosen, others=tuple(seed for seed, _ in usable if seed is not chosen)), standings
