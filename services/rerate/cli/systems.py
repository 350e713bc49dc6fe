"""`rerate systems`: which rating systems there are, and what a list or a calculator may say to each."""

import click
import orjson

from rerate.cli.base import Options, shared_options
from rerate.cli.output import say, table, write_json
from rerate.intake.cloudevents import CloudEvent, cloud_event
from rerate.ratings.describing import Described, described, rates_by
from rerate.ratings.installed import known_systems
from rerate.ratings.refusing import meant


@click.command()
@click.argument("system", required=False)
@shared_options
@click.pass_obj
def systems(options: Options, system: str | None) -> None:
    """The rating systems, those of installed packages among them; of one SYSTEM, every parameter with default and meaning, and what a
    rating from elsewhere (`rating-seeded`) may say."""
    known = known_systems()
    if system is not None and system not in known:
        near = next((name for name in sorted(known) if name.partition("/")[0] == system.partition("/")[0]), None)
        hint = f" (is {near} meant?)" if near else meant(system, known)
        raise click.UsageError(f"there is no system {system}{hint}; those known are {', '.join(sorted(known))}")
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
    if one.formulas:
        say(f"an adjustment (`rating-adjusted`) may name the formula {', '.join(one.formulas)}")
    say("")
    table(
        ["parameter", "default", "meaning"],
        [(parameter.name, _as_json(parameter.default), parameter.meaning) for parameter in one.parameters],
    )
    say("", "What a `rating-seeded` fact may say as `state`:", "")
    fields = [(field.name, _as_json(field.example), "yes" if field.is_needed else "", field.meaning) for field in one.seed]
    table(["field", "example", "needed", "meaning"], fields)
    say("", "Such a fact; the greatest `revision` of a player's counts, and games before `as_of` do not rate:", "")
    say(_as_json(example_seed(one)))


def example_seed(one: Described) -> CloudEvent:
    """A rating from elsewhere as a fact, to be filled in."""
    data = {"pool": "fed:main", "list": "main", "player": "fed:p1", "revision": 1, "as_of": "2024-01-01", "state": one.example}
    return cloud_event("rating-seeded", "fed/office", "s1", data | {"origin": {"code": "old-list"}})


def _as_json(value: object) -> str:
    """So that nobody sends a number for a decimal."""
    return orjson.dumps(value).decode()
