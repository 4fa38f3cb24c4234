"""Typed compilation by numba that works without a writable cache.

Numba is an extra, `pip install 'faristol[fast]'`: its compiler LLVM is larger than all other packages together. Without
it the functions run as they are written, with the same results and much slower (``IS_COMPILED``). Python reads a list
several times faster than an element of an array. Functions that have to be fast without numba therefore write
``table[row][field]``, which both have, and get what they read from ``to_native`` and ``make_table``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

try:
    import numba
except ImportError:
    numba = None  # type: ignore[assignment]

Int64s = npt.NDArray[np.int64]

IS_COMPILED = numba is not None
"""Whether functions are compiled, because numba is installed."""

Function = TypeVar("Function", bound=Callable[..., Any])


def compile_function(function: Function) -> Function:
    """Return ``function`` as machine code, compiled at its first call and cached on disk; unchanged without numba.

    Its callees are compiled into it and may be in other files of its folder: a change of any of them compiles it again.
    Without a writable cache (a read-only container without ``NUMBA_CACHE_DIR``) each process compiles it.
    """
    return _compile(function, {})


def compile_without_allocation(function: Function) -> Function:
    """Return ``function`` as ``compile_function`` does, without reference counts of its arrays.

    Counting is atomic and took a third of the time of the innermost functions. The caller holds the arrays, so
    ``function`` must not return one. Numba refuses to compile a function that allocates an array.
    """
    return _compile(function, {"_nrt": False})


def _compile(function: Function, options: Mapping[str, bool]) -> Function:
    if numba is None:
        return function
    njit: Any = numba.njit  # its types omit the option ``_nrt``
    try:
        dispatcher = njit(cache=True, nogil=True, **options)(function)
    except RuntimeError:  # numba has found no writable folder
        return cast("Function", njit(nogil=True, **options)(function))
    # Numba checks the file of the function only, and neither further files nor options.
    stamp = _content(Path(function.__code__.co_filename).parent) + _content(Path(__file__).parent)
    dispatcher._cache._cache_file._source_stamp += stamp
    return cast("Function", dispatcher)


@cache
def _content(folder: Path) -> bytes:
    """Return a digest of the modules in a folder."""
    digest = hashlib.sha256()
    for path in sorted(folder.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.digest()


def _zero_vector(size: int) -> Int64s:
    return np.zeros(size, dtype=np.int64)


def _zero_table(rows: int, fields: int) -> Int64s:
    return np.zeros((rows, fields), dtype=np.int64)


def _zero_list(size: int) -> Any:
    return [0] * size


def _zero_lists(rows: int, fields: int) -> Any:
    return [[0] * fields for _ in range(rows)]


make_vector: Callable[[int], Int64s] = compile_function(_zero_vector) if IS_COMPILED else _zero_list
"""Make zeros of a size: an array, or a list without numba."""
make_table: Callable[[int, int], Int64s] = compile_function(_zero_table) if IS_COMPILED else _zero_lists
"""Make zeros of rows and fields: an array, or a list of lists without numba."""


def to_native(array: npt.NDArray[Any]) -> Int64s:
    """Return the integers of an array as compiled functions read them: int64, or lists without numba."""
    return array.astype(np.int64) if IS_COMPILED else cast("Int64s", array.tolist())
