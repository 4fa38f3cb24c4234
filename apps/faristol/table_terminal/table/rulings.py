"""Rulings on a challenge from the table: by a judge if the tournament has judges, else by the lexicon."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping

import grpc

from faristol.client.judge import LOST_CASE_REASONS, Judge
from faristol.client.problems import reason_of
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.game.v1 import game_pb2
from faristol.pb.lexicon.v1 import adjudication_pb2 as pb
from faristol.pb.lexicon.v1 import adjudication_pb2_grpc as pb_grpc
from faristol.pb.lexicon.v1 import events_pb2 as events
from faristol.pb.lexicon.v1 import lexicon_pb2, lexicon_pb2_grpc

CASE_HELD = N_("This case is assigned to %(judges)s: the table waits for the ruling.")
QUEUED = N_("The case waits for a judge, and the table waits for the ruling.")


class TableJudge:
    """The judge at this table, if any."""

    def __init__(self, channel: grpc.aio.Channel, judge_id: str, say: Callable[..., None]) -> None:
        """Connect to the lexicon service; ``say`` prints a message with its parameters to the user."""
        self._adjudication = pb_grpc.AdjudicationServiceStub(channel)
        self._cases = lexicon_pb2_grpc.LexiconServiceStub(channel)
        self._judge = Judge(channel, judge_id)
        self._say = say

    async def rule(
        self, table: game_pb2.GetGameResponse, fields: Mapping[str, str], step_id: str, *, valid: bool | None
    ) -> bool:
        """Claim the open case of ``table`` and rule on all its words, by the lexicon if ``valid`` is None.

        Returns whether all is done from here; False while no case is open yet. ``fields`` has reason and source, which
        a ruling against the lexicon needs. Without judges, ``valid`` None returns True. With ``valid`` None, a case of
        other judges is left to them, and the user is informed. Raises ``Refusal`` if ``valid`` is given and other
        judges hold the case or no judges rule, ``grpc.aio.AioRpcError`` if the judge may not claim it.
        """
        if not await self.has_judges(table.tournament_id):
            if valid is not None:
                raise Refusal("LEXICON_RULES", N_("Only the lexicon rules in this tournament: write `judge: rule`."))
            return True
        case = await self._open_case(table.game_id)
        if case is None:
            return False
        if len(case.held_by) >= case.panel and self._judge.judge_id not in case.held_by:
            holders = ", ".join(case.held_by)
            if valid is not None:
                raise Refusal(
                    "CASE_TAKEN",
                    N_("This case is assigned to {judges}: write `judge: rule` to wait for the ruling."),
                    {"judges": holders},
                )
            self._say(CASE_HELD, judges=holders)
            return True
        try:
            await self._judge.claim(case.case_id)
        except grpc.aio.AioRpcError as error:
            if valid is not None or reason_of(error) not in LOST_CASE_REASONS:
                raise
            self._say(QUEUED)
            return True
        file = await self._judge.file(case.case_id)
        reason, source = fields.get("reason", ""), fields.get("source", "")
        words = [
            events.WordRuling(
                word=word.word, valid=word.valid if valid is None else valid, reason=reason, source=source
            )
            for word in file.words
        ]
        await self._judge.rule(case.case_id, words, str(uuid.uuid5(uuid.UUID(step_id), "rule-case")))
        return True

    async def has_judges(self, tournament_id: str) -> bool:
        """Check whether judges rule in a tournament, also on appeals."""
        request = pb.GetAdjudicationRequest(tournament_id=tournament_id)
        return (await self._adjudication.GetAdjudication(request)).mode != events.MODE_AUTOMATIC

    async def _open_case(self, game_id: str) -> lexicon_pb2.GetCaseResponse | None:
        """Return the case in question at the table; None before it is opened and after it is ruled or withdrawn."""
        try:
            case = await self._cases.GetCase(lexicon_pb2.GetCaseRequest(game_id=game_id))
        except grpc.aio.AioRpcError as error:
            if error.code() is not grpc.StatusCode.NOT_FOUND:
                raise
            return None
        return None if case.ruled or case.withdrawn else case
