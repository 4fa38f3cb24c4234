"""Bundles: the data that a hall needs to continue offline, in a file.

Problem. All halls of a duplicate game play the same racks, and their results are merged after each round. A hall that
loses its connection must not stop the others, and must not call racks that differ from theirs.

Idea. The game is sealed before it begins (``faristol.duplicate_game.sealed``): its racks and master plays are on the
record, encrypted. A bundle has the sealed game, the players of the hall and the time of a turn. It can be made before
the game begins, without the key and the players. ``HallState`` fetches both at its first connection after the start.
Offline, the hall calls the sealed racks. It stores each slip in a journal. It sends the slips later, in order and once,
with their times.

Invariants:

- The services give no caller the key of a game before it begins.
- The sealed game of a bundle is checked against its SHA-256 when it is opened (``envelope``).
- A hall uses no sealed rack of a turn that it knows to be void. Slips for void racks are refused and stay in the
  journal.
- The file is readable only by its owner.

Cost. A bundle is one answer of ``GetBundle``, as JSON. Opening it is one decryption with AES-256-GCM and one parse.

Rejected alternatives (docs/duplicate.md):

- A key for each turn. It would reveal less to a dishonest holder, but a hall offline could not get the next one.
- A key for each hall. Any holder can reveal the racks as easily as a key, so it would not protect more.
- A hall without a sealed game that draws its own racks. It would play another game; such a hall stops instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from google.protobuf.json_format import MessageToJson, Parse, ParseError

from faristol.duplicate_game.sealed import SealedGame, content_of, read_document
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
    except OSError as error:
        raise StartError(f"the bundle {file} cannot be written: {error}") from error


def read(file: Path) -> Bundle:
    """Read the bundle of a file. Raises ``StartError``."""
    try:
        head, _, content = file.read_text(encoding="utf-8").partition("\n")
        if not head.startswith(HEAD):
            raise ValueError(f"it begins with {head[: len(HEAD)]!r}")
        return Bundle(Parse(content, pb.GetBundleResponse()), head.removeprefix(HEAD))
    except (OSError, ValueError, ParseError) as error:
        raise StartError(
            f"{file} is not a bundle: expected the output of `faristol duplicate bundle`: {error}"
        ) from error
