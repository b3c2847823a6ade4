"""Find porter's commands in shell scripts and check that they parse, without running them.

`tests/docs` passes the `sh` blocks of the documents, `tests/regress` the scripts of the workflows.
Three programs are known: `porter`, also as `bootstrap.py` and `python -m porter`; `pytest`, also as
`bootstrap.py test`; and the runner of campaigns, `bootstrap.py campaign`.

A script is read in three steps. `simple_commands` divides it as a shell does, `calls` keeps the
calls of these programs, and `check` passes their words to click. The value of a variable and the
output of a command are unknown, so a placeholder stands for both and every type accepts it. A word
in capitals, such as NAME, is a placeholder too. Whether files exist is not checked.
"""

from __future__ import annotations

import copy
import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Any

import click
from attrs import frozen

from porter import cli
from porter.errors import PorterError
from porter_dev import campaigns, tiers

PLACEHOLDER = "placeholder"  # the value of an expansion

# Characters of Unicode's private use area, which no script contains.
SEPARATOR = "\ue000"  # the end of a simple command
REDIRECTION = "\ue001"  # the word that follows is a file
NOTHING = "\ue002"  # the value of "$@": no word at all

_REDIRECTIONS = re.compile(r"<<<|<<-?|<>|>>|>\||[<>]&|[<>]")
_VARIABLE = re.compile(r"\$(\w+|[@*#?!$-])")
_DELIMITER = re.compile(r"[ \t]*(['\"\\]?)(\w+)['\"]?")
_ASSIGNMENT = re.compile(r"\w+\+?=")

_PREFIXES = {"!", "{", "if", "then", "elif", "else", "while", "until", "do"}
_PREFIXES |= {"time", "exec", "command", "env", "nohup"}
_RUNNERS = {"timeout", "nice", "taskset", "xargs", "sudo", "perf", "ncu", "compute-sanitizer"}


class WrongCommand(Exception):
    """A script that cannot be divided into words, or a call that does not parse."""


@frozen
class Call:
    """A call of one of the known programs.

    Attributes:
        program: "porter", "pytest" or "campaign".
        words: The arguments.
    """

    program: str
    words: tuple[str, ...]

    def __str__(self) -> str:
        return shlex.join([self.program, *self.words])


def problems(script: str) -> list[str]:
    """Return one message for each call of a script that does not parse."""
    found = []
    try:
        for call in calls(script):
            try:
                check(call)
            except WrongCommand as error:
                found.append(f"{call}: {error}")
    except WrongCommand as error:
        found.append(str(error))
    return found


def calls(script: str) -> list[Call]:
    """Return the calls of the known programs in a shell script.

    Raises:
        WrongCommand: A quote, a bracket or a here-document has no end.
    """
    return [call for words in simple_commands(script) if (call := _call(words)) is not None]


def check(call: Call) -> None:
    """Parse a call.

    Raises:
        WrongCommand: The command or an option does not exist, an argument is missing, a value is
            not of its option's type, or a campaign has no row in campaigns.toml.
    """
    if call.program == "pytest":
        _check_campaigns(_values("--campaign", call.words), also=(tiers.ALL,))
        return
    group = campaigns.group if call.program == "campaign" else cli.group
    try:
        context = _parsed(group, call)
    except (click.ClickException, PorterError) as error:
        told = error.format_message() if isinstance(error, click.ClickException) else str(error)
        raise WrongCommand(told) from error
    except click.exceptions.Exit:  # --help and --version end the parser
        return
    if context.command.name == campaigns.run_command.name and call.program == "campaign":
        _check_campaigns(context.params["names"])


# How a shell divides a script


def simple_commands(script: str) -> list[list[str]]:
    """Divide a shell script into simple commands.

    Commands in substitutions, subshells, pipes, lists and loops are commands of their own.
    Comments, redirections and here-documents are removed. Expansions become `PLACEHOLDER`.

    Args:
        script: The text of the script.

    Returns:
        The words of each command, with keywords and assignments that precede it.

    Raises:
        WrongCommand: A quote, a bracket or a here-document has no end.
    """
    reader = _Reader(script)
    try:
        words = shlex.split(reader.simplified())
    except (ValueError, IndexError) as error:
        raise WrongCommand(f"a quote, a bracket or a here-document has no end: {script}") from error
    found: list[list[str]] = [[]]
    redirected = False
    for word in words:
        if word == SEPARATOR:
            found.append([])
        elif word == REDIRECTION:
            redirected = True
            continue
        elif not redirected and (word == "" or word.strip(NOTHING)):
            found[-1].append(word.replace(NOTHING, ""))
        redirected = False
    inner = [command for text in reader.inner for command in simple_commands(text)]
    return [command for command in found if command] + inner


