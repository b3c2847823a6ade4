"""Upstream changes, injected into a release: handled, or reported with their place."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen

from porter import cli
from porter.base import paths
from porter.errors import (
    CompilerRefused,
    GenerateFailed,
    PatchDrift,
    PreprocessFailed,
    UnknownConstruct,
)
from porter.regress.baseline import ReleaseRun, StageState
from porter.regress.comparison import verdict
from porter.regress.release_run import Options, run_release
from porter.sync.lock import Lock, newest_release, write_lock
from porter.sync.store import Synced
from porter.sync.synchronization import sync

from . import injections
from .injections import append, change

pytestmark = [pytest.mark.xdist_group("injected changes"), pytest.mark.campaign("injected-changes")]


@frozen
class Injected:
    """The changed release after `porter regress TREE`: its folder, name, and the JSON report."""

    root: Path
    name: str
    code: int
    report: dict[str, Any]

    def run(self, *targets: str) -> ReleaseRun:
        """Run again, after further changes to `root`; without targets nothing is compiled."""

        # Changed sources are refused; like a user, the test registers them under their own name
        # again.
        def bring() -> tuple[Synced, bool]:
            return sync(self.name, source=self.root), True

        return run_release(self.name, bring, Options(targets))


@pytest.fixture(scope="module")
def injected(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Injected]:
    """Return one tree with all changes that must succeed, taken through all stages once."""
    upstream = paths.upstream_dir() / newest_release()
    if not (upstream / "py").is_dir():
        pytest.skip(f"{upstream.name} is not synced")
    folder = tmp_path_factory.mktemp("injected")
    tree = injections.copy_release(upstream.resolve(), folder / "tree")
    injections.inject_all_handled(tree)
    write_lock(Lock(), folder / "lock.toml")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PORTER_HOME", str(folder / "home"))
        patch.setattr(paths, "lock_file", lambda: folder / "lock.toml")
        file = folder / "report.json"
        code = cli.execute(["regress", str(tree), "--json", str(file)])
        report = json.loads(file.read_text())
        name = report["releases"][0]["release"]
        yield Injected(folder / "home" / "upstream" / name, name, code, report)


@pytest.fixture
def edit(injected: Injected) -> Iterator[Callable[[str], Path]]:
    """Return edit:

    `edit("py/vm.c")` is that file of the synced release, restored after the test.
    """
    kept: dict[Path, bytes] = {}

    def file(name: str) -> Path:
        path = injected.root / name
        kept.setdefault(path, path.read_bytes())
        return path

    yield file
    for path, data in kept.items():
        path.write_bytes(data)


Edit = Callable[[str], Path]


def line_of(file: Path, text: str) -> int:
    return file.read_text().split(text)[0].count("\n") + 1


def test_handled_changes_go_through_all_stages(injected: Injected) -> None:
    release = injected.report["releases"][0]
    stages = {stage["name"]: stage for stage in release["stages"] if stage["target"] != "cuda"}
    device = next(stage for stage in release["stages"] if stage["name"] == "build"
                  and stage["target"] == "cuda")  # fmt: skip
    assert device["state"] == ("ok" if shutil.which("nvcc") else "skipped")
    assert {name: stage["state"] for name, stage in stages.items()} == dict.fromkeys(
        ("sync", "patch", "rewrite", "build", "smoke", "conformance"), "ok"
    )
    assert injected.code == 0
    assert stages["patch"]["note"].endswith("applies")  # the moved function's patch among them
    tests = release["facts"]["tests"]["host"]
    # In the makefile, built, registered; initialisers, handlers; statics of each interpreter.
    assert tests["basics/injected.py"] == tests["basics/injected_again.py"] == "pass"
    assert set(tests.values()) == {"pass"} and len(tests) == len(injections.TESTS) + 2
    assert release["facts"]["units"]["extmod/modinjected.c"]["initialisers"] >= 2


def test_nothing_is_done_twice(injected: Injected) -> None:
    run = injected.run("host")
    assert {(s.name, s.state) for s in run.stages if s.name != "patch"} == {
        (name, StageState.CACHED) for name in ("sync", "rewrite", "build", "smoke", "conformance")
    }


def problem_of(run: ReleaseRun, stage: str) -> dict[str, Any]:
    last = next(one for one in run.stages if one.state is StageState.FAILED)
    assert last.name == stage
    error = verdict([run], [])
    assert error is not None and error.exit_code == last.problems[0].code
    problem = last.problems[0]
    return {name: getattr(problem, name) for name in ("error", "file", "line", "rule", "patch")}


def test_constructs_that_no_rule_knows(injected: Injected, edit: Edit) -> None:
    files = [edit("py/modmath.c"), edit("py/opmethods.c")]
    append(files[0], "\nint injected_kind(int x) { return _Generic(x, int: 1, default: 2); }\n")
    append(files[1], "\nvoid *injected_label(void) {\n    here:\n    return &&here;\n}\n")
    run = injected.run()
    name = f"upstream/{injected.name}"
    assert problem_of(run, "rewrite") == {
        "error": UnknownConstruct.__name__,
        "file": f"{name}/py/modmath.c",
        "line": line_of(files[0], "int injected_kind"),
        "rule": "unknown",
        "patch": "",
    }
    second = run.stages[-1].problems[1]  # all refused constructs, not only the first
    line = line_of(files[1], "    return &&")
    assert (second.file, second.line) == (f"{name}/py/opmethods.c", line)
    assert "address of a label" in second.message


def test_a_header_that_we_lack(injected: Injected, edit: Edit) -> None:
    file = edit("py/modmath.c")
    append(file, "\n#include <stdatomic.h>\n")
    run = injected.run()
    assert problem_of(run, "rewrite") == {
        "error": PreprocessFailed.__name__,
        "file": f"upstream/{injected.name}/py/modmath.c",
        "line": line_of(file, "#include <stdatomic.h>"),
        "rule": "",
        "patch": "",
    }
    assert "stdatomic.h: No such file" in run.stages[-1].problems[0].message


def test_c_that_libclang_cannot_read(injected: Injected, edit: Edit) -> None:
    file = edit("py/modmath.c")
    append(
        file, "\nint injected_out(int a) {\n    int in(int b) { return b; }\n    return in(a);\n}\n"
    )
    problem = problem_of(injected.run(), "rewrite")
    assert problem["error"] == PreprocessFailed.__name__
    assert problem["file"] == f"upstream/{injected.name}/py/modmath.c"
    assert problem["line"] == line_of(file, "    int in(int b)")


def test_a_listed_file_that_is_not_there(injected: Injected, edit: Edit) -> None:
    change(edit("extmod/extmod.mk"), r"\textmod/modheapq\.c", "\textmod/modgone.c \\\\\n\\g<0>")
    run = injected.run()
    assert problem_of(run, "rewrite")["error"] == GenerateFailed.__name__
    assert "extmod/modgone.c" in run.stages[-1].problems[0].message


def test_a_renamed_function_under_a_patch(injected: Injected, edit: Edit) -> None:
    change(edit("py/compile.c"), r"\bcompile_node\b", "compile_any_node", count=0)
    run = injected.run()
    assert problem_of(run, "patch") == {
        "error": PatchDrift.__name__,
        "file": "py/compile.c",
        "line": 0,
        "rule": "",
        "patch": "compiler-stack",
    }
    message = run.stages[1].problems[0].message
    assert "there is no function compile_node" in message
    assert run.facts.patches["compiler-stack"] == "fails"
    assert set(run.facts.patches.values()) == {"applies", "fails"}


def test_a_renamed_function_under_a_patch_that_is_not_required(
    injected: Injected, edit: Edit, capsys: pytest.CaptureFixture[str]
) -> None:
    change(edit("py/objarray.c"), r"\barray_append\b", "array_append_one", count=0)
    run = injected.run("host")
    assert verdict([run], []) is None
    assert run.facts.patches["array-memory"] == "skipped"
    without = "an array that grows frees memory that is still used"
    assert f"skipped array-memory: {without}" in run.stages[1].note
    build = ["build", "--release", injected.name, "--target", "host"]
    assert cli.execute(build) == 0
    assert f"porter: skipped array-memory: {without}" in capsys.readouterr().err
    assert cli.execute([*build, "--strict"]) == PatchDrift.exit_code
    capsys.readouterr()
    assert cli.execute(["doctor", "--json"]) in (0, 1)
    patches = next(one for one in json.loads(capsys.readouterr().out) if one["name"] == "patches")
    assert f"array-memory ({without})" in patches["detail"]


def test_a_renamed_field_under_a_patch(injected: Injected, edit: Edit) -> None:
    """The patch applies, and its result cannot be parsed: it is skipped as well."""
    for file in sorted(path for path in injected.root.rglob("py/*.[ch]")):
        if "total_prev_len" in file.read_text(errors="replace"):
            name = str(file.relative_to(injected.root))
            change(edit(name), r"\btotal_prev_len\b", "earlier_length", count=0)
    run = injected.run("host")
    assert verdict([run], []) is None
    skipped = {fit.patch: fit.detail for fit in run.skipped}
    assert "texts" in skipped and "total_prev_len" in skipped["texts"]
    again = injected.run("host")
    assert all(
        stage.state is not StageState.OK for stage in again.stages if stage.name == "rewrite"
    )


@pytest.mark.parametrize(
    ("file", "head", "patch"),
    [
        ("py/map.c", r"mp_map_lookup_kind_t lookup_kind\) \{", "table-search"),
        ("py/objfloat.c", r"mp_float_hash\(mp_float_t src\) \{", "hashes"),
    ],
)
def test_a_changed_function_that_the_rest_of_a_patch_needs(
    injected: Injected, edit: Edit, file: str, head: str, patch: str
) -> None:
    change(edit(file), head, r"\g<0>\n    (void)0;")
    run = injected.run("host")
    assert verdict([run], []) is None
    assert run.facts.patches[patch] == "skipped"
    assert "whose body is new" in {fit.patch: fit.detail for fit in run.skipped}[patch]


def test_a_new_hook_that_upstream_wants_of_its_port(injected: Injected, edit: Edit) -> None:
    file = edit("py/modmath.c")
    append(
        file, "\nint mp_hal_injected(void);\nint injected_use(void) { return mp_hal_injected(); }\n"
    )
    run = injected.run("host")
    assert problem_of(run, "build")["error"] == CompilerRefused.__name__
    message = run.stages[-3].problems[0].message
    assert "mp_hal_injected" in message
    assert [stage.state for stage in run.stages[-2:]] == [StageState.NOT_REACHED] * 2


def test_what_no_rule_refuses_and_the_compiler_does(injected: Injected, edit: Edit) -> None:
    file = edit("py/modmath.c")
    append(file, "\nint injected_call(const char *s) {\n    return fileno(s);\n}\n")
    problem = problem_of(injected.run("host"), "build")
    assert problem["error"] == CompilerRefused.__name__
    assert problem["file"] == "py/modmath.c"
    assert problem["line"] == line_of(file, "    return fileno")
