"""The ladder in its plainest form: from what `plain_fold` says, every period from the first, in decimals and sentences.

Nothing of the rooms `replay`, `ratings` and `pool` is called. It knows `club/1`, and `lag/1` of the tests, and says for every list its
digests, its rows and its snapshots as they stand on the wire, so that they can be compared with what is published.
"""

import struct
from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from hashlib import sha256
from typing import Any, NamedTuple

import msgspec

from rerate.messages.canonical import canonical
from rerate.messages.facts import RatingAdjusted, RatingList, RatingSeeded
from tests.kit.plain_fold import plain_fold
from tests.kit.sendable import Data, Sendable

PER_POINT = {"1": 1, "0.1": 10, "0.01": 100, "0.001": 1000}
ADJUSTMENT = "adjustment"
KINDS: dict[str, int] = {"game": 1, "round": 2, "event": 3, "date": 4, "month": 5, ADJUSTMENT: 6}
HALVES = {"1-0": (2, 0), "1/2-1/2": (1, 1), "0-1": (0, 2), "0-0": (0, 0), "1/2-0": (1, 0), "0-1/2": (0, 1)}
DEFAULTS: Data = {
    "start": "1200",
    "k_new": 40,
    "k_new_games": 20,
    "k_established": 20,
    "provisional_below": 5,
    "k_policy": "event_start",
    "protected_game_counts": "yes",
}
Period = tuple[Any, ...]
"""date or month, then order, event id, round as far as the kind goes; of an adjustment, which is a period of its own: the date or month
before which it is made, the word, its id."""


class State(NamedTuple):
    quanta: int
    games: int
    """Capped."""


class Game(NamedTuple):
    """A rated game of a list."""

    period: Period
    order: int
    event: str
    round: int
    board: int
    id: str
    white: str
    black: str
    white_half: int
    black_half: int
    sides: str
    """both, white, black"""
    last_day: str
    """Of its event, or its own if that is how the list dates it."""
    own_day: str
    """On a list by month that dates games by themselves; else empty."""


def plain_ladders(history: Iterable[Sendable]) -> Data:
    """List -> held, digests, rows, snapshots."""
    folded = plain_fold(history, seed_problem, adjustment_problem)
    configuration = folded["configuration"]
    if configuration is None:
        return {}
    return {one["id"]: _ladder(one | {"pool": configuration["pool"]}, folded) for one in configuration["lists"]}


# ---------------------------------------------------------------------- what a list is


def why_held(rating_list: Data) -> str | None:
    """Why a list cannot be rated."""
    for rule in rating_list["rules"]:
        given, system = rule["parameters"], rule["system"]
        if system not in ("club/1", "lag/1"):
            return "system"
        known = {*DEFAULTS, "back"} if system == "lag/1" else {*DEFAULTS}
        kinds = ("month", "date") if system == "lag/1" else ("event", "date", "round")
        if rating_list["period"] not in kinds or rating_list["quantum"] == "1" or not given.keys() <= known:
            return "parameters"
    return None


def seed_problem(rating_list: RatingList | None, seed: RatingSeeded) -> str | None:
    """Why a list cannot use a seed: these tests send seeds of `rating` and `games`, or of something else."""
    if rating_list is None:
        return "list"
    rules = [{"system": rule.system, "parameters": rule.parameters} for rule in rating_list.rules]
    if why_held({"rules": rules, "period": rating_list.period, "quantum": rating_list.quantum}):
        return "list"
    return None if seed.state.keys() == {"rating", "games"} else "state"


def adjustment_problem(rating_list: RatingList | None, adjusted: RatingAdjusted) -> str | None:
    """Why a list cannot use an adjustment: these systems set and add what falls on a quantum, and know no formula."""
    if rating_list is None:
        return "list"
    one = msgspec.to_builtins(rating_list)
    if why_held(one):
        return "list"
    if adjusted.change is None:
        return None
    start = State(int(Decimal(_rule(one, _when(one, adjusted.before))["start"]) * PER_POINT[one["quantum"]]), 0)
    return "state" if _adjusted(one, _when(one, adjusted.before), start, *adjusted.change) is None else None


def _when(rating_list: Data, before: str) -> str:
    """Before which date, or on a list by month before which month, an adjustment is made."""
    return before[:7] if rating_list["period"] == "month" else before


