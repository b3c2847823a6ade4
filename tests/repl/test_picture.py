"""Pictures of `outbuf`: PNG files with exactly its bytes."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from porter.errors import FileProblem, UsageError
from porter.repl.picture import pixels, save_png, sketch
from tests.repl.conftest import Typed

Image = pytest.importorskip("PIL.Image")


@pytest.mark.parametrize("colours, mode", [(2, "P"), (256, "P"), (5000, "RGB")])
def test_a_png_holds_every_pixel(tmp_path: Path, colours: int, mode: str) -> None:
    rng = np.random.default_rng(colours)
    palette = rng.integers(0, 256, (colours, 3), np.uint8)
    picture = palette[rng.integers(0, colours, (70, 90))]
    path = tmp_path / "picture.png"
    save_png(picture, path)
    with Image.open(path) as image:
        assert image.mode == mode
        assert (np.asarray(image.convert("RGB")) == picture).all()
    assert [file.name for file in tmp_path.iterdir()] == ["picture.png"]


def test_order_of_colours() -> None:
    buffer = np.arange(12, dtype=np.uint8)
    assert pixels(buffer, 2, 1).tolist() == [[[2, 1, 0], [5, 4, 3]]]
    assert pixels(buffer, 1, 2, rgb=True).tolist() == [[[0, 1, 2]], [[3, 4, 5]]]


@pytest.mark.parametrize("size", [(2, 3), (0, 1), (1, 0)])
def test_a_size_that_outbuf_has_not(size: tuple[int, int]) -> None:
    with pytest.raises(UsageError, match=r"pixels take|at least 1x1"):
        pixels(np.zeros(12, np.uint8), *size)


def test_a_sketch_draws_two_pixels_a_character() -> None:
    file = io.StringIO()
    console = Console(file=file, force_terminal=True, color_system="truecolor", width=80)
    sketch(np.array([[[1, 2, 3]], [[4, 5, 6]], [[7, 8, 9]]], np.uint8), console)
    assert file.getvalue() == (
        "\x1b[38;2;1;2;3;48;2;4;5;6m▀\x1b[0m\n\x1b[38;2;7;8;9;48;2;7;8;9m▀\x1b[0m\n"
    )


def test_a_large_picture_is_scaled_down() -> None:
    file = io.StringIO()
    sketch(np.zeros((400, 600, 3), np.uint8), Console(file=file, width=40), rows=10)
    lines = file.getvalue().splitlines()
    assert len(lines) == 10 and {len(line) for line in lines} == {30}


def test_the_image_command(typed: Typed, tmp_path: Path) -> None:
    path = tmp_path / "a picture.png"
    _, text = typed(
        "outbuf[threadIdx * 3: threadIdx * 3 + 3] = [threadIdx, 100, 255]\n",
        f"%image 4x3 '{path}'",
    )
    assert text == f"porter: {path}: 4x3 pixels\n"
    with Image.open(path) as image:
        assert image.size == (4, 3)
        assert image.convert("RGB").getpixel((1, 2)) == (255, 100, 9)
    _, text = typed(f"%image 4x3 '{path}' rgb", "%image 4x4", "%image a b", "%image 'a")
    assert text.splitlines()[1:] == [
        "porter: 4x4 pixels take 48 bytes, and outbuf has 36",
        "porter: %image: 'a b'",
        "porter: hint: Write %image 1024x1024 FILE.",
        "porter: 'a: No closing quotation",
    ]


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match="No such file"):
        save_png(np.zeros((1, 1, 3), np.uint8), tmp_path / "no" / "picture.png")


@pytest.mark.parametrize(
    "size", ["-1x-1", "0x0", "2x-2", "+1x1", "1.5x2", "3x", "x3", "9" * 30 + "x9"]
)
def test_what_is_meant_as_a_size_names_no_file(
    typed: Typed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: str
) -> None:
    monkeypatch.chdir(tmp_path)
    shell, text = typed(f"%image {size}\n")
    assert shell.failed and (f"%image: '{size}' is not a size" in text or "at least 1x1" in text)
    assert list(tmp_path.iterdir()) == []
