"""Ruling on a challenge from the table: where judges rule, by one of them; else the lexicon does it by itself."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Iterable, Mapping

import grpc

from faristol.cli.casefile import ruling
from faristol.cli.sitting import Judge
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.game.v1 import game_pb2
from faristol.pb.lexicon.v1 import adjudication_pb2 as pb
from faristol.pb.lexicon.v1 import adjudication_pb2_grpc as pb_grpc
from faristol.pb.lexicon.v1 import events_pb2 as events
from faristol.rules import N_, Refusal

Words = frozenset[tuple[str, ...]]
"""Words by the faces of their tiles."""

PATIENCE = 10.0
"""Seconds within which a challenge has to have become a case in the judge's queue."""


class Bench:
    """The judge who rules from this table, if one does."""

    def __init__(self, channel: grpc.aio.Channel, judge_id: str) -> None:
        self._cases = pb_grpc.AdjudicationServiceStub(channel)
        self._judge = Judge(channel, judge_id)

    async def rule(
        self,
        table: game_pb2.GetGameResponse,
        questioned: Words | None,
        said: Mapping[str, str],
        step_id: str,
        *,
        valid: bool | None,
    ) -> None:
        """Take the open case of ``table`` and rule on all its words, as the lexicon has them when ``valid`` is None.

        ``questioned`` are the words that were challenged, None when that is not known; ``said`` has reason and source,
        which a ruling against the lexicon needs. Nothing is done where the lexicon rules alone. Raises ``Refusal`` when
        there is no case that the judge may take.
        """
        request = pb.GetAdjudicationRequest(tournament_id=table.tournament_id)
        if (await self._cases.GetAdjudication(request)).mode == events.MODE_AUTOMATIC:
            if valid is not None:
                raise Refusal(
                    "LEXICON_RULES", "", N_("The lexicon rules alone in this tournament: write `judge: rule`.")
                )
            return
        case_id = await self._case_of(table, questioned)
        await self._judge.claim(case_id)
        file = await self._judge.file(case_id)
        reason, source = said.get("reason", ""), said.get("source", "")
        words = [ruling(one.word.faces, one.valid if valid is None else valid, reason, source) for one in file.words]
        await self._judge.rule(case_id, words, str(uuid.uuid5(uuid.UUID(step_id), "rule-case")))

    async def _case_of(self, table: game_pb2.GetGameResponse, questioned: Words | None) -> str:
        """The case of the words in question, as soon as it comes; no case says which table it is of."""
        try:
            async with asyncio.timeout(PATIENCE):
                async for queue in self._judge.queue():
                    mine = cases_of(table, questioned, queue.cases)
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


def cases_of(table: game_pb2.GetGameResponse, questioned: Words | None, waiting: Iterable[pb.QueuedCase]) -> list[str]:
    """The cases that may be of ``table``: those with just the words ``questioned``, or with any of its play."""
    formed = frozenset(_faces(one.word) for play in (table.pending, table.open_play) for one in play.words)

    def fits(case: pb.QueuedCase) -> bool:
        words = frozenset(map(_faces, case.words))
        return words == questioned if questioned else words <= formed

    return [case.case_id for case in waiting if case.tournament_id == table.tournament_id and fits(case)]


def _faces(word: game_events.Word) -> tuple[str, ...]:
    return tuple(word.faces)
