"""Every renamed public name still works under its old name, and warns once.

ALIASES has a row for each alias: remove a row together with its alias, after one release.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import attrs
import click
import pytest

import porter.errors
import porter.native
from porter.base import deprecated
from porter.base.deprecated import (
    REMOVAL,
    RENAMED_SETTINGS,
    renamed_arguments,
    with_new_keys,
)
from porter.base.progress import QUIET
from porter.cli import group
from porter.cli._deprecated import RenamedOption
from porter.compile import build_record as written
from porter.config import BuildConfig
from porter.errors import NotBuilt, UsageError
from porter.manifest import FORMAT, manifest_of
from porter.native import NativeReport
from porter.profiling import profile
from porter.regress.release_run import Options
from porter.run import Feed, Launch
from porter.run.built import Built
from porter.run.launch.counters import Counting
from porter.run.status import statuses
from porter.settings import load_config
from porter.version import __version__


@pytest.fixture(autouse=True)
def _nothing_warned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deprecated, "_warned", set())


def parsed(command: str, *args: str) -> dict[str, Any]:
    """Return the parameters that a command gets from its arguments, without running it."""
    found = group.get_command(click.Context(group), command)
    assert found is not None
    return found.make_context(command, list(args)).params


def parsed_flag(command: str, option: str, _: Path) -> object:
    arguments = {"bundle": ["folder"], "compile": ["-c", "1"], "profile": ["-c", "1"]}
    found = parsed(command, option, *arguments.get(command, []))
    return found["bounds_checks"]


def config(**options: object) -> BuildConfig:
    return load_config(options, environ={}, default_release="1.28.0", cwd=Path("/"))


def from_variable() -> bool:
    values = {"PORTER_FENCES": "1"}
    return load_config({}, environ=values, default_release="1.28.0", cwd=Path("/")).bounds_checks


def from_file(folder: Path) -> bool:
    (folder / "porter.toml").write_text("fences = true\n")
    return load_config({}, environ={}, default_release="1.28.0", cwd=folder).bounds_checks


def built() -> Built:
    """Return a fake build whose build.json has a key under its old name."""
    config = {"release": "1.28.0", "fences": True}
    text = {
        "format": FORMAT,
        "release": "1.28.0",
        "inputs": {"porter": "0.1.0", "config": config, "sources": {}},
        "targets": {},
        "layout": {"structs": {}, "enums": {}, "state_size": 0},
    }
    return Built(Path("/build"), text, manifest_of(text, Path("build.json")))


def report() -> NativeReport:
    return NativeReport(functions=(), failed_guards=(), seconds={"profile": 0.5}, cached=False)


def profiled() -> None:
    with pytest.raises(ValueError, match=r"^counter_buffer: 'x' is not a size"):
        ANY.profile("pass", room="x")


NATIVE = "porter.native.compilation"
# Functions that report progress, with their modules.
PROGRESS = {
    "build": "porter.pipeline",
    "rewrite_sources": "porter.pipeline",
    "rewrite_release": "porter.pipeline",
    "compile_build": "porter.compile.compile_stage",
    "generate": "porter.generate.generate_stage",
    "preprocess": "porter.preprocess.preprocess_stage",
    "rewrite": "porter.rewrite.rewrite_stage",
}


def called(module: str, function: str, argument: str, _: Path) -> None:
    """Call a function with an argument's old name, but without the arguments that it requires."""
    with pytest.raises(TypeError, match=r"missing .* required positional argument"):
        getattr(import_module(module), function)(**{argument: None})


class Alias(NamedTuple):
    old: str
    new: str
    use: Callable[[Path], object]  # uses the old name
    value: object  # its result


BOUNDS_CHECKS = "--bounds-checks"
BUILDING = ("build", "bundle", "compile", "profile", "repl", "run", "smoke")
FLAGS = ("conformance", "fuzz", "sweep")
STATUS = {"GPUSNEK_OK": 0, "GPUSNEK_STATUS_OUT_OF_BOUNDS": -12}

# Functions and classes without their types, which have new names only.
ANY: Any = SimpleNamespace(
    BuildConfig=BuildConfig,
    Counting=Counting,
    Feed=Feed,
    Launch=Launch,
    Options=Options,
    errors=porter.errors,
    config=config,
    evolve=attrs.evolve,
    profile=profile,
    report=report,
)

