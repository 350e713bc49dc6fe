"""The fold in its plainest form: all facts at once, as the dicts that were sent, sentence by sentence from the design and the contract.

Nothing of the history room is called. It is slow, keeps nothing, and says everything in plain values, so that it can be compared with what
`told` makes of a `History`.
"""

from collections.abc import Callable, Iterable
from itertools import groupby
from typing import Any

from msgspec import convert

from rerate.messages.canonical import content_digest
from rerate.messages.facts import RatingAdjusted, RatingList, RatingSeeded
from rerate.ratings.systems import adjustment_problem, seed_problem
from tests.kit.sendable import Data, Sendable

Key = tuple[str, str, bytes]
"""source, id, digest."""

PUBLISHED, CORRECTED, DELETED = "rerate.result-published.v1", "rerate.result-corrected.v1", "rerate.event-deleted.v1"
MERGED, UNMERGED = "rerate.identity-merged.v1", "rerate.identity-unmerged.v1"
CONFIGURED, REGISTERED, SEEDED = "rerate.pool-configured.v1", "rerate.player-registered.v1", "rerate.rating-seeded.v1"
ADJUSTED, WITHDRAWN = "rerate.rating-adjusted.v1", "rerate.fact-withdrawn.v1"
KNOWN = (PUBLISHED, CORRECTED, DELETED, MERGED, UNMERGED, CONFIGURED, REGISTERED, SEEDED, ADJUSTED, WITHDRAWN)
PLAYED = ("1-0", "1/2-1/2", "0-1", "0-0", "1/2-0", "0-1/2")


class PlainFact:
    """A fact with what the fold finds out about it."""

    def __init__(self, sent: Sendable) -> None:
        self.type, self.data = sent.type, sent.data
        self.key: Key = (sent.source, sent.id, content_digest(sent.type, sent.actor, sent.data))
        self.standing, self.reason = "in-force", None
        self.by: Key | None = None
        self.merge: str | None = None
        self.misfits: list[tuple[str, str]] = []
        self.flags: set[str] = set()

    def stands(self, standing: str, reason: Any = None, by: Key | None = None) -> None:
        self.standing, self.reason, self.by = standing, reason, by

    @property
    def digest(self) -> bytes:
        return self.key[2]


SeedProblem = Callable[[RatingList | None, RatingSeeded], str | None]
AdjustmentProblem = Callable[[RatingList | None, RatingAdjusted], str | None]


def plain_fold(
    history: Iterable[Sendable], seed_problem: SeedProblem = seed_problem, adjustment_problem: AdjustmentProblem = adjustment_problem
) -> Data:
    """Everything that a pool's facts decide, as plain values; see `told` for the form.

    Args:
        seed_problem: why a list cannot use a seed.
        adjustment_problem: why a list cannot use an adjustment.
    """
    everything = list({fact.key: fact for fact in map(PlainFact, history)}.values())
    facts = _withdraw(everything)
    for fact in facts:
        if fact.type not in KNOWN:
            fact.stands("held", "type")
    _flag_conflicts(facts, lambda fact: (_event_of(fact), _revision(fact)) if _is_published(fact) else None)
    _flag_conflicts(facts, lambda fact: (_event_of(fact), *fact.data["ruling"].values()) if _is_ruling(fact) else None)
    person, scoped, identities = _identities(facts)

    def who(event: str, raw: str) -> str:
        return person(scoped.get((event, raw), raw))

    events = {}
    for event_id in sorted({_event_of(fact) for fact in facts if _is_published(fact) or _is_ruling(fact)}):
        event = _event(event_id, [fact for fact in facts if _is_published(fact) or _is_ruling(fact)], who)
        if event is not None:
            events[event_id] = event
    configuration = _whole_state(facts, CONFIGURED, lambda data: "").get("")
    told_events = {
        who_: sorted(e for e, event in events.items() if any(who_ in game[1:3] for game in event["games"]))
        for who_ in {side for event in events.values() for game in event["games"] for side in game[1:3] if side}
    }
    return {
        "events": events,
        "identities": identities,
        "configuration": None if configuration is None else configuration.data,
        "registrations": _registrations(facts, person),
        "seeds": _seeds(facts, person, None if configuration is None else configuration.data, seed_problem),
        "adjustments": _adjustments(facts, person, None if configuration is None else configuration.data, adjustment_problem),
        "events_of": told_events,
        "standings": _standings(everything),
    }


