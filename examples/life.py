"""Conway's Game of Life with one interpreter per cell: 1,048,576 on a board of 1024 x 1024.

    python examples/life.py [--side 1024] [--generations 64] [life.png]

`syncthreads()` synchronizes only the interpreters of one block. A block of 256 interpreters
therefore computes a tile of 16 x 16 cells and a margin of 4 cells around it. Each launch plays 4
generations. In each generation the known region shrinks by one cell on every side, until only the
tile is left. At the end every block writes its tile to the board, and the next launch begins when
all blocks have written.
"""

import argparse

import numpy as np

from porter import InterpreterArray

TILE = 16  # cells on a side of a block's tile
MARGIN = 4  # generations of one launch
NEVER = 1 << 20

RULES = """
WIDE = TILE + 2 * MARGIN        # a tile with its margin
SIZE = WIDE * WIDE
old, new = [all_tiles[SIZE * k:SIZE * (k + 1)] for k in (2 * blockIdx, 2 * blockIdx + 1)]
x = TILE * (blockIdx % (side // TILE)) + localIdx % TILE     # the interpreter's own cell
y = TILE * (blockIdx // (side // TILE)) + localIdx // TILE
here = WIDE * (MARGIN + localIdx // TILE) + MARGIN + localIdx % TILE
age = -NEVER                    # for how many generations it has been alive; less than 0: dead

def load(board, cells):
    '''Copy the block's tile and margin; the board's edges are joined.'''
    left, top = x - localIdx % TILE - MARGIN, y - localIdx // TILE - MARGIN
    for k in range(localIdx, SIZE, blockDim):
        row, column = (top + k // WIDE) % side, (left + k % WIDE) % side
        cells[k] = board[row * side + column]

def step(old, new, known):
    '''A generation of all cells that are `known` or more away from the copy's edge.'''
    wide = WIDE - 2 * known
    for k in range(localIdx, wide * wide, blockDim):
        at = WIDE * (known + k // wide) + known + k % wide
        up, down = at - WIDE, at + WIDE
        near = (old[up - 1] + old[up] + old[up + 1] + old[at - 1] + old[at + 1]
                + old[down - 1] + old[down] + old[down + 1])
        new[at] = near == 3 or near == 2 and old[at]

def play():
    global age, old, new
    load(board, old)
    syncthreads()                   # the copy is whole
    for known in range(1, MARGIN + 1):
        step(old, new, known)
        syncthreads()               # the generation is whole
        old, new = new, old
        if bool(old[here]) == (age > 0):
            age += 1 if age > 0 else -1
        else:
            age = 1 if old[here] else -1
    after[y * side + x] = old[here]
"""


def life(board, generations):
    """Return the board after `generations`, and each cell's age in generations.

    A dead cell's age is minus the generations since its death, or <= -NEVER if it never lived.
    board: side x side of 0 and 1; side is a multiple of TILE, generations of MARGIN.
    """
    side = len(board)
    if board.shape != (side, side) or side % TILE or generations % MARGIN:
        raise ValueError(f"the board's side is a multiple of {TILE}, generations of {MARGIN}")
    with InterpreterArray(side * side, block=TILE * TILE, heap="8K", pystack="2K") as pythons:
        xp = pythons.device.xp
        now, after = xp.array(board, xp.uint8), xp.zeros((side, side), xp.uint8)
        # Two copies of a tile and its margin for each block, which its interpreters share.
        blocks = side * side // TILE**2
        tiles = xp.zeros((blocks, 2 * (TILE + 2 * MARGIN) ** 2), xp.uint8)
        pythons.bind("all_tiles", tiles)
        pythons.exec(f"TILE, MARGIN, NEVER, side = {TILE}, {MARGIN}, {NEVER}, {side}")
        pythons.exec(pythons.compile(RULES, "life.py", heap="48K"))
        turn = pythons.compile("play()")
        for _ in range(generations // MARGIN):
            pythons.bind("board", now, readonly=True)
            pythons.bind("after", after)
            pythons.exec(turn)
            now, after = after, now
        ages = xp.zeros((side, side), xp.int32)
        pythons.bind("ages", ages)
        pythons.exec("ages[y * side + x] = age")  # globals persist between launches
        return pythons.device.host(now), pythons.device.host(ages)


def soup(side, seed=1):
    """Return a board on which a third of the cells in the middle quarter live."""
    board = np.zeros((side, side), np.uint8)
    middle = slice(side // 4, side - side // 4)
    random = np.random.default_rng(seed)
    board[middle, middle] = random.random((side // 2, side // 2)) < 0.33
    return board


def draw(ages, path):
    """Draw young cells white, old cells blue, and dead cells as a fading glow."""
    from PIL import Image

    bright = np.exp(-(np.maximum(ages, 1) - 1) / 6)[..., None]
    alive = bright * np.array([255, 250, 220]) + (1 - bright) * np.array([70, 130, 255])
    dead = np.exp(np.minimum(ages, 0) / 40)[..., None] * np.array([190, 50, 90]) + [8, 8, 24]
    picture = Image.fromarray(np.where(ages[..., None] > 0, alive, dead).astype(np.uint8))
    factor = max(1, 512 // len(ages))
    picture.resize([factor * len(ages)] * 2, Image.Resampling.NEAREST).save(path, optimize=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--side", type=int, default=1024, help="of the board, in cells")
    parser.add_argument("--generations", type=int, default=64)
    parser.add_argument("picture", nargs="?", default="life.png")
    options = parser.parse_args()
    board, ages = life(soup(options.side), options.generations)
    draw(ages, options.picture)
    print(f"{board.size} interpreters, {options.generations} generations: {board.sum()} cells live")


if __name__ == "__main__":
    main()
