"""The statuses of a build as an enum."""

from __future__ import annotations

import numpy as np
import pytest

from porter.run.status import Status, statuses

VALUES = {"GPUSNEK_OK": 0, "GPUSNEK_EXCEPTION": 1, "GPUSNEK_EXIT": 2, "GPUSNEK_STATUS_NOT_RUN": -1}
ENDS = np.array([0, 2, 1, -1, 1], np.int32)


def test_members_answer() -> None:
    status = statuses(VALUES)
    assert [s.name for s in status if s.failed] == ["EXCEPTION", "STATUS_NOT_RUN"]
    assert [s.name for s in status if s.broken] == ["STATUS_NOT_RUN"]
    assert status["OK"].ok and status["EXIT"].exited and status["EXCEPTION"].raised
    assert status(-1).not_run and not status["OK"].stopped
    assert issubclass(status, Status) and status["EXIT"] == 2


def test_arrays() -> None:
    status = statuses(VALUES)
    assert status.where_failed(ENDS).tolist() == [False, False, True, True, True]
    assert status.where_broken(ENDS).tolist() == [False, False, False, True, False]
    assert status.among(ENDS, "OK", "EXIT").tolist() == [True, True, False, False, False]
    assert status.count(ENDS, "EXCEPTION") == 2
    assert status.tally(ENDS) == {-1: 1, 0: 1, 1: 2, 2: 1}


def test_names() -> None:
    status = statuses(VALUES)
    assert status.name_of(-1) == "GPUSNEK_STATUS_NOT_RUN"
    assert status.name_of(9) == "9"
    with pytest.raises(KeyError):
        status["STOPPED"]


def test_refused() -> None:
    with pytest.raises(ValueError, match="FIRST"):
        statuses({"FIRST": 0})
    with pytest.raises(ValueError, match="GPUSNEK_B: another status is 1"):
        statuses({"GPUSNEK_A": 1, "GPUSNEK_B": 1})