def _withdraw(facts: list[PlainFact]) -> list[PlainFact]:
    """What is left when every content under a withdrawn name is out; withdrawals are no contents of theirs."""
    withdrawals = [fact for fact in facts if fact.type == WITHDRAWN]
    others = [fact for fact in facts if fact.type != WITHDRAWN]
    for withdrawal in withdrawals:
        targets = [fact for fact in others if fact.key[:2] == (withdrawal.data["source"], withdrawal.data["id"])]
        if not targets:
            withdrawal.stands("held", "fact")
        for target in targets:
            target.stands("withdrawn")
    return [fact for fact in others if fact.standing != "withdrawn"]


def _flag_conflicts(facts: Iterable[PlainFact], group: Callable[[PlainFact], Any]) -> None:
    """`conflict` for all that share a group (not None) with another content."""
    for fact in facts:
        if group(fact) is not None and any(group(other) == group(fact) and other.digest != fact.digest for other in facts):
            fact.flags.add("conflict")


def _is_published(fact: PlainFact) -> bool:
    return fact.type in (PUBLISHED, CORRECTED, DELETED) and "ruling" not in fact.data


def _is_ruling(fact: PlainFact) -> bool:
    return fact.type in (CORRECTED, DELETED) and "ruling" in fact.data


def _event_of(fact: PlainFact) -> str:
    event: str = fact.data["event"]["id"] if fact.type == PUBLISHED else fact.data["event_id"]
    return event


def _revision(fact: PlainFact) -> int:
    revision: int = fact.data["ruling"]["revision"] if _is_ruling(fact) else fact.data["revision"]
    return revision


def _in_order(facts: Iterable[PlainFact]) -> list[PlainFact]:
    return sorted(facts, key=lambda fact: (_revision(fact), (PUBLISHED, CORRECTED, DELETED).index(fact.type), fact.key))


# ---------------------------------------------------------------------- events


def _event(event_id: str, facts: list[PlainFact], who: Callable[[str, str], str]) -> Data | None:
    mine = [fact for fact in facts if _event_of(fact) == event_id]
    published = _in_order(fact for fact in mine if _is_published(fact))
    state, event, games = _fold_publisher(published)
    counting = []
    for _, same in groupby(sorted((fact for fact in mine if _is_ruling(fact)), key=_ruling_id), key=_ruling_id):
        *older, newest = _in_order(same)
        for fact in older:
            fact.stands("superseded", by=newest.key)
        counting.append(newest)
    if state == "absent":
        for fact in counting:
            fact.stands("held", "publication")
        return None
    if state == "void":
        for fact in counting:
            fact.stands("no-effect", "void")
    else:
        state, event, games = _fold_rulings(counting, state, event, games)
    in_force = [fact for fact in (*published, *counting) if fact.standing == "in-force"]
    return {
        "state": state,
        "event": event or None,
        "games": _judged(event_id, event, games, who),
        "flags": sorted({flag for fact in in_force for flag in fact.flags}),
        "facts": [fact.key for fact in in_force if not _is_empty(fact)],
    }


def _ruling_id(fact: PlainFact) -> str:
    ruling: str = fact.data["ruling"]["id"]
    return ruling


def _is_empty(fact: PlainFact) -> bool:
    return _is_ruling(fact) and not any(fact.data.get(name) for name in ("set", "games", "added", "removed", "mode"))


def _fold_publisher(ordered: list[PlainFact]) -> tuple[str, Data, dict[str, Data]]:
    """The table, row by row."""
    state, event, games = "absent", {}, {}
    for place, fact in enumerate(ordered):
        others = [other for other in ordered[:place] if other.digest != fact.digest]
        if "saw" in fact.data and fact.data["saw"] != (_revision(others[-1]) if others else 0):
            fact.flags.add("unseen-change")
        if fact.type == PUBLISHED:
            state, event, games = "live", dict(fact.data["event"]), {game["id"]: game for game in fact.data["games"]}
            _supersede(ordered[:place], fact)
        elif state == "absent":
            fact.stands("held", "publication")
        elif state == "void":
            fact.stands("no-effect", "void")
        elif fact.type == CORRECTED:
            new_games = {name: game for name, game in games.items() if name not in fact.data.get("removed", [])}
            new_games |= {game["id"]: game for game in fact.data.get("games", [])}
            new_event = _with(event, fact.data.get("set", {}))
            if _is_event(new_event, new_games):
                event, games = new_event, new_games
            else:
                fact.stands("no-effect", "content")
        elif fact.data["mode"] == "archive":
            state = "hidden"
        else:
            state, event, games = "void", {}, {}
            _supersede(ordered[:place], fact)
    return state, event, games