def _adjusted(rating_list: Data, when: str, state: State, kind: str, value: str) -> State | None:
    """A state after an adjustment, None if it cannot be made: ratings stay below 10,000 in size."""
    if kind == "formula":
        return None
    quanta = Decimal(value) * PER_POINT[rating_list["quantum"]]
    after = int(quanta) + (state.quanta if kind == "add" else 0)
    if quanta != int(quanta) or abs(after) >= 10_000 * PER_POINT[rating_list["quantum"]]:
        return None
    return State(after, min(state.games, _cap(_rule(rating_list, when))))


def _rule(rating_list: Data, when: str) -> Data:
    """The rule of a date, or of the first day of a month, with all its parameters."""
    day = when if len(when) == 10 else f"{when}-01"
    counting = [rule for rule in rating_list["rules"] if rule.get("from", "") <= day]
    rule = max(counting, key=lambda one: str(one.get("from", "")))
    return {"system": rule["system"], "back": 1, **DEFAULTS, **rule["parameters"]}


def _cap(rule: Data) -> int:
    return max(int(rule["k_new_games"]), int(rule["provisional_below"]))


def _takes(rating_list: Data, event: Data) -> bool:
    if "lists" in event:
        is_meant = rating_list["id"] in event["lists"]
    else:
        is_meant = "categories" not in rating_list or event["category"] in rating_list["categories"]
    is_then = rating_list.get("from", "") <= event["date"] and ("until" not in rating_list or event["date"] < rating_list["until"])
    variant = event.get("variant", "standard")
    return is_meant and is_then and variant != "bughouse" and variant in rating_list.get("variants", ["standard"])


def _period(rating_list: Data, event: Data, game: Data) -> Period:
    kind = rating_list["period"]
    dated: Data = {"end": event["date"], "start": event.get("start_date", event["date"]), "game": game.get("date", event["date"])}
    day: str = dated[rating_list.get("dated_by", "end")]
    if kind == "month":
        month = int(day[:4]) * 12 + int(day[5:7]) - 1 + (int(day[8:]) > rating_list.get("closing_day", 31))
        return (f"{month // 12:04d}-{month % 12 + 1:02d}",)
    whole = (day, event.get("order", 0), event["id"], game.get("round", 0))
    return whole[: {"date": 1, "event": 3, "round": 4}[kind]]


def _games(rating_list: Data, folded: Data, as_of: Mapping[str, str]) -> list[Game]:
    """The rated games of a list, in order."""
    out = []
    for event_id, folded_event in folded["events"].items():
        event = folded_event["event"]
        if folded_event["state"] == "void" or not _takes(rating_list, event):
            continue
        for game, white, black, rated, _, _, early in folded_event["games"]:
            sides = early if early != "none" and rating_list.get("dated_by") == "game" else rated
            if sides == "none":
                continue
            period = _period(rating_list, event, game)
            when = str(period[0])
            if any(when < as_of[one][: len(when)] for one in (white, black) if one in as_of):
                continue
            place = (period, event.get("order", 0), event_id, game.get("round", 0), game.get("board", 0), game["id"])
            day = game.get("date", event["date"]) if rating_list.get("dated_by") == "game" else event["date"]
            own_day = game.get("date", "") if (rating_list["period"], rating_list.get("dated_by")) == ("month", "game") else ""
            out.append(Game(*place, white, black, *HALVES[game["result"]], sides, day, own_day))
    return sorted(out)


# ---------------------------------------------------------------------- one list


