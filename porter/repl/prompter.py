"""Answer the prompt's questions on unfinished input: is it complete, which names complete it."""

from __future__ import annotations

import keyword
import re

from attrs import define, evolve, field

from porter.base.arguments import utf8
from porter.base.untrusted import text_of
from porter.repl.session import NAME, Session
from porter.run import Launch, Program, Result, run
from porter.run.device.base import Arenas
from porter.run.launch.options import Phase

ROOM = 16 << 10  # bytes of stdout for the names of all builtins


@define
class Prompter:
    """An extra interpreter that checks input, fast for any number of the user's interpreters.

    It runs MicroPython's own code (py/repl.c), so the grammar is the release's.
    """

    session: Session
    _arenas: Arenas | None = None
    _builtins: list[str] = field(factory=list)

    def continues(self, text: str) -> bool:
        """Return whether `text` is an incomplete statement."""
        launch = Launch(kind="continue", stdout=0, stderr=0)
        return self._more(self._run(text, launch))

    def complete(self, text: str) -> list[str]:
        """Return the completions of `text`, which ends in a name.

        Candidates are builtins, keywords and the names of the first live interpreter. Its own
        names with a common prefix are completed up to the end of the prefix.
        """
        typed = re.findall(r"\w*$", text)[0]
        found = self._live(text, typed)
        if re.search(r"(^|[^\w.])\w+$", text) and not text.startswith("import "):
            found += [name[len(typed) :] for name in self.builtins() if name.startswith(typed)]
        # Merge upstream's `import ` with the keyword `import`.
        once = {rest.strip(): rest for rest in reversed(found) if rest}
        return sorted(once.values())

    def builtins(self) -> list[str]:
        """Return the builtins of every interpreter, and the keywords."""
        if not self._builtins:
            launch = Launch(kind="single", stdout=ROOM, stderr=0)
            result = self._run("import builtins; print(*dir(builtins))\n", launch)
            self._builtins = sorted({*text_of(result.stdout[0]).split(), *keyword.kwlist})
        return self._builtins

    def _live(self, text: str, typed: str) -> list[str]:
        result = self.session.ask("complete", text)
        if result is None:
            return []
        answer = text_of(result.stdout[0])
        if self._more(result):
            return [word[len(typed) :] for word in answer.split()]
        return [answer] if answer else []

    def _more(self, result: Result) -> bool:
        return result.statuses.count(result.status, "MORE") > 0

    def _run(self, text: str, launch: Launch) -> Result:
        device, sizes = self.session.device, self.session.arenas.sizes
        if self._arenas is None:
            self._arenas = device.arenas(1, sizes["pystack"], sizes["heap"])
        launch = evolve(launch, heap=sizes["heap"], pystack=sizes["pystack"])
        phase = Phase(arenas=self._arenas, stop=False)
        return run(device, [Program(utf8(text), NAME)], 1, launch, phase)
