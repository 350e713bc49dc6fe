"""`rerate score`: how well lists, and other systems on the same facts, foretell games."""

import click
from msgspec import to_builtins

from rerate.audit.facts import pool_of
from rerate.audit.scoring import Band, Comparison, Score, compare, of_list, rated_lists, under_system
from rerate.cli.base import Options, collect_rarely, run, shared_options
from rerate.cli.opening import opened
from rerate.cli.output import count, number, progress, say, table, write_json
from rerate.pool.pool import Settings
from rerate.rater.app import ENGINE
from rerate.ratings.installed import known_systems

BAR = 10
"""Characters of a full bar."""
EIGHTHS = "▏▎▍▌▋▊▉█"


@click.command()
@click.argument("pool")
@click.option("--lists", metavar="LIST[,LIST...]", help="Which lists of the pool; default: all, shadow lists among them.")
@click.option(
    "--system",
    "systems",
    multiple=True,
    metavar="NAME[,PARAMETER=VALUE...]",
    help="Also the facts of the first list under this system; may be said again.",
)
@shared_options
@click.pass_obj
def score(options: Options, pool: str, lists: str | None, systems: tuple[str, ...]) -> None:
    """Compare lists by how well they foretell: log loss and Brier score of each game, predicted from what was known before its period.

    The facts are replayed from scratch; the games are those that every list compared rates. Smaller is better.
    """
    collect_rarely()
    found = run(_compared(options, pool, None if lists is None else lists.split(","), systems))
    if options.as_json:
        for one in found.scores:
            write_json(score_object(found, one))
        return
    show_comparison(found)


async def _compared(options: Options, pool: str, lists: list[str] | None, systems: tuple[str, ...]) -> Comparison:
    known = known_systems()
    async with opened(options) as chosen:
        with progress() as advance:
            built = await pool_of(chosen.log, pool, Settings(engine=ENGINE, systems=known), on_progress=advance)
            names = rated_lists(built) if lists is None else list(dict.fromkeys(lists))
            contenders = [of_list(built, name, known) for name in names]
            for done, asked in enumerate(dict.fromkeys(systems)):
                advance(f"rating by {asked}", done, len(systems))
                contenders.append(under_system(built, names[0] if names else "", asked, known))
            return compare(built, contenders, on_progress=advance)


def score_object(found: Comparison, one: Score) -> dict[str, object]:
    """A score for programs; means to six places."""
    coin = {"log_loss": found.coin_log_loss, "brier": found.coin_brier}
    about = {"pool": found.pool, "games": found.games, "left_out": found.left_out, "score": found.score, "coin": coin}
    return {name: _rounded(value) for name, value in {**about, **to_builtins(one)}.items()}


def _rounded(value: object) -> object:
    match value:
        case float():
            return round(value, 6)
        case dict():
            return {name: _rounded(one) for name, one in value.items()}
        case list() | tuple():
            return [_rounded(one) for one in value]
        case _:
            return value


def show_comparison(found: Comparison) -> None:
    """A comparison for people: the losses, and a chart of what came true."""
    left = f"; {count(found.left_out, 'game')} that only some rate left out" if found.left_out else ""
    which = "every list" if len(found.scores) > 1 else "the list"
    say(f"{found.pool}: {count(found.games, 'game')} that {which} rates{left}", "")
    cells = [
        (one.name, _what(one), one.period, f"{one.log_loss:.4f}", f"{one.brier:.4f}", f"{one.forecast:.3f}", number(one.unrated))
        for one in found.scores
    ]
    cells.append(("a coin", "one half, always", "", f"{found.coin_log_loss:.4f}", f"{found.coin_brier:.4f}", "0.500", ""))
    columns = ["list", "system", "period", "log loss", "Brier", "forecast", "no rating"]
    table(columns, cells, right=columns[3:])
    say("", f"Smaller is better. White scored {found.score:.3f} a game; `forecast` is what each list expected of White.")
    if any(one.unrated for one in found.scores):
        say(
            "`no rating`: games of which the list had no rating for a player. They are foretold as its system does of newcomers, on FIDE's",
            "lists always as one half, which says nothing of how well it rates.",
        )
    say("")
    say("What White scored where the forecast for White lay between, and in how many games:", "")
    bands = [
        (f"{band.low:.1f} - {band.high:.1f}", *(_bar(one.calibration[at]) for one in found.scores))
        for at, band in enumerate(found.scores[0].calibration)
    ]
    table(["forecast", *(one.name for one in found.scores)], bands)


def _what(one: Score) -> str:
    """The systems of a list, and whether it is official."""
    return ", ".join(dict.fromkeys(one.systems)) + (" (shadow)" if one.shadow else "")


def _bar(band: Band) -> str:
    """A mean score as a bar, in figures, and of how many games."""
    if band.score is None:
        return f"{'':{BAR}}    - {0:>7}"
    eighths = round(band.score * BAR * 8)
    bar = EIGHTHS[-1] * (eighths // 8) + (EIGHTHS[eighths % 8 - 1] if eighths % 8 else "")
    return f"{bar:{BAR}} {band.score:.2f} {number(band.games):>7}"
