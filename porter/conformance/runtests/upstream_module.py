"""Load a release's ``run-tests.py`` as a module, with fakes for a board, CPython and checks."""

from __future__ import annotations

import contextlib
import importlib.util
import inspect
import io
import os
import sys
import tempfile
from typing import Any


class NotImitated(Exception):
    """Upstream's runner does not have the structure that the driver expects."""


class Agrees(bytes):
    """A fake answer that equals everything upstream's runner compares it with."""

    def __eq__(self, other: object) -> bool:
        return True

    def __ne__(self, other: object) -> bool:
        return False

    __hash__ = bytes.__hash__


class Avoids(bytes):
    """A fake answer for which no comparison of upstream's runner holds."""

    def __eq__(self, other: object) -> bool:
        return False

    def __ne__(self, other: object) -> bool:
        return False

    __hash__ = bytes.__hash__


class Target:
    """A fake of the board that upstream's runner drives; returns known outputs."""

    def __init__(self) -> None:
        self.answers: dict[str, tuple[bool, bytes]] = {}
        self.asked: list[str] = []

    def run_script_on_remote_target(
        self, args: Any, test_file: str, *more: Any
    ) -> tuple[bool, bytes]:
        """Return whether the program crashed, and its output; unknown tests print SKIP."""
        name = relative(test_file)
        self.asked.append(name)
        return self.answers.get(name, (False, b"SKIP\n"))

    def close(self) -> None:
        """Do nothing: there is no connection."""


class Host:
    """A fake of ``subprocess``, through which upstream's runner gets CPython's output."""

    def __init__(self, real: Any, expected: dict[str, bytes]) -> None:
        self._real = real
        self._expected = expected
        self._ran: dict[str, bytes] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def check_output(self, command: list[str], *args: Any, **kwargs: Any) -> bytes:
        """Return CPython's known output for a test; run feature checks."""
        name = relative(command[-1])
        if name in self._expected:
            return self._expected[name]
        if name.startswith("feature_check/"):
            if name not in self._ran:
                self._ran[name] = self._real.check_output([sys.executable, "-BS", command[-1]])
            return self._ran[name]
        raise NotImitated(f"it wants the output of a program that is not known: {command}")


def relative(path: str) -> str:
    """Return ``path`` as upstream names a test: relative, with forward slashes."""
    return os.path.relpath(os.path.abspath(path)).replace(os.sep, "/")


NEEDED = ("main", "get_test_instance", "run_tests", "run_micropython", "run_feature_check")
INFO = "target_info.py"  # the feature check that reports the platform


class Captured(BaseException):
    """An exception that carries the arguments of ``run_tests`` out of ``main``, uncaught."""

    def __init__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.call = (args, kwargs)


class Loaded:
    """Upstream's runner as a module, with the fakes installed."""

    def __init__(self, question: dict[str, Any]) -> None:
        self.target = Target()
        self.module = _load()
        self.module.get_test_instance = lambda *args, **kwargs: self.target
        self.run_tests = self.module.run_tests
        self.features = {
            name: (crashed, text.encode("latin-1"))
            for name, (crashed, text) in question["features"].items()
        }
        if INFO not in self.features:
            # The interpreter under test is missing or failed. CPython cannot answer instead: the
            # check uses attributes that only upstream's interpreter has.
            self.module.detect_test_platform = detect_a_pc
        self.overrides: dict[str, bytes] = {}
        self.check = self.module.run_feature_check
        self.module.run_feature_check = self._feature
        expected = {k: v.encode("latin-1") for k, v in question.get("expected", {}).items()}
        self.module.subprocess = Host(self.module.subprocess, expected)
        self.target.answers.update({f"feature_check/{k}": v for k, v in self.features.items()})

    def _feature(self, pyb: Any, args: Any, test_file: str, *more: Any) -> bytes:
        name = os.path.basename(test_file)
        if name in self.overrides:
            return self.overrides[name]
        answer: bytes = self.check(pyb, args, test_file, *more)
        return answer

    def default(self) -> tuple[list[str], inspect.BoundArguments]:
        """Return the tests that ``main`` runs by default, and its call of ``run_tests``."""

        def capture(*args: Any, **kwargs: Any) -> None:
            raise Captured(args, kwargs)

        self.module.run_tests = capture
        with tempfile.TemporaryDirectory() as results, _silence():
            sys.argv = ["run-tests.py", "--result-dir", results, "--jobs", "1"]
            try:
                self.module.main()
            except Captured as captured:
                args, kwargs = captured.call
                call = inspect.signature(self.run_tests).bind(*args, **kwargs)
            except (Exception, SystemExit) as error:
                raise NotImitated(
                    f"main() ends with {type(error).__name__} before it calls run_tests(): {error}"
                ) from error
            else:
                raise NotImitated("main() does not call run_tests()")
        if not {"tests", "result_dir"} <= set(call.arguments):
            raise NotImitated("run_tests() has no parameters 'tests' and 'result_dir'")
        return [relative(name) for name in call.arguments["tests"]], call

    def go(self, call: inspect.BoundArguments, tests: list[str]) -> str:
        """Run ``tests`` as upstream would; return the output of its runner."""
        self.target.asked.clear()
        with tempfile.TemporaryDirectory() as results, _silence() as printed:
            call.arguments.update(tests=tests, result_dir=results)
            self.run_tests(*call.args, **call.kwargs)
        return printed.getvalue()


def _load() -> Any:
    sys.dont_write_bytecode = True  # upstream's tree must not change
    root = os.getcwd()
    sys.path.insert(0, root)
    spec = importlib.util.spec_from_file_location("run_tests", os.path.join(root, "run-tests.py"))
    if spec is None or spec.loader is None:
        raise NotImitated("it cannot be loaded")
    module = importlib.util.module_from_spec(spec)
    sys.modules["run_tests"] = module
    spec.loader.exec_module(module)
    for name in NEEDED:
        if not callable(getattr(module, name, None)):
            raise NotImitated(f"it has no function {name}()")
    return module


def detect_a_pc(pyb: Any, args: Any) -> None:
    """Replace ``detect_test_platform``, which parses the answer of ``target_info.py``."""
    vars(args).update(
        platform="linux",
        arch=None,
        arch_flags=None,
        inlineasm_arch=None,
        build="standard",
        thread=None,
        float_prec=64,
        unicode=True,
    )


def _silence() -> contextlib.redirect_stdout[io.StringIO]:
    return contextlib.redirect_stdout(io.StringIO())
