"""Numba, made safe to import anywhere and typed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """``function`` as machine code, compiled at its first call and kept on disk for the next process.

    Where nothing can be kept (a read-only container without ``NUMBA_CACHE_DIR``) each process compiles anew.
    """
    try:
        return cast("Function", numba.njit(cache=True, nogil=True)(function))
    except RuntimeError:  # numba has found no folder that it may write to
        return cast("Function", numba.njit(nogil=True)(function))
