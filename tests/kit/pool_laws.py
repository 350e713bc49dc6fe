"""The laws of a pool, each as a function that takes a history and fails if it is broken.

Hypothesis draws the histories in `tests/laws/test_pool_laws.py`; `tests/laws/test_broken_engines.py` shows that broken engines are caught.
Choices inside a law belong to its history (`random_of`). Blocks are cut so small that a history crosses many of them; what it is compared
with is made from scratch with whole blocks.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from rerate.audit.explaining import PublishedRows
from rerate.pool.lists import LiveList
from rerate.pool.pool import Pool
from rerate.replay import builder
from tests.kit.histories import random_of
from tests.kit.lagged import SETTINGS
from tests.kit.plain_replay import ADJUSTMENT, PER_POINT, plain_ladders, rules_digest
from tests.kit.published import DELTAS, EVENTS, POOL, SNAPSHOTS, STANDINGS, Fed, Placed, fed, placed, same
from tests.kit.sendable import Data, Sendable

RATINGS = (DELTAS, SNAPSHOTS)


@contextmanager
def blocks_of(games: int) -> Iterator[None]:
    """Replays cut their blocks at about so many games."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(builder, "TARGET_GAMES", games)
        yield


def small_blocks(random: Random) -> int:
    """Games of a block, few enough for a history to cross many."""
    return random.choice([1, 1, 2, 3, 5])


def scratch(facts: Sequence[Placed]) -> Data:
    """What a fresh pool publishes that is given everything in one batch."""
    with blocks_of(1_024):
        return fed([facts]).holds()


def batches(random: Random, facts: Sequence[Placed], cuts: int = 6) -> list[list[Placed]]:
    """The facts in any order, some of them again, cut anywhere."""
    sent = [*facts, *(fact for fact in facts if random.random() < 0.2)]
    random.shuffle(sent)
    places = sorted(random.sample(range(len(sent) + 1), min(len(sent), random.randint(0, cuts))))
    return [sent[low:high] for low, high in zip([0, *places], [*places, len(sent)], strict=True)]


# ---------------------------------------------------------------------- law 1, 2, 3


def order_free(history: Sequence[Sendable]) -> None:
    """Law 1: any permutation, interleaving, repetition and batching publishes the same in the end."""
    random, facts = random_of(history), placed(history)
    expected = scratch(facts)
    for _ in range(2):
        with blocks_of(small_blocks(random)):
            same(fed(batches(random, facts)).holds(), expected)


def incremental(history: Sequence[Sendable]) -> None:
    """Law 2: after every prefix the topics are what a fresh pool publishes, and the head's digests what its facts give."""
    random, facts = random_of(history), placed(history)
    pool, size = Fed(), small_blocks(random)
    for place, fact in enumerate(facts, start=1):
        with blocks_of(size):
            pool.take([fact])
        same(pool.holds(), scratch(facts[:place]))
        if pool.published.heads and random.random() < 0.25:
            Pool.restore(POOL, SETTINGS, pool.log, pool.published.heads[-1])


def restored(history: Sequence[Sendable]) -> None:
    """Law 2: a pool restored at any head publishes from there on the very bytes that the one that never stopped publishes."""
    random, facts = random_of(history), placed(history)
    with blocks_of(small_blocks(random)):
        parts = batches(random, facts, cuts=12)
        stop = random.randrange(len(parts))
        pool = fed(parts[:stop])
        again = Pool.restore(POOL, SETTINGS, pool.log, pool.published.heads[-1] if pool.published.heads else None)
        for part in parts[stop:]:
            update = pool.take(part)
            assert again.take(pool.log[-len(part) :] if part else [], pool.positions, 1_700_000_000_000 + len(pool.log)) == update


