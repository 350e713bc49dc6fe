"""`rerate calc`: the systems as calculators, without a log."""

import re
from collections.abc import Callable, Sequence
from datetime import date as day
from fractions import Fraction
from typing import Any, TypeVar

import click

from rerate.cli.base import Options, shared_options
from rerate.cli.output import say, table, write_json
from rerate.ratings.calculating import Answer, calculate
from rerate.ratings.calculator_question import NotCalculable, Outcome, ToldStep
from rerate.ratings.calculators import Against, Said, against, question_of, question_of_any
from rerate.ratings.installed import known_systems
from rerate.ratings.quantum import signed
from rerate.ratings.systems import SYSTEMS, Systems

F = TypeVar("F", bound=Callable[..., Any])

OLDER_METHOD = "2009-06-01"
"""The day of games by FIDE's older method, if none is said: its last quarterly list, with a cap of 350 and K 25/15/10."""


class Game(click.ParamType):
    """A game as an option's value."""

    name = "RATING[:SCORE]"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Against:
        if isinstance(value, Against):
            return value
        try:
            return against(str(value))
        except NotCalculable as error:
            self.fail(str(error), param, ctx)


class Setting(click.ParamType):
    """A parameter and its value as an option's value."""

    name = "NAME=VALUE"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        name, is_there, said = value if isinstance(value, tuple) else str(value).partition("=")
        if not is_there:
            self.fail(f"{value}: say NAME=VALUE", param, ctx)
        return name, said


class Day(click.ParamType):
    """A day as an option's value, given on as it is written."""

    name = "YYYY-MM-DD"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        text = str(value)
        if re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", text, re.ASCII) is None:
            self.fail(f"{text} is no day: say YYYY-MM-DD", param, ctx)
        try:
            return day.fromisoformat(text).isoformat()
        except ValueError:
            self.fail(f"there is no day {text}", param, ctx)


class Calculators(click.Group):
    """A group whose commands are systems: who asks for another is told their names."""

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in self.commands:
            ctx.fail(f"there is no calculator {args[0]}; there are {', '.join(sorted(self.commands))}")
        return super().resolve_command(ctx, args)


def _options(*options: Callable[[F], F]) -> Callable[[F], F]:
    def add(command: F) -> F:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def _common(vs: str, own: str, on: str = "today") -> Callable[[F], F]:
    return _options(
        click.option("--own", metavar=vs.partition("[")[0] if "=" in vs else "RATING", help=own),
        click.option("--vs", type=Game(), multiple=True, required=True, metavar=vs, help="A game; say it again for each. " + _SCORES),
        click.option("--date", type=Day(), help=f"Of the games; dated rules go by it; default: {on}."),
        click.option("--set", "settings", type=Setting(), multiple=True, help="A parameter of the system; an unknown one names all."),
    )


_SCORES = "Scores: 1, 0.5, 0; without one, win, draw and loss are shown side by side."
_STEPS = ["1", "0.1", "0.01", "0.001"]
_quantum = click.option("--quantum", type=click.Choice(_STEPS), help="Steps in which ratings are had.")
_fractions = click.option("--quantum", type=click.Choice(_STEPS[1:]), help="Steps in which ratings are had.")
_k = click.option("--k", type=click.IntRange(0, 1000), help="K by hand, instead of by the rule.")
_games = click.option("--games", type=click.IntRange(min=0), metavar="N", help="Games behind the rating.")
_peak = click.option("--peak", metavar="RATING", help="The highest rating ever published.")
_established_peak = click.option("--peak", metavar="RATING", help="The highest established rating; floors go by its whole hundreds.")
_born = _options(
    click.option("--birth-year", type=click.IntRange(1000, 9999), metavar="YEAR"),
    click.option("--age", type=click.IntRange(0, 120), metavar="YEARS", help="Reached in the year of the games, instead of --birth-year."),
)
_title = click.option(
    "--title-norm", "is_for_title", is_flag=True, help="Performance: an unrated opponent counts as 1400, as for a title norm."
)
_kind = click.option("--kind", type=click.Choice(["standard", "rapid", "blitz"]), help="Which list; default: standard.")
_glicko = _options(
    click.option("--deviation", metavar="RD", help="Of the player."),
    click.option("--last", type=Day(), help="The last game before; the deviation grows since."),
    click.option("--period", type=click.Choice(["month", "date"]), help="How time is counted: whole months (default), or days."),
)
_FIDE_OWN = "The player's rating; without it the first rating is worked out."
_NEW_OWN = "The player's rating; without it a newcomer's."


