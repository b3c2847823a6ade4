"""The plain C reference build: the same port, compiled as ordinary C, for comparison in tests."""

from __future__ import annotations

from porter.reference.build import build_reference

__all__ = ["build_reference"]
