"""Numba, made safe to import anywhere and typed."""

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


def compiled(function: Function) -> Function:
    """``function`` as machine code, compiled at its first call and kept on disk for the next process.

    What it calls is compiled into it, and may lie in other files of its folder: when any of them changes it is compiled
    anew. Where nothing can be kept (a read-only container without ``NUMBA_CACHE_DIR``) each process compiles anew.
    """
    try:
        dispatcher: Any = numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # numba has found no folder that it may write to
        return cast("Function", numba.njit(nogil=True)(function))
    # Numba itself asks for the file of the function alone, and has no way to tell it of others.
    dispatcher._cache._cache_file._source_stamp += _content(Path(function.__code__.co_filename).parent)
    return cast("Function", dispatcher)


@cache
def _content(folder: Path) -> bytes:
    """A digest of the modules in a folder."""
    digest = hashlib.sha256()
    for path in sorted(folder.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.digest()