def rebuilt(history: Sequence[Sendable]) -> None:
    """A rebuild brings whatever stands on the topics to what a fresh pool publishes, sends no row that is right, and goes on as before."""
    random, facts = random_of(history), placed(history)
    with blocks_of(small_blocks(random)):
        parts = batches(random, facts)
        pool = fed(parts[:-1])
        spoiled = _spoil(random, pool) if pool.published.heads and random.random() < 0.8 else 0
        head = pool.published.heads[-1] if pool.published.heads else None
        pool.pool, update = Pool.rebuild(POOL, SETTINGS, pool.log, head, pool.published.topics, pool.positions, 1_700_000_000_000)
        pool.published.apply(update)
        assert sum(len({key for key, _ in rows}) for rows in update.rows.values()) <= spoiled
        same(pool.holds(), scratch([fact for part in parts[:-1] for fact in part]) if pool.log else pool.holds())
        pool.take(parts[-1])
    same(pool.holds(), scratch(facts))


def _spoil(random: Random, pool: Fed) -> int:
    """Take rows away, put others in their place, leave rows of nobody and of an edition that was; returns how many at most."""
    done = 0
    for topic, rows in pool.published.topics.items():
        for key in random.sample(sorted(rows), min(len(rows), random.randint(0, 2))):
            other = rows[random.choice(sorted(rows))]
            alien = f"{key}/x" if topic not in RATINGS or random.random() < 0.5 else key.replace("@", "@9", 1)
            place, value = random.choice([(key, None), (key, other), (alien, other)])
            pool.published.spoil(topic, place, value)
            done += 1
    return done


def withdrawn(history: Sequence[Sendable]) -> None:
    """Law 3: a fact and its withdrawal are as if never sent, but for their standings."""
    random = random_of(history)
    target = random.choice(history)
    about = {(target.source, target.id)}
    data = {"pool": POOL, "source": target.source, "id": target.id}
    facts = [*history, Sendable("rerate.fact-withdrawn.v1", "w/s1", "the-withdrawal", data, "w:office")]
    never = [sent for sent in history if (sent.source, sent.id) not in about or sent.type == "rerate.fact-withdrawn.v1"]
    _as_if_never_sent(random, facts, never, about)


def unmerged(history: Sequence[Sendable]) -> None:
    """Law 3: a merge and its unmerge are as if never sent, but for their standings."""
    random = random_of(history)
    merge_ids = sorted({sent.data["merge_id"] for sent in history if "merge_id" in sent.data}) or ["w:m1"]
    merge_id = random.choice(merge_ids)
    data = {"pool": POOL, "merge_id": merge_id}
    facts = [*history, Sendable("rerate.identity-unmerged.v1", "w/s1", "the-unmerge", data, "w:office")]
    about = {(sent.source, sent.id) for sent in facts if sent.data.get("merge_id") == merge_id}
    never = [sent for sent in history if sent.data.get("merge_id") != merge_id]
    _as_if_never_sent(random, facts, never, about)


def _as_if_never_sent(random: Random, facts: list[Sendable], never: Sequence[Sendable], about: set[tuple[str, str]]) -> None:
    """Compare what is published, standings under the names `about` and of withdrawals that wait for them apart."""
    about |= {(sent.source, sent.id) for sent in facts if (sent.data.get("source"), sent.data.get("id")) in about}
    with blocks_of(small_blocks(random)):
        published = fed(batches(random, placed(facts), cuts=len(facts))).holds()
    expected = scratch(placed(never)) if never else Fed().holds()
    for said in (published, expected):
        keys = {f"{POOL}/{source}/{fact_id}" for source, fact_id in about}
        said[STANDINGS] = {key: row for key, row in said[STANDINGS].items() if key not in keys}
    if not expected["head"]:
        del published["head"], expected["head"]  # a pool of which nothing was ever published
    same(published, expected)