class _Reader:
    """A scanner that leaves of a script what `shlex.split` understands.

    Attributes:
        inner: The scripts of the command substitutions that were replaced.
    """

    def __init__(self, script: str) -> None:
        self.text = script
        self.at = 0
        self.left = ""
        self.quoted = False
        self.inner: list[str] = []
        self.delimiters: list[str] = []  # of here-documents that begin at the next newline

    def simplified(self) -> str:
        """Return the script with operators, expansions and comments replaced."""
        while self.at < len(self.text):
            character = self.text[self.at]
            if character == "\\":
                pair = self.text[self.at : self.at + 2]
                self._replace(2, "" if pair == "\\\n" else pair)
            elif character in "$`":
                self._expansion(character)
            elif character == '"':
                self.quoted = not self.quoted
                self._replace(1, character)
            elif self.quoted:
                self._replace(1, character)
            elif character == "'":
                end = self.text.index("'", self.at + 1) + 1
                self._replace(end - self.at, self.text[self.at : end])
            else:
                self._operator(character)
        return self.left

    def _replace(self, length: int, replacement: str) -> None:
        self.at += length
        self.left += replacement

    def _operator(self, character: str) -> None:
        """Replace an unquoted character if it is an operator or begins a comment."""
        if character == "#" and (self.left == "" or self.left[-1].isspace()):
            end = self.text.find("\n", self.at)
            self.at = len(self.text) if end == -1 else end
        elif character in "<>" and self.text[self.at + 1 : self.at + 2] == "(":
            self._substitution(2)
        elif found := _REDIRECTIONS.match(self.text, self.at):
            self.left = re.sub(r"(^|(?<=\s))\d+$", "", self.left)  # of a file descriptor
            self._replace(len(found[0]), f" {REDIRECTION} ")
            if found[0] in ("<<", "<<-") and (word := _DELIMITER.match(self.text, self.at)):
                self.delimiters.append(word[2])
        elif character == "&" and self.text[self.at + 1 : self.at + 2] == ">":
            self._replace(1, " ")
        elif character in ";|&()\n":
            self._replace(1, f" {SEPARATOR} ")
            if character == "\n":
                self._here_documents()
        else:
            self._replace(1, character)

    def _here_documents(self) -> None:
        """Skip the bodies of the here-documents of the line that ends."""
        for delimiter in self.delimiters:
            end = re.compile(rf"^\t*{delimiter}$\n?", re.MULTILINE).search(self.text, self.at)
            if end is None:
                raise ValueError(delimiter)
            self.at = end.end()
        self.delimiters = []

    def _expansion(self, character: str) -> None:
        """Replace a variable, a parameter expansion or a substitution."""
        if character == "`":
            end = self.text.index("`", self.at + 1)
            self.inner.append(self.text[self.at + 1 : end])
            self._replace(end + 1 - self.at, PLACEHOLDER)
        elif self.text.startswith("$(", self.at):
            self._substitution(2)
        elif self.text.startswith("${", self.at):
            end = _end(self.text, self.at + 2, "}")
            inside = self.text[self.at + 2 : end]
            if "$(" in inside:
                self.inner.append(inside)
            many = re.fullmatch(r"[@*]|\w+\[[@*]\]", inside)
            self._replace(end + 1 - self.at, NOTHING if many else PLACEHOLDER)
        elif found := _VARIABLE.match(self.text, self.at):
            self._replace(len(found[0]), NOTHING if found[1] in "@*" else PLACEHOLDER)
        else:
            self._replace(1, "" if self.text.startswith("$'", self.at) else character)

    def _substitution(self, opening: int) -> None:
        """Replace a substitution, whose first `opening` characters precede its script."""
        end = _end(self.text, self.at + opening, ")")
        inside = self.text[self.at + opening : end]
        if not inside.startswith("("):  # $((...)) is arithmetic
            self.inner.append(inside)
        self._replace(end + 1 - self.at, PLACEHOLDER)


def _end(text: str, at: int, closing: str) -> int:
    """Return the index of the bracket that closes the one before `at`."""
    opening = {")": "(", "}": "{"}[closing]
    depth = 1
    while True:
        character = text[at]
        if character == "\\":
            at += 1
        elif character == "'":
            at = text.index("'", at + 1)
        elif character == '"':
            at = _end_of_quotes(text, at + 1)
        elif character == opening:
            depth += 1
        elif character == closing:
            depth -= 1
            if depth == 0:
                return at
        at += 1


def _end_of_quotes(text: str, at: int) -> int:
    """Return the index of the double quote that ends the string which begins at `at`."""
    while text[at] != '"':
        if text[at] == "\\":
            at += 1
        elif text.startswith("$(", at):
            at = _end(text, at + 2, ")")
        at += 1
    return at


