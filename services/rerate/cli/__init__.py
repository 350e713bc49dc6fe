"""The command `rerate`: every process and every question to a log, by one name."""

import click

from rerate import __version__
from rerate.cli.base import Commands, shared_options
from rerate.cli.calculating import calc
from rerate.cli.demonstrating import demo
from rerate.cli.explaining import explain, preview
from rerate.cli.publishing import publish
from rerate.cli.rating import rater, verify
from rerate.cli.scoring import score
from rerate.cli.showing import event, ladder, player
from rerate.cli.subscribing import subscribe
from rerate.cli.systems import systems
from rerate.cli.topics import topics
from rerate.cli.tracing import heads, receipts, standing, standings, status


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120})
@click.version_option(__version__, prog_name="rerate")
@shared_options
def cli() -> None:
    """Ratings as a function of the facts on a log: publish facts, rate them, read ladders, verify everything.

    Exit codes: 0 done; 1 the answer is no; 2 usage; 3 the log cannot be reached; 4 timed out.
    """


COMMANDS = (
    publish,
    rater,
    ladder,
    player,
    event,
    explain,
    preview,
    score,
    calc,
    systems,
    receipts,
    standing,
    standings,
    heads,
    status,
    verify,
    subscribe,
    topics,
    demo,
)

for command in COMMANDS:
    cli.add_command(command)


def main() -> None:
    """The console script."""
    cli(prog_name="rerate")
