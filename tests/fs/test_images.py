"""littlefs2 images: round trips, and refused operations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import littlefs
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from porter.cli import execute, group
from porter.errors import FileProblem, UsageError, WrongType
from porter.fs import Image
from porter.fs.folder import image_of, read_folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "files"
    (root / "lib" / "deep").mkdir(parents=True)
    (root / "empty").mkdir()
    (root / "main.py").write_text("print('main')\n")
    (root / "lib" / "word.txt").write_bytes(bytes(range(256)) * 20)
    (root / "lib" / "deep" / "x").write_bytes(b"")
    return root


def porter(*args: str | Path) -> str:
    result = CliRunner().invoke(group, ["fs", *map(str, args)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_build_ls_cat_pull_push(folder: Path, tmp_path: Path) -> None:
    image = tmp_path / "image"
    porter("build", folder, image)
    assert [line.split() for line in porter("ls", image).splitlines()] == [
        ["-", "/empty"],
        ["-", "/lib"],
        ["-", "/lib/deep"],
        ["0", "/lib/deep/x"],
        ["5120", "/lib/word.txt"],
        ["14", "/main.py"],
    ]
    assert porter("cat", image, "/main.py") == "print('main')\n"
    (tmp_path / "new.py").write_text("x = 1\n")
    porter("push", image, tmp_path / "new.py", "/lib/")
    porter("push", image, tmp_path / "new.py", "/main.py")
    porter("pull", image, "/", tmp_path / "out")
    expected = dict(read_folder(folder)) | {"lib/new.py": b"x = 1\n", "main.py": b"x = 1\n"}
    assert dict(read_folder(tmp_path / "out")) == expected


@pytest.mark.parametrize("depth", [1, 12])
def test_folders_without_files_fit(tmp_path: Path, depth: int) -> None:
    root = tmp_path / "files"
    for i in range(240 // depth):
        (root / f"{i:04}" / "/".join("abcdefghijkl"[: depth - 1])).mkdir(parents=True)
    image = image_of(root)
    assert sum(entry.folder for entry in image.walk()) == 240


def test_same_folder_same_image(folder: Path) -> None:
    assert image_of(folder).data == image_of(folder).data


@given(st.binary(max_size=3000), st.sampled_from([128, 512, 4096]))
@settings(max_examples=20)
def test_content_survives(content: bytes, block_size: int) -> None:
    image = Image.empty(32 * block_size, block_size)
    image.write("a/b", content)
    assert image.read("/a/b") == content


def test_refused(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    image = tmp_path / "image"
    assert execute(["fs", "ls", str(tmp_path / "none")]) == FileProblem.exit_code
    assert execute(["fs", "build", str(tmp_path / "none"), str(image)]) == FileProblem.exit_code
    assert execute(["fs", "build", str(folder), str(image), "--size", "2K"]) == 6
    assert "Is the image too small?" in capsys.readouterr().err
    assert not image.exists()
    assert execute(["fs", "build", str(folder), str(image), "--size", "big"]) == 2
    assert execute(["fs", "build", str(folder), str(image), "--block", "100"]) == 2
    image.write_bytes(b"not an image" * 100)
    assert execute(["fs", "ls", str(image)]) == FileProblem.exit_code
    assert "not a littlefs2 image" in capsys.readouterr().err


def test_damaged(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "image"
    image_of(folder).save(path)
    data = bytearray(path.read_bytes())
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(FileProblem, match="blocks of 512 bytes, the file has"):
        Image.load(path)
    data[32:1024] = bytes(1024 - 32)
    path.write_bytes(data)
    with pytest.raises(FileProblem, match="damaged"):
        Image.load(path)


def test_paths_stay_inside(folder: Path) -> None:
    image = image_of(folder)
    with pytest.raises(UsageError):
        image.read("../etc/passwd")
    with pytest.raises(FileProblem, match="is a folder"):
        image.read("lib")
    with pytest.raises(FileProblem, match="there is no /nothing"):
        image.read("nothing")


def test_a_full_image_says_so_and_the_file_stays(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "image"
    image_of(folder).save(path)
    before = path.read_bytes()
    (tmp_path / "large").write_bytes(bytes(100_000))
    assert execute(["fs", "push", str(path), str(tmp_path / "large"), "/large"]) == 6
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("n" * 256, "a name is longer than 255 bytes"),
        ("é" * 128, "a name is longer than 255 bytes"),
        ("lib/" + "n" * 256 + "/x", "a name is longer than 255 bytes"),
        ("main.py/x", "a file stands where a folder is needed"),
        ("lib", "cannot be written: it is a folder"),
    ],
)
def test_names_that_cannot_be(folder: Path, path: str, message: str) -> None:
    image = image_of(folder)
    with pytest.raises(FileProblem, match=message) as caught:
        image.write(path, b"x")
    assert caught.value.hint is None
    assert image.read("main.py") == b"print('main')\n"


def test_push_and_pull_with_folders(folder: Path, tmp_path: Path) -> None:
    image, out = tmp_path / "image", tmp_path / "out"
    image_of(folder).save(image)
    out.mkdir()
    porter("push", image, folder / "main.py", "/lib")  # a folder that is there
    assert porter("cat", image, "/lib/main.py") == "print('main')\n"
    porter("pull", image, "/lib/main.py", out)
    assert (out / "main.py").read_text() == "print('main')\n"
    assert execute(["fs", "pull", str(image), "/nothing", str(out)]) == 6
    assert execute(["fs", "pull", str(image), "/main.py", str(out / "none" / "x")]) == 6
    assert execute(["fs", "pull", str(image), "/", str(out / "main.py")]) == 6
    assert execute(["fs", "push", str(image), str(out / "none"), "/x"]) == 6
    assert execute(["fs", "cat", str(image), "/lib"]) == 6


@pytest.mark.parametrize("size", [0, 100, 3 << 20])
def test_a_block_size_that_cannot_be(folder: Path, tmp_path: Path, size: int) -> None:
    path = tmp_path / "image"
    image_of(folder).save(path)
    data = bytearray(path.read_bytes())
    data[24:28] = size.to_bytes(4, "little")
    path.write_bytes(data)
    with pytest.raises(FileProblem, match=f"blocks of {size} bytes"):
        Image.load(path)


class Recorder(littlefs.UserContext):
    """Memory that records the old content before each write."""

    before: list[bytes] | None = None

    def prog(self, config: Any, block: int, offset: int, data: bytes) -> int:
        if self.before is not None:
            self.before.append(bytes(self.buffer))
        return int(super().prog(config, block, offset, data))


def test_a_rename_cut_in_the_middle_hides_no_other_file() -> None:
    memory = Recorder(buffer=bytearray(b"\xff" * 32 * 256))
    files = littlefs.LittleFS(memory, block_size=256, block_count=32)
    files.mkdir("/to")
    for name in ("a", "b", "c"):
        with files.open(f"/{name}", "wb") as file:
            file.write(name.encode() * 600)
    memory.before = []
    files.rename("/a", "/to/a")
    assert len(memory.before) >= 2
    for data in [*memory.before, bytes(memory.buffer)]:
        image = Image.of(data, "cut")
        names = {entry.path for entry in image.walk()}
        assert names in ({"a", "b", "c", "to"}, {"to/a", "b", "c", "to"})
        assert image.read("b") == b"b" * 600


def test_paths_of_any_kind(folder: Path, tmp_path: Path) -> None:
    image_of(str(folder)).save(str(tmp_path / "image"))
    assert Image.load(str(tmp_path / "image")).data == image_of(folder).data
    calls: list[Any] = [Image.load, image_of, Image.empty(4096).save]
    for call in calls:
        with pytest.raises(WrongType, match=r"^(path|folder): int"):
            call(5)