@click.group(cls=Calculators)
@shared_options
def calc() -> None:
    """What games do to a rating, by each system's own rules, step by step. No log is needed.

    \b
    rerate calc fide --own 1500 --k 20 --vs 1400:1 --vs 1600:0.5
    rerate calc glicko2 --own 1500 --deviation 200 --vs 1400/30:1 --vs 1550/100:0
    """


@calc.command("fide")
@_common("RATING[:SCORE]", _FIDE_OWN)
@_options(_k, _games, _peak, _born, _kind, _title)
@shared_options
@click.pass_obj
def fide_(options: Options, /, **said: Any) -> None:
    """FIDE's rules of the day, with the official table. `--vs unrated:1` is a game with somebody who has no rating."""
    _answer(options, "fide/1", said)


@calc.command("fide-curve")
@_common("RATING[:SCORE]", _FIDE_OWN)
@_options(_k, _games, _peak, _born, _kind, _title, _quantum)
@shared_options
@click.pass_obj
def fide_curve_(options: Options, /, **said: Any) -> None:
    """FIDE's rules of the day on the continuous curve, as many calculators on the web have them."""
    _answer(options, "fide-curve/1", said)


@calc.command("fide-2009")
@_common("RATING[:SCORE]", _FIDE_OWN, OLDER_METHOD)
@_options(_k, _games, _peak)
@shared_options
@click.pass_obj
def fide_2009_(options: Options, /, **said: Any) -> None:
    """FIDE's older method, on the mean of the opponents. The day that --date stands for if it is not said belongs to its last quarterly
    list."""
    _answer(options, "fide-2009/1", said, OLDER_METHOD)


@calc.command("club")
@_common("RATING[/GAMES][:SCORE]", _NEW_OWN)
@_options(_k, _games, _fractions)
@shared_options
@click.pass_obj
def club_(options: Options, /, **said: Any) -> None:
    """The club ladder. `--vs 1200/3:1` is a game with somebody who has 3 games behind him and is provisional."""
    _answer(options, "club/1", said)


@calc.command("uschess")
@_common("RATING[:SCORE]", "The player's rating; without it the starting value is worked out.")
@_options(_games, _established_peak, _born)
@click.option("--fide", metavar="RATING", help="A FIDE rating of the unrated player, to be converted.")
@click.option("--earlier", type=click.Choice(["mixed", "won", "lost"]), help="Whether all earlier games were won, or lost; default: mixed.")
@click.option("--match", "is_match", is_flag=True, help="The games are a match.")
@click.option("--dual", "is_dual", is_flag=True, help="The games are rated by FIDE, too.")
@_fractions
@shared_options
@click.pass_obj
def uschess_(options: Options, /, **said: Any) -> None:
    """The US Chess system; the games are one event.

    An opponent with a rating counts as established, with 50 games: one who is provisional is not told apart. One of `--vs unrated:1`
    counts with the starting value of who is of unknown age, 1300.
    """
    _answer(options, "uschess/1", said)


@calc.command("glicko")
@_common("RATING/RD[:SCORE]", _NEW_OWN)
@_options(_glicko, _quantum)
@shared_options
@click.pass_obj
def glicko_(options: Options, /, **said: Any) -> None:
    """Glicko; the games are one rating period. For game by game, ask for each by itself, with what the one before came to."""
    _answer(options, "glicko/1", said)


@calc.command("glicko2")
@_common("RATING/RD[:SCORE]", _NEW_OWN)
@_glicko
@click.option("--volatility", metavar="SIGMA", help="Of the player; default: the system's start_volatility.")
@_quantum
@shared_options
@click.pass_obj
def glicko2_(options: Options, /, **said: Any) -> None:
    """Glicko-2; the games are one rating period.

    Lichess: `--set preset=lichess --period date`, and a colour: `--vs 1500/60:1:black`. It rates game by game: ask for each by itself, with
    rating, deviation and volatility as the one before left them, and its day as --last.
    """
    _answer(options, "glicko2/1", said)


@calc.command("other")
@click.argument("system")
@_common("FIELD=VALUE,...[:SCORE]", "The player; without it a newcomer.")
@_quantum
@click.option("--period", type=click.Choice(["event", "date", "round", "month"]), help="What the games are together.")
@shared_options
@click.pass_obj
def other(options: Options, /, system: str, **said: Any) -> None:
    """Any SYSTEM by its name with the version, those of installed packages among them (`rerate systems`).

    A player is said field by field as in a seed (`rerate systems SYSTEM`), or by a rating alone; `--vs unrated:1` is a newcomer.

    \b
    rerate calc other acme-elo/1 --own rating=1500,games=3 --vs rating=1600,games=40:1
    """
    _answer(options, system, said, systems=known_systems())


