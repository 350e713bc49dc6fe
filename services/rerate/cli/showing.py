"""`rerate ladder`, `player`, `event`: what people ask."""

import re
from collections.abc import Callable
from datetime import date as day
from datetime import datetime
from typing import Any

import click

from rerate.board.asking import EventPage, Ladder, PlayerOnList, PlayerPage, ask_event, ask_ladder, ask_player
from rerate.board.lookup import Lookup
from rerate.board.views import EventRating, LadderLine, Plot, plot
from rerate.cli.base import NO, Ended, Options, collect_rarely, run, shared_options
from rerate.cli.names import Names, NamesFile
from rerate.cli.opening import opened
from rerate.cli.output import count, number, say, table, write_json
from rerate.messages.codes import FALLBACK, HALTED, LIVE, PARAMETERS, SENTENCES
from rerate.pool.head import Head

names_option = click.option("--names", type=NamesFile(), default=Names, help="CSV id,name: show names beside ids.")
list_option = click.option("--list", "list_id", metavar="LIST", help="A list of the pool; default: its only one, or its only official one.")


@click.command()
@click.argument("pool")
@list_option
@click.option(
    "--as-of",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="DATE",
    help="The ladder in force on that day, as today's facts tell it; by month, the list of the first of that month.",
)
@click.option("--top", type=click.IntRange(min=1), metavar="N", help="The first N established players only.")
@names_option
@shared_options
@click.pass_obj
def ladder(options: Options, pool: str, list_id: str | None, as_of: datetime | None, top: int | None, names: Names) -> None:
    """The rating list of a pool, by rating; provisional players below."""
    collect_rarely()
    date = None if as_of is None else as_of.strftime("%Y-%m-%d")
    found = run(_ladder(options, pool, list_id, date))
    if options.as_json:
        for line in _top(found.lines, top):
            write_json(
                {
                    "pool": pool,
                    "list": found.list_id,
                    **_shadow(found.head, found.list_id),
                    "update": found.head.update,
                    **({"as_of": date} if date else {}),
                    **line_object(line, names),
                }
            )
        return
    held = found.head.lists[found.list_id].held
    if held is not None:
        more = f" `rerate explain {pool} ID --list {found.list_id}` names what is refused." if held in (PARAMETERS, FALLBACK) else ""
        raise Ended(f"{pool}, list {found.list_id} is held ({held}): {SENTENCES['list-held'].get(held, held)}{more}", NO)
    when = f"as of {date}, as update {found.head.update} tells it" if date else f"update {found.head.update}"
    shadow = " (a shadow list: for comparison, not official)" if found.head.lists[found.list_id].shadow else ""
    say(f"{pool}, list {found.list_id}{shadow}, {when}{_halted(found)}", "")
    show_ladder(_top(found.lines, top), names)
    if not found.lines:
        say("nobody is on it" if date is None else f"nobody was on it by {date}")
    shown, of = len(_top(found.lines, top)), len(found.lines)
    if shown < of:
        say("", f"{number(shown)} of {count(of, 'player')}")


async def _ladder(options: Options, pool: str, list_id: str | None, date: str | None) -> Ladder:
    async with opened(options) as chosen:
        return await ask_ladder(Lookup(chosen.log), pool, list_id, date, today=today())


def today() -> str:
    """The day on which is read, by this machine's clock and time zone."""
    return day.today().isoformat()


def _halted(found: Ladder) -> str:
    return " (HALTED: later facts are not in it)" if found.head.state == HALTED else ""


def _shadow(head: Head, list_id: str) -> dict[str, bool]:
    """`shadow` for a JSON object, if the list is one."""
    return {"shadow": True} if head.lists[list_id].shadow else {}


def _top(lines: list[LadderLine], top: int | None) -> list[LadderLine]:
    return lines if top is None else [line for line in lines if not line.provisional][:top]


def line_object(line: LadderLine, names: Names) -> dict[str, Any]:
    """A line of a ladder for programs."""
    told = {name: getattr(line, name) for name in LadderLine.__struct_fields__ if getattr(line, name) is not None}
    told |= {"rating": line.rating, "shown": line.shown}
    return told | names.beside(line.player)


