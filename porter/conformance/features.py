"""What a build can do: the answers of upstream's ``feature_check`` programs on it."""

from __future__ import annotations

from pathlib import Path

import attrs

from porter.conformance.model import Script, ScriptOutcome, ScriptRunner, ScriptStatus
from porter.conformance.runtests.runner import Answer

# Modules that tests need and a build may or may not have frozen.
_MODULES = ("asyncio", "uasyncio", "unittest")
_INFO = "target_info.py"
# Upstream's rules about sys.platform are about single boards and about the protocol with which
# it talks to them. Our build is driven like the unix port, so it says that it is on a PC.
_PLATFORM = b"linux"


@attrs.frozen
class Features:
    """What the checks print, by file name, and the modules of the library that a build has."""

    answers: dict[str, Answer]
    modules: frozenset[str] = frozenset()


def check(root: Path, runner: ScriptRunner) -> Features:
    """Run the checks of ``root`` (a release's ``tests/``) in one go.

    Upstream's runner says what to ask and how to read it. The checks of a prompt are left out:
    upstream too asks them of its unix port only.
    """
    checks = sorted((root / "feature_check").glob("*.py"))
    sources = {p.name: p.read_bytes() for p in checks if not p.name.startswith("repl_")}
    imports = {f"import_{name}.py": f"import {name}\n".encode() for name in _MODULES}
    programs = [Script(f"/{name}", text) for name, text in {**sources, **imports}.items()]
    outcomes = dict(zip([*sources, *imports], runner.run(programs), strict=True))
    answers = {name: _answer(outcomes[name]) for name in sources}
    crashed, output = answers.pop(_INFO, (True, b""))
    if not crashed:  # else the runner is told that this is a PC, so that each test fails for itself
        answers[_INFO] = False, _on_a_pc(output)
    found = [m for m in _MODULES if _answer(outcomes[f"import_{m}.py"]) == (False, b"")]
    return Features(answers, frozenset(found))


def _answer(outcome: ScriptOutcome) -> Answer:
    # Upstream takes the output of a check that failed as "CRASH".
    if outcome.status is ScriptStatus.OK:
        return False, outcome.output
    return True, outcome.output + b"CRASH"


def _on_a_pc(output: bytes) -> bytes:
    _, space, rest = output.partition(b" ")
    return _PLATFORM + space + rest
