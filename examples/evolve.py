"""Genetic programming: evolve a function; one interpreter judges each candidate.

    python examples/evolve.py [-n 1000] [--generations 40] [evolve.png]

The wanted function is a multiplexer: two of its six inputs are an address, and it returns the input
of the other four that the address selects. There are 64 cases. `porter.evaluate` judges a
generation in one launch: each interpreter compiles a candidate and calls it with all cases. The
plot needs matplotlib.
"""

import argparse
import random
from itertools import product

import numpy as np

from porter import evaluate

INPUTS = ("a", "b", "w", "x", "y", "z")
CASES = [
    ((a, b, w, x, y, z), (w, x, y, z)[2 * a + b])
    for a, b, w, x, y, z in product((False, True), repeat=6)
]
LONGEST = 60  # nodes of a candidate
STEPS = 1000  # loop iterations, branches and calls that a candidate may take in a case


# A candidate is a tree: the name of an input, or a tuple of an operator and its operands.
WRITTEN = {
    "not": "(not {})",
    "and": "({} and {})",
    "or": "({} or {})",
    "if": "({1} if {0} else {2})",
}
OPERANDS = {"not": 1, "and": 2, "or": 2, "if": 3}


def expression(tree):
    """Return a tree as a Python expression."""
    if isinstance(tree, str):
        return tree
    return WRITTEN[tree[0]].format(*map(expression, tree[1:]))


def program(tree):
    """Return a candidate's source: a function `solve`."""
    return f"def solve({', '.join(INPUTS)}):\n    return {expression(tree)}\n"


def judge(programs, cases):
    """Return passed[p, c]: whether program p returns the expected value of case c.

    A candidate that does not compile passes no case; a case that raises or times out fails.
    """
    return evaluate(programs, cases, steps=STEPS, each="program").passed


class Breeder:
    """A generator of random trees, and of new trees from a generation's trees."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def tree(self, depth):
        """Return a random tree of at most `depth` nested operators."""
        if depth == 0 or self.random.random() < 0.1:
            return self.random.choice(INPUTS)
        operator = self.random.choice(list(OPERANDS))
        return (operator, *(self.tree(depth - 1) for _ in range(OPERANDS[operator])))

    def _place(self, tree):
        """Return the path of a random node: the numbers of the branches from the root."""
        return self.random.choice(list(places(tree)))

    def child(self, mother, father):
        """Return the mother with a random node replaced by a father's node or by a new tree."""
        new = self.tree(2) if self.random.random() < 0.15 else part(father, self._place(father))
        child = replaced(mother, self._place(mother), new)
        return child if size(child) <= LONGEST else mother

    def generation(self, trees, hits):
        """Return the best tree and len(trees) - 1 children, whose parents win tournaments of 6."""
        order = np.argsort(-hits, kind="stable")  # best first
        rank = np.argsort(order, kind="stable")

        def parent():
            return trees[min(self.random.choices(range(len(trees)), k=6), key=lambda i: rank[i])]

        children = [self.child(parent(), parent()) for _ in range(len(trees) - 1)]
        return [trees[order[0]], *children]


def places(tree, here=()):
    """Yield the path of each node of a tree."""
    yield here
    if not isinstance(tree, str):
        for number, branch in enumerate(tree[1:], 1):
            yield from places(branch, (*here, number))


def part(tree, place):
    """Return the node at the path `place`."""
    return part(tree[place[0]], place[1:]) if place else tree


def replaced(tree, place, new):
    """Return the tree with the node at the path `place` replaced by `new`."""
    if not place:
        return new
    number = place[0]
    return (*tree[:number], replaced(tree[number], place[1:], new), *tree[number + 1 :])


def size(tree):
    """Return the number of nodes of a tree."""
    return 1 if isinstance(tree, str) else 1 + sum(map(size, tree[1:]))


def evolve(n, generations, seed=1):
    """Return the best tree and each generation's passed[p, c]; stop once a tree passes all."""
    breeder = Breeder(seed)
    trees = [breeder.tree(4) for _ in range(n)]
    history = []
    for _ in range(generations):
        passed = judge([program(tree) for tree in trees], CASES)
        history.append(passed)
        hits = passed.sum(axis=1)
        if hits.max() == len(CASES):
            break
        trees = breeder.generation(trees, hits)
    return trees[hits.argmax()], history


def draw(history, path):
    """Plot the cases that each generation's candidates pass, and those of its best candidate."""
    from matplotlib.colors import ListedColormap
    from matplotlib.figure import Figure

    hits = np.array([passed.sum(axis=1) for passed in history])
    best = np.array([passed[passed.sum(axis=1).argmax()] for passed in history])
    numbers = np.arange(1, len(history) + 1)
    figure = Figure(figsize=(8, 3.8), layout="constrained")
    left, right = figure.subplots(1, 2)
    low, middle, high = np.percentile(hits, [10, 50, 90], axis=1)
    left.fill_between(numbers, low, high, color="tab:blue", alpha=0.25, lw=0, label="10 % to 90 %")
    left.plot(numbers, middle, color="tab:blue", label="median")
    left.plot(numbers, hits.max(axis=1), color="crimson", label="best")
    left.set(xlabel="generation", ylabel="cases passed", ylim=(0, len(CASES) + 2))
    left.set_title(f"{hits.shape[1]:,} candidates a generation")
    left.legend(loc="lower right")
    edges = np.arange(len(CASES) + 1) + 0.5, np.arange(len(history) + 1) + 0.5
    right.pcolormesh(*edges, best, cmap=ListedColormap(["tab:orange", "#dfeaf4"]), vmin=0, vmax=1)
    right.invert_yaxis()
    right.set(xlabel="case", ylabel="generation", title="what the best one fails (orange)")
    for axis in (left.xaxis, right.yaxis):
        axis.get_major_locator().set_params(integer=True)
    figure.savefig(path, dpi=100)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-n", type=int, default=1000, help="candidates a generation")
    parser.add_argument("--generations", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("picture", nargs="?", default="evolve.png")
    options = parser.parse_args()
    best, history = evolve(options.n, options.generations, options.seed)
    draw(history, options.picture)
    hits = history[-1].sum(axis=1).max()
    print(f"generation {len(history)}: the best of {options.n} passes {hits} of {len(CASES)} cases")
    print(program(best), end="")


if __name__ == "__main__":
    main()