def _supersede(facts: Iterable[PlainFact], by: PlainFact) -> None:
    for fact in facts:
        if fact.standing != "superseded":
            fact.stands("superseded", by=by.key)


def _with(thing: Data, fields: Data) -> Data:
    return {name: value for name, value in {**thing, **fields}.items() if value is not None}


def _is_event(event: Data, games: dict[str, Data]) -> bool:
    return event.get("start_date", event["date"]) <= event["date"] and len(games) <= 5_000


def _is_game(game: Data) -> bool:
    sides = ("white" in game) + ("black" in game)
    return not (
        (game["result"] in ("0-0", "1/2-0", "0-1/2") and "rated" not in game)
        or (game["result"] == "bye-pairing") != ("points" in game)
        or (game["result"].startswith("bye-") and sides != 1)
        or ("unrated_reason" in game and game.get("rated", "both") == "both")
    )


def _fold_rulings(counting: list[PlainFact], state: str, event: Data, published: dict[str, Data]) -> tuple[str, Data, dict[str, Data]]:
    """Rulings on a live or hidden event; each is the one that counts of its id, in order of the ids."""
    if any(fact.data.get("mode") == "void" for fact in counting):
        for fact in counting:
            if fact.data.get("mode") != "void":
                fact.stands("no-effect", "ruling")
        return "void", {}, {}
    if any(fact.data.get("mode") == "archive" for fact in counting):
        state = "hidden"
    for one in counting:
        if any(_contests(one, other, published) for other in counting if other is not one):
            one.flags.add("contested")
    games = dict(published)
    for fact in counting:
        named = 0
        for kind in ("removed", "added", "games"):
            for place, item in enumerate(fact.data.get(kind, [])):
                named += 1
                reason = _misfit(kind, item, published) or _rule_game(kind, item, event, games)
                if reason is not None:
                    fact.misfits.append((f"/{kind}/{place}", reason))
        if fact.data.get("set"):
            named += 1
            if _is_event(_with(event, fact.data["set"]), games):
                event = _with(event, fact.data["set"])
            else:
                fact.misfits.append(("/set", "content"))
        if named and len(fact.misfits) == named:
            fact.stands("no-effect", "not-fitting")
    return state, event, games


def _misfit(kind: str, item: Data, published: dict[str, Data]) -> str | None:
    """By existence and sides, on the publisher's content."""
    there = published.get(item["id"])
    if there is None:
        return None if kind == "added" else "unknown-game"
    return None if [there.get("white"), there.get("black")] == [item.get("white"), item.get("black")] else "other-sides"


def _rule_game(kind: str, item: Data, event: Data, games: dict[str, Data]) -> str | None:
    """Change what is there by now, or say why that cannot be."""
    if kind == "added":
        if not _is_event(event, {**games, item["id"]: item}):
            return "content"
        games[item["id"]] = item
    elif item["id"] not in games:
        return "removed-by-ruling"
    elif kind == "removed":
        del games[item["id"]]
    else:
        game = _with(games[item["id"]], item["fields"])
        if not _is_game(game):
            return "content"
        games[item["id"]] = game
    return None


def _contests(one: PlainFact, other: PlainFact, published: dict[str, Data]) -> bool:
    """Whether two rulings name one field, or one game of which one of them names the whole."""
    if set(one.data.get("set", {})) & set(other.data.get("set", {})):
        return True
    mine, theirs = _named_games(one, published), _named_games(other, published)
    return any("whole" in (mine[game] | theirs[game]) or mine[game] & theirs[game] for game in mine.keys() & theirs.keys())


def _named_games(fact: PlainFact, published: dict[str, Data]) -> dict[str, set[str]]:
    """Game -> what the ruling names of it, of items that exist with their sides."""
    return {
        item["id"]: set(item["fields"]) if kind == "games" else {"whole"}
        for kind in ("removed", "added", "games")
        for item in fact.data.get(kind, [])
        if _misfit(kind, item, published) is None
    }


