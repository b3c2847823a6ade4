"""Cut the power at every write of a block, each time in another interpreter's image."""

from __future__ import annotations

from pathlib import Path

import pytest

from porter.fs import Image
from porter.run import Device, Launch, run
from porter.run.filesystem import mounted, written

pytestmark = pytest.mark.gpu

PROGRAM = (Path(__file__).parent / "programs" / "cut.py").read_text()
BLOCK = 256

# The content of the image before the program's steps and after each; None: a folder.
Tree = dict[str, bytes | None]
START: Tree = {"a": b"old" * 500, "keep": b"k" * 40, "d": None}
CHANGES: list[Tree] = [
    {},  # a file that is there, opened: its old content stays until it is closed
    {"a": b"new" * 700},
    {"b": b""},
    {"b": b"second" * 200},
    {"a": b"gone", "d/moved": b"new" * 700},
    {"keep": b"gone"},
    {"e": None},
    {},
    {"d/moved": b"new" * 700 + b"more" * 300},
    {"e/small": b""},
    {"e/small": b"x"},
    {"e/small": b"gone", "b": b"x"},
]


def states() -> list[Tree]:
    made = [START]
    for change in CHANGES:
        tree = made[-1] | change
        made.append({path: tree[path] for path in sorted(tree) if tree[path] != b"gone"})
    return made


def tree_of(image: Image) -> Tree:
    return {e.path: None if e.folder else image.read(e.path) for e in image.walk()}


def shown(tree: Tree) -> list[str]:
    """Return the program's output for `tree`."""
    lines = []
    for path, content in sorted(tree.items()):
        if content is None:
            lines.append(f"/c/{path}/")
        else:
            text = content.decode()
            lines.append(f"/c/{path} {len(text)} {text[:3]} {text[-3:]}".rstrip())
    return lines


def test_every_image_is_old_or_new(any_device: Device) -> None:
    base = Image.empty(40 * BLOCK, BLOCK)
    for path, content in START.items():
        if content is None:
            base.make_folder(path)
        else:
            base.write(path, content)

    launch = mounted(Launch(heap=32768), any_device, base, 1, shared=False)
    result = run(any_device, ["whole = True\n" + PROGRAM], 1, launch)
    assert result.status[0] == 0, result.stderr[0].decode()
    counts = [0, *map(int, result.stdout[0].split())]
    expected = states()
    assert len(counts) == len(expected)
    assert tree_of(written(launch, any_device, 1, 0, "uncut")) == expected[-1]
    assert counts[-1] > 40

    # One more cut than there are writes: the last one never happens.
    n = 2 * (counts[-1] + 1)
    launch = mounted(Launch(heap=32768), any_device, base, n, shared=False)
    result = run(any_device, ["whole = False\n" + PROGRAM], n, launch)
    seen = set()
    for i in range(n):
        assert result.status[i] == 0, (i, result.stderr[i].decode())
        at = i // 2 + 1
        # The step of this write: its outcome or the previous one.
        step = next((k for k, count in enumerate(counts) if at <= count), len(counts) - 1)
        may = expected[step - 1 : step + 1] if at <= counts[-1] else expected[-1:]
        tree = tree_of(written(launch, any_device, n, i, f"cut {i}"))
        assert tree in may, (i, at, step)
        lines = [line.rstrip() for line in result.stdout[i].decode().splitlines()]
        assert sorted(lines) == sorted(shown(tree)), i
        seen.add(expected.index(tree))
    assert {0, len(expected) - 1} <= seen and len(seen) >= 8

    # All files are writable again.
    again = "with open('/again', 'w') as f:\n f.write('again' * 99)\nprint(open('/again').read(5))"
    result = run(any_device, [again], n, launch)
    assert [group.text for group in result.stdout.groups] == [b"again\n"], result.stderr[0]
    for i in range(n):
        image = written(launch, any_device, n, i, f"again {i}")
        assert image.read("again") == b"again" * 99
