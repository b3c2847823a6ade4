"""The prompt on a terminal: line editing, history, multi-line blocks, completion."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import platformdirs
from prompt_toolkit import PromptSession
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.key_binding.bindings.completion import display_completions_like_readline

from porter.base import arguments
from porter.repl.commands import COMMANDS
from porter.repl.prompter import Prompter
from porter.repl.shell import Shell
from porter.repl.statements import PROMPTS, split, unprompted

INDENT = "    "


def history_file() -> Path:
    """Return the file that keeps inputs across sessions."""
    return platformdirs.user_state_path("gpusnek-porter") / "repl_history"


def _history(path: Path) -> History:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
    except OSError:
        return InMemoryHistory()
    return FileHistory(str(path))


class Names(Completer):
    """Completes commands, and names of a live interpreter."""

    def __init__(self, prompter: Prompter) -> None:
        self._prompter = prompter

    def get_completions(self, document: Document, event: CompleteEvent) -> Iterator[Completion]:
        """Yield the completions at the cursor."""
        text = document.current_line_before_cursor
        if text.startswith("%") and " " not in text:
            found = (name for name in COMMANDS if name.startswith(text[1:]))
            yield from (Completion(f"%{name}", -len(text)) for name in found)
            return
        typed = re.search(r"\w*$", text)
        for rest in self._prompter.complete(text):
            yield Completion(rest, display=(typed[0] if typed else "") + rest)


def _whole(buffer: Buffer, prompter: Prompter) -> bool:
    """Return whether the input is complete; strips blanks from an empty last line."""
    text = buffer.text
    head, newline, last = text.rpartition("\n")
    if not last.strip() and newline:
        text = head + newline
    if text.startswith("%") or not text.strip():
        return True
    if not buffer.document.is_cursor_at_the_end and "\n" in text:
        return False
    if prompter.continues(text):
        return False
    buffer.document = Document(text, len(text))
    return True


def _indent(line: str) -> str:
    blank = line[: len(line) - len(line.lstrip())]
    return blank + INDENT if line.rstrip().endswith(":") else blank


def _bindings(prompter: Prompter) -> KeyBindings:
    bindings = KeyBindings()

    @bindings.add("enter")
    def _enter(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if _whole(buffer, prompter):
            buffer.validate_and_handle()
        else:
            buffer.insert_text("\n" + _indent(buffer.document.current_line_before_cursor))

    @bindings.add("tab")
    def _tab(event: KeyPressEvent) -> None:
        if event.current_buffer.document.current_line_before_cursor.strip():
            display_completions_like_readline(event)
        else:
            event.current_buffer.insert_text(INDENT)

    @bindings.add("backspace")
    def _backspace(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        before = buffer.document.current_line_before_cursor
        blank = before and not before.strip(" ") and len(before) % len(INDENT) == 0
        buffer.delete_before_cursor(len(INDENT) if blank else 1)

    return bindings


def interact(shell: Shell, history: arguments.StrPath | None = None) -> None:
    """Prompt, run and print until Ctrl-D, or until no interpreter is live."""
    history = None if history is None else arguments.path(history, "history")
    prompt: PromptSession[str] = PromptSession(
        PROMPTS[0],
        multiline=True,
        prompt_continuation=PROMPTS[1],
        completer=Names(shell.prompter),
        complete_while_typing=False,
        history=_history(history or history_file()),
        key_bindings=_bindings(shell.prompter),
    )
    while not shell.over:
        try:
            shell.session.rest()  # the user is not waiting now
            shell.own_line()
            text = prompt.prompt()
            run_text(shell, text)
        except KeyboardInterrupt:
            continue  # discards the typed line, or the rest of an output
        except EOFError:
            return


def run_text(shell: Shell, text: str) -> None:
    """Run a typed or pasted text: a command, or any number of statements."""
    if text.startswith("%"):
        shell.enter(text)
        return
    lines = text.split("\n")
    if lines[0].startswith(PROMPTS[0]):  # pasted with its prompts
        text = "\n".join(map(unprompted, lines))
    for statement in split(text, shell.prompter.continues):
        shell.enter(statement)
