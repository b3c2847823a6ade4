"""Strings are counted, indexed and sliced by characters as in CPython, in few steps."""

from __future__ import annotations

import random

import pytest

from porter.run import Device, Launch, run

KINDS = ["a", "ab", "añ", "€", "😀", "aé€😀", "abcdefg😀", "abcdefghijklmnopqrstuvwxyzñ"]
LENGTHS = [*range(34), 63, 64, 65, 100, 255, 256, 257]
SIZES = Launch(heap=1 << 21, stdout=1 << 19)

# A string that is made at run time is not a constant, and is word-aligned. `pick` yields all
# indexes of a short text, and the boundaries of a long one.
EACH = """
def pick(n):
    if n < 40:
        return range(-n - 3, n + 3)
    return [-n - 1, -n, -n + 1, -65, -64, -9, -8, -7, -1, 0, 1, 7, 8, 9, 63, 64, n - 1, n, n + 1]

def check(text):
    text = ''.join([text, ''])
    n = len(text)
    found, total = [], 0
    for i in pick(n):
        try:
            found.append(text[i])
        except IndexError as e:
            found.append(type(e).__name__)
        total += len(text[i:]) + 3 * len(text[:i])
        total += 5 * len(text[i:i + 9]) + 7 * len(text[-i:n - i])
    for c in set(found):
        total += text.find(c) + 3 * text.rfind(c) + 5 * text.count(c, 1) + text.find(c, 2, -2)
    total += sum([ord(c) * i for i, c in enumerate(text)])
    show(n, ''.join(found), total, text.count(''))
    show(text[1 << 60:], text[:-1 << 60], text[:1 << 60] == text)

for text in CASES:
    check(text)
"""


def compare(device: Device, source: str, cases: list[str]) -> None:
    """Run a program here and on a device, and compare the lines."""
    lines: list[str] = []
    exec(source, {"CASES": cases, "show": lambda *values: lines.append(ascii(values))})
    program = f"def show(*values): print(values)\nCASES = {cases!a}\n{source}"
    result = run(device, [program], 1, SIZES)
    assert result.stderr[0] == b""
    shown = [ascii(eval(line)) for line in result.stdout[0].decode().splitlines()]
    assert shown == lines


@pytest.mark.parametrize("kind", KINDS)
def test_as_cpython_counts_and_finds(roomy_device: Device, kind: str) -> None:
    compare(roomy_device, EACH, [(kind * length)[:length] for length in LENGTHS])


@pytest.mark.parametrize("seed", range(4))
def test_mixtures(roomy_device: Device, seed: int) -> None:
    chance = random.Random(seed)
    letters = "aaaaaz\0\x7f" if seed == 0 else "aab\x7fñ\xff\u07ff\u0800€\uffff😀\U0010ffff"
    compare(
        roomy_device,
        EACH,
        ["".join(chance.choices(letters, k=chance.choice(LENGTHS))) for _ in range(60)],
    )


# Names have any alignment: constants of the build, and names that a program defines.
NAMES = """
for name in CASES:
    name = type(name, (), {}).__name__
    n = len(name)
    show(n, [name[i] for i in range(-n, n)], [name[i:i + 3] for i in range(n)], name.find(name[-1]))
"""


def test_names_lie_anywhere(roomy_device: Device) -> None:
    words = (
        "a bc append ValueError to_bytes maximum_recursion ñ xñy €uro_und_mehr häuser_größe_übermaß"
    )
    compare(roomy_device, NAMES, words.split())


# Bytes and bytearrays are indexed by bytes, whatever their content.
BYTES = """
for text in CASES:
    for kind in (bytes, bytearray):
        raw = kind(text.encode())
        n = len(raw)
        show(n, [raw[i] for i in range(-n, n)], [bytes(raw[i:i + 9]) for i in range(n)])
"""


def test_bytes_are_counted_as_bytes(roomy_device: Device) -> None:
    compare(roomy_device, BYTES, ["", "a", "ñ€😀", "abcdefgñ" * 5])


ERRORS = """
def tried(text, index):
    try:
        return text[index]
    except Exception as e:
        return type(e).__name__, e.args[0]
for text in ('', 'a', 'ñ', 'abcdefgh', 'abcdefg€' * 40):
    n = len(text)
    far = (n, -n - 1, n + 8, -n - 8, 1 << 40, -1 << 40, 1 << 62, -1 << 62)
    print([tried(text, i) for i in far])
    print(tried(text, None), tried(text, 'x'), tried(text, True) == tried(text, 1))
    print(text.find('', n), text[n:], text[n:n + 1], text[-n - 1:n + 1] == text)
"""


def test_indexes_out_of_range(roomy_device: Device) -> None:
    result = run(roomy_device, [ERRORS], 2, SIZES)
    assert result.stderr[0] == b""
    lines = result.stdout[1].decode().splitlines()
    error = "('IndexError', 'string index out of range')"
    assert len(lines) == 15
    assert lines[0::3] == [f"[{', '.join([error] * 8)}]"] * 5
    for line in lines[1::3]:
        assert line.count("string indices must be integers") == 2 and line.endswith(" True")
    for line, length in zip(lines[2::3], (0, 1, 1, 8, 320), strict=True):
        assert line == f"{length}   True"


# Texts that are longer than the part that is counted at once (4 KiB).
LONG = """
for text in CASES:
    text = ''.join([text] * 2000)
    n = len(text)
    total = []
    for i in range(0, n, 61):
        total.append((text[i], text[i - n], text[i:i + 2], text[-i - 2:-i or n]))
    show(n, total, text.rfind(text[0]), text[n:], text[-n - 5:3], text[n - 3:n + 5])
"""


@pytest.mark.parametrize("text", ["abcdefgh", "xñy€z😀"])
def test_long_texts(roomy_device: Device, text: str) -> None:
    compare(roomy_device, LONG, [text])


def steps(device: Device, source: str) -> int:
    """Return the number of steps of a program."""
    result = run(device, [source], 1, SIZES)
    assert result.stderr[0] == b""
    return int(result.steps[0])


@pytest.mark.parametrize("index", ["i", "-i - 1", ":i", "i:i + 8", "-i:", "-8:i"])
def test_an_index_takes_no_steps(roomy_device: Device, index: str) -> None:
    """With upstream's walk by byte, a text of 1,000 characters took 16,000 steps."""
    program = "text = ''.join(['abcdefghi\xf1'] * 100)\nfor i in range(1000):\n    text[%s]\n"
    at_start = steps(roomy_device, program % index.replace("i", "5"))
    assert steps(roomy_device, program % index) - at_start < 2000


def test_a_long_text_takes_some(roomy_device: Device) -> None:
    """A program that scans megabytes therefore ends at its limits, and when it is stopped."""
    program = "text = ''.join(['abcdefgh'] * 65536)\nfor i in range(100):\n    text[%s]\n"
    near, far, back = (steps(roomy_device, program % at) for at in ("9", "500000", "-500000"))
    assert 100 * 120 <= far - near <= 100 * 125
    assert 100 * 120 <= back - near <= 100 * 125
