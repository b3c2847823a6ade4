"""Running programs on many interpreters: open a device, run a launch, read its result.

Imports numpy, attrs and cattrs only; CuPy where the target is cuda. File systems are apart, for
they need littlefs-python (porter.run.filesystem).
"""

from porter.run.device.base import Device
from porter.run.launch.spec import Cancel, Launch, Program
from porter.run.launch.start import run
from porter.run.open import open_device
from porter.run.open_several import open_several
from porter.run.result import Result
from porter.run.status import Status
from porter.run.streams.feed import Feed
from porter.run.streams.groups import Group, Stream
from porter.run.streams.ring import Batch

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
