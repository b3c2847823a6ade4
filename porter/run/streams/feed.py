"""Live stdin: the host writes it while interpreters run."""

from __future__ import annotations

import threading

import numpy as np

from porter.base.arguments import utf8, whole
from porter.base.deprecated import renamed_arguments, renamed_attribute
from porter.errors import UsageError, WrongType
from porter.run.device.base import Device, Shared


class Feed:
    """The stdin of all interpreters of one launch. Each interpreter reads it from the first byte.

    Any thread may write. The buffer is never reused, because an interpreter may still have to read
    it. The end of the launch closes the feed.

    Attributes:
        capacity: Maximum bytes in all.
    """

    text_offset = 8  # bytes; the text's offset in the shared memory

    room = renamed_attribute("Feed", "room", "capacity")

    @renamed_arguments(room="capacity")
    def __init__(self, capacity: int = 1 << 20) -> None:
        self.capacity = whole(capacity, "capacity", 1, 2**32 - 1)
        self._lock = threading.Lock()
        self._early = b""  # written before the launch
        self._length = 0
        self._open = True
        self._shared: Shared | None = None

    @property
    def closed(self) -> bool:
        """Whether the input has ended."""
        return not self._open

    def write(self, text: bytes | str) -> None:
        """Append `text`; a str becomes UTF-8.

        Raises:
            UsageError: The feed is closed or its buffer is full. Nothing was appended.
            WrongType: `text` is neither str nor bytes.
        """
        if isinstance(text, str):
            text = utf8(text)
        if not isinstance(text, bytes | bytearray | memoryview):
            raise WrongType(f"text: {type(text).__name__} is neither str nor bytes")
        text = bytes(text)
        with self._lock:
            if not self._open:
                raise UsageError("the input is closed")
            if self._length + len(text) > self.capacity:
                raise UsageError(f"the feed's capacity is {self.capacity} bytes of input in all")
            if self._shared is None:
                self._early += text
                self._length += len(text)
            else:
                self._append(self._shared, text)

    def close(self) -> None:
        """Mark the end of file after the text written so far."""
        with self._lock:
            self._open = False
            if self._shared is not None:
                self._words(self._shared)[1] = 0

    def attach(self, device: Device) -> Shared:
        """Allocate the shared memory for one launch.

        Its layout: a word with the bytes so far, a word that is 1 while the feed is open, the text.
        """
        with self._lock:
            if self._shared is not None:
                raise UsageError("stdin: this feed has been another launch's")
            self._shared = device.shared(self.text_offset + self.capacity)
            self._length = 0
            self._append(self._shared, self._early)
            self._words(self._shared)[1] = self._open
            return self._shared

    def _append(self, shared: Shared, text: bytes) -> None:
        if not text:
            return
        start = self.text_offset + self._length
        shared.view[start : start + len(text)] = np.frombuffer(text, np.uint8)
        self._length += len(text)
        self._words(shared)[0] = self._length  # written last: it publishes the text to interpreters

    @staticmethod
    def _words(shared: Shared) -> np.ndarray[tuple[int], np.dtype[np.uint32]]:
        return shared.view[:8].view(np.uint32)