def corrected_back(history: Sequence[Sendable]) -> None:
    """Law 3: corrected and corrected back, or deleted and published again, ends in the same ratings."""
    random = random_of(history)
    publications = [sent for sent in history if sent.type == "rerate.result-published.v1"]
    if not publications:
        return
    content = random.choice(publications)
    event_id = content.data["event"]["id"]

    def sent(name: str, revision: int, **data: Any) -> Sendable:
        return Sendable(f"rerate.{name}.v1", "w/s1", f"back{revision}", {"pool": POOL, "revision": revision, **data})

    def again(revision: int) -> Sendable:
        return sent("result-published", revision, event=content.data["event"], games=content.data["games"])

    games, date = content.data["games"], content.data["event"]["date"]
    other = [game | {"white": game.get("black", "w:a")} for game in games if "black" in game and not game["result"].startswith("bye")]
    steps = [
        sent("result-corrected", 11, event_id=event_id, reason="wrong-result", removed=[game["id"] for game in games]),
        sent("result-corrected", 12, event_id=event_id, reason="wrong-player", games=other, set={"date": "2024-06-01"}),
        sent("result-corrected", 13, event_id=event_id, reason="wrong-result", games=games, set={"date": date}),
        sent("event-deleted", 14, event_id=event_id, mode="void", reason="never-played"),
        again(15),
    ]
    with blocks_of(small_blocks(random)):
        pool = fed([*batches(random, placed(history)), placed([again(10)])])
        before = _ratings(pool)
        for place, step in enumerate(steps):
            pool.take(placed([step]))
            if place in (2, 4):
                same(_ratings(pool), before)


def _ratings(pool: Fed) -> Data:
    """Rows, snapshots, digests, and the games as they are rated."""
    said = pool.published.holds((*RATINGS, EVENTS))
    return said | {EVENTS: {key: row | {"flags": []} for key, row in said[EVENTS].items()}}


# ---------------------------------------------------------------------- law 4, 6, 7


def accounted(history: Sequence[Sendable]) -> None:
    """Law 4: after every step each accepted fact has exactly one standing."""
    random = random_of(history)
    pool = Fed()
    for part in batches(random, placed(history)):
        pool.take(part)
        stand: Counter[tuple[str, str, str]] = Counter()
        for key, row in pool.published.rows(STANDINGS).items():
            assert key == f"{POOL}@1/{row['source']}/{row['id']}"
            stand.update((row["source"], row["id"], content["digest"]) for content in row["contents"])
        known = {(fact.identity.source, fact.identity.id, fact.identity.digest.hex()) for fact, _ in pool.log}
        assert stand == Counter(known)


def audited(history: Sequence[Sendable]) -> None:
    """Law 6: the rows as published, and the seeds, give the digests in the head: every state can be read back from what is shown of it."""
    random = random_of(history)
    with blocks_of(small_blocks(random)):
        pool = fed(batches(random, placed(history)))
    for name, rated_list in pool.pool.lists.items():
        if isinstance(rated_list, LiveList) and pool.published.heads:
            entry = pool.published.head.lists[name]
            prefix = f"{POOL}/{name}@{entry.edition}/"
            values = [value for key, value in pool.published.topics[DELTAS].items() if key.startswith(prefix)]
            rows = PublishedRows(rated_list.replay, values)
            same(
                {str(key): digest for key, digest in rows.digests.items()}, {str(key): rows for key, rows, _ in rated_list.replay.periods()}
            )
            assert rows.list_digest().hex() == entry.list_digest


def only_played(history: Sequence[Sendable]) -> None:
    """Law 7: the games that rows count are exactly those really played between two different people, nothing else speaking against."""
    random = random_of(history)
    with blocks_of(small_blocks(random)):
        pool = fed(batches(random, placed(history)))
    events = [row for row in pool.published.rows(EVENTS).values() if row["state"] != "void"]
    for row in events:
        for game in row["games"]:
            is_over = row["event"]["status"] == "final"
            assert (game.get("why") is None) == (is_over and _is_played(row, game)), f"{row['event']['id']}: {game}"
            assert ("early" in game) == (not is_over and "date" in game and _is_played(row, game)), f"{row['event']['id']}: {game}"
            assert game.get("why") is None or game["rated"] == "none"
    configuration = pool.pool.history.configuration
    for rating_list in [] if configuration is None else configuration.lists:
        if pool.published.head.lists[rating_list.id].held is not None:
            continue
        as_of = {who: row["as_of"] for who, row in pool.published.of_list(SNAPSHOTS, rating_list.id).items() if "as_of" in row}
        expected: Counter[tuple[str, str]] = Counter()
        for row in events:
            if not _is_taken(rating_list, row["event"]):
                continue
            for game in row["games"]:
                rated = game.get("early", game["rated"]) if rating_list.dated_by == "game" else game["rated"]
                if rated != "none" and not _is_before_seed(rating_list, row["event"], game, as_of):
                    sides = [side for side in ("white", "black") if rated in ("both", side)]
                    expected.update((row["event"]["id"], game[side]["person"]) for side in sides)
        counted: Counter[tuple[str, str]] = Counter()
        for delta in pool.published.of_list(DELTAS, rating_list.id).values():
            for line in delta["row"]["events"]:
                assert line["games"] == line["protected"] + sum(term["games"] for term in line["terms"])
                counted[line["event"], delta["player"]] += line["games"]
        assert counted == expected, f"{rating_list.id}: rows count {counted}, played were {expected}"