def show_ladder(lines: list[LadderLine], names: Names) -> None:
    """A ladder for people: who is established, then who is provisional, then who has no rating."""
    groups = {
        None: [line for line in lines if line.rating is not None and not line.provisional],
        "provisional:": [line for line in lines if line.rating is not None and line.provisional],
        "unrated:": [line for line in lines if line.rating is None],
    }
    columns: list[tuple[str, Callable[[LadderLine], object]]] = [
        ("#", lambda line: line.rank),
        ("rating", lambda line: line.shown),
        ("exact", lambda line: line.rating),
        ("player", lambda line: names.of(line.player)),
        ("id", lambda line: line.player),
        ("games", lambda line: line.games),
    ]
    if any(line.last_period is not None for line in lines):
        columns.append(("last period", lambda line: line.last_period))
    else:
        columns.append(("last game", lambda line: line.last_game))
    if any(line.inactive for line in lines):
        columns.append(("", lambda line: "inactive" if line.inactive else None))
    for title, chosen in groups.items():
        if not chosen:
            continue
        if title:
            say("", title)
        shown = columns if any(names.of(line.player) != line.player for line in chosen) else [one for one in columns if one[0] != "id"]
        table([title for title, _ in shown], [[cell(line) for _, cell in shown] for line in chosen], right=_NUMBERS)


_NUMBERS = ("#", "rating", "exact", "games")


@click.command()
@click.argument("pool")
@click.argument("id")
@click.option("--list", "list_id", metavar="LIST", help="A list of the pool; default: all.")
@click.option("--rows", type=click.IntRange(min=0), default=10, show_default=True, help="How many of the last rows to show; 0: all.")
@names_option
@shared_options
@click.pass_obj
def player(options: Options, pool: str, id: str, list_id: str | None, rows: int, names: Names) -> None:
    """A player's standing, and the history of their rating. An id that was merged is followed to the person."""
    page = run(_player(options, pool, id, list_id))
    if options.as_json:
        for on_list in page.lists:
            write_json(
                {
                    "pool": pool,
                    "asked": id,
                    "player": page.player,
                    **names.beside(page.player),
                    "merges": page.merges,
                    "list": on_list.list_id,
                    **_shadow(page.head, on_list.list_id),
                    "update": page.head.update,
                    **({} if on_list.inactive is None else {"inactive": on_list.inactive}),
                    "snapshot": on_list.snapshot,
                    "state": on_list.state,
                    "rows": on_list.steps,
                }
            )
        return
    show_player(page, names, rows)


async def _player(options: Options, pool: str, id: str, list_id: str | None) -> PlayerPage:
    async with opened(options) as chosen:
        return await ask_player(Lookup(chosen.log), pool, id, list_id, today=today())


def show_player(page: PlayerPage, names: Names, rows: int) -> None:
    """A player's page for people."""
    name = names.of(page.player)
    say(f"{name} ({page.player})" if name != page.player else page.player)
    if page.asked != page.player:
        known = names.of(page.asked)
        say(f"{f'{known} ({page.asked})' if known != page.asked else known} is this person, by {', '.join(page.merges)}")
    for on_list in page.lists:
        shadow = " (shadow)" if page.head.lists[on_list.list_id].shadow else ""
        say("", f"list {on_list.list_id}{shadow}: {_standing(on_list)}")
        if told := _state(on_list.state or {}):
            say(f"after the last row: {told}")
        drawn = plot(on_list.steps)
        if drawn is not None:
            say("", *plot_lines(drawn), "")
        shown = on_list.steps[-rows:] if rows else on_list.steps
        if shown:
            columns = ["period", "before", "change", "rating", "games", "because"]
            because = {"direct": "own games", "carried": "ratings before it"}
            cells = [
                (s.period, s.before, s.change, s.rating, s.games, f"{because.get(s.cause, s.cause)}, update {s.update}") for s in shown
            ]
            table(columns, cells, right=("before", "change", "rating", "games"))
        if len(shown) < len(on_list.steps):
            say(f"the last {len(shown)} of {count(len(on_list.steps), 'row')}; --rows 0 shows all")