def _answer(
    options: Options,
    system: str,
    said: dict[str, Any],
    default_date: str | None = None,
    systems: Systems | None = None,
) -> None:
    """Args:
    systems: for who may ask any of them; None: the system has a calculator of its own.
    """
    date, settings, vs = said.pop("date"), said.pop("settings"), said.pop("vs")
    on = date or default_date or day.today().isoformat()
    try:
        asked = Said(date=on, against=vs, parameters=dict(settings), **said)
        question = question_of(system, asked) if systems is None else question_of_any(system, asked, systems)
        answer = calculate(question, systems or SYSTEMS)
    except NotCalculable as error:
        raise click.UsageError(f"{error.option}: {error}") from error
    if options.as_json:
        write_json(answer)
    else:
        show_answer(answer)


def show_answer(answer: Answer) -> None:
    """An answer for people."""
    listed = "" if answer.list_date is None else f", whose list comes out on {answer.list_date}"
    say(f"{answer.system}, games of {answer.date}, in the period {answer.period}{listed}", "")
    first, *others = answer.outcomes
    if others:
        show_side_by_side(answer)
    else:
        _show_steps(first.steps)
        say("", f"{answer.before or 'no rating'} -> {first.after or 'no rating'}{_moved(first)}")
        say(*(f"{_LABELS.get(name, name)}: {before} -> {after}" for name, (before, after) in _other_fields(answer, first).items()))
    performances = [one for one in answer.performance if one.name != "linear-800" or one.rating not in _ratings(answer, "linear")]
    if performances:
        say("")
        cells = [(one.name, one.rating, one.text, one.source) for one in performances]
        table(["performance", "rating", "how", "rule"], cells, right=("rating",))
    if answer.remarks:
        say("", *(remark.text for remark in answer.remarks))


def show_side_by_side(answer: Answer) -> None:
    """Win, draw and loss of the open games, and how each comes about."""
    outcomes = answer.outcomes
    columns = ["", *(str(outcome.open) for outcome in outcomes)]
    rows: list[list[object]] = []
    for number, game in enumerate(answer.games, 1):
        adds = [_of_game(outcome.steps, number) for outcome in outcomes]
        if game.score is None and any(adds):
            rows.append([f"game {number}, against {game.opponent.get('rating', 'unrated')}", *adds])
    rows.append(["before rounding", *(outcome.exact for outcome in outcomes)])
    rows.append(["change", *(outcome.change for outcome in outcomes)])
    rows.append(["rating", *(outcome.after or "no rating" for outcome in outcomes)])
    fields = [_other_fields(answer, outcome) for outcome in outcomes]
    for name in dict.fromkeys(name for one in fields for name in one):
        rows.append([_LABELS.get(name, name), *(one[name][1] if name in one else _word(answer.state.get(name)) for one in fields)])
    table(columns, rows, right=columns[1:])
    common = [step for step in outcomes[0].steps if all(step in other.steps for other in outcomes)]
    say("", "in each case:")
    _show_steps(common)
    for outcome in outcomes:
        say("", f"{outcome.open}:")
        _show_steps([step for step in outcome.steps if step not in common])


def _show_steps(steps: Sequence[ToldStep]) -> None:
    table(["game", "step", "rule"], [(step.game, step.text, step.source) for step in steps], right=("game",))


def _moved(outcome: Outcome) -> str:
    return "" if outcome.change is None else f" ({outcome.change}, before rounding {outcome.exact})"


def _ratings(answer: Answer, name: str) -> list[str]:
    return [one.rating for one in answer.performance if one.name == name]


def _of_game(steps: Sequence[ToldStep], number: int) -> str:
    return next((signed(Fraction(step.adds)) for step in steps if step.game == number and step.adds is not None), "")


def _other_fields(answer: Answer, outcome: Outcome) -> dict[str, tuple[str, str]]:
    """What else of the state changes: before and after."""
    named = [(name, answer.state.get(name), value) for name, value in outcome.state.items() if name not in ("rating", "last")]
    changed = {name: (_word(before), _word(after)) for name, before, after in named if before != after}
    if "games" in changed and outcome.state["games"] == answer.most_games:
        changed["games"] = (changed["games"][0], f"{answer.most_games} or more")
    return changed


_LABELS = {"peak": "peak, in whole hundreds"}
"""What a field's name does not say."""


def _word(value: object) -> str:
    """A field of a state for people."""
    return {True: "yes", False: "no", None: "none"}[value] if value is None or isinstance(value, bool) else str(value)
