"""Output for people and for programs: tables without colour in a pipe, JSON lines, progress bars on a terminal and silence elsewhere."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime

import click
import msgspec
import orjson
from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

PIPE_WIDTH = 200

Advance = Callable[[str, int, int | None], None]
"""Takes what is being done, how much is done, and of how much (None: not known)."""


def console(*, err: bool = False) -> Console:
    """Where people read."""
    stream = click.get_text_stream("stderr" if err else "stdout")
    return Console(file=stream, highlight=False, markup=False, width=None if stream.isatty() else PIPE_WIDTH, soft_wrap=False)


def say(*lines: str) -> None:
    """Lines for people, as they are."""
    for line in lines:
        click.echo(line)


def write_json(value: object) -> None:
    """One object on one line."""
    click.echo(orjson.dumps(value, default=_builtins).decode())


def _builtins(value: object) -> object:
    return msgspec.to_builtins(value)


def table(columns: Sequence[str], rows: Sequence[Sequence[object]], *, right: Sequence[str] = (), title: str | None = None) -> None:
    """A table for people; cells are taken as they are.

    Args:
        right: columns of numbers.
    """
    shown = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left", pad_edge=False, show_edge=False)
    for column in columns:
        shown.add_column(column, justify="right" if column in right else "left", overflow="fold")
    for row in rows:
        shown.add_row(*(Text("" if cell is None else str(cell)) for cell in row))
    target = console()
    with target.capture() as captured:
        target.print(shown)
    click.echo("\n".join(line.rstrip() for line in captured.get().rstrip("\n").split("\n")))


def instant(time_ms: int) -> str:
    """A moment of the log's clock, UTC."""
    return datetime.fromtimestamp(time_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S")


def number(value: int) -> str:
    """A count for people: 49,454."""
    return f"{value:,}"


def count(value: int, one: str, many: str | None = None) -> str:
    """`1 fact`, `2 facts`."""
    return f"{value:,} {one if value == 1 else many or one + 's'}"


@contextmanager
def progress() -> Iterator[Advance]:
    """A progress bar on a terminal, nothing in a pipe."""
    if not sys.stderr.isatty():
        yield lambda step, done, of: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console(err=True), transient=True) as bar:
        task = bar.add_task("", total=None)

        def advance(step: str, done: int, of: int | None) -> None:
            bar.update(task, description=step, completed=done, total=of)

        yield advance