def _judged(event_id: str, event: Data, games: dict[str, Data], who: Callable[[str, str], str]) -> list[Any]:
    out = []
    for name in sorted(games):
        game = games[name]
        white, black = (who(event_id, game[side]) if side in game else None for side in ("white", "black"))
        clash, early = None, "none"
        if game["result"] not in PLAYED:
            why: str | None = "not-played"
        elif white is None or black is None:
            why = "unknown-side"
        elif game.get("rated") == "none":
            why = "declared-unrated"
        elif event["status"] == "running":
            why = "running"
            if "date" in game and white != black and not any(_two_ids(event_id, one, game, games, who) for one in (white, black)):
                early = game.get("rated", "both")
        elif white == black:
            why = "same-person"
        else:
            clash = _two_ids(event_id, white, game, games, who) or _two_ids(event_id, black, game, games, who)
            why = "round-clash" if clash else None
        out.append((game, white, black, "none" if why else game.get("rated", "both"), why, clash, early))
    return out


def _two_ids(event_id: str, person: str, game: Data, games: dict[str, Data], who: Callable[[str, str], str]) -> tuple[str, ...] | None:
    """The two smallest ids under which a person stands in played games of this game's round."""
    if "round" not in game:
        return None
    same_round = [other for other in games.values() if other.get("round") == game["round"] and other["result"] in PLAYED]
    ids = {other[side] for other in same_round for side in ("white", "black") if side in other and who(event_id, other[side]) == person}
    return tuple(sorted(ids)[:2]) if len(ids) > 1 else None


# ---------------------------------------------------------------------- identities


def _identities(facts: list[PlainFact]) -> tuple[Callable[[str], str], dict[tuple[str, str], str], Data]:
    """Who an id is; (event, raw id) -> the id it is there; the rows."""
    merges = [fact for fact in facts if fact.type == MERGED]
    unmerges = [fact for fact in facts if fact.type == UNMERGED]
    in_force = []
    for fact in merges:
        if fact.data["alias"] == fact.data["player"]:
            fact.stands("no-effect", "self")
        elif any(undo.data["merge_id"] == fact.data["merge_id"] for undo in unmerges):
            fact.stands("undone")
            fact.merge = fact.data["merge_id"]
        else:
            in_force.append(fact)
    for undo in unmerges:
        if not any(undo.data["merge_id"] == fact.data["merge_id"] for fact in merges):
            undo.stands("held", "merge")
    everywhere = [fact.data for fact in in_force if "events" not in fact.data]
    group: dict[str, set[str]] = {raw: {raw} for data in everywhere for raw in (data["alias"], data["player"])}
    for data in everywhere:
        united = group[data["alias"]] | group[data["player"]]
        for raw in united:
            group[raw] = united
    targets = {raw: {data["player"] for data in everywhere if data["alias"] == raw} for raw in group}

    def person(raw: str) -> str:
        ids = group.get(raw, {raw})
        return min([one for one in ids if not targets.get(one)] or ids)

    def is_contested(raw: str) -> bool:
        ids = group.get(raw, {raw})
        has_cycle = not [one for one in ids if not targets.get(one)]
        return has_cycle or any(len(targets.get(one, ())) > 1 for one in ids)

    there: dict[tuple[str, str], set[str]] = {}
    for fact in in_force:
        for event in fact.data.get("events", []):
            there.setdefault((event, fact.data["alias"]), set()).add(fact.data["player"])
    for fact in in_force:
        pairs = [(event, fact.data["alias"]) for event in fact.data.get("events", [])]
        if any(len(there[pair]) > 1 for pair in pairs) or (not pairs and is_contested(fact.data["alias"])):
            fact.flags.add("contested")
    scoped = {pair: min(players) for pair, players in there.items()}
    rows = {}
    for raw in {fact.data[side] for fact in in_force for side in ("alias", "player")}:
        naming = {fact.data["merge_id"] for fact in in_force if raw in (fact.data["alias"], fact.data["player"])}
        mine = sorted((event, person(target)) for (event, alias), target in scoped.items() if alias == raw)
        torn = any(len(players) > 1 for (_, alias), players in there.items() if alias == raw)
        rows[raw] = (person(raw), sorted(naming), mine, is_contested(raw) or torn)
    return person, scoped, rows


