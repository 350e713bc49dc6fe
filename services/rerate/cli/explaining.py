"""`rerate explain` and `rerate preview`: why a rating is what it is, and what a planned game would do."""

from datetime import date as day

import click

from rerate.audit.facts import pool_of
from rerate.audit.what_if import RESULTS, Outcome, Planned, Preview, Scenario
from rerate.audit.what_if import preview as preview_games
from rerate.audit.why import Explanation, ToldStep
from rerate.audit.why import explain as explain_row
from rerate.cli.base import Options, run, shared_options
from rerate.cli.names import Names
from rerate.cli.opening import opened
from rerate.cli.output import progress, say, table, write_json
from rerate.cli.showing import list_option, names_option
from rerate.pool.pool import Pool, Settings
from rerate.rater.app import ENGINE
from rerate.ratings.installed import known_systems
from rerate.ratings.systems import Systems

NO_RATING = "no rating"


@click.command()
@click.argument("pool")
@click.argument("id")
@click.argument("period", required=False)
@list_option
@names_option
@shared_options
@click.pass_obj
def explain(options: Options, pool: str, id: str, period: str | None, list_id: str | None, names: Names) -> None:
    """Why a player's row is what it is: each game, who counted and why not, expected score, K and its rule, sum, rounding.

    PERIOD is named as `rerate player` shows it, or by its beginning; without it the last row is explained. The facts are replayed from
    scratch.
    """
    known = known_systems()
    found = explain_row(run(_pool(options, pool, known)), id, period, list_id, known)
    if options.as_json:
        write_json(found)
    else:
        show_explanation(found, names)


@click.command()
@click.argument("pool")
@click.option("--game", "games", multiple=True, required=True, metavar="WHITE,BLACK[,RESULT]", help="A planned game; may be said again.")
@click.option("--date", metavar="DATE", help="Day on which it would end; default: today.")
@click.option("--category", metavar="CATEGORY", help="Of the planned event; default: one that the list takes.")
@click.option("--steps", is_flag=True, help="Also every step of the calculation, as `rerate explain` shows it.")
@list_option
@names_option
@shared_options
@click.pass_obj
def preview(
    options: Options,
    pool: str,
    games: tuple[str, ...],
    date: str | None,
    category: str | None,
    steps: bool,
    list_id: str | None,
    names: Names,
) -> None:
    """What planned games would do to ratings, from those in force: one game with each result, or several with theirs, as one event.

    Where their period has games of the players already, what the planned games do is told apart.
    """
    planned, known = [_planned(game) for game in games], known_systems()
    found = preview_games(run(_pool(options, pool, known)), planned, _date(date), list_id, category=category, systems=known)
    if options.as_json:
        write_json(found)
    else:
        show_preview(found, names, with_steps=steps)


async def _pool(options: Options, pool: str, systems: Systems) -> Pool:
    async with opened(options) as chosen:
        with progress() as advance:
            return await pool_of(chosen.log, pool, Settings(engine=ENGINE, systems=systems), on_progress=advance)


def _planned(game: str) -> Planned:
    white, _, rest = game.partition(",")
    black, _, result = rest.partition(",")
    if not white or not black or (result and result not in RESULTS):
        raise click.UsageError(f"{game}: a planned game is WHITE,BLACK or WHITE,BLACK,RESULT with a result of {', '.join(RESULTS)}")
    return Planned(white=white, black=black, result=result or None)


def _date(date: str | None) -> str:
    if date is None:
        return day.today().isoformat()
    try:
        if day.fromisoformat(date).isoformat() == date:
            return date
    except ValueError:
        pass
    raise click.UsageError(f"{date}: a date is YYYY-MM-DD, and the calendar has it")


def show_explanation(found: Explanation, names: Names) -> None:
    """An explanation for people."""
    say(f"{names.of(found.player)}, list {found.list} of {found.pool}, update {found.update}, period {found.period}, by {found.system}")
    before = f"{found.before} from list {found.before_from}" if found.before_from else found.before or NO_RATING
    say(f"{before} -> {found.rating or NO_RATING}", *found.refused_seeds, "")
    show_steps(found.steps, names)


def show_steps(steps: tuple[ToldStep, ...], names: Names) -> None:
    """Steps for people: what was done, with whom, by which rule."""
    cells = [(_where(step, names), step.text, step.source) for step in steps]
    table(["game", "step", "rule"], cells)


def _where(step: ToldStep, names: Names) -> str:
    if step.opponent is not None:
        return f"{step.event} {step.game}, {step.colour}, {names.of(step.opponent)}"
    return step.event or ""


def show_preview(found: Preview, names: Names, *, with_steps: bool = False) -> None:
    """A preview for people."""
    say(f"list {found.list} of {found.pool}, update {found.update}, in period {found.period}")
    outcomes = found.scenarios[0].outcomes
    for one in outcomes:
        games = [f"{beside.event} {', '.join(beside.games)}" for beside in found.beside if beside.player == one.player]
        if games:
            say(f"{names.of(one.player)} has games in it already: {'; '.join(games)}; {_from(one)} -> {one.without or NO_RATING} by them")
    for player in found.unknown:
        say(f"{names.of(player)}: the pool has no game, registration, merge or usable seed of this id, so a newcomer")
    say("")
    columns = ["result" if len(found.games) == 1 else "results", *(names.of(one.player) for one in outcomes)]
    busy = {beside.player for beside in found.beside}
    table(columns, [_line(scenario, busy) for scenario in found.scenarios], right=columns[1:])
    for scenario in found.scenarios if with_steps else ():
        for one in scenario.outcomes:
            say("", f"{', '.join(scenario.results)}, {names.of(one.player)}: {_moves(one, busy)}")
            show_steps(one.steps, names)


def _line(scenario: Scenario, busy: set[str]) -> list[str]:
    return [", ".join(scenario.results), *(_moves(one, busy) for one in scenario.outcomes)]


def _moves(one: Outcome, busy: set[str]) -> str:
    """From where to where, for who has other games in the period with what the planned ones do."""
    if one.before is None and one.after is None:
        return NO_RATING
    planned = f" (planned {one.planned})" if one.player in busy and one.planned is not None else ""
    return f"{_from(one)} -> {one.after or NO_RATING}{planned}"


def _from(one: Outcome) -> str:
    return f"{one.before} from list {one.before_from}" if one.before_from else one.before or NO_RATING