def _ladder(rating_list: Data, folded: Data) -> Data:
    held = why_held(rating_list)
    if held is not None:
        return {"held": held}
    per_point = PER_POINT[rating_list["quantum"]]
    seeds: dict[str, tuple[str, State]] = {}
    elsewhere: dict[str, int] = {}
    for (list_id, person), (chosen, others) in folded["seeds"].items():
        if list_id == rating_list["id"]:
            elsewhere[person] = chosen["state"]["games"] + sum(one["state"]["games"] for one in others)
            counted = min(elsewhere[person], _cap(_rule(rating_list, chosen["as_of"])))
            seeds[person] = (chosen["as_of"], State(int(Decimal(chosen["state"]["rating"]) * per_point), counted))
    games = _games(rating_list, folded, {person: as_of for person, (as_of, _) in seeds.items()})
    periods: dict[Period, list[Game]] = {}
    for game in games:
        periods.setdefault(game.period, []).append(game)
    adjustments = {
        (_when(rating_list, before), ADJUSTMENT, name): (kind, value, who)
        for (list_id, name), (_, before, kind, value, who) in folded["adjustments"].items()
        if list_id == rating_list["id"]
    }
    lists: list[tuple[Period, dict[str, State]]] = []
    """Before each period: everybody's state."""
    now = {person: state for person, (_, state) in seeds.items()}
    rows: dict[Period, dict[str, tuple[State, list[Data]]]] = {}
    for period in sorted([*periods, *adjustments], key=_place):
        rule = _rule(rating_list, str(period[0]))
        lists.append((period, dict(now)))
        if period in periods:
            rows[period] = _rate(rule, per_point, periods[period], _list_read(rule, period, lists), now)
        elif its_rows := _adjust(rating_list, period, *adjustments[period], seeds, now):
            rows[period] = its_rows
        now |= {person: state for person, (state, _) in rows.get(period, {}).items()}
    return {
        "held": None,
        "list_digest": _list_digest(rating_list["period"], seeds, rows),
        "input_digest": _inputs_digest(rating_list["period"], periods, {period: adjustments.get(period) for period in rows}),
        "rows": {
            f"{person}/{'/'.join(map(str, period))}": _wire_row(rating_list, person, period, *row)
            for period, its_rows in rows.items()
            for person, row in its_rows.items()
        },
        "snapshots": {
            person: _snapshot(rating_list, person, now[person], seeds.get(person), elsewhere.get(person, 0), rows, games) for person in now
        },
    }


def _place(period: Period) -> tuple[Any, ...]:
    """The order of periods: an adjustment comes ahead of everything from its date on, after all before it."""
    return (period[0], 0, period[2]) if period[1:2] == (ADJUSTMENT,) else (period[0], 1, *period[1:])


def _adjust(
    rating_list: Data,
    period: Period,
    kind: str,
    value: str,
    who: list[str] | None,
    seeds: Mapping[str, tuple[str, State]],
    now: Mapping[str, State],
) -> dict[str, tuple[State, list[Data]]]:
    """The rows of an adjustment: of everybody it is for who is on the list by then, if his state becomes another. A seed that begins later
    is not there yet."""
    when = str(period[0])
    out: dict[str, tuple[State, list[Data]]] = {}
    for person in sorted(now if who is None else set(who) & now.keys()):
        if person in seeds and when < seeds[person][0][: len(when)]:
            continue
        after = _adjusted(rating_list, when, now[person], kind, value)
        if after is not None and after != now[person]:
            out[person] = (after, [{"adjusted_from": _decimal(now[person].quanta, PER_POINT[rating_list["quantum"]])}])
    return out


def _list_read(rule: Data, period: Period, lists: list[tuple[Period, dict[str, State]]]) -> dict[str, State]:
    """By which list a period is judged: the one before it, or of `lag/1` the one before the first period that is too young."""
    if rule["system"] == "club/1":
        return lists[-1][1]
    when = str(period[0])
    if len(when) == 10:
        bound = (date.fromisoformat(when) - timedelta(days=30 * rule["back"])).isoformat()
    else:
        month = int(when[:4]) * 12 + int(when[5:]) - 1 - rule["back"]
        bound = f"{month // 12:04d}-{month % 12 + 1:02d}"
    return next(states for one, states in lists if _place(one)[:2] >= (bound, 1))


