"""The journal of a hall: turns, slips, and commands, stored in a file until they are sent."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from google.protobuf.message import Message

from faristol.kernel.times import Instant
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.pb.game.v1 import duplicate_pb2 as pb
from faristol.table_terminal.table.journal import LineFile, usual_file

COMMAND_KINDS: dict[str, type[Message]] = {"slips": pb.SubmitSlipsRequest, "close": pb.CloseHallRequest}
"""Commands that a hall sends."""


@dataclass(frozen=True, slots=True)
class PlayedHallTurn:
    """A turn as the hall plays it. Times are in nanoseconds, by the clock of the services."""

    number: int
    rack: tuple[str, ...]
    own: bool = False
    """Whether the hall began it by itself, from the sealed game."""
    began_at: Instant | None = None
    ends_at: Instant | None = None
    """None before the time runs, and while it is stopped."""
    closed: bool = False


@dataclass(frozen=True, slots=True)
class PendingCommand:
    """A pending command, to be sent once."""

    command_id: str
    turn: int
    request: Any


def file_of(game_id: str, hall: str) -> Path:
    """Return the default file of a hall's journal, in the state folder of the user."""
    place = "".join(sign if sign.isalnum() else "-" for sign in hall)
    return usual_file(f"{game_id}-{place}" if place else game_id, "halls")


class HallJournal(LineFile):
    """The journal of a hall, in order of time."""

    def __init__(self, file: Path | None) -> None:
        """Open ``file`` and create it with its folder; None stores in memory only. Raises ``StartError``."""
        self.bundle: pb.GetBundleResponse | None = None
        """The data missing in the bundle file, once fetched: the key, and the players."""
        self.ahead: int | None = None
        """Nanoseconds by which the services are ahead of the clock of this device."""
        self.void_from = 0
        """The first turn with a rack other than the sealed one, as far as known; 0 for none."""
        self.turns: dict[int, PlayedHallTurn] = {}
        self.refused: list[tuple[PendingCommand, str]] = []
        """Commands that the services refused, with the reason."""
        self.doubted: dict[str, tuple[int, events.Slip]] = {}
        """The last slip of each player that was refused for its form, with its turn, until the next one."""
        self._unsent: dict[str, PendingCommand] = {}
        super().__init__(file)

    @property
    def unsent(self) -> Sequence[PendingCommand]:
        """The pending commands, in order of time."""
        return tuple(self._unsent.values())

    def keep_bundle(self, answer: pb.GetBundleResponse) -> None:
        """Store the bundle as it is after the start of the game."""
        self._note({"bundle": base64.b64encode(answer.SerializeToString()).decode()})

    def keep_clock(self, ahead: int) -> None:
        """Store the offset of the services' clock."""
        self._note({"ahead": ahead})

    def keep_void(self, turn: int) -> None:
        """Store the first void turn of the sealed game."""
        self._note({"void_from": turn})

    def keep_turn(self, turn: PlayedHallTurn) -> None:
        """Store the state of a turn."""
        content = {"rack": list(turn.rack), "own": turn.own, "began_at": turn.began_at, "ends_at": turn.ends_at}
        self._note({"turn": turn.number, **content, "closed": turn.closed})

    def drop_turn(self, number: int) -> None:
        """Remove a turn that the hall began offline, and that the game does not have."""
        self._note({"dropped": number})

    def keep_command(self, kind: str, turn: int, request: Any) -> None:
        """Store a command of ``COMMAND_KINDS`` before it is sent."""
        encoded = base64.b64encode(request.SerializeToString()).decode()
        self._note({"send": request.command_id, "kind": kind, "turn": turn, "request": encoded})

    def keep_sent(self, command_id: str) -> None:
        """Mark a command as sent."""
        self._note({"sent": command_id})

    def keep_refused(self, command_id: str, why: str, *, doubted: bool = False) -> None:
        """Mark a command as refused; ``doubted`` if its slips are to be typed again."""
        self._note({"refused": command_id, "why": why} | ({"doubted": True} if doubted else {}))

    def _note(self, line: dict[str, Any]) -> None:
        self._write(line)
        self._take(0, line)

    def _take(self, number: int, kept: Any) -> bool:
        match kept:
            case {"bundle": str(bundle)}:
                self.bundle = pb.GetBundleResponse.FromString(base64.b64decode(bundle, validate=True))
            case {"ahead": int(ahead)}:
                self.ahead = ahead
            case {"void_from": int(turn)}:
                self.void_from = turn
            case {"turn": int(turn), "rack": list(rack), "own": bool(own), "closed": bool(closed)}:
                self.turns[turn] = PlayedHallTurn(turn, tuple(rack), own, kept["began_at"], kept["ends_at"], closed)
            case {"dropped": int(turn)}:
                self.turns.pop(turn, None)
            case {"send": str(command), "kind": str(kind), "turn": int(turn), "request": str(request)}:
                message = COMMAND_KINDS[kind].FromString(base64.b64decode(request, validate=True))
                self._unsent[command] = PendingCommand(command, turn, message)
                for slip in _slips_of(message):
                    self.doubted.pop(slip.player_id, None)
            case {"sent": str(command)}:
                self._unsent.pop(command, None)
            case {"refused": str(command), "why": str(why)} if command in self._unsent:
                refused = self._unsent.pop(command)
                self.refused.append((refused, why))
                if kept.get("doubted"):
                    self.doubted |= {slip.player_id: (refused.turn, slip) for slip in _slips_of(refused.request)}
            case {"refused": str()}:
                pass
            case _:
                return False
        return True


def _slips_of(request: Message) -> Iterable[events.Slip]:
    return request.slips if isinstance(request, pb.SubmitSlipsRequest) else ()