def _standing(on_list: PlayerOnList) -> str:
    s = on_list.snapshot
    parts = ["unrated" if s.rating is None else s.rating + (" (provisional)" if s.provisional else "")]
    if on_list.inactive:
        parts.append(f"inactive, without a rated game since {s.last_game}")
    parts.append(f"{count(s.games, 'game')}: {number(s.won)} won, {number(s.drawn)} drawn, {number(s.lost)} lost")
    if s.peak is not None:
        is_day = len(s.peak.date) == len("2024-01-05")
        parts.append(f"highest {s.peak.rating} {'on' if is_day else 'after period'} {s.peak.date}")
    if s.as_of is not None:
        parts.append(f"began on {s.as_of} with a rating from elsewhere")
    return "; ".join(parts)


def _state(state: dict[str, object]) -> str:
    """What a list's system keeps of a player beside rating and games, as far as it says something."""
    told = {name: value for name, value in state.items() if name not in ("rating", "games") and not _is_zero(value)}
    return ", ".join(f"{name} {('no', 'yes')[value] if isinstance(value, bool) else value}" for name, value in told.items())


def _is_zero(value: object) -> bool:
    return value is None or (not isinstance(value, bool) and str(value).strip("0.") == "")


def plot_lines(drawn: Plot) -> list[str]:
    """A plot with its scales."""
    width = max(len(drawn.high), len(drawn.low))
    labels = {0: drawn.high, len(drawn.lines) - 1: drawn.low}
    lines = [f"{labels.get(at, ''):>{width}} │{line}" for at, line in enumerate(drawn.lines)]
    gap = len(drawn.lines[0]) - len(drawn.first) - len(drawn.last)
    return [*(line.rstrip() for line in lines), f"{'':>{width}}  {drawn.first}{' ' * max(gap, 1)}{drawn.last}"]


@click.command()
@click.argument("pool")
@click.argument("id")
@names_option
@shared_options
@click.pass_obj
def event(options: Options, pool: str, id: str, names: Names) -> None:
    """An event: each game, rated or why not, by which facts; and what its period did to ratings."""
    page = run(_event(options, pool, id))
    if options.as_json:
        write_json({"update": page.head.update, "row": page.event, "ratings": page.ratings, "left_out": page.left_out})
        return
    show_event(page, names)


async def _event(options: Options, pool: str, id: str) -> EventPage:
    async with opened(options) as chosen:
        return await ask_event(Lookup(chosen.log), pool, id)


def show_event(page: EventPage, names: Names) -> None:
    """An event's page for people."""
    row = page.event
    about = row["event"]
    name = names.of(about["id"])
    say(f"{name} ({about['id']})" if name != about["id"] else about["id"])
    fields = [
        f"{field} {about[field]}"
        for field in ("date", "start_date", "order", "category", "variant", "status", "part_of", "rate_in")
        if field in about
    ]
    is_rated = page.ratings or row["state"] != LIVE
    say(", ".join([*fields, SENTENCES["event-state"][row["state"]] if is_rated else "The event is shown; no list has rated a game of it."]))
    for flag in row["flags"]:
        say(f"{flag}: {SENTENCES['flag'][flag]}")
    facts = [
        f"{fact['source']}/{fact['id']}" + (f" (revision {fact['revision']})" if "revision" in fact else "") for fact in row["by"]["facts"]
    ]
    say(f"by {', '.join(facts)}; update {row['by']['update']}")
    if row["games"]:
        say("")
        cells = [
            (_place(game), _side(game, "white", names), game["result"], _side(game, "black", names), _judged(game, page))
            for game in sorted(row["games"], key=_in_order)
        ]
        table(["game", "white", "result", "black", "rated"], cells)
    say(*_left_out(page, names))
    if page.ratings:
        say("")
        ratings = [
            (
                r.list,
                names.of(r.player),
                r.period,
                r.judged_by,
                f"{r.score} of {r.games - r.protected - r.not_counted}",
                r.expected,
                r.rating,
                "; ".join([*_not_counted(r, page), *([f"with {count(len(r.others), 'other event')}"] if r.others else [])]),
            )
            for r in page.ratings
        ]
        columns = ["list", "player", "period", "judged by", "score", "expected", "after the period", ""]
        table(columns, ratings, right=("judged by", "score", "expected", "after the period"))


