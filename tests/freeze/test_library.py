"""The frozen library in the shared build: `import` from bytecode that all interpreters share."""

from __future__ import annotations

import hashlib
import textwrap
from pathlib import Path

import attrs
import pytest

from porter import InterpreterArray
from porter.base import paths
from porter.cli import execute
from porter.config import BuildConfig
from porter.generate.frozen import frozen_files
from porter.pipeline import Build
from porter.run import Device, Launch, run
from porter.run.built import open_build


def test_build_json_lists_the_modules(built: Build) -> None:
    opened = open_build(built.folder)
    release = str(opened.config["release"])
    files = frozen_files(BuildConfig(release=release), paths.upstream_dir() / release)
    listed = {module.name: module.sha256 for module in opened.whole.frozen}
    assert listed == {file.name: hashlib.sha256(file.content).hexdigest() for file in files}
    assert not any(module.source for module in opened.whole.frozen)


def printed(device: Device, source: str, launch: Launch | None = None) -> str:
    launch = attrs.evolve(launch or Launch(), stdout=4096, stderr=4096)
    result = run(device, [textwrap.dedent(source)], 2, launch)
    first, second = ((result.stdout[i] + result.stderr[i]).decode() for i in range(2))
    assert first == second
    return first


def test_code_takes_no_heap(any_device: Device) -> None:
    source = """\
        import gc
        gc.collect()
        before = gc.mem_alloc()
        import asyncio
        gc.collect()
        print(gc.mem_alloc() - before < 6000)
    """
    assert printed(any_device, source) == "True\n"  # 9,536 bytes if it is compiled at run time


def test_an_import_compiles_nothing(any_device: Device) -> None:
    assert printed(any_device, "import asyncio\nprint(1)\n", Launch(max_steps=13_000)) == "1\n"


def test_a_small_heap_suffices(any_device: Device) -> None:
    assert printed(any_device, "import asyncio\nprint(1)\n", Launch(heap=10240)) == "1\n"


def test_tracebacks_have_files_names_and_lines(any_device: Device) -> None:
    source = "import asyncio.core\nasyncio.core.create_task(3)\n"
    text = printed(any_device, source)
    assert 'File "asyncio/_tasks.py", line ' in text
    assert ", in create_task\n" in text


def test_attributes_of_a_frozen_module(any_device: Device) -> None:
    source = """\
        import asyncio, asyncio.core
        print(asyncio.__file__, asyncio.core.__name__, asyncio.__path__)
        print(asyncio.core.create_task.__name__)
    """
    assert printed(any_device, source) == (
        "asyncio/__init__.py asyncio.core .frozen/asyncio\ncreate_task\n"
    )


def test_code_of_a_frozen_function_can_be_saved(any_device: Device) -> None:
    source = """\
        import asyncio.core, marshal
        code = marshal.dumps(asyncio.core.Loop.run_until_complete.__code__)
        print(len(code) > 20)
    """
    assert printed(any_device, source) == "True\n"


def test_names_of_frozen_modules_are_found(any_device: Device) -> None:
    # `create_task` is a name of the frozen unit alone.
    source = """\
        import asyncio.core
        name = "".join(["create", "_", "task"])
        print(getattr(asyncio.core, name) is asyncio.core.create_task)
        print(hasattr(asyncio.core, "create" + "_no_such_task"))
    """
    assert printed(any_device, source) == "True\nFalse\n"


ASYNC = """\
import asyncio
async def f(n):
    await asyncio.sleep_ms(n)
    return n
async def g():
    return sum(await asyncio.gather(*[f(i % 3) for i in range(5)]))
def h():
    return asyncio.run(g())
"""


@pytest.mark.parametrize("compiled", [False, True])
def test_interpreted_and_native(built: Build, compiled: bool) -> None:
    with InterpreterArray(2, build=built.folder, target="host") as array:
        array.exec(ASYNC, compiled=compiled)
        assert array.eval("h()").tolist() == [4, 4]


def test_an_image_takes_precedence(any_device: Device) -> None:
    source = """\
        import vfs, sys
        class Device:
            def __init__(self):
                self.data = bytearray(16 * 512)
            def readblocks(self, n, buf, off=0):
                buf[:] = self.data[n * 512 + off : n * 512 + off + len(buf)]
            def writeblocks(self, n, buf, off=0):
                self.data[n * 512 + off : n * 512 + off + len(buf)] = buf
            def ioctl(self, op, arg):
                return {4: 16, 5: 512, 6: 0}.get(op)
        device = Device()
        vfs.VfsLfs2.mkfs(device)
        vfs.mount(device, "/")
        with open("asyncio.py", "w") as file:
            file.write("MINE = 1")
        import asyncio
        print(asyncio.MINE)
    """
    assert printed(any_device, source) == "1\n"


def test_a_manifest_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    missing = tmp_path / "nowhere.py"
    assert execute(["build", "--target", "host", "--freeze", str(missing)]) != 0
    told = capsys.readouterr().err
    assert str(missing) in told and "Traceback" not in told
