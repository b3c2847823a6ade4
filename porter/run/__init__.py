"""Running programs on many interpreters: a device, a session, grouped outputs.

Imports numpy and attrs only; CuPy where the target is cuda.
"""

from porter.run.device import Device, open_device
from porter.run.feed import Feed
from porter.run.result import Group, Result, Stream
from porter.run.ring import Batch
from porter.run.session import Launch, Program, run

__all__ = [
    "Batch",
    "Device",
    "Feed",
    "Group",
    "Launch",
    "Program",
    "Result",
    "Stream",
    "open_device",
    "run",
]
