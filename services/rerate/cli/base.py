"""What all commands share: the options that choose the log and the output, and how errors end the process.

Exit codes: 0 done; 1 the answer is no; 2 usage; 3 the log cannot be reached; 4 timed out.
"""

import asyncio
import gc
import os
import sys
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

import click
from click.core import ParameterSource

from rerate.log.errors import LogError, LogMissing
from rerate.messages.errors import RerateError
from rerate.rater.app import RaterEnded

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])

NO = 1
UNREACHABLE = 3
TIMED_OUT = 4
INTERRUPTED = 130


@dataclass(slots=True)
class Options:
    """What was said before or after the command's name."""

    log: str | None = None
    prefix: str = "rerate"
    as_json: bool = False


class Ended(click.ClickException):
    """Raised to end with a sentence and one of the exit codes above."""

    def __init__(self, sentence: str, code: int) -> None:
        super().__init__(sentence)
        self.exit_code = code


class TimedOut(RerateError):
    """Raised when what was waited for did not come in time."""


class Commands(click.Group):
    """The group of commands: foreseeable errors end with a sentence, Ctrl-C and a closed pipe without one."""

    max_content_width: ClassVar[int] = 120

    def invoke(self, ctx: click.Context) -> Any:
        try:
            answer = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:  # who reads has seen enough; the interpreter must not complain at exit
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(0)
        except KeyboardInterrupt:
            ctx.exit(INTERRUPTED)
        except LogMissing as error:
            advice = "" if "rerate topics" in str(error) else " `rerate topics` makes a log."
            raise Ended(f"{error}. Is --log right?{advice}", UNREACHABLE) from error
        except LogError as error:
            raise Ended(str(error), UNREACHABLE) from error
        except TimedOut as error:
            raise Ended(str(error), TIMED_OUT) from error
        except RaterEnded as error:
            raise Ended(str(error), UNREACHABLE) from error
        except RerateError as error:
            raise Ended(str(error), NO) from error
        except OSError as error:
            raise Ended(f"{error.filename or 'a file'}: {error.strerror}. Is --log right?", UNREACHABLE) from error
        return answer


def shared_options(command: F) -> F:
    """Let the options that choose log and output stand before and after the command's name."""

    def note(ctx: click.Context, parameter: click.Parameter, value: object) -> None:
        options = ctx.ensure_object(Options)
        if value is None or value is False or parameter.name is None:
            return
        from_environment = ctx.get_parameter_source(parameter.name) is ParameterSource.ENVIRONMENT
        if from_environment and getattr(options, parameter.name):
            return  # it was said before the command's name, and what is said goes before what is set
        setattr(options, parameter.name, value)

    for option in (
        click.option(
            "--json", "as_json", is_flag=True, expose_value=False, callback=note, help="One JSON object a line (schemas/commands.md)."
        ),
        click.option("--prefix", metavar="PREFIX", expose_value=False, callback=note, help="Of the topics' names; default: rerate."),
        click.option(
            "--log",
            metavar="LOG",
            expose_value=False,
            callback=note,
            envvar="RERATE_LOG",
            help="file:DIR or kafka://HOST:PORT[,...]; default: $RERATE_LOG.",
        ),
    ):
        command = option(command)
    return command


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run what waits."""
    return asyncio.run(work)


def collect_rarely() -> None:
    """Facts and rows live as long as the command does: looking for cycles among them would take as long as the work."""
    gc.freeze()
    gc.set_threshold(200_000, 50, 1_000)
