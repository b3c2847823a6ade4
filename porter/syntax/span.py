"""A range of offsets in a unit's text."""

from __future__ import annotations

from attrs import frozen


@frozen(order=True)
class Span:
    """A half-open range of offsets in a unit's text."""

    start: int
    end: int

    def holds(self, inner: Span) -> bool:
        """Return whether `inner` lies in this range; equal borders are inside."""
        return self.start <= inner.start and inner.end <= self.end