# ---------------------------------------------------------------------- whole-state facts


def _whole_state(facts: list[PlainFact], type: str, subject: Callable[[Data], Any]) -> dict[Any, PlainFact]:
    """Subject -> the last by (revision, source, id, digest)."""
    of_type = [fact for fact in facts if fact.type == type]
    _flag_conflicts(of_type, lambda fact: (subject(fact.data), fact.data["revision"]))
    newest: dict[Any, PlainFact] = {}
    for fact in sorted(of_type, key=lambda fact: (fact.data["revision"], fact.key)):
        newest[subject(fact.data)] = fact
    for fact in of_type:
        if fact is not newest[subject(fact.data)]:
            fact.stands("superseded", by=newest[subject(fact.data)].key)
    return newest


def _registrations(facts: list[PlainFact], person: Callable[[str], str]) -> Data:
    registered = _whole_state(facts, REGISTERED, lambda data: data["player"])
    counting: dict[str, str] = {}
    for player in sorted(registered):
        counting.setdefault(person(player), player)
        if player == person(player):
            counting[player] = player
    for player, fact in registered.items():
        if counting[person(player)] != player:
            fact.stands("no-effect", "registration")
    return {who: registered[player].data for who, player in counting.items()}


def _seeds(
    facts: list[PlainFact], person: Callable[[str], str], configuration: Data | None, seed_problem: SeedProblem
) -> dict[tuple[str, str], Any]:
    lists = _lists(configuration)
    newest = _whole_state(facts, SEEDED, lambda data: (data["list"], data["player"]))
    groups: dict[tuple[str, str], list[PlainFact]] = {}
    for (list_id, player), fact in newest.items():
        problem = seed_problem(lists.get(list_id), convert(fact.data, RatingSeeded))
        if problem is not None:
            fact.stands("no-effect", problem)
        else:
            groups.setdefault((list_id, person(player)), []).append(fact)
    out: dict[tuple[str, str], Any] = {}
    for (list_id, who), group in groups.items():
        group.sort(key=lambda fact: str(fact.data["player"]))
        group.sort(key=lambda fact: str(fact.data["as_of"]), reverse=True)
        group.sort(key=lambda fact: fact.data["player"] != who)
        chosen, *others = group
        for fact in others:
            fact.stands("in-force", "counters-only")
        out[list_id, who] = (chosen.data, sorted((fact.data for fact in others), key=lambda data: str(data["player"])))
    return out


def _adjustments(
    facts: list[PlainFact], person: Callable[[str], str], configuration: Data | None, adjustment_problem: AdjustmentProblem
) -> dict[tuple[str, str], Any]:
    """(list, adjustment id) -> id, date, kind, value, persons or None, of those in force that do not withdraw."""
    lists = _lists(configuration)
    newest = _whole_state(facts, ADJUSTED, lambda data: (data["list"], data["adjustment"]))
    out: dict[tuple[str, str], Any] = {}
    for (list_id, name), fact in newest.items():
        problem = adjustment_problem(lists.get(list_id), convert(fact.data, RatingAdjusted))
        if problem is not None:
            fact.stands("no-effect", problem)
            continue
        for kind in ("set", "add", "formula"):
            if kind in fact.data:
                who = sorted({person(raw) for raw in fact.data["players"]}) if "players" in fact.data else None
                out[list_id, name] = (name, fact.data["before"], kind, fact.data[kind], who)
    return out


def _lists(configuration: Data | None) -> dict[str, RatingList]:
    return {one["id"]: convert(one, RatingList) for one in ([] if configuration is None else configuration["lists"])}


# ---------------------------------------------------------------------- standings


def _standings(facts: list[PlainFact]) -> dict[tuple[str, str], list[Any]]:
    out: dict[tuple[str, str], list[Any]] = {}
    for fact in facts:
        same = [other for other in facts if other.key[:2] == fact.key[:2] and other.standing != "withdrawn"]
        if fact.standing != "withdrawn" and len(same) > 1:
            fact.flags.add("conflict")
        line = (fact.digest, fact.type, fact.standing, fact.reason, fact.by, fact.merge, fact.misfits, sorted(fact.flags))
        out.setdefault((fact.key[0], fact.key[1]), []).append(line)
    return {name: sorted(lines, key=lambda line: bytes(line[0])) for name, lines in out.items()}
