"""The `porter` command: one module per subcommand, each with a click command named `command`.

The module `cli/new_kernel.py` is `porter new-kernel`. It is imported only if it is used or listed
by `porter --help`, so that a command with few dependencies starts fast. `_groups.py` has the
headings of the help. Modules with a leading `_` are helpers. The commands of the development tools
are modules of `porter_dev/cli/`, which `_development.py` loads.
"""

from __future__ import annotations

import codecs
import importlib
import io
import pkgutil
import sys
import traceback
from collections.abc import Sequence
from typing import NoReturn

import click
from rich.console import Console
from rich.text import Text

from porter.cli import _development
from porter.cli._groups import grouped
from porter.errors import EXIT_INTERNAL, EXIT_INTERRUPTED, FileProblem, PorterError
from porter.version import __version__


class CommandFolder(click.Group):
    """A click group whose commands are the modules of this package."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the sorted names of the commands."""
        modules = (module.name for module in pkgutil.iter_modules(__path__))
        names = [name.replace("_", "-") for name in modules if not name.startswith("_")]
        return sorted([*names, *(_development.COMMANDS if _development.available() else ())])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of a module; None if there is no such module.

        Raises:
            MissingPackage: The command is a development tool, and this is no checkout.
        """
        name = cmd_name.replace("-", "_")
        if cmd_name in _development.COMMANDS:
            module = _development.load(f"cli.{name}", f"porter {cmd_name}")
        elif cmd_name in self.list_commands(ctx):
            module = importlib.import_module(f"{__name__}.{name}")
        else:
            return None
        command = module.command
        assert isinstance(command, click.Command), f"{module.__name__}.command"
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands into the help, under the headings of their groups."""
        names = self.list_commands(ctx)
        limit = formatter.width - 6 - max(map(len, names))
        # One width for all groups, so that their columns are aligned.
        width = max(map(len, names)) + 2
        for title, group in grouped(names):
            rows = []
            for name in group:
                command = self.get_command(ctx, name)
                if command is not None and not command.hidden:
                    rows.append((name.ljust(width), command.get_short_help_str(limit)))
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows, col_spacing=0)


@click.group(cls=CommandFolder, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="porter")
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
def group(debug: bool) -> None:
    """Build an upstream MicroPython release as a Python interpreter per GPU thread, and run it."""


def report(error: PorterError, console: Console) -> None:
    """Print `error` and its hint."""
    console.print(Text.assemble(("porter: error: ", "bold red"), error.message), soft_wrap=True)
    if error.hint:
        console.print(Text.assemble(("porter: hint: ", "bold cyan"), error.hint), soft_wrap=True)


def execute(args: Sequence[str]) -> int:
    """Run `porter ARGS` and return its exit code; every error is printed to stderr."""
    console = Console(stderr=True, highlight=False)
    debug = "--debug" in args[: 1 + next((i for i, a in enumerate(args) if a[:1] != "-"), 0)]
    try:
        result = group.main(list(args), prog_name="porter", standalone_mode=False)
        return result if isinstance(result, int) else 0
    except BrokenPipeError:  # `porter releases | head`
        sys.stderr.close()
        return 0
    except (PorterError, OSError) as error:
        if debug:
            traceback.print_exc()
        problem = error if isinstance(error, PorterError) else _file_problem(error)
        report(problem, console)
        return problem.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        console.print("porter: interrupted")
        return EXIT_INTERRUPTED
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except Exception as error:
        if debug:
            traceback.print_exc()
        console.print(
            Text.assemble(
                ("porter: internal error: ", "bold red"),
                f"{type(error).__name__}: {error}\n",
                "porter: hint: `porter --debug ...` shows where; please report it.",
            ),
            soft_wrap=True,
        )
        return EXIT_INTERNAL


def _file_problem(error: OSError) -> FileProblem:
    where = f"{error.filename}: " if error.filename else ""
    return FileProblem(f"{where}{error.strerror or error}")


def _escape(error: UnicodeError) -> tuple[str | bytes, int]:
    """Return what an encoding lacks: bytes of file names as they were, other text escaped."""
    try:
        return codecs.lookup_error("surrogateescape")(error)
    except UnicodeError:
        return codecs.lookup_error("backslashreplace")(error)


def _write_any_text() -> None:
    """Let stdout and stderr take text that their encoding lacks (PYTHONIOENCODING, a locale).

    The output of programs does not pass through it (porter/run/streams/display.py).
    """
    codecs.register_error("porter-escape", _escape)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="porter-escape")


def main() -> NoReturn:
    """Entry point of the console script."""
    _write_any_text()
    sys.exit(execute(sys.argv[1:]))
