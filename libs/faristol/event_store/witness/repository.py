"""A Git repository as a witness: one commit for each seal, pushed if there is a remote."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
from asyncio.subprocess import PIPE
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from faristol.event_store.errors import CorruptData
from faristol.event_store.integrity.seals import Seal
from faristol.event_store.witness.folder import SEAL_NAME_PATTERN, name_of, put, seal_of
from faristol.event_store.witness.witness import WitnessUnavailable, Worker

GIT_TIMEOUT_SECONDS = 60.0
"""Timeout in seconds of one run of git, such as a push."""

GIT_KILL_DELAY_SECONDS = 5.0
"""Seconds between SIGTERM and SIGKILL of git."""

_AUTHOR = ("-c", "user.name=Faristol", "-c", "user.email=faristol@localhost")
_PASSWORD = re.compile(r"//[^/@\s]*@")
_LOCK_FILE_PATTERN = re.compile(r"'([^']+\.lock)': File exists")
_MAX_OUTPUT_CHARACTERS = 200
"""Characters of git's output in a message."""


def is_repository(path: Path) -> bool:
    """Check whether a path is a Git repository, with or without a work tree."""
    return (path / ".git").exists() or is_bare(path)


def is_bare(path: Path) -> bool:
    """Check whether a path is a Git repository without a work tree."""
    return not (path / ".git").exists() and (path / "HEAD").is_file() and (path / "objects").is_dir()