def _rate(
    rule: Data, per_point: int, games: list[Game], read: Mapping[str, State], now: Mapping[str, State]
) -> dict[str, tuple[State, list[Data]]]:
    """The rows of one period: state after it, and a line per event."""
    start = State(int(Decimal(rule["start"]) * per_point), 0)
    below = rule["provisional_below"]
    out = {}
    for me in sorted(
        {one for game in games for one, side in ((game.white, "white"), (game.black, "black")) if game.sides in ("both", side)}
    ):
        mine, counted, change = read.get(me, start), 0, Fraction(0)
        lines: list[Data] = []
        for game in games:
            if me not in (game.white, game.black) or game.sides not in ("both", "white" if me == game.white else "black"):
                continue
            other, half = (game.black, game.white_half) if me == game.white else (game.white, game.black_half)
            theirs = read.get(other, start)
            if not lines or lines[-1]["event"] != game.event:
                rating = _decimal(mine.quanta, per_point)
                lines.append(
                    {"event": game.event, "rating": rating, "provisional": mine.games < below, "games": 0, "protected": 0, "terms": []}
                )
            line = lines[-1]
            line["games"] += 1
            if mine.games >= below > theirs.games:
                line["protected"] += 1
                counted += rule["protected_game_counts"] == "yes"
                continue
            played = mine.games + (counted if rule["k_policy"] == "per_game" else 0)
            k = rule["k_new"] if played < rule["k_new_games"] else rule["k_established"]
            counted += 1
            millionths = expected(mine.quanta - theirs.quanta, per_point)
            change += k * (Fraction(half, 2) - Fraction(millionths, 1_000_000))
            _add_term(line["terms"], k, half, millionths)
        for line in lines:
            line["terms"] = [_wire_term(*term) for term in line["terms"]]
        before = now.get(me, start)
        out[me] = (State(before.quanta + _rounded(change * per_point), min(_cap(rule), before.games + counted)), lines)
    return out


def _add_term(terms: list[list[int]], k: int, half: int, millionths: int) -> None:
    for term in terms:
        if term[0] == k:
            term[1], term[2], term[3] = term[1] + 1, term[2] + half, term[3] + millionths
            return
    terms.append([k, 1, half, millionths])


def _wire_term(k: int, games: int, halves: int, millionths: int) -> Data:
    return {"k": k, "games": games, "score": f"{Decimal(halves) / 2:.1f}", "expected": f"{Decimal(millionths) / 1_000_000:.6f}"}


def _rounded(change: Fraction) -> int:
    """The nearest whole number, half away from zero."""
    size = int(abs(change) + Fraction(1, 2))
    return size if change >= 0 else -size


@lru_cache(maxsize=1 << 16)
def expected(gap: int, per_point: int) -> int:
    """Expected score in millionths: of the side above from 50 decimal digits, rounded half up, and the rest for the side below."""
    with localcontext() as context:
        context.prec = 50
        above = 1 / (1 + Decimal(10) ** (Decimal(-abs(gap)) / (400 * per_point)))
        millionths = int((above * 1_000_000).quantize(Decimal(1), rounding=ROUND_HALF_UP))
    return millionths if gap >= 0 else 1_000_000 - millionths


# ---------------------------------------------------------------------- as it stands on the wire


def _decimal(quanta: int, per_point: int) -> str:
    return f"{Decimal(quanta) / per_point:.{len(str(per_point)) - 1}f}"


def _shown(rating_list: Data, quanta: int) -> str:
    shown = PER_POINT[rating_list["shown"]]
    return _decimal(_rounded(Fraction(quanta * shown, PER_POINT[rating_list["quantum"]])), shown)


def _wire_row(rating_list: Data, person: str, period: Period, state: State, lines: list[Data]) -> Data:
    rating = _decimal(state.quanta, PER_POINT[rating_list["quantum"]])
    names = ("date", "order", "event", "round")[: len(period)]
    named: Data = {"kind": rating_list["period"], **dict(zip(names, period, strict=True))}
    adjusted: Data = {}
    if period[1:2] == (ADJUSTMENT,):
        named = {"kind": ADJUSTMENT, "date": period[0], "adjustment": period[2]}
        (adjusted,), lines = lines, []
    return {
        "pool": rating_list["pool"],
        "list": rating_list["id"],
        "player": person,
        "period": named,
        "row": {
            "rating": rating,
            "shown": _shown(rating_list, state.quanta),
            "provisional": state.games < _rule(rating_list, str(period[0]))["provisional_below"],
            "state": {"rating": rating, "games": state.games},
            "system": _rule(rating_list, str(period[0]))["system"],
            "events": lines,
            **adjusted,
        },
    }


