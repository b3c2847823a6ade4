"""An agent simulation and its film: each interpreter is an ant that searches for food.

    python examples/ants.py [-n 500] [--frames 80] [ants.webp]

An ant is an object that persists in its interpreter between launches. Ants communicate by shared
arrays: the scents, the scents laid in this launch (atomic additions) and the food. Between two
launches the host lets the scents fade and draws a frame. The film is a WebP, a GIF or a PNG.
"""

import argparse

import numpy as np
from PIL import Image

from porter import InterpreterArray

SIDE = 128  # cells on a side of the world
NEST = (40, 64)  # column and row
FOOD = [(104, 28, 7), (100, 100, 8)]  # column, row and radius of each heap
PIECES = 4  # pieces of food in a cell of a heap
STEPS = 12  # steps of an ant in one launch, that is, between two frames
FADES = 0.945  # factor by which a scent decays after each launch
HOME, FORAGE = 0, 1  # scents of ants that come from the nest, and of ants that come from food

ANT = """
from math import cos, sin, pi
from random import random
import gpu

class Ant:
    def __init__(self):
        self.x, self.y = NEST[0] + 0.5, NEST[1] + 0.5
        self.heading = 2 * pi * random()
        self.carries = 0
        self.delivered = 0
        self.fresh = 1.0            # the scent that it lays gets weaker on its way

    def cell(self, turn, far):
        '''The cell so far away in a direction; None if there is a wall.'''
        x = int(self.x + far * cos(self.heading + turn))
        y = int(self.y + far * sin(self.heading + turn))
        return None if wall[y * SIDE + x] else y * SIDE + x

    def smell(self, turn):
        '''How strongly what it looks for smells there.'''
        where = self.cell(turn, 4)
        if where is None:
            return -1.0
        return scents[(HOME if self.carries else FORAGE) * SIDE * SIDE + where]

    def turn(self):
        left, ahead, right = self.smell(-0.6), self.smell(0.0), self.smell(0.6)
        if left > ahead or right > ahead:
            self.heading += -0.4 if left > right else 0.4
        self.heading += 0.5 * (random() - 0.5)
        while self.cell(0.0, 1.0) is None:
            self.heading += 1.5 + 2.0 * random()

    def turn_back(self, carries):
        self.carries, self.fresh = carries, 1.0
        self.heading += pi

    def step(self):
        self.turn()
        self.x += cos(self.heading)
        self.y += sin(self.heading)
        here = self.cell(0.0, 0.0)
        laid_here = (FORAGE if self.carries else HOME) * SIDE * SIDE + here
        gpu.atomic_add(laid, laid_here, int(1000 * self.fresh))
        self.fresh *= 0.98
        if self.carries:
            if (self.x - NEST[0]) ** 2 + (self.y - NEST[1]) ** 2 < 16:
                self.delivered += 1
                self.turn_back(0)
        elif food[here] > 0:
            if gpu.atomic_add(food, here, -1) > 0:
                self.turn_back(1)
            else:                   # another ant took the last piece meanwhile
                gpu.atomic_add(food, here, 1)

    def live(self, steps):
        for _ in range(steps):
            self.step()
        place[0], place[1], place[2] = self.x, self.y, self.carries

ant = Ant()
"""


def world():
    """Return the walls and the pieces of food in each cell: two arrays of SIDE x SIDE."""
    rows, columns = np.mgrid[:SIDE, :SIDE]
    food = np.zeros((SIDE, SIDE), np.int32)
    for column, row, radius in FOOD:
        food[(columns - column) ** 2 + (rows - row) ** 2 <= radius**2] = PIECES
    wall = np.zeros((SIDE, SIDE), np.uint8)
    wall[:5] = wall[-5:] = wall[:, :5] = wall[:, -5:] = 1  # thicker than an ant's range of smell
    wall[34:88, 70:74] = 1
    return wall, food


class Colony:
    """Ants in a world: the current `scents` and `food`, and the ants' `places` (x, y, carries)."""

    def __init__(self, pythons):
        xp = pythons.device.xp
        self.pythons = pythons
        wall, food = world()
        self.food = xp.asarray(food)
        self.scents = xp.zeros((2, SIDE, SIDE), xp.float32)
        self.laid = xp.zeros((2, SIDE, SIDE), xp.int32)  # since the last frame
        self.places = xp.zeros((pythons.n, 3))
        pythons.bind("wall", xp.asarray(wall), readonly=True)
        pythons.bind("scents", self.scents, readonly=True)
        pythons.bind("laid", self.laid)
        pythons.bind("food", self.food)
        pythons.bind("place", self.places, split=True)
        pythons.exec(f"SIDE, NEST, HOME, FORAGE = {SIDE}, {NEST}, {HOME}, {FORAGE}")
        pythons.exec(pythons.compile(ANT, "ant.py"))
        self._live = pythons.compile(f"ant.live({STEPS})")

    def live(self):
        """Run one launch of STEPS steps, and let the scents fade."""
        self.pythons.exec(self._live)
        self.scents *= FADES
        self.scents += self.laid
        self.laid[:] = 0

    def delivered(self):
        """Return the number of pieces of food that the ants have brought home."""
        return int(self.pythons.eval("ant.delivered").sum())

    def picture(self, factor=3):
        """Return the current frame as an image with factor x SIDE pixels per side."""
        host = self.pythons.device.host
        strong = 1 - np.exp(-host(self.scents) / 4000)
        frame = np.full((SIDE, SIDE, 3), [18.0, 16.0, 24.0])
        frame += strong[HOME][..., None] * [30, 60, 170] + strong[FORAGE][..., None] * [0, 150, 60]
        eaten = host(self.food)[..., None] / PIECES
        frame = np.where(eaten > 0, [60, 120, 40] + eaten * [60, 110, 10], frame)
        rows, columns = np.mgrid[:SIDE, :SIDE]
        frame[(columns - NEST[0]) ** 2 + (rows - NEST[1]) ** 2 < 16] = [170, 90, 40]
        frame[world()[0] > 0] = [92, 92, 104]
        large = frame.clip(0, 255).astype(np.uint8).repeat(factor, 0).repeat(factor, 1)
        for x, y, carries in host(self.places):
            row, column = int(factor * y), int(factor * x)
            large[row - 1 : row + 1, column - 1 : column + 1] = (
                [255, 220, 90] if carries else [235, 235, 235]
            )
        return Image.fromarray(large)


def film(n, frames, seed=1):
    """Return the frames of `frames` launches of n ants, and the amount of food at the nest."""
    with InterpreterArray(n, seed=seed) as pythons:
        colony = Colony(pythons)
        pictures = []
        for _ in range(frames):
            colony.live()
            pictures.append(colony.picture())
        return pictures, colony.delivered()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-n", type=int, default=500, help="ants")
    parser.add_argument("--frames", type=int, default=80)
    parser.add_argument("film", nargs="?", default="ants.webp")
    options = parser.parse_args()
    (first, *others), delivered = film(options.n, options.frames)
    first.save(options.film, save_all=True, append_images=others, duration=100, loop=0, quality=20)
    print(f"{options.n} ants brought {delivered} pieces home in {options.frames * STEPS} steps")


if __name__ == "__main__":
    main()
