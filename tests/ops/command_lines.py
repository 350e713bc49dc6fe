"""What a command line of `rerate` says, as the command itself would read it; nothing is carried out."""

from pathlib import Path
from typing import Any, NamedTuple

import click
import pytest
from click.testing import CliRunner

from rerate.cli import cli
from rerate.cli.base import Options
from rerate.cli.opening import kafka_address


class Said(NamedTuple):
    """A command line read."""

    command: str
    bootstrap: str | None
    """The brokers, None for an embedded log and for none."""
    parameters: dict[str, Any]


def parsed(words: list[str], monkeypatch: pytest.MonkeyPatch, directory: Path) -> Said:
    """Have a command line read by every rule of its command: names, options, types, what is required, what a log is called.

    Args:
        words: without `rerate`.
        directory: empty; files that are named are made there, so that they can be opened.

    Raises:
        AssertionError: the command refuses it; with what it says.
    """
    said: list[Said] = []
    for name, command in cli.commands.items():

        def told(name: str = name, **parameters: Any) -> None:
            options = click.get_current_context().find_object(Options)
            assert options is not None
            said.append(Said(name, kafka_address(options), parameters))

        monkeypatch.setattr(command, "callback", told)
    monkeypatch.chdir(directory)
    for word in words:
        if "." in word and "/" not in word and ":" not in word:
            (directory / word).touch()
    result = CliRunner().invoke(cli, words, prog_name="rerate")
    assert result.exit_code == 0, f"rerate {' '.join(words)}: {result.output}{result.exception or ''}"
    assert len(said) == 1, f"rerate {' '.join(words)} names no command"
    return said[0]
