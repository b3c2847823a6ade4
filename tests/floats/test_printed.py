"""Printing and reading of floats agrees with CPython, on every release."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from porter.base import process
from porter.run import Device, Launch, run
from porter.sync.store import synced_releases
from tests.cpython import cpython

from .native import WIDTHS
from .numbers_of_interest import numbers, texts

HEAP = 192 << 10  # the maximum that fits into a GPU's local memory

PRINTED = """\
import json
import struct
FORMS = ['%r', '%s', '%g', '%.3f', '%e', '%.17g', '%+.0e', '% .12G', '%-30.20f|', '%030.1f', '%F']
FORMATS = ['{}', '{:.17g}', '{:10}', '{:.3}', '{!r:>30}', '{:<+25.3e}|', '{:^40.5f}|', '{:010.4g}',
    '{:=+20}', '{:.1%}', '{:.1}', '{:n}', '{:.99g}', '{:.40f}', '{:E}', '{:*>9.2}', '{: }']
for bits in BITS:
    for sign in (0, 1 << 63):
        x = struct.unpack('<d', struct.pack('<Q', bits | sign))[0]
        print(x, [x], json.dumps(x), f'{x} {x:.3f} {x!r} {x:20}', *[f % x for f in FORMS])
        print(*[f.format(x) for f in FORMATS])
        assert float(repr(x)) == json.loads(json.dumps(x)) == eval(str(x)) == x
"""

SPECIAL = """\
for x in (float('inf'), -float('inf'), float('nan'), 0.0, -0.0):
    print(x, [x], '%f %E %+g %10.2e' % (x, x, x, x))
    print('{:10} {:F} {:.1%} {:+} {:<8}|'.format(x, x, x, x, x))
print(1e16, 123456789012345.6, 1e15, 1e-4, 1e-5, 0.1 + 0.2, 13.000000000000002, 5e-324)
print(3 + 4j, complex(0.1, -1e22), complex(0, 1e-7), [1.5j], complex(1e16, 0.0))
print('%.0f %.0f %.0f %.2f' % (0.5, 1.5, 2.5, 2.675), '%.*f' % (3, 1.0005), '%5.1f|' % 9.96)
print('{:.300f}'.format(1e-300), '%.400e' % 1e300, '%f' % 1.7e308, '%d' % 1e22, sep='\\n')
print(8.697104e+33 == float('8.697104e33'), 1_0.5_0e1_0, .5, 5., 1e400, float('  1e-400 '))
print(float('9007199254740993'), float('9007199254740993.' + '0' * 500 + '1'))
for wrong in ('1e', '1e+', '1.5x', '', '1..2', 'infi'):
    try:
        print(wrong, float(wrong))
    except ValueError:
        print(wrong, 'is none')
"""

READ = """\
import json
import struct
for text in TEXTS:
    one, other = float(text), float('-' + text)
    assert one == -other
    bits = struct.unpack('<Q', struct.pack('<d', one))[0]
    if '.' in text or 'e' in text:
        assert eval(text) == one
    if 'e' in text and text[0] not in '0.' and '.e' not in text:
        assert json.loads('[' + text + ']') == [one]
    print(bits)
"""


def programs() -> dict[str, str]:
    chosen = numbers(WIDTHS["double"], 4000, 50)[::97].tolist()
    read = [text for text in texts(WIDTHS["double"], 200, 51) if len(text) < 400][::21]
    return {
        "printed": f"BITS = {[bits for bits in chosen if bits < 0x7FF << 52]}\n" + PRINTED,
        "special": SPECIAL,
        "read": f"TEXTS = {read}\n" + READ,
    }


@pytest.mark.parametrize("name", programs())
def test_newest_release(any_device: Device, name: str) -> None:
    program = programs()[name]
    result = run(any_device, [program], 2, Launch(heap=HEAP, stdout=1 << 20))
    assert not result.status.any(), result.stderr.groups[0].text.decode()
    assert [group.text for group in result.stdout.groups] == [cpython(program)]


def test_precision_that_no_heap_has_room_for(any_device: Device) -> None:
    program = (
        "for form in ('%.2147483647f', '%.2147483647e', '%.2147483640f', '%.99999g'):\n"
        "    try:\n"
        "        print(len(form % 1.1))\n"
        "    except MemoryError:\n"
        "        print('no room')\n"
    )
    result = run(any_device, [program], 2, Launch())
    assert [group.text for group in result.stdout.groups] == [b"no room\n" * 3 + b"53\n"]


@pytest.mark.campaign("releases")
@pytest.mark.parametrize("release", synced_releases()[:-1])
def test_each_release(release: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "porter", "run", "--target", "host", "-n", "1"]
    command += ["--release", release, "--heap", "1M", "--stdout", "1M"]
    for name, text in programs().items():
        program = tmp_path / f"{name}.py"
        program.write_text(text)
        done = process.run([*command, program], timeout=900)
        assert done.stdout.encode() == cpython(text), name


@pytest.mark.campaign("build-variants")
def test_single_precision(tmp_path: Path) -> None:
    program = tmp_path / "single.py"
    program.write_text(
        "import struct\n"
        "print(0.1, 1e7, 3.4028235e38, 1e-45, 16777216.0, 1/3, [0.3], '%.9g %.3f' % (0.1, 2.5))\n"
        "for text in ('16777217', '16777217.0000001', '1.00000017881393432617187499', '3.5e38'):\n"
        "    print(struct.unpack('<I', struct.pack('<f', float(text)))[0])\n"
    )
    command = [sys.executable, "-m", "porter", "run", "--target", "host", "-n", "1"]
    done = process.run([*command, "--float", "single", program], timeout=900)
    assert done.stdout.splitlines() == [
        "0.1 10000000.0 3.4028235e+38 1e-45 16777216.0 0.33333334 [0.3] 0.100000001 2.500",
        str(0x4B800000),
        str(0x4B800001),
        str(0x3F800001),
        str(0x7F800000),
    ]
