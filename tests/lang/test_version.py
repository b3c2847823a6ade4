"""The version of the language: programs that ask for a release of CPython get its results."""

from __future__ import annotations

from porter.run import Device
from tests.library.compare import printed

PROGRAM = """
import sys
v = sys.version_info
print(repr(v), v[:2], v.major, v.minor, v.micro, v.releaselevel, v.serial, len(v))
print(v >= (3, 8), v < (3, 14), v == (3, 13, 0, "final", 0), isinstance(v, tuple), (3, 13) < v)
print(sys.version.split()[0], "MicroPython" in sys.version, hex(sys.hexversion))
print(sys.implementation.name, [n for n in v])
try:
    v.other
except AttributeError as error:
    print(error)
"""
EXPECTED = """\
sys.version_info(major=3, minor=13, micro=0, releaselevel='final', serial=0) \
(3, 13) 3 13 0 final 0 5
True True True True True
3.13.0 True 0x30d00f0
micropython [3, 13, 0, 'final', 0]
'version_info' object has no attribute 'other'
"""


def test_version(any_device: Device) -> None:
    assert printed(any_device, PROGRAM) == EXPECTED
