"""The laws that the fold alone can keep: order-free, incremental, exact undo, agreement with the plainest fold."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations, permutations
from random import Random
from typing import Any

import pytest

from rerate.history import Changes, History
from rerate.messages.facts import Fact
from tests.kit.histories import WORLD, Data, Sendable, facts_of, histories, random_of, small_alphabet
from tests.kit.laws import law
from tests.kit.plain_fold import plain_fold
from tests.kit.told import told


def folded(facts: Iterable[Fact]) -> History:
    """A fresh history that was given everything at once."""
    history = History()
    history.add(facts)
    return history


def inside(thing: Any) -> Any:
    """Everything that a room's object keeps, hidden state too, as values that compare."""
    if type(thing).__module__.startswith("rerate.history") and hasattr(thing, "__dict__"):
        return {name: inside(value) for name, value in vars(thing).items()}
    if isinstance(thing, dict):
        return {key: inside(value) for key, value in thing.items()}
    return thing


def batches(random: Random, facts: Sequence[Fact]) -> list[list[Fact]]:
    """The facts in any order, some of them again, cut anywhere."""
    sent = [*facts, *(fact for fact in facts if random.random() < 0.2)]
    random.shuffle(sent)
    cuts = sorted(random.sample(range(len(sent) + 1), min(len(sent), random.randint(0, 4))))
    return [sent[low:high] for low, high in zip([0, *cuts], [*cuts, len(sent)], strict=True)]


@law(histories())
def test_any_order_repetition_and_split_ends_in_the_same_state(history: list[Sendable]) -> None:
    facts = facts_of(history)
    in_parts = History()
    for batch in batches(random_of(history), facts):
        in_parts.add(batch)
    assert inside(in_parts) == inside(folded(facts))
    assert told(in_parts) == told(folded(facts))


@law(histories())
def test_incremental_equals_from_scratch_after_every_prefix(history: list[Sendable]) -> None:
    facts = facts_of(history)
    one_by_one = History()
    for place, fact in enumerate(facts, start=1):
        one_by_one.add([fact])
        assert inside(one_by_one) == inside(folded(facts[:place]))


@dataclass
class Mirror:
    """What a reader of nothing but changes holds."""

    events: Data = field(default_factory=dict)
    identities: Data = field(default_factory=dict)
    standings: dict[Any, Any] = field(default_factory=dict)
    configuration: Any = None

    def follow(self, changes: Changes) -> None:
        """Apply changes, each of which must be a real one that starts from what is held."""
        pairs: list[tuple[dict[Any, Any], dict[Any, tuple[Any, Any]]]] = [
            (self.events, {**changes.events}),
            (self.identities, {**changes.identities}),
            (self.standings, {**changes.standings}),
        ]
        for held, changed in pairs:
            for key, (old, new) in changed.items():
                assert old != new
                assert held.pop(key, None) == old
                if new is not None:
                    held[key] = new
        if changes.configuration is not None:
            before, after = changes.configuration
            assert before != after
            assert self.configuration == before
            self.configuration = after


def seeds_of(state: History) -> Data:
    """Seeds in use by (list, person)."""
    return {(name, who): group for name in WORLD.lists for who, group in state.seeds(name).items()}


def adjustments_of(state: History) -> Data:
    """Adjustments in use by (list, id)."""
    return {(name, one): adjustment for name in WORLD.lists for one, adjustment in state.adjustments(name).items()}


def differing(before: Data, after: Data) -> set[Any]:
    """Keys of what is not the same in both."""
    return {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}


@law(histories())
def test_changes_are_exactly_what_differs(history: list[Sendable]) -> None:
    state, mirror = History(), Mirror()
    for batch in batches(random_of(history), facts_of(history)):
        before, adjusted_before = seeds_of(state), adjustments_of(state)
        changes = state.add(batch)
        mirror.follow(changes)
        assert changes.seeds == differing(before, seeds_of(state))
        assert changes.adjusted == differing(adjusted_before, adjustments_of(state))
        assert mirror.events == state.events
        assert mirror.configuration == state.configuration
        assert mirror.identities == {raw: row for raw in WORLD.players if (row := state.identity(raw)) is not None}
        assert mirror.standings == {identity.name: state.standing(identity.name) for identity in state.facts}


def but_for(names: set[tuple[str, str]], history: list[Sendable], facts: list[Sendable]) -> Data:
    """What facts come to, but for the standings under some names and of withdrawals in the history that wait for them."""
    waiting = {(sent.source, sent.id) for sent in history if (sent.data.get("source"), sent.data.get("id")) in names}
    said = told(folded(facts_of(facts)))
    return said | {"standings": {name: row for name, row in said["standings"].items() if name not in names | waiting}}


@law(histories(max_length=18))
def test_withdrawn_is_as_if_never_sent(history: list[Sendable]) -> None:
    random = random_of(history)
    target = random.choice(history)
    about = {(target.source, target.id)}
    data = {"pool": WORLD.pool, "source": target.source, "id": target.id}
    withdrawn = [*history, Sendable("rerate.fact-withdrawn.v1", "w/s1", "the-withdrawal", data, "w:office")]
    random.shuffle(withdrawn)
    never = [sent for sent in history if (sent.source, sent.id) not in about or sent.type == "rerate.fact-withdrawn.v1"]
    assert but_for(about, withdrawn, withdrawn) == but_for(about, withdrawn, never)


@law(histories(max_length=18))
def test_unmerged_is_as_if_never_merged(history: list[Sendable]) -> None:
    random = random_of(history)
    merge_id = random.choice(WORLD.merge_ids)
    unmerged = [
        *history,
        Sendable("rerate.identity-unmerged.v1", "w/s1", "the-unmerge", {"pool": WORLD.pool, "merge_id": merge_id}, "w:office"),
    ]
    random.shuffle(unmerged)
    about = {(sent.source, sent.id) for sent in unmerged if sent.data.get("merge_id") == merge_id}
    never = [sent for sent in history if sent.data.get("merge_id") != merge_id]
    assert but_for(about, unmerged, unmerged) == but_for(about, unmerged, never)


@law(histories())
def test_the_plainest_fold_says_the_same(history: list[Sendable]) -> None:
    state = History()
    for batch in batches(random_of(history), facts_of(history)):
        state.add(batch)
    assert told(state) == plain_fold(history)


@pytest.mark.parametrize("size", [1, 2, 3])
def test_every_small_set_in_every_order(size: int) -> None:
    alphabet = [(sent, sent.fact()) for sent in small_alphabet()]
    for chosen in combinations(alphabet, size):
        expected = plain_fold(sent for sent, _ in chosen)
        for order in permutations(fact for _, fact in chosen):
            state = History()
            for fact in order:
                state.add([fact])
            assert told(state) == expected, [sent for sent, _ in chosen]
