"""Rewards for training: the functions that trainers call, with tests in the shapes they have.

`Scorer` judges answers with options of its own. The functions use one default scorer, which opens
the cores and the GPU of the machine when it is first called.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from porter.rewards.answers import program_of
from porter.rewards.scorer import Reward, Scorer, default_scorer

__all__ = [
    "Reward",
    "Scorer",
    "compute_score",
    "compute_score_async",
    "compute_score_batched",
    "program_of",
    "reward_function",
    "score",
]


def score(answers: Iterable[Any], tests: Any) -> np.ndarray[Any, Any]:
    """Return the score of each answer; `Scorer.score` has the arguments."""
    return default_scorer().score(answers, tests)


def compute_score(
    data_source: str, solution_str: str, ground_truth: Any, extra_info: Any = None, **others: Any
) -> dict[str, Any]:
    """Return the reward of an answer for verl; `Scorer.compute_score` has the arguments."""
    return default_scorer().compute_score(
        data_source, solution_str, ground_truth, extra_info, **others
    )


async def compute_score_async(
    data_source: str, solution_str: str, ground_truth: Any, extra_info: Any = None, **others: Any
) -> dict[str, Any]:
    """Return the reward of an answer for verl's reward loop; `Scorer` has the arguments."""
    return await default_scorer().compute_score_async(
        data_source, solution_str, ground_truth, extra_info, **others
    )


def compute_score_batched(
    data_sources: Iterable[str],
    solution_strs: Sequence[str],
    ground_truths: Iterable[Any],
    extra_infos: Iterable[Any] | None = None,
    **others: Any,
) -> list[dict[str, Any]]:
    """Return the rewards of a batch for verl; `Scorer` has the arguments."""
    return default_scorer().compute_score_batched(
        data_sources, solution_strs, ground_truths, extra_infos, **others
    )


def reward_function(
    prompts: Any = None, completions: Sequence[Any] = (), **columns: Any
) -> list[float | None]:
    """Return the rewards of a batch for TRL, whose data set has the column `tests`."""
    return default_scorer().reward_function()(prompts=prompts, completions=completions, **columns)
