"""Rewards: judge models' answers on tests, through the functions that trainers call.

A `Scorer` has a device and a `Batcher`. Every answer ends: by limits of steps and time per call of
the program, and by a time limit per answer. A wrong, endless or hostile program gets the score 0
with a reason. An exception means that no answer can be judged: wrong tests, or a device that fails.
"""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from typing import Any, Self

import numpy as np
from attrs import frozen

from porter.base.arguments import seconds
from porter.errors import UsageError, WrongType
from porter.evaluation import Cases, CaseStatus
from porter.evaluation.batching import Batcher, JudgedProgram
from porter.evaluation.execution import Opened, judging_of, open_sandbox
from porter.evaluation.options import STEPS, entry_of
from porter.evaluation.shapes import with_entry
from porter.fallback import Fallback, layers_of
from porter.rewards.answers import program_of
from porter.rewards.shapes import task_of

ENTRY = "solve"
DEADLINE = 10.0  # seconds of a call of the program, besides its steps
TIMEOUT = 120.0  # seconds of an answer, waiting included
NOT_JUDGED = "not judged within {seconds:g} s"


@frozen
class Reward:
    """The score of an answer.

    Attributes:
        score: From 0 to 1.
        reason: Why the score is below 1; empty if it is 1.
        statuses: The status of each case.
        judged: Whether the answer was judged in time.
        unsupported: Whether the program uses what CPython has and the interpreter lacks.
        steps: Steps of all cases.
        in_cpython: Whether the fallback judged a case.
    """

    score: float
    reason: str = ""
    statuses: tuple[CaseStatus, ...] = ()
    judged: bool = True
    unsupported: bool = False
    steps: int = 0
    in_cpython: bool = False

    @property
    def solved(self) -> bool:
        """Return whether all cases passed."""
        return bool(self.statuses) and all(one == CaseStatus.PASSED for one in self.statuses)