def _is_played(row: Data, game: Data) -> bool:
    if game["result"] not in ("1-0", "1/2-1/2", "0-1", "0-0", "1/2-0", "0-1/2"):
        return False
    if "white" not in game or "black" not in game or game["white"]["person"] == game["black"]["person"]:
        return False
    return not _is_declared_unrated(game) and not _clashes(row, game)


def _is_declared_unrated(game: Data) -> bool:
    return game["rated"] == "none" and game.get("why") == "declared-unrated"


def _clashes(row: Data, game: Data) -> bool:
    """Whether one of its persons plays in this round of the event under another id as well."""
    if "round" not in game:
        return False
    ids: dict[str, set[str]] = {}
    for other in row["games"]:
        if other.get("round") == game["round"] and other["result"] in ("1-0", "1/2-1/2", "0-1", "0-0", "1/2-0", "0-1/2"):
            for side in ("white", "black"):
                if side in other:
                    ids.setdefault(other[side]["person"], set()).add(other[side]["id"])
    return any(len(ids[game[side]["person"]]) > 1 for side in ("white", "black"))


def _is_taken(rating_list: Any, event: Data) -> bool:
    named = event.get("lists")
    by_category = rating_list.categories is None or event["category"] in rating_list.categories
    is_then = (rating_list.from_ or "") <= event["date"] < (rating_list.until or "9999-99-99")
    is_of_variant = event.get("variant", "standard") in ({*(rating_list.variants or ["standard"])} - {"bughouse"})
    return is_of_variant and is_then and (by_category if named is None else rating_list.id in named)


def _is_before_seed(rating_list: Any, event: Data, game: Data, as_of: dict[str, str]) -> bool:
    dates = {"start": event.get("start_date"), "game": game.get("date")}
    date = dates.get(rating_list.dated_by or "end") or event["date"]
    if rating_list.period == "month":
        date = date[:7] if rating_list.closing_day is None or int(date[8:]) <= rating_list.closing_day else _month_after(date)
    return any(date < as_of[person][: len(date)] for side in ("white", "black") if (person := game[side]["person"]) in as_of)


def _month_after(date: str) -> str:
    return f"{int(date[:4]) + 1}-01" if date[5:7] == "12" else f"{date[:4]}-{int(date[5:7]) + 1:02d}"


# ---------------------------------------------------------------------- the numbers


def adds_up(history: Sequence[Sendable]) -> None:
    """Seed and a player's own changes over all rows are the snapshot; a row is the row before it and its lines, rounded once; and no
    rating ever stood above the peak (U029)."""
    random = random_of(history)
    pool = Fed()
    with blocks_of(small_blocks(random)):
        for part in batches(random, placed(history)):
            pool.take(part)
            configuration = pool.pool.history.configuration
            for rating_list in [] if configuration is None else configuration.lists:
                if pool.published.heads and pool.published.head.lists[rating_list.id].held is None:
                    _add_up(pool, rating_list)


