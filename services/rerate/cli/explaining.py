"""`rerate explain` and `rerate preview`: why a rating is what it is, and what a planned game would do."""

from datetime import date as day

import click

from rerate.audit.facts import pool_of
from rerate.audit.what_if import RESULTS, Planned, Preview, Scenario
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
    found = explain_row(run(_pool(options, pool)), id, period, list_id)
    if options.as_json:
        write_json(found)
    else:
        show_explanation(found, names)


@click.command()
@click.argument("pool")
@click.option("--game", "games", multiple=True, required=True, metavar="WHITE,BLACK[,RESULT]", help="A planned game; may be said again.")
@click.option("--date", metavar="DATE", help="Day on which it would end; default: today.")
@click.option("--category", default="planned", show_default=True, help="Of the planned event, where a rule asks for it.")
@list_option
@names_option
@shared_options
@click.pass_obj
def preview(
    options: Options, pool: str, games: tuple[str, ...], date: str | None, category: str, list_id: str | None, names: Names
) -> None:
    """What planned games would do to ratings, from those in force: one game with each result, or several with theirs, as one event."""
    planned = [_planned(game) for game in games]
    found = preview_games(run(_pool(options, pool)), planned, _date(date), list_id, category=category)
    if options.as_json:
        write_json(found)
    else:
        show_preview(found, names)


async def _pool(options: Options, pool: str) -> Pool:
    async with opened(options) as chosen:
        with progress() as advance:
            return await pool_of(chosen.log, pool, Settings(engine=ENGINE, systems=known_systems()), on_progress=advance)


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
        return day.fromisoformat(date).isoformat()
    except ValueError:
        raise click.UsageError(f"{date}: a date is YYYY-MM-DD, and the calendar has it") from None


def show_explanation(found: Explanation, names: Names) -> None:
    """An explanation for people."""
    say(f"{names.of(found.player)}, list {found.list} of {found.pool}, update {found.update}, period {found.period}, by {found.system}")
    say(f"{found.before or 'no rating'} -> {found.rating or 'no rating'}", "")
    show_steps(found.steps, names)


def show_steps(steps: tuple[ToldStep, ...], names: Names) -> None:
    """Steps for people: what was done, with whom, by which rule."""
    cells = [(_where(step, names), step.text, step.source) for step in steps]
    table(["game", "step", "rule"], cells)


def _where(step: ToldStep, names: Names) -> str:
    if step.opponent is not None:
        return f"{step.event} {step.game}, {step.colour}, {names.of(step.opponent)}"
    return step.event or ""


def show_preview(found: Preview, names: Names) -> None:
    """A preview for people."""
    say(f"list {found.list} of {found.pool}, update {found.update}, in period {found.period}", "")
    players = [outcome.player for outcome in found.scenarios[0].outcomes]
    columns = ["result" if len(found.games) == 1 else "results", *(names.of(player) for player in players)]
    table(columns, [_line(scenario) for scenario in found.scenarios], right=columns[1:])


def _line(scenario: Scenario) -> list[str]:
    told = [f"{one.before or '-'} -> {one.after or '-'}" for one in scenario.outcomes]
    return [", ".join(scenario.results), *told]
