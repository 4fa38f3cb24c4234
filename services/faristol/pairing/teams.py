"""gRPC in: teams and their line-ups."""

from __future__ import annotations

from collections.abc import Callable

from google.protobuf.message import Message

from faristol.pairing import decide, identity, pinning
from faristol.pairing.commands import Commands, Context, decision_of
from faristol.pairing.model import Tournament
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.record import Decision


class Teams(Commands):
    """Registration, line-ups, withdrawal of teams."""

    async def RegisterTeam(
        self, request: pairing.RegisterTeamRequest, context: Context
    ) -> pairing.RegisterTeamResponse:
        """Register a team; its id is made of its name where none is given."""
        at = self.at(request)
        name = identity.checked_name("name", request.name)
        if request.team_id:
            identity.checked_id("team_id", request.team_id)

        def facts_of(state: Tournament) -> list[Message]:
            known = {team.team_id for team in state.teams}
            ids = identity.ids_of(name, request.command_id, "team")
            return decide.register_team(
                state,
                pinning.ruleset_of(state),
                team_id=request.team_id or next(one for one in ids if one not in known),
                name=name,
                player_ids=request.player_ids,
                at=at,
                now=self._runtime.now(),
            )

        def answer(position: int, facts: list[Message]) -> pairing.RegisterTeamResponse:
            (fact,) = facts
            assert isinstance(fact, events.TeamRegistered)
            return pairing.RegisterTeamResponse(position=position, team_id=fact.team_id, round=fact.round)

        return await self.act(context, request, facts_of, answer, pairing.RegisterTeamResponse)

    async def SetLineUp(self, request: pairing.SetLineUpRequest, context: Context) -> pairing.SetLineUpResponse:
        """Give a team another line-up."""
        at = self.at(request)

        async def attempt() -> tuple[Decision, Callable[[int], pairing.SetLineUpResponse]]:
            loaded = await self.load(request.tournament_id)
            facts = decide.set_line_up(
                loaded.state,
                pinning.ruleset_of(loaded.state),
                team_id=request.team_id,
                player_ids=request.player_ids,
                at=at,
                now=self._runtime.now(),
            )
            following = len(loaded.state.played) + 1
            return decision_of(request.tournament_id, loaded, facts), lambda position: pairing.SetLineUpResponse(
                position=position, round=following
            )

        return await self.handle(context, request, attempt, response=pairing.SetLineUpResponse)

    async def WithdrawTeam(
        self, request: pairing.WithdrawTeamRequest, context: Context
    ) -> pairing.WithdrawTeamResponse:
        """Withdraw a team."""
        at = self.at(request)
        note = identity.checked_note("note", request.note)

        def facts_of(state: Tournament) -> list[Message]:
            ruleset, now = pinning.ruleset_of(state), self._runtime.now()
            return decide.withdraw_team(state, ruleset, team_id=request.team_id, note=note, at=at, now=now)

        def answer(position: int, facts: list[Message]) -> pairing.WithdrawTeamResponse:
            (fact,) = facts
            assert isinstance(fact, events.TeamWithdrawn)
            return pairing.WithdrawTeamResponse(position=position, round=fact.round)

        return await self.act(context, request, facts_of, answer, pairing.WithdrawTeamResponse)

    async def ReinstateTeam(
        self, request: pairing.ReinstateTeamRequest, context: Context
    ) -> pairing.ReinstateTeamResponse:
        """Pair a team again that had withdrawn."""
        at = self.at(request)

        def answer(position: int, facts: list[Message]) -> pairing.ReinstateTeamResponse:
            (fact,) = facts
            assert isinstance(fact, events.TeamReinstated)
            return pairing.ReinstateTeamResponse(position=position, round=fact.round)

        return await self.act(
            context,
            request,
            lambda state: decide.reinstate_team(
                state, pinning.ruleset_of(state), team_id=request.team_id, at=at, now=self._runtime.now()
            ),
            answer,
            pairing.ReinstateTeamResponse,
        )
