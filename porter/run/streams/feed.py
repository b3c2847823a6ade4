"""Input that the host goes on writing while interpreters run."""

from __future__ import annotations

import threading

import numpy as np

from porter.base.arguments import utf8, whole
from porter.errors import UsageError, WrongType
from porter.run.device.base import Device, Shared


class Feed:
    """What all interpreters of one launch read as stdin, all of them from its first byte.

    Any thread may write. room: bytes in all, for none is taken away while an interpreter may
    still have to read it. A launch that ends closes its feed.
    """

    text_offset = 8  # bytes, of the text in what interpreters see

    def __init__(self, room: int = 1 << 20) -> None:
        self.room = whole(room, "room", 1, 2**32 - 1)
        self._lock = threading.Lock()
        self._early = b""  # written before the launch
        self._length = 0
        self._open = True
        self._shared: Shared | None = None

    @property
    def closed(self) -> bool:
        """Whether there will be no more input."""
        return not self._open

    def write(self, text: bytes | str) -> None:
        """Append `text`, a str as UTF-8.

        Raises UsageError when it is closed or the room is used up, and appends nothing then.
        """
        if isinstance(text, str):
            text = utf8(text)
        if not isinstance(text, bytes | bytearray | memoryview):
            raise WrongType(f"text: {type(text).__name__} is neither str nor bytes")
        text = bytes(text)
        with self._lock:
            if not self._open:
                raise UsageError("the input is closed")
            if self._length + len(text) > self.room:
                raise UsageError(f"interpreters have room for {self.room} bytes of input")
            if self._shared is None:
                self._early += text
                self._length += len(text)
            else:
                self._append(self._shared, text)

    def close(self) -> None:
        """End of file, once all is read."""
        with self._lock:
            self._open = False
            if self._shared is not None:
                self._words(self._shared)[1] = 0

    def attach(self, device: Device) -> Shared:
        """Memory for one launch: two words, bytes so far and whether open, then the text."""
        with self._lock:
            if self._shared is not None:
                raise UsageError("stdin: this feed has been another launch's")
            self._shared = device.shared(self.text_offset + self.room)
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
        self._words(shared)[0] = self._length  # last: now interpreters read so far

    @staticmethod
    def _words(shared: Shared) -> np.ndarray[tuple[int], np.dtype[np.uint32]]:
        return shared.view[:8].view(np.uint32)