class Scorer:
    """Scores answers; threads and coroutines may share it.

    Args:
        partial: Whether the score is the fraction of passed cases; else it is 1 if all passed.
        entry: The function that cases call, where tests do not name one.
        explain: Whether reasons have the messages of exceptions.
        timeout: Seconds until an answer that waits or runs counts as not judged.
        device: An open device; None: open one.
        target: As in `porter.evaluate`.
        build: As in `porter.evaluate`.
        devices: As in `porter.evaluate`.
        steps: Steps of a call of the program.
        deadline: Seconds of a call of the program.
        fallback: As in `porter.evaluate`.
        options: Further options of `porter.evaluate`.

    Raises:
        UsageError, WrongType: An argument is invalid.
        FallbackUnavailable: The machine cannot restrict programs in CPython.
        PorterError: Opening or making a build failed.
    """

    def __init__(
        self,
        *,
        partial: bool = True,
        entry: str = ENTRY,
        explain: bool = False,
        timeout: float = TIMEOUT,
        device: Opened | None = None,
        target: str | None = None,
        build: Any = None,
        devices: Any = None,
        steps: Any = STEPS,
        deadline: Any = DEADLINE,
        fallback: Fallback | str | None = None,
        **options: Any,
    ) -> None:
        if not isinstance(partial, bool):
            raise WrongType(f"partial: {type(partial).__name__} is not a bool")
        self._partial, self._entry = partial, entry_of(entry)
        self._timeout, self._process = seconds(timeout, "timeout"), os.getpid()
        if self._timeout == 0:
            raise UsageError("timeout: 0 seconds are no time to judge in")
        for name, value in (("steps", steps), ("deadline", deadline)):
            if isinstance(value, Sequence):
                raise UsageError(f"{name}: a scorer has one limit for all answers")
        keep = {"exceptions"} if explain else set()
        if "keep" in options:
            raise UsageError("keep: a scorer returns scores; `explain` keeps messages")
        limits = {"steps": steps, "deadline": deadline}
        self._how = judging_of(entry=self._entry, **limits, keep=keep, fallback=fallback, **options)
        if self._how.fallback is not None:
            layers_of(self._how.fallback)  # fails here, not with the first answer
        self._device, self._owned = open_sandbox(target, None, build, device, devices)
        self._batcher = Batcher(self._device)

    def submit(self, answer: Any, tests: Any, entry: str | None = None) -> Future[Reward]:
        """Judge an answer without waiting. The scorer's timeout does not end the future.

        Args:
            answer: The answer: a text with or without Markdown, or chat messages.
            tests: The tests, in a shape that docs/how-to/rewards.md lists.
            entry: The function that cases call.

        Raises:
            UsageError, WrongType: The tests are invalid, or the scorer is another process's.
        """
        if os.getpid() != self._process:
            raise UsageError(
                "this scorer belongs to the process that made it",
                hint="Make a scorer after the fork, or call the functions of porter.rewards.",
            )
        source, cases = calls_of(program_of(answer), tests, entry or self._entry, self._entry)
        judged = self._batcher.submit(source, cases, self._how)
        found: Future[Reward] = Future()

        def finish(done: Future[JudgedProgram]) -> None:
            if done.cancelled() or not found.set_running_or_notify_cancel():
                found.cancel()
            elif (error := done.exception()) is not None:
                found.set_exception(error)
            else:
                found.set_result(reward_of(done.result(), partial=self._partial))

        judged.add_done_callback(finish)
        found.add_done_callback(lambda done: judged.cancel() if done.cancelled() else None)
        return found

    def judge(self, answer: Any, tests: Any, entry: str | None = None) -> Reward:
        """Judge an answer, and wait for its reward. Arguments and errors as of `submit`."""
        return self.judge_all([answer], [tests], entry)[0]

    def judge_all(
        self, answers: Iterable[Any], tests: Sequence[Any], entry: str | None = None
    ) -> list[Reward]:
        """Judge answers, each on its own tests; an answer that is late is not judged.

        Args:
            answers: The answers.
            tests: The tests of each answer.
            entry: The function that cases call.
        """
        answers = list(answers)
        if len(answers) != len(tests):
            raise UsageError(f"tests: there are {len(tests)}, for {len(answers)} answers")
        return self._judge_each(answers, tests, [entry] * len(answers))

    def _judge_each(
        self, answers: Iterable[Any], tests: Iterable[Any], entries: Iterable[str | None]
    ) -> list[Reward]:
        end = time.monotonic() + self._timeout
        waiting = [self.submit(*one) for one in zip(answers, tests, entries, strict=True)]
        return [self._wait(one, end) for one in waiting]

    async def judge_async(self, answer: Any, tests: Any, entry: str | None = None) -> Reward:
        """Judge an answer from a coroutine. Arguments and errors as of `submit`."""
        future = asyncio.wrap_future(self.submit(answer, tests, entry))
        try:
            return await asyncio.wait_for(future, self._timeout)
        except TimeoutError:
            return self._late()

    def score(self, answers: Iterable[Any], tests: Any) -> np.ndarray[Any, Any]:
        """Return the score of each answer (float64).

        Args:
            answers: The answers.
            tests: Tests that all answers share; or a list with the tests of each answer.

        Raises:
            UsageError: `tests` is a list with as many texts as answers, which can mean both.
        """
        answers = list(answers)
        if (
            isinstance(tests, list)
            and len(tests) == len(answers) > 1
            and all(isinstance(one, str) for one in tests)
        ):
            raise UsageError(
                "tests: as many texts as answers: tests of all answers, or one for each?",
                hint='Give {"test_list": [...]} for all, or call judge_all(answers, tests).',
            )
        each = tests if _is_each(tests, len(answers)) else [tests] * len(answers)
        return np.array([one.score for one in self.judge_all(answers, each)], np.float64)

    def compute_score(
        self,
        data_source: str,
        solution_str: str,
        ground_truth: Any,
        extra_info: Any = None,
        **_: Any,
    ) -> dict[str, Any]:
        """Return the reward of an answer as verl's reward managers expect it.

        Args:
            data_source: The name of the data set; not used.
            solution_str: The answer.
            ground_truth: The tests.
            extra_info: May have `entry_point`, the function that cases call.
        """
        return self.compute_score_batched(
            [data_source], [solution_str], [ground_truth], [extra_info]
        )[0]

    async def compute_score_async(
        self,
        data_source: str,
        solution_str: str,
        ground_truth: Any,
        extra_info: Any = None,
        **_: Any,
    ) -> dict[str, Any]:
        """Return the reward of an answer to a coroutine, as verl's reward loop awaits it."""
        return _of_verl(
            await self.judge_async(solution_str, ground_truth, _entry_point(extra_info))
        )

    def compute_score_batched(
        self,
        data_sources: Iterable[str],
        solution_strs: Sequence[str],
        ground_truths: Iterable[Any],
        extra_infos: Iterable[Any] | None = None,
        **_: Any,
    ) -> list[dict[str, Any]]:
        """Return the rewards of a batch, as verl's batch reward manager expects them."""
        infos = [None] * len(solution_strs) if extra_infos is None else extra_infos
        names = map(_entry_point, infos)
        return list(map(_of_verl, self._judge_each(solution_strs, ground_truths, names)))

    def reward_function(self, tests: str = "tests", entry: str = "entry_point") -> RewardFunction:
        """Return a reward function for TRL's trainers.

        Args:
            tests: The column of the data set that has the tests.
            entry: The column that has the function that cases call; it may be missing.
        """

        def porter_reward(
            prompts: Any = None, completions: Sequence[Any] = (), **columns: Any
        ) -> list[float | None]:
            if tests not in columns:
                raise UsageError(
                    f"the data set has no column {tests!r}",
                    hint=f"It has {', '.join(map(str, columns))}. Give reward_function(tests=...).",
                )
            names = columns.get(entry) or [None] * len(completions)
            rewards = self._judge_each(completions, columns[tests], names)
            return [one.score if one.judged else None for one in rewards]

        return porter_reward

    def close(self) -> None:
        """Judge what waits, and close the device if the scorer opened it."""
        self._batcher.close()
        if self._owned:
            self._device.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _wait(self, future: Future[Reward], end: float) -> Reward:
        try:
            return future.result(max(0.0, end - time.monotonic()))
        except FutureTimeout:
            future.cancel()
            return self._late()

    def _late(self) -> Reward:
        return Reward(0.0, NOT_JUDGED.format(seconds=self._timeout), judged=False)


