"""Ruling on a challenge from the table: where judges rule, by one of them; else the lexicon does it by itself."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Mapping

import grpc

from faristol.cli.casefile import ruling
from faristol.cli.sitting import Judge
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.game.v1 import game_pb2
from faristol.pb.lexicon.v1 import adjudication_pb2 as pb
from faristol.pb.lexicon.v1 import adjudication_pb2_grpc as pb_grpc
from faristol.pb.lexicon.v1 import events_pb2 as events
from faristol.rules import N_, Refusal

PATIENCE = 10.0
"""Seconds within which a challenge has to have become a case in the judge's queue."""


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
        rules alone. Raises ``Refusal`` when there is no case that the judge may take.
        """
        request = pb.GetAdjudicationRequest(tournament_id=table.tournament_id)
        if (await self._cases.GetAdjudication(request)).mode == events.MODE_AUTOMATIC:
            if valid is not None:
                raise Refusal(
                    "LEXICON_RULES", "", N_("The lexicon rules alone in this tournament: write `judge: rule`.")
                )
            return
        case_id = await self._case_of(table)
        await self._judge.claim(case_id)
        file = await self._judge.file(case_id)
        reason, source = said.get("reason", ""), said.get("source", "")
        words = [ruling(one.word.faces, one.valid if valid is None else valid, reason, source) for one in file.words]
        await self._judge.rule(case_id, words, str(uuid.uuid5(uuid.UUID(step_id), "rule-case")))

    async def _case_of(self, table: game_pb2.GetGameResponse) -> str:
        """The case with words of the play in question, as soon as it comes; no case says which table it is of."""
        shown = {_faces(one.word) for play in (table.pending, table.open_play) for one in play.words}
        try:
            async with asyncio.timeout(PATIENCE):
                async for queue in self._judge.queue():
                    mine = [
                        case.case_id
                        for case in queue.cases
                        if case.tournament_id == table.tournament_id and {_faces(word) for word in case.words} <= shown
                    ]
                    if len(mine) > 1:
                        raise Refusal(
                            "SEVERAL_CASES",
                            "",
                            N_("{count} cases with these words wait: rule with `faristol judge`."),
                            {"count": len(mine)},
                        )
                    if mine:
                        return mine[0]
        except TimeoutError:
            pass
        raise Refusal(
            "NO_CASE", "", N_("No case of this table waits for the judge {judge}."), {"judge": self._judge.judge_id}
        )


def _faces(word: game_events.Word) -> tuple[str, ...]:
    return tuple(word.faces)
