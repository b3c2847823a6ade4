"""Determine a build's features: the answers of upstream's ``feature_check`` programs on it."""

from __future__ import annotations

from pathlib import Path

import attrs

from porter.conformance.model import Script, ScriptOutcome, ScriptRunner, ScriptStatus
from porter.conformance.runtests.runner import Answer

# Modules that tests import and that a build may have frozen.
_MODULES = ("asyncio", "uasyncio", "unittest")
_INFO = "target_info.py"
# Upstream's rules on sys.platform concern single boards and the protocol to talk to them. A build
# is driven like the unix port, so it reports to run on a PC.
_PLATFORM = b"linux"


@attrs.frozen
class Features:
    """The outputs of the checks, by file name, and the library modules that the build has."""

    answers: dict[str, Answer]
    modules: frozenset[str] = frozenset()


def check(root: Path, runner: ScriptRunner) -> Features:
    """Run the checks of ``root``, a release's ``tests/``, in one pass.

    The checks of the REPL are left out: upstream, too, runs them on its unix port only.
    """
    checks = sorted((root / "feature_check").glob("*.py"))
    sources = {p.name: p.read_bytes() for p in checks if not p.name.startswith("repl_")}
    imports = {f"import_{name}.py": f"import {name}\n".encode() for name in _MODULES}
    programs = [Script(f"/{name}", text) for name, text in {**sources, **imports}.items()]
    outcomes = dict(zip([*sources, *imports], runner.run(programs), strict=True))
    answers = {name: _answer(outcomes[name]) for name in sources}
    crashed, output = answers.pop(_INFO, (True, b""))
    if not crashed:  # without an answer, the runner assumes a PC, and each test fails by itself
        answers[_INFO] = False, _on_a_pc(output)
    found = [m for m in _MODULES if _answer(outcomes[f"import_{m}.py"]) == (False, b"")]
    return Features(answers, frozenset(found))


def _answer(outcome: ScriptOutcome) -> Answer:
    # Upstream appends "CRASH" to the output of a check that failed.
    if outcome.status is ScriptStatus.OK:
        return False, outcome.output
    return True, outcome.output + b"CRASH"


def _on_a_pc(output: bytes) -> bytes:
    _, space, rest = output.partition(b" ")
    return _PLATFORM + space + rest
