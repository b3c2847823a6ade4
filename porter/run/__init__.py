"""Runtime: open a device, launch programs on many interpreters, read the result.

This package takes a finished build (`porter.build`) and returns a `Result`. It imports numpy, attrs
and cattrs only, and CuPy where the target is cuda. File systems are in `porter.run.filesystem`,
because they need littlefs-python.
"""

from porter.run.device.base import Device
from porter.run.launch.options import Cancel, Launch, Program
from porter.run.open import open_device, open_several
from porter.run.result import Result
from porter.run.start import run
from porter.run.status import Status
from porter.run.streams.feed import Feed
from porter.run.streams.groups import Group, Stream
from porter.run.streams.rings import Batch

__all__ = [
    "Batch",
    "Cancel",
    "Device",
    "Feed",
    "Group",
    "Launch",
    "Program",
    "Result",
    "Status",
    "Stream",
    "open_device",
    "open_several",
    "run",
]
