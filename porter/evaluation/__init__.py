"""Evaluation: run many programs on test cases, and compare results (docs/reference/evaluate.md).

Input: programs and `Cases`. Output: `Evaluation`, a `CaseStatus` for each program and case.
Programs are split into portions, and each portion is judged by launches on one device.
"""

from porter.evaluation.cases import Cases
from porter.evaluation.execution import evaluate
from porter.evaluation.judgement import Judgement, judge
from porter.evaluation.options import Judging, Tolerance
from porter.evaluation.portion import Portion, portions
from porter.evaluation.results import Evaluation
from porter.evaluation.status import CaseStatus
from porter.evaluation.unsupported import Cause

__all__ = [
    "CaseStatus",
    "Cases",
    "Cause",
    "Evaluation",
    "Judgement",
    "Judging",
    "Portion",
    "Tolerance",
    "evaluate",
    "judge",
    "portions",
]