RewardFunction = Callable[..., list[float | None]]


def calls_of(program: str, tests: Any, entry: str, called: str) -> tuple[bytes, Cases]:
    """Return a program whose global `called` is the function under test, and its cases.

    Args:
        program: The program.
        tests: The tests, in a shape that docs/how-to/rewards.md lists.
        entry: The function that cases call, where tests do not name one.
        called: The entry of the options that judge the program.

    Raises:
        UsageError, WrongType: The tests are invalid.
    """
    task = task_of(program, tests, entry)
    source = task.source.encode("utf-8", "surrogatepass")
    if task.entry and task.entry != called:
        source = with_entry(source, task.entry, called)
    return source, Cases.of(task.cases, "tests")


def reward_of(found: JudgedProgram, *, partial: bool) -> Reward:
    """Return the reward of a judged program.

    Args:
        found: The rows of the program.
        partial: Whether the score is the fraction of passed cases; else it is 1 if all passed.
    """
    passed, total = found.passed, len(found.statuses)
    score = passed / total if partial else float(passed == total)
    return Reward(
        score,
        "" if passed == total else _reason(found),
        found.statuses,
        unsupported=CaseStatus.UNSUPPORTED in found.statuses,
        steps=sum(found.steps),
        in_cpython=any(found.in_cpython),
    )


def _reason(found: JudgedProgram) -> str:
    """Return the number of passed cases, and how the first failing one ended."""
    failed = next(k for k, one in enumerate(found.statuses) if one != CaseStatus.PASSED)
    lacking = found.statuses[failed] == CaseStatus.UNSUPPORTED
    cause = found.causes.get(failed) if lacking else None
    detail = cause or found.messages.get(failed) or found.reasons.get(failed)
    text = f"passed {found.passed} of {len(found.statuses)}; case {failed}: "
    text += found.statuses[failed].name
    return f"{text} ({detail})" if detail else text


def _of_verl(reward: Reward) -> dict[str, Any]:
    return {
        "score": reward.score,
        "acc": float(reward.solved),
        "reason": reward.reason,
        "judged": float(reward.judged),
    }


def _entry_point(info: Any) -> str | None:
    return info.get("entry_point") if isinstance(info, dict) else None


def _is_each(tests: Any, count: int) -> bool:
    """Return whether `tests` has the tests of each answer, rather than cases for all."""
    if not isinstance(tests, list | tuple) or len(tests) != count:
        return False
    return not all(_is_case(one) for one in tests)


def _is_case(value: Any) -> bool:
    if isinstance(value, dict):
        return any(key in value for key in ("expected", "stdin", "stdout"))
    return isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], tuple | list)


_default: Scorer | None = None
_lock = threading.Lock()


def default_scorer() -> Scorer:
    """Return the scorer of the module's functions; opened when it is first needed."""
    global _default
    with _lock:
        if _default is None:
            _default = Scorer()
        return _default


def _forget() -> None:
    """Open a new scorer in a forked child, which has no threads of its parent."""
    global _default, _lock
    _default, _lock = None, threading.Lock()


os.register_at_fork(after_in_child=_forget)
