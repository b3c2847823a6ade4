"""A wheel with a host twin inside, installed without compilers and sources."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from porter.bundling import LICENCES, write_bundle
from porter.errors import MissingPackage, NoCompiler
from porter.pipeline import build
from porter.settings import load_config
from porter.sync.store import release_dir
from porter.version import __version__
from tests.wheels.first_program import bare

pytestmark = pytest.mark.campaign("wheels")

if TYPE_CHECKING:
    from porter.pipeline import Build

ROOT = Path(__file__).parents[2]
USERS = (65533, 65534)  # users without files of their own
# One worker makes and installs the wheel.


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    """Yield a folder that other users may enter, unlike pytest's own folders."""
    with tempfile.TemporaryDirectory(prefix="porter-wheel-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture(scope="module")
def wheel(built: Build, place: Path) -> Path:
    """Return a wheel with the default build and the one with bounds checks."""
    if os.environ.get("PORTER_BOUNDS_CHECKS"):
        pytest.skip("a wheel has a build without fences")
    release = built.sources.name.rpartition("-")[0]
    checked = build(load_config({"release": release, "target": "host", "bounds_checks": True}))
    for one in (built, checked):
        tree = release_dir(release)
        write_bundle(one.folder, one.sources / "cxx", tree, place / "bundle", ["host"])
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"]
    environment = {**os.environ, "PORTER_BUNDLE": str(place / "bundle")}
    made = subprocess.run(
        [*pip, "-w", place, ROOT], env=environment, capture_output=True, text=True
    )
    assert made.returncode == 0, made.stdout + made.stderr
    (found,) = place.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def python(wheel: Path, place: Path) -> Path:
    """Return the Python of a venv with the wheel and its dependencies."""
    venv = place / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    python = venv / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet"]
    done = subprocess.run([*pip, wheel], cwd=place, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return python


def porter(
    python: Path, folder: Path, *args: object, user: int | None = None, **env: str
) -> subprocess.CompletedProcess[str]:
    """Return a function that runs `porter ARGS` in the empty `folder`, with nothing on PATH."""
    command = [str(python.with_name("porter")), *map(str, args)]
    return subprocess.run(
        command,
        cwd=folder,
        env=bare(folder) | env,
        capture_output=True,
        text=True,
        user=user,
        group=user,
        extra_groups=() if user else None,
    )


@pytest.fixture
def release(built: Build) -> dict[str, str]:
    """Return the variable that names the wheel's release, because a lock may know newer ones."""
    return {"PORTER_RELEASE": built.sources.name.rpartition("-")[0]}


def test_what_is_inside(wheel: Path) -> None:
    assert re.search(r"-py3-none-linux_\w+\.whl$", wheel.name)
    with zipfile.ZipFile(wheel) as files:
        names = {name.split("/builds/")[1].partition("/")[2] for name in files.namelist()
                 if "/_data/builds/" in name}  # fmt: skip
        assert {"build.json", "host/libgpusnek.so", "include/launch.h", LICENCES} <= names
        assert {"host/prelude.hpp", "host/instructions.json"} <= names
        licences = [name for name in files.namelist() if name.endswith(LICENCES)]
        assert len(licences) == 2  # the default build, and the build with bounds checks
        text = files.read(licences[0]).decode()
    assert "The MIT License (MIT)" in text and "Damien P. George" in text
    # The release contains no text of the licence that littlefs names.
    assert "The littlefs authors" in text and "Neither the name of the copyright holder" in text


def test_development_tools_are_not_inside(
    wheel: Path, python: Path, tmp_path: Path, release: dict[str, Any]
) -> None:
    with zipfile.ZipFile(wheel) as files:
        assert not [name for name in files.namelist() if re.match("porter_dev|tests", name)]
    done = porter(python, tmp_path, "torture", "-n", 1, **release)
    assert done.returncode == MissingPackage.exit_code and done.stdout == ""
    assert "`porter torture` belongs to the development package porter_dev" in done.stderr


def test_programs_are_judged(python: Path, tmp_path: Path, release: dict[str, Any]) -> None:
    """`porter evaluate` needs no compiler."""
    (tmp_path / "programs").mkdir()
    for k in range(20):
        (tmp_path / "programs" / f"{k}.py").write_text(f"def solve(x): return x * {k}\n")
    (tmp_path / "cases.jsonl").write_text("[[3], 12]\n[[5], 20]\n")
    done = porter(python, tmp_path, "evaluate", "programs", "cases.jsonl", **release)
    assert done.returncode == 0, done.stderr
    assert "20 programs, 40 calls, 1 solved" in done.stdout


def test_the_first_program(python: Path, release: dict[str, Any]) -> None:
    program = ROOT / "tests" / "wheels" / "first_program.py"
    done = subprocess.run(
        [python, program], env={**os.environ, **release}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_sizes_are_a_launchs(python: Path, tmp_path: Path, release: dict[str, Any]) -> None:
    code = "import gc; print(gc.mem_alloc() + gc.mem_free() > 200000)"
    for heap, said in (("256K", "True"), ("64K", "False")):
        folder = tmp_path / heap
        folder.mkdir()
        done = porter(
            python, folder, "run", "-n", 2, "--heap", heap, "--stdout", 64, "-c", code, **release
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout == f"{said}\n"
        assert not any((folder / "home").iterdir())


def test_two_users_at_once_who_may_write_nothing(
    python: Path, place: Path, release: dict[str, Any]
) -> None:
    packages = next(python.parents[1].glob("lib/*/site-packages/porter"))
    installed = (packages, *packages.rglob("*"))
    for path in installed:
        path.chmod(0o555 if path.is_dir() else 0o444)
    before = states(packages)
    others = others_may_start(python)

    def run(number: int) -> subprocess.CompletedProcess[str]:
        folder = place / f"user{number}"
        folder.mkdir()
        user = USERS[number % 2] if others else None
        return porter(
            python, folder, "run", "-n", 3, "-c", "print(threadIdx // 3)", user=user, **release
        )

    with ThreadPoolExecutor(4) as pool:
        for number, done in enumerate(pool.map(run, range(4))):
            assert (done.returncode, done.stderr) == (0, "")
            assert done.stdout == "0\n"
            assert not any((place / f"user{number}" / "home").iterdir())
    assert states(packages) == before
    for path in installed:
        path.chmod(0o755)


def others_may_start(python: Path) -> bool:
    """Return whether this process may run `python` as another user."""
    if os.geteuid() != 0:
        return False
    try:
        subprocess.run([python, "-c", ""], user=USERS[0], cwd="/", check=True)
    except (OSError, subprocess.CalledProcessError):
        return False  # its Python is in a folder of root: all processes then run as this user
    return True


def states(folder: Path) -> set[tuple[Path, int]]:
    """Return every file below `folder` with its modification time."""
    return {(path, path.stat().st_mtime_ns) for path in folder.rglob("*")}


def test_what_the_build_does_not_serve_needs_a_compiler(
    python: Path, tmp_path: Path, release: dict[str, Any]
) -> None:
    done = porter(python, tmp_path, "run", "--level", "full", "-c", "1", **release)
    assert done.returncode == NoCompiler.exit_code
    assert "no g++ on this machine" in done.stderr


def test_doctor_says_which_build_serves(
    python: Path, tmp_path: Path, release: dict[str, Any]
) -> None:
    def rows(name: str, **env: str) -> dict[str, dict[str, str]]:
        folder = tmp_path / name
        folder.mkdir()
        done = porter(python, folder, "doctor", "--json", **{**release, **env})
        assert done.returncode == 0, done.stderr
        return {row["name"]: row for row in json.loads(done.stdout)}

    found = rows("usual")
    assert found["g++"]["state"] == "lacks" and not found["g++"]["essential"]
    version, _, targets = found["bundled"]["detail"].partition(": ")
    assert version == release["PORTER_RELEASE"] and "host" in targets.split("; ")
    assert "the bundled build, " in found["serves"]["detail"]
    checked = rows("checked", PORTER_BOUNDS_CHECKS="1")["serves"]["detail"]
    assert "the bundled build, " in checked and checked != found["serves"]["detail"]
    other = rows("other", PORTER_LEVEL="full")["serves"]["detail"]
    assert "made when it is first used" in other and "level is everything, not full" in other


def test_a_bundle_that_is_not_whole_makes_no_wheel(wheel: Path, tmp_path: Path) -> None:
    bundle = shutil.copytree(wheel.parent / "bundle", tmp_path / "bundle")
    library, *_ = bundle.glob("*/host/libgpusnek.so")  # of one of its builds
    library.unlink()
    for named, said in ((bundle, "lacks host/libgpusnek.so"), (tmp_path, "no finished build in")):
        done = hook(str(named))
        assert done.returncode == 1 and said in done.stderr
    changed = shutil.copytree(wheel.parent / "bundle", tmp_path / "changed")
    library, *_ = changed.glob("*/host/libgpusnek.so")
    library.write_bytes(library.read_bytes()[:-1])
    assert "host/libgpusnek.so changed since" in hook(str(changed)).stderr
    manifest = next(wheel.parent.glob("bundle/*/build.json"))
    older = tmp_path / "older" / manifest.parent.name
    shutil.copytree(manifest.parent, older)
    document = json.loads(manifest.read_text())
    document["inputs"]["porter"] = "0.0.9"
    (older / "build.json").write_text(json.dumps(document))
    assert "porter 0.0.9 made " in hook(str(older.parent)).stderr


def test_without_a_bundle_the_wheel_is_pure() -> None:
    for version, named in (("standard", ""), ("editable", "/nonexistent")):
        done = hook(named, version)
        assert (done.returncode, done.stdout) == (0, "{'force_include': {}}\n"), done.stderr


def hook(named: str, version: str = "standard") -> subprocess.CompletedProcess[str]:
    """Run hatch_build.py with PORTER_BUNDLE=`named`; print the data for hatchling."""
    return subprocess.run(
        [sys.executable, "-c", HOOK, ROOT, version],
        env={**os.environ, "PORTER_BUNDLE": named},
        capture_output=True,
        text=True,
    )


# The hook runs without hatchling, which only pip's build environment has.
HOOK = """
import sys, types
names = "hatchling", "builders", "hooks", "plugin", "interface"
for i in range(len(names)):
    sys.modules[".".join(names[: i + 1])] = types.ModuleType(names[i])
sys.modules[".".join(names)].BuildHookInterface = object
sys.path.insert(0, sys.argv[1])
import hatch_build
hook = hatch_build.BundleHook()
hook.root, hook.metadata = sys.argv[1], types.SimpleNamespace(version="VERSION")
told = {"force_include": {}}
hook.initialize(sys.argv[2], told)
print(told)
""".replace("VERSION", __version__)
