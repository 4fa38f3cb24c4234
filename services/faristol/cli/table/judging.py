"""Ruling on a challenge from the table: where judges rule, by one of them; else the lexicon does it by itself."""

from __future__ import annotations

import uuid
from collections.abc import Mapping

import grpc

from faristol.cli.casefile import ruling
from faristol.cli.sitting import Judge
from faristol.host import StartError
from faristol.pb.game.v1 import game_pb2
from faristol.pb.lexicon.v1 import adjudication_pb2 as pb
from faristol.pb.lexicon.v1 import adjudication_pb2_grpc as pb_grpc
from faristol.pb.lexicon.v1 import events_pb2 as events


class Bench:
    """The judge who rules from this table, if one does."""

    def __init__(self, channel: grpc.aio.Channel, judge_id: str) -> None:
        self._cases = pb_grpc.AdjudicationServiceStub(channel)
        self._judge = Judge(channel, judge_id)

    async def rule(
        self, table: game_pb2.GetGameResponse, said: Mapping[str, str], step_id: str, *, valid: bool | None
    ) -> None:
        """Take the open case of ``table`` and rule on all its words, as the lexicon has them when ``valid`` is None.

        ``said`` has reason and source, which a ruling against the lexicon needs. Nothing is done where the lexicon
        rules alone. Raises ``StartError`` when there is no case that the judge may take.
        """
        request = pb.GetAdjudicationRequest(tournament_id=table.tournament_id)
        if (await self._cases.GetAdjudication(request)).mode == events.MODE_AUTOMATIC:
            if valid is not None:
                raise StartError("the lexicon rules alone in this tournament: write `judge: rule`")
            return
        async for cases in self._judge.queue():
            mine = [case.case_id for case in cases if case.case_id.startswith(f"{table.game_id}-")]
            break
        if not mine:
            raise StartError(f"no case of {table.game_id} waits for the judge {self._judge.judge_id}")
        await self._judge.claim(mine[0])
        file = await self._judge.file(mine[0])
        reason, source = said.get("reason", ""), said.get("source", "")
        words = [ruling(one.word.faces, one.valid if valid is None else valid, reason, source) for one in file.words]
        await self._judge.rule(mine[0], words, str(uuid.uuid5(uuid.UUID(step_id), "rule-case")))
