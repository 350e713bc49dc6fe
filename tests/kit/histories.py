"""Random histories of one pool: every kind of fact, late, repeated, corrected, ruled on, merged, withdrawn, in conflict.

A history is a list of `Sendable`: a fact as a publisher sends it (`type`, `source`, `id`, `actor`, `data`), which gives the `Fact` that
reading makes of it and the message for a log. All are accepted facts; few players, events, games, ids and revisions make them collide.

* `random_history(random, length, world)` draws from a seeded `random.Random`: the same seed, length and world give the same history.
* `histories(...)` is a Hypothesis strategy over it, whose failing examples shrink fact by fact; `random_of(history)` gives further choices.
* `small_alphabet()` is some twenty facts that touch one another, for tests of every set of a few in every order.

A `World` says what there is to draw from, and how often each kind comes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from hypothesis import strategies as st

from tests.kit.alphabet import small_alphabet
from tests.kit.sendable import Data, Sendable, facts_of

__all__ = ["WORLD", "Data", "Sendable", "World", "facts_of", "histories", "random_fact", "random_history", "random_of", "small_alphabet"]

WEIGHTS: Mapping[str, int] = {
    "publication": 24,
    "correction": 16,
    "deletion": 6,
    "ruling": 14,
    "ruled_deletion": 4,
    "merge": 11,
    "unmerge": 4,
    "configuration": 6,
    "registration": 6,
    "seed": 11,
    "withdrawal": 6,
    "unknown": 2,
    "adjustment": 3,
}
"""How often each kind of fact comes."""


@dataclass(frozen=True)
class World:
    """What a history is drawn from. Ids of events are of the authority of `sources`."""

    pool: str = "w:pool"
    players: tuple[str, ...] = ("w:Z", "w:a", "w:b", "w:c", "w:d")
    """Upper case sorts before lower case: ids are compared as bytes."""
    events: tuple[str, ...] = ("w:e1", "w:e2", "w:e3")
    games: tuple[str, ...] = ("g1", "g2", "g3")
    most_games: int = 3
    """Of a publication."""
    rounds: int = 2
    dates: tuple[str, ...] = ("2024-01-05", "2024-01-12", "2024-02-02", "2024-02-29")
    revisions: int = 4
    sources: tuple[str, ...] = ("w/s1", "w/s2")
    """Of publishers; the office writes through them too, so that names collide between kinds."""
    shared_ids: int = 3
    """Ids that are used again and again; other ids are used once."""
    merge_ids: tuple[str, ...] = ("w:m1", "w:m2", "w:m3", "w:m4")
    rulings: tuple[str, ...] = ("r1", "r2")
    actors: tuple[str, ...] = ("w:office", "w:chair")
    lists: tuple[str, ...] = ("elo", "fast")
    adjustments: tuple[str, ...] = ("a1", "a2")
    formulas: tuple[str, ...] = ("unheard-of",)
    """Of adjustments; a test may name some that its systems have."""
    categories: tuple[str, ...] = ("club", "cup")
    systems: tuple[str, ...] = ("club/1",)
    """Versions of systems that configurations name; a test may add a system of its own."""
    parameters: tuple[Data, ...] = ({}, {"k_new": 32}, {"start": "1500", "provisional_below": 2}, {"k_policy": "per_game"})
    periods: tuple[str, ...] = ("event", "event", "date", "round")
    quanta: tuple[str, ...] = ("0.1", "0.1", "0.01")
    odd_configurations: bool = True
    """Now and then a list of an unknown system, or with parameters its system refuses: such a list is held."""
    unknown_semantics: bool = False
    """Now and then a configuration that halts the pool."""
    weights: Mapping[str, int] = field(default_factory=lambda: dict(WEIGHTS))


WORLD = World()


def random_history(random: Random, length: int, world: World = WORLD, *, is_configured: bool = True) -> list[Sendable]:
    """A history of `length` random facts; one in ten is sent again somewhere else.

    Args:
        is_configured: whether a first configuration with one plain list is there in any case.
    """
    facts = [random_fact(random, world) for _ in range(length)]
    facts += [random.choice(facts) for _ in range(length // 10)]
    random.shuffle(facts)
    return [*([first_configuration(world)] if is_configured else []), *facts]


def histories(world: World = WORLD, *, max_length: int = 25, is_configured: bool = True) -> st.SearchStrategy[list[Sendable]]:
    """Hypothesis strategy: random histories of up to about `max_length` facts, most of them long, that shrink fact by fact.

    One number is the seed and one byte per fact says whether it stays (zero: no), which Hypothesis leaves nearly always and shrinks one by
    one. With a number per fact its mutations made 80 % of all examples variations of a few numbers.
    """

    def drawn(seed: int, stays: bytes) -> list[Sendable]:
        random = Random(seed)
        length = max(random.randint(1, max_length), random.randint(1, max_length))
        first, *others = random_history(random, length, world)
        kept = [sent for sent, stay in zip(others, stays, strict=False) if stay]
        return [first, *kept] if is_configured else kept

    size = max_length + max_length // 10
    return st.tuples(st.integers(0, 2**64 - 1), st.binary(min_size=size, max_size=size)).map(lambda pair: drawn(*pair))


def random_of(history: Sequence[Sendable]) -> Random:
    """A source of choices that belongs to a history: the same history, the same choices.

    Take it instead of a second number from Hypothesis, which would mix the two up (see `histories`).
    """
    return Random(" ".join(f"{sent.source}/{sent.id}" for sent in history))


def first_configuration(world: World = WORLD) -> Sendable:
    """One plain list, revision 1."""
    lists = [{"id": world.lists[0], "quantum": "0.1", "shown": "1", "period": "event", "rules": [_rule(world.systems[0], {})]}]
    data = {"pool": world.pool, "revision": 1, "lists": lists}
    return Sendable("rerate.pool-configured.v1", world.sources[0], "first-configuration", data)


def random_fact(random: Random, world: World = WORLD) -> Sendable:
    """One fact of any kind."""
    kinds = list(world.weights)
    kind = random.choices(kinds, [world.weights[name] for name in kinds])[0]
    source = random.choice(world.sources)
    fact_id = str(random.randrange(world.shared_ids)) if random.random() < 0.25 else f"f{random.randrange(10**9)}"
    name, data, is_decided = _KINDS[kind](random, world)
    actor = random.choice(world.actors) if is_decided or random.random() < 0.05 else None
    return Sendable(name if name.startswith("rerate.") else f"rerate.{name}.v1", source, fact_id, {"pool": world.pool, **data}, actor)


Drawn = tuple[str, Data, bool]
"""Type (without `rerate.` and version if it is 1), data without its pool, and whether a person must have decided."""


def _publication(random: Random, world: World) -> Drawn:
    event: Data = {
        "id": random.choice(world.events),
        "date": random.choice(world.dates),
        "category": random.choice(world.categories),
        "status": random.choice(["final"] * 7 + ["running"]),
    }
    if random.random() < 0.2:
        event["order"] = random.randint(-1, 1)
    if random.random() < 0.2:
        event["start_date"] = min(random.choice(world.dates), event["date"])
    if random.random() < 0.1:
        event["lists"] = random.sample(world.lists, random.randint(0, len(world.lists)))
    if random.random() < 0.08:
        event["variant"] = random.choice(["standard", "bughouse"])
    return "result-published", {"event": event, "games": _games(random, world, world.most_games), **_revision(random, world)}, False


def _correction(random: Random, world: World) -> Drawn:
    games = _games(random, world, 2)
    left = [game for game in world.games if game not in {put["id"] for put in games}]
    data: Data = {"event_id": random.choice(world.events), "reason": "wrong-result", **_revision(random, world)}
    if games:
        data["games"] = games
    if random.random() < 0.3 and left:
        data["removed"] = random.sample(left, 1)
    if random.random() < 0.5:
        data["set"] = _event_fields(random, world)
    return "result-corrected", data, False


def _deletion(random: Random, world: World) -> Drawn:
    mode = random.choice(["void", "void", "archive"])
    event = random.choice(world.events)
    return "event-deleted", {"event_id": event, "revision": _number(random, world), "mode": mode, "reason": "never-played"}, False


def _ruling(random: Random, world: World) -> Drawn:
    data: Data = {"event_id": random.choice(world.events), "ruling": _ruling_name(random, world), "reason": "ruling"}
    places = random.sample(world.games, random.choice([0, 1, 1, 2, 3][: len(world.games) + 2]))
    for game in places:
        kind = random.choice(["games", "games", "removed", "added"])
        if kind == "added":
            data.setdefault("added", []).append(_game(random, world, game))
        else:
            item = {"id": game} | _sides(random, world, game)
            if random.random() < 0.1:
                item.pop(random.choice(["white", "black"]))
            data.setdefault(kind, []).append(item if kind == "removed" else item | {"fields": _game_fields(random, world)})
    if random.random() < 0.3:
        data["set"] = _event_fields(random, world)
    return "result-corrected", data, True


def _ruled_deletion(random: Random, world: World) -> Drawn:
    data: Data = {"event_id": random.choice(world.events), "ruling": _ruling_name(random, world), "reason": "ruling"}
    mode = random.choice(["void", "archive", None])
    return "event-deleted", data if mode is None else data | {"mode": mode}, True


def _merge(random: Random, world: World) -> Drawn:
    data: Data = {
        "merge_id": random.choice(world.merge_ids),
        "alias": random.choice(world.players),
        "player": random.choice(world.players),
    }
    if random.random() < 0.3:
        data["events"] = random.sample(world.events, random.randint(1, min(2, len(world.events))))
    return "identity-merged", data, True


def _unmerge(random: Random, world: World) -> Drawn:
    return "identity-unmerged", {"merge_id": random.choice(world.merge_ids)}, True


def _configuration(random: Random, world: World) -> Drawn:
    lists = [_list(random, world, name) for name in random.sample(world.lists, random.randint(1, len(world.lists)))]
    data: Data = {"revision": random.randint(1, 3), "lists": lists}
    if world.unknown_semantics and random.random() < 0.2:
        data["semantics"] = 2
    return "pool-configured", data, False


def _list(random: Random, world: World, name: str) -> Data:
    quantum = random.choice(world.quanta)
    rules = [_rule(random.choice(world.systems), random.choice(world.parameters))]
    if random.random() < 0.3:
        rules.append(_rule(random.choice(world.systems), random.choice(world.parameters)) | {"from": random.choice(world.dates)})
    if world.odd_configurations and random.random() < 0.1:
        rules[0] |= random.choice([{"system": "unheard-of/1"}, {"parameters": {"k_old": 1}}])
    rating_list: Data = {"id": name, "quantum": quantum, "shown": "1", "period": random.choice(world.periods), "rules": rules}
    if random.random() < 0.2:
        rating_list["categories"] = random.sample(world.categories, 1)
    if random.random() < 0.15:
        rating_list["from"] = world.dates[random.randint(0, 1)]
    if random.random() < 0.15:
        rating_list["until"] = world.dates[-1]
    return rating_list


def _rule(system: str, parameters: Data) -> Data:
    return {"system": system, "parameters": parameters}


def _registration(random: Random, world: World) -> Drawn:
    traits = {"birth_year": random.choice([1980, 2012])} if random.random() < 0.8 else {}
    return "player-registered", {"player": random.choice(world.players[:3]), "revision": random.randint(1, 2), "traits": traits}, False


def _seed(random: Random, world: World) -> Drawn:
    state: Data = {"rating": random.choice(["900", "1400", "1812.5"]), "games": random.choice([0, 3, 30])}
    if random.random() < 0.1:
        state = {"strength": 7}
    data = {
        "list": random.choice([*world.lists, world.lists[0]]),
        "player": random.choice(world.players[:3]),
        "revision": random.randint(1, 2),
        "as_of": random.choice(["2023-12-31", "2023-12-31", *world.dates[:2]]),
        "state": state,
        "origin": {"code": "elsewhere"},
    }
    return "rating-seeded", data, False


def _adjustment(random: Random, world: World) -> Drawn:
    """Of the whole list or of some players; one in six withdraws what stands under its id."""
    data: Data = {
        "adjustment": random.choice([*world.adjustments, world.adjustments[0]]),
        "revision": random.randint(1, 2),
        "list": random.choice([*world.lists, world.lists[0]]),
        "before": random.choice(["2023-12-31", *world.dates]),
        "reason": random.choice(["base-correction", "one-time-raise"]),
    }
    values = {"set": ["1100", "1612.5", "1612.5", "1500.05"], "add": ["25", "-12.5", "0.05"], "formula": world.formulas}
    kind = random.choice(["set", "set", "add", "add", "formula", None])
    if kind is not None:
        data[kind] = random.choice(values[kind])
    if kind == "set" or random.random() < 0.6:
        data["players"] = random.sample(world.players, random.randint(1, 3))
    return "rating-adjusted", data, True


def _withdrawal(random: Random, world: World) -> Drawn:
    return "fact-withdrawn", {"source": random.choice(world.sources), "id": str(random.randrange(world.shared_ids))}, True


def _unknown(random: Random, world: World) -> Drawn:
    return random.choice(["rerate.rating-adjusted.v2", "rerate.result-published.v2"]), {"points": random.randint(1, 2)}, False


_KINDS = {
    "publication": _publication,
    "correction": _correction,
    "deletion": _deletion,
    "ruling": _ruling,
    "ruled_deletion": _ruled_deletion,
    "merge": _merge,
    "unmerge": _unmerge,
    "configuration": _configuration,
    "registration": _registration,
    "seed": _seed,
    "withdrawal": _withdrawal,
    "unknown": _unknown,
    "adjustment": _adjustment,
}


def _number(random: Random, world: World) -> int:
    return random.randint(1, world.revisions)


def _revision(random: Random, world: World) -> Data:
    """A revision, and perhaps which one it was made from."""
    revision = _number(random, world)
    return {"revision": revision} | ({"saw": random.choice([revision - 1, random.randint(0, revision)])} if random.random() < 0.3 else {})


def _ruling_name(random: Random, world: World) -> Data:
    return {"id": random.choice(world.rulings), "revision": random.randint(1, 2)}


def _games(random: Random, world: World, most: int) -> list[Data]:
    return [_game(random, world, game) for game in random.sample(world.games, random.randint(0, min(most, len(world.games))))]


def _game(random: Random, world: World, game_id: str) -> Data:
    game: Data = {"id": game_id} | _sides(random, world, game_id)
    game["result"] = random.choice(["1-0", "1/2-1/2", "0-1"] * 4 + ["0-0", "1/2-0", "+/-", "-/-", "*", "bye-half", "bye-pairing"])
    if random.random() < 0.75:
        game["round"] = random.randint(1, world.rounds)
    if random.random() < 0.2:
        game["board"] = random.randint(1, 3)
    if game["result"] in ("0-0", "1/2-0") or random.random() < 0.06:
        game["rated"] = random.choice(["both", "none", "white", "black"])
        if game["rated"] != "both" and random.random() < 0.5:
            game["unrated_reason"] = "casual"
    if game["result"].startswith("bye"):
        game.pop(random.choice(["white", "black"]))
        if game["result"] == "bye-pairing":
            game["points"] = random.randint(0, 2)
    elif random.random() < 0.03:
        game.pop("black")
    return game


def _sides(random: Random, world: World, game_id: str) -> Data:
    """Mostly the two players that this game always has, so that rulings find it; else any two, perhaps twice the same."""
    first = world.games.index(game_id) if random.random() < 0.85 else random.randrange(len(world.players))
    second = first + 1 if random.random() < 0.9 else random.randrange(len(world.players))
    return {"white": world.players[first % len(world.players)], "black": world.players[second % len(world.players)]}


def _game_fields(random: Random, world: World) -> Data:
    fields: Data = {
        "result": random.choice(["1-0", "0-1", "1/2-1/2", "0-0", "bye-half", "+/-"]),
        "white": random.choice([*world.players, None]),
        "black": random.choice(world.players),
        "round": random.choice([1, 2, None]),
        "rated": random.choice(["both", "none", "white", None]),
        "unrated_reason": random.choice(["casual", None]),
        "points": random.choice([1, None]),
    }
    named = random.choices(list(fields), [6, 2, 2, 2, 3, 1, 1], k=random.randint(1, 2))
    return {name: fields[name] for name in named}


def _event_fields(random: Random, world: World) -> Data:
    fields: Data = {
        "date": random.choice(world.dates),
        "start_date": random.choice([*world.dates, None]),
        "order": random.choice([1, 2, None]),
        "category": random.choice(world.categories),
        "status": random.choice(["final", "final", "running"]),
        "lists": random.choice([list(world.lists), None]),
    }
    named = random.choices(list(fields), [6, 5, 3, 2, 2, 1], k=random.randint(1, 2))
    return {name: fields[name] for name in named}
