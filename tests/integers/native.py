"""The port's natural numbers, compiled for this machine, for many numbers at once."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path

from porter.base import paths

SOURCES = ["power", "product", "quotient"]
FLAGS = ["-std=gnu99", "-O2", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-Wno-unknown-pragmas",
         "-fPIC", "-shared", "-fsanitize=undefined", "-fno-sanitize-recover"]  # fmt: skip
GUARD = 0xDEADBEEF


class Digits:
    """`count` digits of 32 bits with a guard after them, which `value` checks."""

    def __init__(self, value: int, count: int) -> None:
        parts = [value >> 32 * i & 0xFFFFFFFF for i in range(count)]
        self.count = count
        self.array = (ctypes.c_uint32 * (count + 1))(*parts, GUARD)

    @property
    def value(self) -> int:
        """Return the number."""
        assert self.array[self.count] == GUARD
        return sum(digit << 32 * i for i, digit in enumerate(self.array[: self.count]))


def digits_of(value: int) -> Digits:
    """Return the digits of a number, at least one."""
    return Digits(value, max(1, (value.bit_length() + 31) // 32))


class Native:
    """The functions of natural.h, compiled in `folder`."""

    def __init__(self, folder: Path) -> None:
        (folder / "py").mkdir()
        for name in ("mpconfig", "misc"):
            (folder / "py" / f"{name}.h").write_text("#define MP_NOINLINE\n", encoding="utf-8")
        port = paths.templates_dir() / "port"
        sources = [port / f"natural_{name}.c" for name in SOURCES]
        library = folder / "natural.so"
        harness = Path(__file__).with_name("harness.c")
        includes: list[str | Path] = ["-I", folder, "-I", port]
        subprocess.run(["gcc", *FLAGS, *includes, harness, *sources, "-o", library], check=True)
        self._library = ctypes.CDLL(str(library))

    def yields(self) -> int:
        """Return the number of yields since the last call."""
        counter = ctypes.c_uint.in_dll(self._library, "yields")
        count, counter.value = counter.value, 0
        return int(count)

    def multiply(self, a: int, b: int) -> int:
        """Return a * b."""
        x, y = digits_of(a), digits_of(b)
        product = Digits((1 << 32 * (x.count + y.count)) - 1, x.count + y.count)
        self._library.gpusnek_multiply(product.array, x.array, _size(x), y.array, _size(y))
        return product.value

    def square(self, a: int) -> int:
        """Return a * a."""
        x = digits_of(a)
        square = Digits((1 << 64 * x.count) - 1, 2 * x.count)
        self._library.gpusnek_square(square.array, x.array, _size(x))
        return square.value

    def divide(self, a: int, b: int) -> tuple[int, int]:
        """Return quotient and remainder for numbers with equally many digits."""
        y = digits_of(b)
        x = Digits(a, max(digits_of(a).count, y.count))
        quotient, remainder = Digits(0, x.count - y.count + 1), Digits(0, y.count)
        operands = (x.array, _size(x), y.array, _size(y))
        self._library.divide(quotient.array, remainder.array, *operands)
        return quotient.value, remainder.value

    def divide_by_digit(self, a: int, b: int) -> tuple[int, int]:
        """Return quotient and remainder for a divisor of one digit, in place."""
        x = digits_of(a)
        self._library.divide_by_digit.restype = ctypes.c_uint32
        remainder = self._library.divide_by_digit(x.array, _size(x), ctypes.c_uint32(b))
        return x.value, remainder

    def power(self, base: int, exponent: int, modulus: int, window: int) -> int:
        """Return base ** exponent % modulus for a base with at most the digits of the modulus."""
        by, times = digits_of(modulus), digits_of(exponent)
        digits = Digits(base, by.count)
        operands = (digits.array, times.array, _size(times), by.array, _size(by), window)
        self._library.power_modulo(digits.array, *operands)
        return digits.value


def _size(digits: Digits) -> ctypes.c_size_t:
    return ctypes.c_size_t(digits.count)
