"""`rerate systems`: which rating systems there are, and what a list or a calculator may say to each."""

import click

from rerate.cli.base import Options, shared_options
from rerate.cli.output import say, table, write_json
from rerate.ratings.describing import Described, described, rates_by
from rerate.ratings.installed import known_systems


@click.command()
@click.argument("system", required=False)
@shared_options
@click.pass_obj
def systems(options: Options, system: str | None) -> None:
    """The rating systems, those of installed packages among them; of one SYSTEM, every parameter with default and meaning."""
    known = known_systems()
    if system is not None and system not in known:
        raise click.UsageError(f"there is no system {system}; those known are {', '.join(sorted(known))}")
    found = [described(name, known[name]) for name in sorted(known) if system in (None, name)]
    if options.as_json:
        for one in found:
            write_json(one)
    elif system is not None:
        _show(found[0])
    else:
        columns = ["system", "rates by", "parameters"]
        table(columns, [(one.system, rates_by(one), len(one.parameters)) for one in found], right=["parameters"])
        say("", "`rerate systems NAME` shows its parameters; `rerate calc` calculates with it.")


def _show(one: Described) -> None:
    say(f"{one.system} rates by {rates_by(one)}")
    if one.traits:
        say(f"asks for what is registered of a player as {', '.join(one.traits)}")
    say("")
    table(
        ["parameter", "default", "meaning"],
        [(parameter.name, _default(parameter.default), parameter.meaning) for parameter in one.parameters],
    )


def _default(value: str | int) -> str:
    """As JSON has it, so that nobody sends a number for a decimal."""
    return f'"{value}"' if isinstance(value, str) else str(value)