def _add_up(pool: Fed, rating_list: Any) -> None:
    per_point = PER_POINT[rating_list.quantum]
    deltas, snapshots = (pool.published.of_list(topic, rating_list.id) for topic in RATINGS)
    rows: dict[str, list[Data]] = {person: [] for person in snapshots}
    for delta in sorted(deltas.values(), key=_place):
        rows[delta["player"]].append(delta)
    for person, snapshot in snapshots.items():
        group = pool.pool.history.seed(rating_list.id, person)
        seeds = [] if group is None else [group.chosen, *group.others]
        rating = Decimal(str(seeds[0].state["rating"])) if seeds else None
        games = sum(int(seed.state["games"]) for seed in seeds)
        peak: tuple[Decimal, str] | None = None
        for delta in rows[person]:
            when = delta["period"]["date"]
            row = delta["row"]
            if rating is None:
                rating = Decimal(_start_of(rating_list, when))
            change = Fraction(0)
            for line in row["events"]:
                games += line["games"]
                for term in line["terms"]:
                    change += term["k"] * (Fraction(term["score"]) - Fraction(term["expected"]))
            exact = change * per_point
            quanta = (abs(exact) + Fraction(1, 2)).__floor__() * (1 if exact >= 0 else -1)
            rating += Decimal(quanta) / per_point
            if delta["period"]["kind"] == ADJUSTMENT:
                ordered = pool.pool.history.adjustments(rating_list.id)[delta["period"]["adjustment"]]
                rating = Decimal(ordered.value) + (rating if ordered.kind == "add" else 0)
            assert Decimal(row["rating"]) == rating, f"{person} {when}: {row['rating']}, by its lines {rating}"
            if peak is None or rating > peak[0]:
                peak = (rating, when)
            assert Decimal(snapshot["peak"]["rating"]) >= rating, f"{person} {when}: above the peak"
        assert Decimal(snapshot["rating"]) == rating
        assert (snapshot["games"], snapshot["won"] + snapshot["drawn"] + snapshot["lost"]) == (
            games,
            games - sum(int(seed.state["games"]) for seed in seeds),
        )
        assert (None if peak is None else {"rating": f"{peak[0]:.{len(str(per_point)) - 1}f}", "date": peak[1]}) == snapshot.get("peak")


def _place(delta: Data) -> tuple[Any, ...]:
    """The key of a delta's period, as periods are ordered."""
    period = delta["period"]
    if period["kind"] == ADJUSTMENT:
        return (period["date"], 0, period["adjustment"])
    return (period["date"], 1, *(period[name] for name in ("order", "event", "round") if name in period))


def _start_of(rating_list: Any, when: str) -> str:
    day = when if len(when) == 10 else f"{when}-01"
    rule = [rule for rule in rating_list.rules if (rule.from_ or "") <= day][-1]
    return str(rule.parameters.get("start", "1200"))


def as_plain(history: Sequence[Sendable]) -> None:
    """Digests, rows and snapshots are those of the plainest calculation."""
    random = random_of(history)
    with blocks_of(small_blocks(random)):
        pool = fed(batches(random, placed(history)))
    agrees_with_plain(pool, history)


def agrees_with_plain(pool: Fed, history: Sequence[Sendable]) -> None:
    """A pool that took a history published what the plainest calculation says."""
    published, ladders = pool.published, plain_ladders(history)
    if not published.heads:
        assert not ladders
        return
    lists = {name: entry for name, entry in published.head.lists.items() if entry.held is None}
    assert {name: entry.held for name, entry in published.head.lists.items()} == {name: plain["held"] for name, plain in ladders.items()}
    for name, entry in lists.items():
        same(published.of_list(DELTAS, name), ladders[name]["rows"])
        same(published.of_list(SNAPSHOTS, name), ladders[name]["snapshots"])
        assert entry.input_digest == ladders[name]["input_digest"], f"{name}: games differ"
        assert entry.list_digest == ladders[name]["list_digest"], f"{name}: states differ"
        assert (entry.rows, entry.players) == (len(ladders[name]["rows"]), len(ladders[name]["snapshots"]))
    newest = pool.pool.history.configuration
    if newest is not None:
        sent = next(one.data for one in history if one.type == "rerate.pool-configured.v1" and one.fact().data == newest)
        assert {name: entry.rules_digest for name, entry in published.head.lists.items()} == {
            one["id"]: rules_digest(one) for one in sent["lists"]
        }


ALL = (order_free, incremental, restored, rebuilt, withdrawn, unmerged, corrected_back, accounted, audited, only_played, adds_up, as_plain)
"""Every law of a pool that takes a history."""