class Repository:
    """Seals as files in a clone. With a remote, a seal counts as delivered when it is pushed."""

    kind = "git"

    def __init__(self, path: Path) -> None:
        self._path = path
        self._worker = Worker("witness")
        self.shown = str(path)

    async def newest(self) -> Seal | None:
        """Return the last seal that is pushed, or committed if there is no remote."""
        remote, tracking = await self._remote()
        if remote:
            await self._git("fetch", "--quiet", remote)
        at = tracking or "HEAD"
        names = await self._names(at)
        return (await self._seals(at, names[-1:]))[0] if names else None

    async def deliver(self, seals: Sequence[Seal]) -> None:
        """Commit the seals one by one, then push them."""
        remote, tracking = await self._remote()
        if remote:
            await self._catch_up(tracking)
        kept = {*await self._names("HEAD")}
        for seal in seals:
            name = name_of(seal)
            await self._worker.do(partial(put, self._path, seal))
            if name not in kept:
                await self._git("add", "--", name)
                message = f"Seal positions {seal.from_position} to {seal.to_position}"
                identity = () if await self._has_author() else _AUTHOR
                await self._git(*identity, "commit", "--quiet", "--message", message, "--", name)
        if remote:
            branch = (await self._git("symbolic-ref", "--short", "HEAD")).decode().strip()
            await self._git("push", "--quiet", remote, f"HEAD:refs/heads/{branch}")

    async def seals(self) -> list[Seal]:
        """Return all seals that are committed. Raises ``CorruptData`` if a commit changed or removed one."""
        if not await self._exists("HEAD"):
            return []
        # A seal is written once. A commit that changes or removes one was not made by a delivery.
        changed = await self._git("log", "--diff-filter=DMT", "--no-renames", "--format=%h", "-m", "--", "seal-*.json")
        if commits := changed.decode().split():
            raise CorruptData(f"the commit {commits[-1]} of the witness changes or removes a seal that it had")
        names = await self._names("HEAD")
        return await self._seals("HEAD", names)

    async def close(self) -> None:
        """Stop the worker."""
        self._worker.close()

    async def _remote(self) -> tuple[str, str]:
        """Return the remote and its branch as git last saw it; empty without a remote.

        If the remote has no commit yet, the branch does not exist.
        """
        remotes = (await self._git("remote")).decode().split()
        if not remotes:
            return "", ""
        remote = "origin" if "origin" in remotes else remotes[0]
        branch = (await self._git("symbolic-ref", "--short", "HEAD")).decode().strip()
        return remote, f"refs/remotes/{remote}/{branch}"

    async def _catch_up(self, tracking: str) -> None:
        """Fast-forward to the commits of another clone, or of this one before it was restored from a copy."""
        if not await self._exists(tracking):
            return
        ahead, behind = 0, 1
        if await self._exists("HEAD"):
            counted = await self._git("rev-list", "--left-right", "--count", f"HEAD...{tracking}")
            ahead, behind = (int(count) for count in counted.split())
        if not behind:
            return
        there = tracking.removeprefix("refs/remotes/")
        if ahead:
            raise WitnessUnavailable(
                f"its branch and {there} have diverged: {ahead} of its commits were never pushed, and it lacks"
                f" {behind}; if you need none of those, run git reset --keep {there} in it"
            )
        new = {*await self._names(tracking)} - {*await self._names("HEAD")}
        # Files of an interrupted delivery are untracked, and git does not overwrite those.
        left = await self._worker.do(lambda: sorted(name for name in new if (self._path / name).exists()))
        if left:
            await self._git("add", "--", *left)
        await self._git("merge", "--ff-only", "--quiet", tracking)

    async def _names(self, at: str) -> list[str]:
        if not await self._exists(at):
            return []
        names = (await self._git("ls-tree", "--name-only", "-z", at)).decode(errors="replace").split("\0")
        return sorted(name for name in names if SEAL_NAME_PATTERN.fullmatch(name))

    async def _seals(self, at: str, names: Sequence[str]) -> list[Seal]:
        """Read the seals in these files of a commit."""
        wanted = "".join(f"{at}:{name}\n" for name in names).encode()
        out, found = await self._git("cat-file", "--batch", given=wanted), []
        for name in names:
            head, _, out = out.partition(b"\n")
            size = head.split(b" ")[-1]
            if not size.isdigit():
                raise WitnessUnavailable(f"git cat-file returned no content for {name}")
            found.append(seal_of(name, out[: int(size)]))
            out = out[int(size) + 1 :]
        return found

    async def _exists(self, at: str) -> bool:
        return bool(await self._git("rev-parse", "--verify", "--quiet", f"{at}^{{commit}}", may_fail=True))

    async def _has_author(self) -> bool:
        return bool(await self._git("config", "user.email", may_fail=True)) or "GIT_AUTHOR_EMAIL" in os.environ

    async def _git(self, *words: str, may_fail: bool = False, given: bytes = b"") -> bytes:
        """Return the output of git.

        Empty for exit code 1 with ``may_fail``. Raises ``WitnessUnavailable`` on failure.
        """
        # Git must not prompt for a password.
        ssh = os.environ.get("GIT_SSH_COMMAND", "ssh -o BatchMode=yes")
        environment = {**os.environ, "GIT_TERMINAL_PROMPT": "0", "GIT_SSH_COMMAND": ssh, "LC_ALL": "C.UTF-8"}
        try:
            process = await asyncio.create_subprocess_exec(
                "git", "-C", str(self._path), *words, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=environment
            )
        except OSError as error:
            raise WitnessUnavailable(f"git cannot be run: {error.strerror}") from error
        try:
            async with asyncio.timeout(GIT_TIMEOUT_SECONDS):
                out, errors = await process.communicate(given)
        except TimeoutError:
            raise WitnessUnavailable(f"git {_verb(words)} took more than {GIT_TIMEOUT_SECONDS:g} seconds") from None
        finally:
            if process.returncode is None:
                await _end(process)
        if process.returncode == 0:
            return out
        if may_fail and process.returncode == 1:
            return b""
        if lock := _LOCK_FILE_PATTERN.search(errors.decode(errors="replace")):
            raise WitnessUnavailable(
                f"git {_verb(words)} failed: {lock[1]} exists; remove it if no git is running there"
            )
        message = _PASSWORD.sub("//", " ".join(errors.decode(errors="replace").split()))[:_MAX_OUTPUT_CHARACTERS]
        raise WitnessUnavailable(f"git {_verb(words)} failed: {message or process.returncode}")


async def _end(process: asyncio.subprocess.Process) -> None:
    """Terminate git. A killed one leaves its lock, which blocks later commits."""
    process.terminate()
    try:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(GIT_KILL_DELAY_SECONDS):
                await process.wait()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def _verb(words: Sequence[str]) -> str:
    return next(word for word in words if not word.startswith("-") and "=" not in word)
