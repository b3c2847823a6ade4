"""The preprocess stage: C units to text without macros and includes, for the rewriter."""

from __future__ import annotations

from porter.preprocess.preprocess_stage import Preprocessed, kept_functions, preprocess

__all__ = ["Preprocessed", "kept_functions", "preprocess"]
