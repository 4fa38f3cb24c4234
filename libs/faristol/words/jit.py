"""Typed compilation by numba that works without a writable cache."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
import numpy.typing as npt

Int64s = npt.NDArray[np.int64]
Uint32s = npt.NDArray[np.uint32]

Function = TypeVar("Function", bound=Callable[..., Any])


def compile_function(function: Function) -> Function:
    """Return ``function`` as machine code, compiled at its first call and cached on disk.

    Its callees are compiled into it and may be in other files of its folder: a change of any of them compiles it again.
    Without a writable cache (a read-only container without ``NUMBA_CACHE_DIR``) each process compiles it.
    """
    try:
        dispatcher: Any = numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # numba has found no writable folder
        return cast("Function", numba.njit(nogil=True)(function))
    # Numba checks the file of the function only and has no option for further files.
    dispatcher._cache._cache_file._source_stamp += _content(Path(function.__code__.co_filename).parent)
    return cast("Function", dispatcher)


@cache
def _content(folder: Path) -> bytes:
    """Return a digest of the modules in a folder."""
    digest = hashlib.sha256()
    for path in sorted(folder.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.digest()
