"""Bundles: the data that a hall needs to play on offline, in a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from google.protobuf.json_format import MessageToJson, Parse, ParseError

from faristol.duplicate_game.envelope import content_of
from faristol.duplicate_game.sealed import SealedGame, read_document
from faristol.host import StartError
from faristol.pb.game.v1 import duplicate_pb2 as pb

HEAD = "faristol duplicate bundle 1: "
"""The start of a bundle file; the name of the hall follows, and the bundle as JSON on the next lines."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """The data given to a hall."""

    answer: pb.GetBundleResponse
    hall: str
    """The name of the hall; empty if the tournament has no halls."""

    @property
    def game_id(self) -> str:
        """The id of the game."""
        return self.answer.game_id

    def open_sealed(self) -> SealedGame | None:
        """Open the sealed game; None if it does not exist or its key is unknown. Raises ``EnvelopeError``."""
        if not self.answer.HasField("seal") or not self.answer.key:
            return None
        return read_document(content_of(self.answer.seal.envelope, self.game_id, self.answer.key))


def write(bundle: Bundle, file: Path) -> None:
    """Write a bundle readable only by its owner: it may contain the key. Raises ``StartError``."""
    try:
        file.touch(mode=0o600)
        file.chmod(0o600)  # an existing file may have been readable by others
        file.write_text(f"{HEAD}{bundle.hall}\n{MessageToJson(bundle.answer)}\n", encoding="utf-8")
    except OSError as problem:
        raise StartError(f"the bundle {file} cannot be written: {problem}") from problem


def read(file: Path) -> Bundle:
    """Read the bundle of a file. Raises ``StartError``."""
    try:
        head, _, said = file.read_text(encoding="utf-8").partition("\n")
        if not head.startswith(HEAD):
            raise ValueError(f"it begins with {head[: len(HEAD)]!r}")
        return Bundle(Parse(said, pb.GetBundleResponse()), head.removeprefix(HEAD))
    except (OSError, ValueError, ParseError) as problem:
        raise StartError(
            f"{file} is not a bundle: expected the output of `faristol duplicate bundle`: {problem}"
        ) from problem
