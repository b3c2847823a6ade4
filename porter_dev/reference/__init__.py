"""The reference build: the port and upstream compiled as plain C, for comparison in tests."""

from __future__ import annotations

from porter_dev.reference.build import build_reference

__all__ = ["build_reference"]
