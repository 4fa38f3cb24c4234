"""gRPC in: pairs under the director's hand, what keeps a round from being paired, and why."""

from __future__ import annotations

from functools import partial

from google.protobuf.message import Message

from faristol.host.interceptor import language_of
from faristol.kernel.errors import Invalid, NotFound
from faristol.kernel.refusal import N_
from faristol.pairing import conditions, decide, explaining, identity, pinning, systems, team_explaining
from faristol.pairing.commands import Commands, Context
from faristol.pairing.engines import swiss
from faristol.pairing.model import Tournament, evolve, stream
from faristol.pairing.team_tournament import between, rules_between
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.rules import Ruleset
from faristol.text import render, say


class Pairs(Commands):
    """Pairs kept apart or made by hand, and explanations."""

    async def ForbidPair(self, request: pairing.ForbidPairRequest, context: Context) -> pairing.ForbidPairResponse:
        """Keep two players, or two teams, apart."""
        at = self.at(request)

        def facts_of(state: Tournament) -> list[Message]:
            ruleset = pinning.ruleset_of(state)
            forbid = partial(decide.forbid, ruleset=ruleset, at=at, now=self._runtime.now())
            return decide.of_pair(state, ruleset, request, forbid)

        return await self.act(
            context,
            request,
            facts_of,
            lambda position, _: pairing.ForbidPairResponse(position=position),
            pairing.ForbidPairResponse,
        )

    async def AllowPair(self, request: pairing.AllowPairRequest, context: Context) -> pairing.AllowPairResponse:
        """Let two players, or two teams, meet again who were kept apart."""
        at = self.at(request)

        def facts_of(state: Tournament) -> list[Message]:
            ruleset = pinning.ruleset_of(state)
            allow = partial(decide.allow, at=at, now=self._runtime.now())
            return decide.of_pair(state, ruleset, request, allow)

        return await self.act(
            context,
            request,
            facts_of,
            lambda position, _: pairing.AllowPairResponse(position=position),
            pairing.AllowPairResponse,
        )

    async def KeepPair(self, request: pairing.KeepPairRequest, context: Context) -> pairing.KeepPairResponse:
        """Make a pair of the next round by hand."""
        at = self.at(request)

        def facts_of(state: Tournament) -> list[Message]:
            ruleset = pinning.ruleset_of(state)
            keep = partial(decide.keep, ruleset=ruleset, rematch=request.rematch, at=at, now=self._runtime.now())
            return decide.of_pair(state, ruleset, request, keep)

        def answer(position: int, facts: list[Message]) -> pairing.KeepPairResponse:
            (fact,) = facts
            assert isinstance(fact, events.PairKept)
            return pairing.KeepPairResponse(position=position, round=fact.round)

        return await self.act(
            context,
            request,
            facts_of,
            answer,
            pairing.KeepPairResponse,
        )

    async def ReleasePair(self, request: pairing.ReleasePairRequest, context: Context) -> pairing.ReleasePairResponse:
        """Leave a pair made by hand to the way of pairing again."""
        at = self.at(request)

        def facts_of(state: Tournament) -> list[Message]:
            ruleset = pinning.ruleset_of(state)
            release = partial(decide.release, at=at, now=self._runtime.now())
            return decide.of_pair(state, ruleset, request, release)

        return await self.act(
            context,
            request,
            facts_of,
            lambda position, _: pairing.ReleasePairResponse(position=position),
            pairing.ReleasePairResponse,
        )

    async def UnpairRound(self, request: pairing.UnpairRoundRequest, context: Context) -> pairing.UnpairRoundResponse:
        """Take the pairing of a round back that was not started."""
        at = self.at(request)
        note = identity.checked_note("note", request.note)
        return await self.act(
            context,
            request,
            lambda state: decide.unpair(state, number=request.round, note=note, at=at, now=self._runtime.now()),
            lambda position, _: pairing.UnpairRoundResponse(position=position),
            pairing.UnpairRoundResponse,
        )

    async def ListObstacles(
        self, request: pairing.ListObstaclesRequest, context: Context
    ) -> pairing.ListObstaclesResponse:
        """Every reason why the next round cannot be paired."""
        state = (await self.load(request.tournament_id)).state
        number = len(state.played) + 1
        if state.over or number > state.rounds:
            return pairing.ListObstaclesResponse()
        language = language_of(context)
        ruleset = pinning.ruleset_of(state)
        found = decide.obstacles(state, ruleset, number)
        impossible = [one for one in found if one.reason in swiss.IMPOSSIBLE]
        return pairing.ListObstaclesResponse(
            round=number,
            obstacles=[
                pairing.Obstacle(
                    reason=one.reason, article=one.article, subject=one.subject, text=render(one, language)
                )
                for one in found
            ],
            ways_out=[
                pairing.WayOut(
                    way=way.way,
                    exceptions=[pairing.Exception(player_ids=group) for group in way.players],
                    text=say(way.message, way.params, language),
                )
                for way in (_ways_out(state, ruleset, number) if impossible else ())
            ],
        )

    async def ExplainPairing(
        self, request: pairing.ExplainPairingRequest, context: Context
    ) -> pairing.ExplainPairingResponse:
        """Why a player meets whom they meet, or why two players do not meet."""
        if request.player_id == request.other_player_id:
            raise Invalid("other_player_id", N_("expected another player than player_id, or none"))
        after = (await self.load(request.tournament_id)).state
        paired = conditions.found_round(after, request.round)
        before = await self._before(request.tournament_id, request.round)
        ruleset = pinning.ruleset_of(after)
        one, other = request.player_id, request.other_player_id
        found: tuple[explaining.Explanation, ...]
        if ruleset.championship.team_boards is None:
            found = (explaining.explain(before, ruleset, paired, one, other),)
        else:
            found = team_explaining.explain(before, ruleset, paired, one, other)
        said = (say(one.message, one.params, language_of(context)) for one in found)
        return pairing.ExplainPairingResponse(reason=found[0].reason, article=found[0].article, text=" ".join(said))

    async def _before(self, tournament_id: str, number: int) -> Tournament:
        """The tournament as it was when a round was last paired."""
        state, before = Tournament(), None
        for recorded in await self._record.read_stream(stream(tournament_id)):
            if isinstance(recorded.message, events.RoundPaired) and recorded.message.round == number:
                before = state
            state = evolve(state, recorded.message)
        if before is None:
            raise NotFound("round", f"{tournament_id}/{number}")
        return before


def _ways_out(state: Tournament, ruleset: Ruleset, number: int) -> tuple[systems.WayOut, ...]:
    if ruleset.championship.team_boards is None:
        return systems.ways_out(state, ruleset, number)
    return systems.ways_out(between(state, ruleset), rules_between(ruleset), number)
