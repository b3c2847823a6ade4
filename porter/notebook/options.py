"""Parse the line of `%%gpusnek` and `%gpusnek`: options; in a line magic, code follows them."""

from __future__ import annotations

import io
import re
import shlex
from collections.abc import Callable, Sequence
from typing import Any

import click
from attrs import frozen

from porter.base.arguments import seconds
from porter.base.sizes import parse_size
from porter.errors import UsageError
from porter.run.launch.limits import seconds_of, steps_of

MAGIC = "gpusnek"
DEFAULT_NAME = "main"
SQUARE = "square"  # --image without a size
_SIZE = re.compile(r"(\d{1,9})x(\d{1,9})")
# Options for creating interpreters; a new value of one replaces the interpreters.
MAKING = ("n", "heap", "pystack", "stack", "stdout", "stderr", "outbuf", "block", "seed", "target",
          "release", "build", "sandbox", "fs")  # fmt: skip


@frozen
class Request:
    """The options of a line.

    Attributes:
        making: The given options among MAKING.
        bind, share, split, get: Names of variables.
        image: Width and height, SQUARE, or None.
    """

    making: dict[str, Any]
    name: str = DEFAULT_NAME
    bind: tuple[str, ...] = ()
    share: tuple[str, ...] = ()
    split: tuple[str, ...] = ()
    get: tuple[str, ...] = ()
    image: tuple[int, int] | str | None = None
    timeout: float | None = None
    max_steps: int | None = None
    deadline: float | None = None
    stdin_file: str | None = None
    max_groups: int = 20
    live: bool = False
    reset: bool = False
    close: bool = False


def _checked(check: Callable[[Any, str], Any]) -> Callable[..., Any]:
    """Return a click callback that runs a check of porter, whose errors name the option."""

    def callback(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
        return None if value is None else check(value, param.opts[0])

    return callback


def _names(value: Sequence[str], option: str) -> tuple[str, ...]:
    # A trailing comma is allowed.
    return tuple(name.strip() for part in value for name in part.removesuffix(",").split(","))


def _image(value: str, option: str) -> tuple[int, int] | str:
    if value == SQUARE:
        return value
    match = _SIZE.fullmatch(value)
    if match and int(match[1]) and int(match[2]):
        return int(match[1]), int(match[2])
    raise UsageError(f"{option}: {value!r} is not a size", hint=f"Write {option} 64x48.")


def _option(
    *names: str, check: Callable[[Any, str], Any] | None = None, **rest: Any
) -> click.Option:
    return click.Option(names, callback=None if check is None else _checked(check), **rest)


def _several(name: str, text: str) -> click.Option:
    return _option(name, check=_names, multiple=True, metavar="NAME[,NAME...]", help=text)


def _size(name: str, text: str) -> click.Option:
    return _option(name, check=parse_size, metavar="SIZE", help=text)


COMMAND = click.Command(
    f"%%{MAGIC}",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    help="Run a cell on many Python interpreters, which keep their variables from cell to cell.",
    params=[
        _option("-n", "n", type=int, help="Interpreters [1024]."),
        _option("--name", default=DEFAULT_NAME, help="Which interpreters, if there are several."),
        _several("--bind", "Arrays of the notebook: one whose first axis is n long gives each"
                 " interpreter its row, of others all see the whole."),
        _several("--split", "As --bind; the first axis has to be n long."),
        _several("--share", "As --bind; all see the whole, however long it is."),
        _several("--get", "Variables to bring back into the notebook, as arrays."),
        _option("--image", check=_image, is_flag=False, flag_value=SQUARE, metavar="[WxH]",
                help="Show outbuf as a picture afterwards."),
        _option("--live", is_flag=True, help="Show output line by line while interpreters run."),
        _option("--max-groups", type=click.IntRange(1), default=20, show_default=True,
                help="Different outputs to show."),
        _option("--timeout", type=float, check=seconds, metavar="SECONDS",
                help="Seconds until the interpreters are interrupted."),
        _option("--max-steps", type=int, check=steps_of, metavar="N",
                help="Loop turns, branches and calls that each interpreter may take."),
        _option("--deadline", type=float, check=seconds_of, metavar="SECONDS",
                help="Seconds that each interpreter may run."),
        _option("--stdin-file", metavar="FILE", help="What every interpreter reads."),
        _option("--target", type=click.Choice(["host", "cuda"]),
                help="Host twin or GPU [the GPU where there is one]."),
        _option("--release", metavar="R", help="Upstream release [newest in the lock]."),
        _option("--build", metavar="FOLDER", help="A finished build; builds nothing."),
        _size("--heap", "Python heap per interpreter."),
        _size("--pystack", "Frame stack per interpreter."),
        _size("--stack", "C stack per interpreter."),
        _size("--stdout", "Stdout buffer per interpreter."),
        _size("--stderr", "Stderr buffer per interpreter."),
        _size("--outbuf", "Size of outbuf [3 bytes each]."),
        _option("--block", type=int, help="Interpreters for which syncthreads() waits."),
        _option("--seed", type=int, help="Of random numbers."),
        _option("--fs", metavar="IMAGE", help="littlefs2 image; each finds a copy at /."),
        _option("--sandbox/--no-sandbox", default=None,
                help="Programs name no address; bytecode is verified."),
        _option("--reset", is_flag=True, help="Begin with fresh interpreters."),
        _option("--close", is_flag=True, help="End the interpreters and free their memory."),
    ],
)  # fmt: skip
_BY_NAME = {name: one for one in COMMAND.params for name in (*one.opts, *one.secondary_opts)}


def help_text() -> str:
    """Return the output of `%%gpusnek --help`."""
    with click.Context(COMMAND, info_name=f"%%{MAGIC}") as ctx:
        return COMMAND.get_help(ctx)


def parse(words: Sequence[str]) -> Request | None:
    """Parse the words of a line; None for --help. Raises UsageError, WrongType."""
    if {"-h", "--help"} & set(words):
        return None
    try:
        with COMMAND.make_context(f"%%{MAGIC}", list(words)) as ctx:
            found = ctx.params
    except click.ClickException as error:
        raise UsageError(
            error.format_message(), hint=f"%%{MAGIC} --help shows the options."
        ) from None
    making = {name: found.pop(name) for name in MAKING}
    making = {name: value for name, value in making.items() if value is not None}
    return Request(making=making, **found)


def split_line(line: str) -> tuple[list[str], str]:
    """Split a line into the words of its options, and the unchanged rest.

    `--` ends the options, for code that begins with a minus sign.

    Raises:
        UsageError: A quotation is not closed.
    """
    stream = io.StringIO(line)
    lexer = shlex.shlex(stream, posix=True, punctuation_chars=False)
    lexer.whitespace_split, lexer.commenters = True, ""
    words: list[str] = []
    wants = False  # whether the previous option needs a value
    while rest := line[stream.tell() :].strip():
        if not wants and not rest.startswith("-"):
            return words, rest
        if not wants and re.match(r"--(\s|$)", rest):
            return words, rest[2:].strip()
        try:
            word = lexer.get_token() or ""
        except ValueError as error:
            raise UsageError(f"{rest}: {error}") from error
        if word == "--image":
            wants = bool(re.match(r"--image\s+\d+x\d+(\s|$)", rest))
            word = word if wants else f"{word}={SQUARE}"
        else:
            wants = not wants and _takes_value(word)
        words.append(word)
    return words, ""


def _takes_value(word: str) -> bool:
    option = _BY_NAME.get(word)
    return isinstance(option, click.Option) and not option.is_flag