# Which commands are calls of a known program


def _call(words: Sequence[str]) -> Call | None:
    """Return the call that a simple command is, or None if it runs another program."""
    words = list(words)
    while words and (words[0] in _PREFIXES or _ASSIGNMENT.match(words[0])):
        del words[0]
    if words and _name(words[0]) in _RUNNERS:
        starts = (k for k, word in enumerate(words) if k and (_known(word) or _is_python(word)))
        words = words[next(starts, len(words)) :]
    if not words:
        return None
    if _is_python(words[0]):
        return _call_of_python(words[1:])
    return _program(_name(words[0]), words[1:]) if _known(words[0]) else None


def _name(word: str) -> str:
    return PurePath(word).name


def _known(word: str) -> bool:
    return _name(word) in ("porter", "pytest", "bootstrap.py")


def _is_python(word: str) -> bool:
    return re.fullmatch(rf"python[\d.]*|{PLACEHOLDER}", _name(word)) is not None


def _call_of_python(words: Sequence[str]) -> Call | None:
    """Return the call that Python's arguments are, or None."""
    for k, word in enumerate(words):
        if word == "-m":
            return _program(words[k + 1], words[k + 2 :]) if k + 1 < len(words) else None
        if word[:1] != "-":
            return _program("bootstrap.py", words[k + 1 :]) if _known(word) else None
        if word == "-c":
            return None
    return None


def _program(name: str, words: Sequence[str]) -> Call | None:
    if name == "bootstrap.py":
        own = {"test": "pytest", "campaign": "campaign"}.get(words[0] if words else "")
        return Call(own, tuple(words[1:])) if own else Call("porter", tuple(words))
    if name == "porter_dev.campaigns":
        return Call("campaign", tuple(words))
    return Call(name, tuple(words)) if name in ("porter", "pytest") else None


# How click parses a call without running it


def _is_placeholder(value: object) -> bool:
    return isinstance(value, str) and (
        PLACEHOLDER in value or re.fullmatch(r"[A-Z][A-Z_]*", value) is not None
    )


class _Lenient(click.ParamType):
    """A parameter's type that also accepts placeholders and, for paths, files that do not exist."""

    def __init__(self, strict: click.ParamType) -> None:
        self.strict = strict
        self.name = strict.name
        if isinstance(strict, click.Path):
            self.strict = click.Path(path_type=strict.type)

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        return value if _is_placeholder(value) else self.strict.convert(value, param, ctx)


def _lenient(command: click.Command) -> click.Command:
    """Return a copy of a command whose parameters accept placeholders."""
    copied = copy.copy(command)
    copied.params = [_lenient_parameter(param) for param in command.params]
    return copied


def _lenient_parameter(param: click.Parameter) -> click.Parameter:
    if isinstance(param, click.Option) and (param.is_flag or param.count):
        return param
    copied = copy.copy(param)
    copied.type = _Lenient(param.type)
    if (callback := param.callback) is not None:

        def checked(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
            values = value if isinstance(value, tuple) else (value,)
            return value if any(map(_is_placeholder, values)) else callback(ctx, param, value)

        copied.callback = checked
    return copied


def _parsed(group: click.Group, call: Call) -> click.Context:
    """Return the context of the command that a call names. Raise what click raises."""
    command: click.Command = group
    name, words = call.program, list(call.words)
    context: click.Context | None = None
    while isinstance(command, click.Group):
        context = click.Context(command, parent=context, info_name=name)
        words = command.make_parser(context).parse_args(words)[1]  # its own options
        if not words:
            if call.words and call.words[-1].startswith("-"):  # `porter --version`
                return context
            raise click.UsageError("a command is missing", context)
        name, words = words[0], words[1:]
        inner = command.get_command(context, name)
        if inner is None:
            raise click.UsageError(f"there is no command {name!r}", context)
        command = inner
    return _lenient(command).make_context(name, words, parent=context)


def _values(option: str, words: Sequence[str]) -> Iterator[str]:
    """Return the values of an option, in both its forms: `--option VALUE` and `--option=VALUE`."""
    for k, word in enumerate(words):
        if word == option:
            if k + 1 == len(words):
                raise WrongCommand(f"{option} has no value")
            yield words[k + 1]
        elif word.startswith(f"{option}="):
            yield word.partition("=")[2]


def _check_campaigns(names: Iterator[str] | Sequence[str], also: Sequence[str] = ()) -> None:
    known = {*also, *(row.name for row in campaigns.campaigns())}
    for name in names:
        if name not in known and not _is_placeholder(name):
            raise WrongCommand(f"{name!r} is no row of porter_dev/campaigns.toml")