def _in_order(game: dict[str, Any]) -> tuple[int, int, list[tuple[bool, int, str]]]:
    """By round and board, then as people count: g2 ahead of g10."""
    parts = re.findall(r"[0-9]+|[^0-9]+", game["id"])
    place = [(not part.isdecimal(), int(part) if part.isdecimal() else 0, part) for part in parts]
    return game.get("round", 0), game.get("board", 0), place


def _place(game: dict[str, Any]) -> str:
    parts = [game["id"], *(f"{word} {game[word]}" for word in ("round", "board") if word in game)]
    return ", ".join(parts)


def _side(game: dict[str, Any], side: str, names: Names) -> str:
    who = game.get(side)
    if who is None:
        return ""
    person = names.of(who["person"])
    return person if who["id"] == who["person"] else f"{person} (as {names.of(who['id'])})"


def _not_counted(r: EventRating, page: EventPage) -> list[str]:
    """Games of a player that moved nothing, and why if what is published tells."""
    if r.protected:
        return [f"{r.protected} not counted: provisional opponent"]
    if not r.not_counted:
        return []
    unrated = {one.player for one in page.ratings if one.list == r.list and one.judged_by is None}
    sides = [{game[side]["person"] for side in ("white", "black") if side in game} for game in page.event["games"] if "why" not in game]
    known = sum(r.player in persons and not unrated.isdisjoint(persons - {r.player}) for persons in sides)
    why = "opponent without a rating" if known >= r.not_counted else f"`rerate explain` with --list {r.list} tells why"
    return [f"{r.not_counted} not counted: {why}"]


def _left_out(page: EventPage, names: Names) -> list[str]:
    """What lists have not rated, and why; lists that do not take the event in one line."""
    lines, not_taking = [], [one.list for one in page.left_out if one.why == "not-taken"]
    if not_taking:
        theirs = ("it has", "its") if len(not_taking) == 1 else ("they have", "their")
        why = f"{theirs[0]} other categories, variants or dates, or it was reported too late"
        lines.append(f"{count(len(not_taking), 'list')} without a game of it, {', '.join(not_taking)}: {why}")
    for one in page.left_out:
        which = ", ".join(one.games) if any(r.list == one.list for r in page.ratings) else "no game of it"
        if one.why == "held":
            lines.append(f"list {one.list} rates {which}: it is held ({page.head.lists[one.list].held})")
        elif one.why == "not-named":
            lines.append(f"list {one.list} rates {which}: the event is for {', '.join(page.event['event']['lists'])} only")
        elif one.why == "before-seed":
            who = ", ".join(names.of(player) for player in one.players)
            lines.append(f"list {one.list} does not rate {', '.join(one.games)}: before the day on which the rating of {who} begins there")
    return ["", *lines] if lines else []


def _judged(game: dict[str, Any], page: EventPage) -> str:
    if "why" not in game:
        left = {one.list for one in page.left_out if game["id"] in one.games}
        persons = {game[side]["person"] for side in ("white", "black")}
        counts = [r for r in page.ratings if r.player in persons and r.games > r.protected + r.not_counted]
        lists = [name for name in dict.fromkeys(r.list for r in counts) if name not in left]
        sides = "" if game["rated"] == "both" else f"{game['rated']} only, "
        return f"{sides}on {', '.join(lists)}" if lists else "by no list"
    said = SENTENCES["unrated-why"][game["why"]]
    who = f" ({', '.join(game['ids'])})" if game.get("ids") else ""
    return said + who if game["rated"] == "none" else f"{game['rated']} only. {said}{who}"