def _snapshot(
    rating_list: Data,
    person: str,
    state: State,
    seed: tuple[str, State] | None,
    elsewhere: int,
    rows: dict[Period, dict[str, tuple[State, list[Data]]]],
    games: list[Game],
) -> Data:
    per_point = PER_POINT[rating_list["quantum"]]
    mine = [game for game in games if (game.white == person and game.sides != "black") or (game.black == person and game.sides != "white")]
    halves = [game.white_half if game.white == person else game.black_half for game in mine]
    periods = [period for period, its_rows in rows.items() if person in its_rows]
    when = str(periods[-1][0]) if periods else str(seed and seed[0])
    out = {
        "pool": rating_list["pool"],
        "list": rating_list["id"],
        "player": person,
        "rating": _decimal(state.quanta, per_point),
        "shown": _shown(rating_list, state.quanta),
        "provisional": state.games < _rule(rating_list, when)["provisional_below"],
        "games": elsewhere + len(mine),
        "won": halves.count(2),
        "drawn": halves.count(1),
        "lost": halves.count(0),
    }
    if periods:
        highest = max(rows[period][person][0].quanta for period in periods)
        first = next(period for period in periods if rows[period][person][0].quanta == highest)
        out["peak"] = {"rating": _decimal(highest, per_point), "date": first[0]}
        if mine:
            out["last_game"] = max(game.last_day if rating_list["period"] == "month" else str(game.period[0]) for game in mine)
    if seed is not None:
        out["as_of"] = seed[0]
    return out


# ---------------------------------------------------------------------- digests


def _tag(text: str) -> bytes:
    return struct.pack(">H", len(text.encode())) + text.encode()


def _key(kind: str, period: Period) -> bytes:
    if period[1:2] == (ADJUSTMENT,):
        return bytes([KINDS[ADJUSTMENT]]) + str(period[0]).encode() + _tag(period[2])
    out = bytes([KINDS[kind]]) + str(period[0]).encode()
    if len(period) > 1:
        out += struct.pack(">i", period[1]) + _tag(period[2])
    if len(period) > 3:
        out += struct.pack(">H", period[3])
    return out


def _framed(head: str, key: bytes, rows: list[bytes]) -> bytes:
    return _counted(head, key, len(rows), rows)


def _counted(head: str, key: bytes, count: int, rows: list[bytes]) -> bytes:
    return sha256(head.encode() + struct.pack(">H", len(key)) + key + struct.pack(">I", count) + b"".join(rows)).digest()


def _packed(state: State) -> bytes:
    return struct.pack(">iB", *state)


def _list_digest(kind: str, seeds: Mapping[str, tuple[str, State]], rows: Mapping[Period, Mapping[str, tuple[State, list[Data]]]]) -> str:
    digests = []
    if seeds:
        packed = [_tag(person) + seeds[person][0].encode() + _packed(seeds[person][1]) for person in sorted(seeds, key=str.encode)]
        digests.append(_framed("rerate.period.1\n", b"\0", packed))
    for period, its_rows in rows.items():
        packed = [_tag(person) + _packed(its_rows[person][0]) for person in sorted(its_rows, key=str.encode)]
        digests.append(_framed("rerate.period.1\n", _key(kind, period), packed))
    return sha256(b"rerate.list.1\n" + b"".join(digests)).hexdigest()


def _inputs_digest(
    kind: str, periods: Mapping[Period, list[Game]], steps: Mapping[Period, tuple[str, str, list[str] | None] | None]
) -> str:
    """Of all periods and adjustments that have rows, in order."""
    digests = []
    for period, ordered in steps.items():
        if ordered is not None:
            how, value, who = ordered
            named = [_tag(how), _tag(value), *map(_tag, sorted(who or (), key=str.encode))]
            count = 0 if who is None else 1 + len(who)
            digests.append(_counted("rerate.adjusted.1\n", _key(kind, period), count, named))
            continue
        games = periods[period]
        packed = [
            b"".join(map(_tag, (game.event, game.id, game.white, game.black)))
            + bytes((game.white_half, game.black_half, {"white": 1, "black": 2, "both": 3}[game.sides] + (16 if game.own_day else 0)))
            + game.own_day.encode()
            for game in sorted(games, key=lambda game: (game.event.encode(), game.id.encode()))
        ]
        digests.append(_framed("rerate.games.1\n", _key(kind, period), packed))
    return sha256(b"rerate.inputs.1\n" + b"".join(digests)).hexdigest()


def rules_digest(rating_list: Data) -> str:
    """SHA-256 of the list object as it was sent."""
    return sha256(canonical(rating_list)).hexdigest()
