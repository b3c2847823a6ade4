"""littlefs images for one launch."""

from __future__ import annotations

from littlefs import LittleFS

from porter.conformance.file_images import BLOCK_SIZE, build_images
from porter.conformance.records import Script


def mounted(image: bytes) -> LittleFS:
    """Return the file system in ``image``."""
    fs = LittleFS(block_size=BLOCK_SIZE, block_count=len(image) // BLOCK_SIZE, mount=False)
    fs.context.buffer = bytearray(image)
    fs.mount()
    return fs


def test_images_of_one_launch_are_of_one_size_and_hold_their_files() -> None:
    big = bytes(range(256)) * 40
    programs = [
        Script("/io/a.py", b"", "/io", (("io/data/big", big), ("io/b.py", b"x"))),
        Script("/basics/a.py", b"", "/basics"),
    ]
    first, second = build_images(programs)
    assert len(first) == len(second)
    fs = mounted(first)
    with fs.open("/io/data/big", "rb") as file:
        assert file.read() == big
    assert mounted(second).listdir("/") == ["basics"]
    assert build_images(programs) == [first, second]


def test_a_test_has_room_to_write() -> None:
    (image,) = build_images([Script("/io/a.py", b"", "/io")])
    fs = mounted(image)
    with fs.open("/io/out", "wb") as file:
        file.write(b"x" * 8000)