ALIASES = [
    *(
        Alias("--fences", BOUNDS_CHECKS, partial(parsed_flag, c, "--fences"), True)
        for c in (*BUILDING, *FLAGS)
    ),
    *(
        Alias("--no-fences", "--no-bounds-checks", partial(parsed_flag, c, "--no-fences"), False)
        for c in BUILDING
    ),
    Alias(
        "--give-up",
        "--fail-guards",
        lambda _: parsed("conformance", "--give-up", "7")["fail_guards"],
        "7",
    ),
    Alias(
        "--give-up",
        "--fail-guards",
        lambda _: parsed("conformance", "--give-up=guards")["fail_guards"],
        "guards",
    ),
    Alias(
        "--trial",
        "--profiling-run",
        lambda _: parsed("compile", "--trial", "-c", "1")["profiling_run"],
        True,
    ),
    Alias(
        "--no-trial",
        "--no-profiling-run",
        lambda _: parsed("compile", "--no-trial", "-c", "1")["profiling_run"],
        False,
    ),
    Alias(
        "--room",
        "--counter-buffer",
        lambda _: parsed("profile", "--room", "64K", "-c", "1")["counter_buffer"],
        65536,
    ),
    Alias("$PORTER_FENCES", "$PORTER_BOUNDS_CHECKS", lambda _: from_variable(), True),
    Alias("porter.toml: fences", "bounds_checks", from_file, True),
    Alias("fences", "bounds_checks", lambda _: config(fences=True).bounds_checks, True),
    Alias(
        "BuildConfig(fences=...)",
        "bounds_checks=",
        lambda _: ANY.BuildConfig(release="1.28.0", fences=True).bounds_checks,
        True,
    ),
    Alias(
        "BuildConfig.fences",
        "bounds_checks",
        lambda _: ANY.config(bounds_checks=True).fences,
        True,
    ),
    Alias("Built.fences", "bounds_checks", lambda _: built().fences, True),
    Alias("the key 'fences'", "'bounds_checks'", lambda _: built().config["fences"], True),
    Alias("the key 'fences'", "'bounds_checks'", lambda _: built().config.get("fences"), True),
    Alias(
        "Launch(print_room=...)",
        "print_buffer=",
        lambda _: ANY.Launch(print_room=4096).print_buffer,
        4096,
    ),
    Alias(
        "Launch.print_room",
        "print_buffer",
        lambda _: ANY.Launch(print_buffer=4096).print_room,
        4096,
    ),
    Alias(
        "Counting(room=...)",
        "counter_buffer=",
        lambda _: ANY.Counting(room=65536).counter_buffer,
        65536,
    ),
    Alias("Counting.room", "counter_buffer", lambda _: ANY.Counting(65536).room, 65536),
    Alias("Feed(room=...)", "capacity=", lambda _: ANY.Feed(room=9).capacity, 9),
    Alias("Feed.room", "capacity", lambda _: Feed(9).room, 9),
    Alias("profile(room=...)", "counter_buffer=", lambda _: profiled(), None),
    Alias(
        "porter.native.GaveUp",
        "FailedGuard",
        lambda _: porter.native.GaveUp.__name__,
        "FailedGuard",
    ),
    *(
        Alias(f"{function}(tell=...)", "progress=", partial(called, module, function, "tell"), None)
        for function, module in PROGRESS.items()
    ),
    Alias("Options(tell=...)", "progress=", lambda _: ANY.Options(tell=QUIET).progress, QUIET),
    Alias("Options.tell", "progress", lambda _: ANY.Options().tell, QUIET),
    *(
        Alias(f"{name}(trial=...)", "profiling_run=", partial(called, NATIVE, name, "trial"), None)
        for name in ("make", "make_for")
    ),
    Alias(
        "porter.errors.SweepFailed",
        "InjectionFailed",
        lambda _: ANY.errors.SweepFailed.__name__,
        "InjectionFailed",
    ),
    Alias("NativeReport.gave_up", "failed_guards", lambda _: ANY.report().gave_up, ()),
    Alias("the key 'trial'", "'profile'", lambda _: report().seconds["trial"], 0.5),
    Alias(
        "the status STATUS_FENCE",
        "STATUS_OUT_OF_BOUNDS",
        lambda _: int(statuses(STATUS)["STATUS_FENCE"]),
        -12,
    ),
]


@pytest.mark.parametrize("alias", ALIASES, ids=lambda alias: alias.old)
def test_an_old_name_works_and_warns_once(
    alias: Alias, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert [alias.use(tmp_path), alias.use(tmp_path)] == [alias.value, alias.value]
    (line,) = capfd.readouterr().err.splitlines()
    old, new = line.removeprefix("porter: warning: ").split(" is deprecated: use ")
    assert old.endswith(alias.old)
    assert new == f"{alias.new}; porter {REMOVAL} removes the old name"


def options_of(command: click.Command) -> Iterator[click.Parameter]:
    yield from command.params
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from options_of(found)


def test_every_renamed_option_has_a_row() -> None:
    renamed = {
        pair
        for option in options_of(group)
        if isinstance(option, RenamedOption)
        for pair in option.old.items()
    }
    assert renamed == {(row.old, row.new) for row in ALIASES if row.old.startswith("--")}


def test_new_names_do_not_warn(capfd: pytest.CaptureFixture[str]) -> None:
    assert parsed("build", "--bounds-checks")["bounds_checks"] is True
    assert parsed("build", "--no-bounds-checks")["bounds_checks"] is False
    assert parsed("build")["bounds_checks"] is None
    assert config(bounds_checks=True).bounds_checks
    assert built().bounds_checks and "fences" not in built().config
    assert capfd.readouterr().err == ""


def test_help_and_messages_show_new_names_only() -> None:
    command = group.get_command(click.Context(group), "conformance")
    assert command is not None
    text = command.get_help(click.Context(command))
    assert "--fail-guards" in text and "--give-up" not in text and "--fences" not in text
    with pytest.raises(click.BadOptionUsage, match="'--give-up' requires an argument"):
        parsed("conformance", "--give-up")


# ---- a value under both names is an error, also if both values are equal ----

GIVE_ONE = "is the old name of {}: give only {}"


def message(old: str, new: str) -> str:
    return re.escape(f"{old} {GIVE_ONE.format(new, new)}")


@pytest.mark.parametrize("text", ["bounds_checks = false\nfences = true\n",
                                  "fences = true\nbounds_checks = true\n"])  # fmt: skip
def test_a_file_with_both_names_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "porter.toml").write_text(text)
    with pytest.raises(UsageError, match=r"porter\.toml: " + message("fences", "bounds_checks")):
        load_config({}, environ={}, default_release="1.28.0", cwd=tmp_path)


