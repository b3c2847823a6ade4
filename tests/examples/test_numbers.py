"""Examples whose numbers CPython or NumPy computes too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from .conftest import Load, Made


def test_sweep(load: Load) -> None:
    sweep = load("sweep.py")
    reference: dict[str, Any] = {}
    exec(sweep.FLIGHT, reference)
    flights = [
        reference["fly"](*map(float, pair), 300) for pair in zip(*sweep.gains(6), strict=True)
    ]
    seconds, beyond = sweep.sweep(6, 300)
    assert np.array_equal(seconds.ravel(), [flight[0] for flight in flights])
    assert np.array_equal(beyond.ravel(), [flight[1] for flight in flights])
    assert 0 < sweep.settled(seconds, 3).sum() < 36


@pytest.mark.usefixtures("plots")
def test_the_plot_of_a_sweep(made: Made) -> None:
    lines = made("sweep.py", "--side", 8, "--steps", 400).splitlines()
    assert lines[0].endswith(" of 64 drones settle within 3 s") and not lines[0].startswith("0 ")
    assert lines[1].startswith("best gains: ")


def generations(board: np.ndarray[Any, Any], number: int) -> tuple[Any, Any]:
    """Return NumPy's Life: the board, and for how long each cell has been alive or dead."""
    ages = np.full(board.shape, -(1 << 20))
    for _ in range(number):
        shifts = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j]
        near = sum(np.roll(board, shift, (0, 1)) for shift in shifts)
        board = ((near == 3) | ((near == 2) & (board == 1))).astype(np.uint8)
        alive = board == 1
        ages = np.where(alive, np.maximum(ages, 0) + 1, np.minimum(ages, 0) - 1)
    return board, ages


@pytest.mark.parametrize(("side", "number"), [(16, 4), (48, 24)])
def test_life(load: Load, side: int, number: int) -> None:
    life = load("life.py")
    begin = (np.random.default_rng(side).random((side, side)) < 0.4).astype(np.uint8)
    board, ages = life.life(begin, number)
    wanted_board, wanted_ages = generations(begin, number)
    assert np.array_equal(board, wanted_board) and board.any()
    assert np.array_equal(ages, wanted_ages)


@pytest.mark.gpu
@pytest.mark.parametrize("any_device", ["cuda"], indirect=True)
def test_life_of_a_million(load: Load) -> None:
    life = load("life.py")
    begin = life.soup(1024)
    board, ages = life.life(begin, 16)
    wanted_board, wanted_ages = generations(begin, 16)
    assert np.array_equal(board, wanted_board) and board.any()
    assert np.array_equal(ages, wanted_ages)


@pytest.mark.parametrize(("shape", "number"), [((20, 20), 4), ((16, 32), 4), ((16, 16), 6)])
def test_boards_that_are_no_tiles(load: Load, shape: tuple[int, int], number: int) -> None:
    with pytest.raises(ValueError, match="multiple of 16"):
        load("life.py").life(np.zeros(shape, np.uint8), number)


def test_the_picture_of_life(made: Made) -> None:
    said = made("life.py", "--side", 32, "--generations", 8)
    assert said.startswith("1024 interpreters, 8 generations: ")


def test_ray_tracer(load: Load) -> None:
    tracer = load("ray_tracer/render.py")
    scene: dict[str, Any] = {}
    exec(tracer.SCENE.read_text(), scene)
    wanted = [scene["pixel"](i, 20, 12, 2) for i in range(240)]
    assert np.array_equal(tracer.render(20, 12, 2).reshape(240, 3), wanted)
    assert len(set(map(tuple, wanted))) > 100


def test_the_picture_of_the_ray_tracer(made: Made) -> None:
    said = made("ray_tracer/render.py", "--size", "24x16", "--samples", 1)
    assert said.endswith("picture.png: 384 interpreters, 1 rays each\n")
