"""Arrays of interpreters: bind arrays, read values back, and handle exceptions.

    python examples/arrays.py [n]

Runs on a GPU if the machine has one, else on the host twin.
"""

import sys

from porter import InterpreterArray
from porter.errors import InterpreterError

COLLATZ = """
def steps(x):
    count = 0
    while x != 1:
        x = x // 2 if x % 2 == 0 else 3 * x + 1
        count += 1
    return count
"""


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    with InterpreterArray(n) as pythons:
        xp = pythons.device.xp  # numpy, or cupy on a GPU

        # Code is compiled once; values come back as one array.
        pythons.exec(pythons.compile(COLLATZ))
        steps = pythons.eval("steps(threadIdx + 1)")
        print("longest Collatz chain:", int(steps.max()), "from", int(steps.argmax()) + 1)

        # Bind an array without a copy, one row per interpreter; set a global, one value each.
        result = xp.zeros((n, 2))
        pythons.bind("row", result, split=True)
        pythons.set("x", xp.linspace(0, 1, n))
        pythons.exec("import math\nrow[0] = math.sin(x)\nrow[1] = math.cos(x)")
        print("sin^2 + cos^2 is 1 everywhere:", bool(xp.allclose((result**2).sum(axis=1), 1)))

        # Equal outputs are merged; so are exceptions.
        pythons.exec("print('hello from', threadIdx % 3)")
        for group in pythons.stdout.groups:
            print(f"{group.count}x {group.text.decode().strip()}")
        try:
            pythons.exec("y = 1 / (threadIdx % 4)")
        except InterpreterError as error:
            for raised in error.exceptions:
                print(f"{raised.count}x {raised}, first in interpreter {raised.which[0]}")


if __name__ == "__main__":
    main()
