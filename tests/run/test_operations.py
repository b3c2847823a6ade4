"""Operations over arrays: a device build's kernels, run on the CPU, agree with NumPy."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from porter.errors import LaunchFailed
from porter.run.device.arrays import NumpyOperations
from porter.run.device.cuda_operations import KernelOperations
from tests.strict_cupy import Compiles, DriverError, array_kernel, arrays_library, strict_cupy


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    return arrays_library(tmp_path_factory.mktemp("arrays"))


class _Module:
    def __init__(self, library: ctypes.CDLL) -> None:
        self._library = library

    def get_function(self, name: str) -> object:
        return array_kernel(self._library, name)


@pytest.fixture
def cupy(library: ctypes.CDLL):
    return strict_cupy(library, library)


@pytest.fixture
def operations(cupy, library: ctypes.CDLL, tmp_path) -> KernelOperations:
    return KernelOperations(cupy, _Module(library), tmp_path / "gpusnek.cubin")


NUMPY = NumpyOperations()


def _rows(n: int, different: int, width: int = 5) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(n * 31 + different)
    kinds = random.integers(0, 2**64, (different, width), np.uint64)
    which = random.integers(0, different, n)
    return kinds[which], (which % 3).astype(np.uint32)


@pytest.mark.parametrize(("n", "different"), [(0, 1), (1, 1), (5000, 1), (5000, 7), (5000, 90_000)])
@pytest.mark.parametrize("columns", [0, 1, 5])
def test_the_first_equal_row(operations, cupy, n: int, different: int, columns: int) -> None:
    words, lengths = _rows(n, different)
    found = operations.first_equal(cupy.asarray(words), columns, cupy.asarray(lengths))
    assert found.dtype == np.int64
    assert (found == NUMPY.first_equal(words, columns, lengths)).all()
    seen: dict[tuple[bytes, int], int] = {}
    keys = [(words[i, :columns].tobytes(), int(lengths[i])) for i in range(n)]
    assert found.tolist() == [seen.setdefault(key, i) for i, key in enumerate(keys)]


def test_rows_of_one_hash_are_compared(operations, cupy, monkeypatch) -> None:
    monkeypatch.setattr("secrets.randbits", lambda bits: 1)  # mix() is the identity then
    n = 600
    first = np.random.default_rng(5).integers(0, 50, n).astype(np.uint64)
    words = np.column_stack([first, first ^ np.uint64(77)])  # equal hashes, 50 different rows
    lengths = np.zeros(n, np.uint32)
    found = operations.first_equal(cupy.asarray(words), 2, cupy.asarray(lengths))
    assert (found == NUMPY.first_equal(words, 2, lengths)).all() and len(set(found.tolist())) == 50


@pytest.mark.parametrize("which", [None, np.array([4, 0, 4], np.int64), np.zeros(0, np.intp)])
@pytest.mark.parametrize("columns", [None, 2, 0])
def test_copies_of_rows(operations, cupy, which, columns) -> None:
    words = np.arange(35, dtype=np.uint64).reshape(5, 7)
    copy = operations.rows(cupy.asarray(words), columns, which)
    want = NUMPY.rows(words, columns, which)
    assert copy.shape == want.shape and (copy.get() == want).all()
    assert not np.shares_memory(NUMPY.rows(words), words)


@pytest.mark.parametrize("n", [0, 1, 2, 7, 64])
def test_repeated(operations, n: int) -> None:
    values = np.arange(11, dtype=np.uint8)
    assert (operations.repeated(values, n).get() == np.tile(values, n)).all()
    assert (NUMPY.repeated(values, n) == np.tile(values, n)).all()
    assert operations.repeated(values[:0], n).size == 0


class Nothing:
    """A fake of a missing kernel, which fails at its first use."""

    @property
    def max_threads_per_block(self) -> int:
        raise DriverError("named symbol not found")


class Old:
    """A fake of a module without these kernels."""

    def __init__(self, late: bool) -> None:
        self._late = late

    def get_function(self, name: str) -> object:
        return Nothing() if self._late else Nothing().max_threads_per_block


@pytest.mark.parametrize("late", [False, True])
def test_a_build_without_these_kernels_says_so(cupy, tmp_path, late: bool) -> None:
    with pytest.raises(LaunchFailed, match="another version of porter made this build"):
        KernelOperations(cupy, Old(late), tmp_path)


def test_the_stand_in_refuses_what_compiles(cupy) -> None:
    array = cupy.zeros(4, np.uint64)
    refused = (
        lambda: array + 1,
        lambda: array == array,
        lambda: array.max(),
        lambda: array.astype(np.uint8),
        lambda: array[np.array([1])],
        lambda: array.__setitem__(slice(None), 0),
        lambda: array.reshape(2, 2)[:, :1].get(),
        lambda: cupy.arange(3),
        lambda: cupy.asarray(np.array(1, np.uint64)),
        lambda: cupy.where,
        lambda: np.asarray(array),
        lambda: np.bincount(array),
        lambda: bool(array),
    )
    for operation in refused:
        with pytest.raises(Compiles):
            operation()