def test_a_later_source_replaces_an_old_name(tmp_path: Path) -> None:
    (tmp_path / "porter.toml").write_text("fences = true\n")
    environ = {"PORTER_BOUNDS_CHECKS": "0"}
    found = load_config({}, environ=environ, default_release="1.28.0", cwd=tmp_path)
    assert not found.bounds_checks


def test_variables_with_both_names_are_refused() -> None:
    both = {"PORTER_FENCES": "1", "PORTER_BOUNDS_CHECKS": "1"}
    with pytest.raises(UsageError, match=message("$PORTER_FENCES", "$PORTER_BOUNDS_CHECKS")):
        load_config({}, environ=both, default_release="1", cwd=Path("/"))
    empty = {"PORTER_FENCES": "1", "PORTER_BOUNDS_CHECKS": ""}  # as if it were not set
    assert load_config({}, environ=empty, default_release="1", cwd=Path("/")).bounds_checks


def test_options_of_a_build_with_both_names_are_refused() -> None:
    with pytest.raises(UsageError, match=message("fences", "bounds_checks")):
        config(fences=True, bounds_checks=True)
    assert not config(fences=False, bounds_checks=None).bounds_checks  # None counts as absent


@pytest.mark.parametrize(
    "options",
    [
        ("--fences", "--bounds-checks"),
        ("--bounds-checks", "--fences"),
        ("--no-fences", "--bounds-checks"),
        ("--no-bounds-checks", "--no-fences"),
    ],
)
def test_a_command_line_with_both_names_is_refused(options: tuple[str, str]) -> None:
    old = next(option for option in options if "fences" in option)
    new = old.replace("fences", "bounds-checks")
    with pytest.raises(UsageError, match=message(old, new)):
        parsed("build", *options)


def test_a_command_line_may_repeat_a_name() -> None:
    assert parsed("build", "--bounds-checks", "--no-bounds-checks")["bounds_checks"] is False
    assert parsed("build", "--fences", "--no-fences")["bounds_checks"] is False


def test_an_option_with_a_value_under_both_names_is_refused() -> None:
    with pytest.raises(UsageError, match=message("--room", "--counter-buffer")):
        parsed("profile", "--room=64K", "--counter-buffer", "64K", "-c", "1")


def test_an_argument_under_both_names_is_refused() -> None:
    @renamed_arguments(before="after")
    def function(*, after: int = 0) -> int:
        return after

    with pytest.raises(TypeError, match="function: " + message("before", "after")):
        function(before=1, after=2)  # type: ignore[call-arg]


def test_a_field_under_both_names_is_refused() -> None:
    with pytest.raises(TypeError, match="Launch: " + message("print_room", "print_buffer")):
        ANY.Launch(print_room=4096, print_buffer=4096)
    with pytest.raises(TypeError, match=message("fences", "bounds_checks")):  # evolve passes both
        ANY.evolve(config(), fences=True)


def test_a_build_json_whose_values_differ_is_refused() -> None:
    values = {"fences": True, "bounds_checks": True}
    assert with_new_keys(values, RENAMED_SETTINGS) == {"bounds_checks": True}
    text = {"format": FORMAT, "inputs": {"config": {"fences": True, "bounds_checks": False}}}
    with pytest.raises(NotBuilt, match=message("fences", "bounds_checks")):
        manifest_of(text, Path("build.json"))


def test_build_json_has_both_names() -> None:
    class Sources:
        @staticmethod
        def hashes() -> dict[str, str]:
            return {}

    values: Any = written.inputs(config(bounds_checks=True), Sources())  # type: ignore[arg-type]
    assert json.loads(json.dumps(values))["config"]["fences"] is True
    assert set(RENAMED_SETTINGS.values()) <= values["config"].keys()


def test_the_release_that_removes_old_names_is_a_later_one() -> None:
    def numbers(version: str) -> list[int]:
        return [int(part) for part in version.split(".")]

    assert numbers(__version__) < numbers(REMOVAL)


def test_unknown_names_stay_unknown() -> None:
    with pytest.raises(AttributeError, match=r"porter\.native.*has no attribute 'Moon'"):
        _ = porter.native.Moon
    with pytest.raises(KeyError):
        _ = built().config["moon"]
