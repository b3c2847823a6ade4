"""Figure 5c's search: a text of 5 MB in one image, of which each small heap holds a part."""

from __future__ import annotations

import runpy
from pathlib import Path

import attrs
import pytest

from porter.fs import Image
from porter.run import Device, Launch, run
from porter.run.filesystem import mounted

EXAMPLE = Path(__file__).parents[2] / "examples" / "make_text.py"
STEP, BLOCK = 6, 4096
SEARCH = f"""
with open('shakespeare.txt', 'r') as f:
    f.seek(threadIdx * {STEP})
    context = f.read(40)
print('million' in context[:6 + len('million') - 1])
if 'Snake' in context[:6 + len('Snake') - 1]:
    print(context)
"""


@pytest.fixture(scope="module")
def text() -> str:
    made: str = runpy.run_path(str(EXAMPLE))["text"]()
    return made


@pytest.fixture(scope="module")
def image(text: str) -> Image:
    image = Image.empty(6_400_000, BLOCK)
    image.write("shakespeare.txt", text.encode("ascii"))
    return image


def test_the_text_is_what_the_figure_counts(text: str) -> None:
    assert 5_200_000 <= len(text) < 5_200_100
    assert text.count("million") == 20
    assert text.count("Snake") == 1 and text.index("Snake") % STEP == 0
    assert text[text.index("Snake") - 1] == "\n"
    # Each word once per search: no window of 6 starts holds two.
    starts = [i for i in range(len(text)) if text.startswith("million", i)]
    assert len({i // STEP for i in starts}) == 20


def expected(text: str, first: int, n: int) -> dict[str, int]:
    counts: dict[str, int] = {}
    for i in range(first, first + n):
        context = text[i * STEP : i * STEP + 40]
        said = f"{'million' in context[: STEP + 6]}\n"
        if "Snake" in context[: STEP + 4]:
            said += context + "\n"
        counts[said] = counts.get(said, 0) + 1
    return counts


@pytest.mark.gpu
@pytest.mark.parametrize("guarded", [True, False], ids=["guarded", "read-only"])
def test_search(any_device: Device, text: str, image: Image, guarded: bool) -> None:
    n = 2000 if any_device.name == "host" else 1 << 20
    launch = mounted(Launch(total=1 << 20, heap=12288), any_device, image, n, shared=True)
    if not guarded:
        launch = attrs.evolve(launch, fs_guard=None)
    firsts = [0]
    if n < 1 << 20:
        # Around a million, around the snake, and past the end.
        firsts = [text.index(word) // STEP - n // 2 for word in ("million", "Snake")]
        firsts.append(len(text) // STEP - n // 2)
    seen: dict[str, int] = {}
    wanted: dict[str, int] = {}
    for first in firsts:
        result = run(any_device, [SEARCH], n, attrs.evolve(launch, first=first))
        assert set(result.status.tolist()) == {0}, result.stderr[0].decode()
        for group in result.stdout.groups:
            said = group.text.decode()
            seen[said] = seen.get(said, 0) + group.count
        for said, count in expected(text, first, n).items():
            wanted[said] = wanted.get(said, 0) + count
    assert seen == wanted
    assert seen["True\n"] == (20 if n == 1 << 20 else 1)
    assert any("Snakes" in said for said in seen)


@pytest.mark.gpu
def test_seeking_reads_a_few_blocks(any_device: Device, text: str, image: Image) -> None:
    program = """
import vfs
class Counting(VRAMBlockDevice):
    reads = 0
    def readblocks(self, *args):
        self.reads += 1
        return super().readblocks(*args)
device = Counting()
vfs.mount(vfs.VfsLfs2(device), '/counted')
most = 0
with open('/counted/shakespeare.txt') as f:
    for at in (0, 5_000_000, 77, 4_096_000, 2_600_000, 2_600_100, 5_199_000):
        device.reads = 0
        f.seek(at)
        text = f.read(40)
        most = max(most, device.reads)
        print(text)
print(most)
"""
    launch = mounted(Launch(heap=12288), any_device, image, 1, shared=True)
    result = run(any_device, [program], 1, launch)
    assert result.status[0] == 0, result.stderr[0].decode()
    said = result.stdout[0].decode()
    places = (0, 5_000_000, 77, 4_096_000, 2_600_000, 2_600_100, 5_199_000)
    head = "".join(text[at : at + 40] + "\n" for at in places)
    assert said.startswith(head)
    # A skip list of 1270 blocks: the way to any of them is short.
    assert int(said[len(head) :]) <= 24
