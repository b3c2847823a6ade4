"""Preprocess: from units to text without macros and includes, ready for the rewriter."""

from __future__ import annotations

from porter.preprocess.stage import Preprocessed, preprocess

__all__ = ["Preprocessed", "preprocess"]
