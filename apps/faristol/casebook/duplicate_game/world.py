"""A duplicate game at the start of a case, and how its steps change it."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any

from google.protobuf.message import Message

from faristol.casebook.case import OFFICIALS, Step
from faristol.casebook.document import Value
from faristol.casebook.duplicate_game.case import DUPLICATE_GAME_ID, TOURNAMENT_ID, DuplicateCase
from faristol.casebook.duplicate_game.position import turns_before
from faristol.casebook.duplicate_game.services import DuplicateServices
from faristol.casebook.forms import fill, moment
from faristol.casebook.hosts.world import World
from faristol.duplicate_game.hall import Claim
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.rules import Board, Notation

SLIP, CLAIM, SCORE = "slip", "claim", "score-turn"
"""Verbs of players, and the one that closes the hall of a case without halls."""
OF_PLAYERS = {SLIP: "submit-slips", CLAIM: "raise-claim"}
"""The commands of the contract for verbs of players."""

_COORDINATES = re.compile(r"[A-Za-z]\d{1,2}|\d{1,2}[A-Za-z]")
_SLIP_FIELDS = frozenset(
    {"score", "handed", "coordinates", "word", "coordinates-illegible", "word-illegible", "written-turn"}
)
_OF_A_PLAYER = frozenset({"amend-slip", "rule-slip", "decide-claim"})
"""Verbs of officials that are followed by a player and the content of the slip."""


class DuplicateWorld(World[DuplicateServices]):
    """A duplicate game whose round is started, and its steps."""

    tournament_id = TOURNAMENT_ID
    game_id = DUPLICATE_GAME_ID

    def __init__(self, case: DuplicateCase) -> None:
        super().__init__()
        self.case = case
        self.names = case.names

    async def open(self, services: DuplicateServices) -> None:
        """Open the game of the case on these services, with its earlier turns."""
        self.services = services
        await services.open(self.case)
        if before := turns_before(self.case):
            await services.write_facts(before)

    async def append_due_events(self) -> None:
        """Append the clock events that are due by now."""
        await self.services.let_pass_turn(self.case.ruleset, moment(self.now_ms).ToNanoseconds())

    async def act(self, step: Step, answers: list[Message]) -> None:
        """Execute a step of a player or an official."""
        if step.actor in OFFICIALS:
            await self._official(step, answers)
        elif step.actor:
            await self._player(step, answers)

    async def _player(self, step: Step, answers: list[Message]) -> None:
        """Submit a slip of a player, or raise a claim."""
        if step.verb not in OF_PLAYERS:
            raise step.place.no_such("verb of a player", step.verb, OF_PLAYERS)
        request: Any = self.services.verbs[OF_PLAYERS[step.verb]].request()
        self.complete(step.actor, step.verb, request)
        request.hall = self.case.hall_of(step.actor)
        said = dict(step.fields)
        request.turn = await self._turn(said)
        if step.verb == CLAIM:
            request.player_id = self.names.ids[step.actor]
            if "about" in said:
                about = said.pop("about")
                if about.text() not in self.names.ids:
                    raise about.no_such("player", about.text(), self.names.ids)
                request.about_player_id = self.names.ids[about.text()]
            for key, value in said.items():
                raise value.no_such("field of a claim", key, ("about", "turn"))
            request.words = step.argument.text() if step.argument else ""
        else:
            slip = request.slips.add()
            self._write(slip, step.actor, step.argument, said)
            request.source = events.SLIP_SOURCE_PHONE
            if "paper" in said:
                request.source, request.collector_id = events.SLIP_SOURCE_PAPER, said.pop("paper").text()
            for key, value in said.items():
                raise value.no_such("field of a slip", key, {*_SLIP_FIELDS, "paper", "turn"})
        answers.append(await self.services.call(request))

    async def _official(self, step: Step, answers: list[Message]) -> None:
        """Send a command of the judge or of a collector."""
        if step.verb == SCORE and list(self.case.halls) == [""]:
            await self._close(step)
        verbs = self.services.verbs
        if step.verb not in verbs:
            raise step.place.no_such("verb", step.verb, verbs)
        request: Any = verbs[step.verb].request()
        self.complete(step.actor, step.verb, request)
        known = request.DESCRIPTOR.fields_by_name
        if "arbiter_id" in known:
            request.arbiter_id = step.actor
        if "collector_id" in known:
            request.collector_id = step.actor
        said = dict(step.fields)
        if "turn" in known:
            request.turn = await self._turn(said)
        if step.verb in _OF_A_PLAYER:
            await self._of_player(step, request, said)
        elif step.verb == "call-rack" and step.argument is not None:
            request.faces.extend(step.argument.text().split())
            if "rejected" in said:
                for rack in said.pop("rejected").items():
                    request.rejected.add(faces=rack.text().split())
        elif step.verb == "choose-master" and step.argument is not None:
            request.coordinates, _, request.word = step.argument.text().partition(" ")
            with suppress(ValueError):
                start, request.word = Notation.FISC.read_first(step.argument.text())
                request.coordinates = Notation.FISC.write(start)
        elif step.verb == "close-hall" and step.argument is not None:
            request.hall = step.argument.text()
        elif step.argument is not None:
            raise step.argument.wrong(f"{step.verb} takes no argument")
        fill(request, {key: self.by_id(value, key) for key, value in said.items()}, Board())
        answers.append(await self.services.call(request))

    def name_of(self, id_: str) -> str:
        """Return the name for an id."""
        return self.names.name(id_)

    def by_id(self, value: Value, key: str = "") -> Value:
        """Replace names under a key by ids; the game of any players is that of the case."""
        return self.names.replace_names(value, lambda _: self.game_id, key)

    async def _of_player(self, step: Step, request: Any, said: dict[str, Value]) -> None:
        """Fill the command of an official on the slip of a player: ``amend-slip Anna H8 C A S A``."""
        if step.argument is None:
            raise step.place.wrong(f"expected a player after {step.verb}")
        tokens = self.names.tokens(step.argument.text())
        player = tokens[0]
        if player not in self.names.ids:
            raise step.argument.wrong(f"{player!r} is not in this case; there are: {', '.join(self.names.ids)}")
        request.hall = self.case.hall_of(player)
        rest = step.argument.text().removeprefix(player).strip()
        written = step.argument.saying(rest) if rest else None
        if step.verb == "decide-claim":
            claim = await self._claim(player, step.place)
            request.claim_id = claim.claim_id
            if written is not None:
                self._write(request.corrected, self.names.name(claim.about), written, said)
        else:
            self._write(request.slip, player, written, said)

    async def _claim(self, player: str, place: Value) -> Claim:
        """Return the open claim of a player, or the last one."""
        wanted = self.names.ids[player]
        claims = [claim for hall in await self.services.halls() for claim in hall.claims.values()]
        of_player = [claim for claim in claims if claim.player_id == wanted]
        if not of_player:
            raise place.wrong(f"{player} has raised no claim")
        return next((claim for claim in of_player if not claim.decided), of_player[-1])

    async def _close(self, step: Step) -> None:
        """Close the one hall of the case, if its time is over and it is not closed."""
        game = await self.services.game()
        turn = game.turn(await self._turn(dict(step.fields)))
        (hall,) = await self.services.halls()
        if turn is None or turn.timer is None or hall.turn(turn.number).is_closed(turn.timer):
            return
        request: Any = self.services.verbs["close-hall"].request()
        self.complete(step.actor, "close-hall", request)
        request.turn, request.collector_id = turn.number, step.actor
        await self.services.call(request)

    async def _turn(self, said: dict[str, Value]) -> int:
        """Return the turn of a step, by default the last whose rack was called."""
        if "turn" in said:
            return said.pop("turn").number()
        return len((await self.services.game()).turns)

    def _write(self, slip: Any, player: str, written: Value | None, said: dict[str, Value]) -> None:
        """Fill the content of a slip: ``H8 C A S A``, or only the word."""
        slip.player_id = self.names.ids[player]
        text = written.text() if written else ""
        first, _, rest = text.partition(" ")
        try:
            start, word = Notation.FISC.read_first(text)
        except ValueError:
            start, word = None, text
        if start is not None:
            slip.coordinates, slip.word = text.removesuffix(word).strip(), word
        elif _COORDINATES.fullmatch(first):
            slip.coordinates, slip.word = first, rest.strip()
        else:
            slip.word = text
        fields = {key: said.pop(key) for key in list(said) if key in _SLIP_FIELDS}
        fill(slip, fields, Board())
