"""gRPC in: what directors ask for."""

from __future__ import annotations

import secrets
from collections.abc import Callable

from google.protobuf.message import Message

from faristol.host.ruleset_store import keeping
from faristol.kernel.errors import Invalid
from faristol.kernel.naming import players_of
from faristol.kernel.refusal import N_
from faristol.pairing import decide, identity, pinning
from faristol.pairing.appeals import Appeals
from faristol.pairing.commands import Context, decision_of
from faristol.pairing.corrections import Corrections
from faristol.pairing.divisions import Divisions
from faristol.pairing.entering import Entering
from faristol.pairing.halls import Halls
from faristol.pairing.history import History
from faristol.pairing.model import Division, Tournament, evolve, stream
from faristol.pairing.pairs import Pairs
from faristol.pairing.players import Players
from faristol.pairing.presenting import tournament_of
from faristol.pairing.prizes import Prizes
from faristol.pairing.ratings import rating_system, ratings_stream
from faristol.pairing.sanctions import Sanctions
from faristol.pairing.teams import Teams
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.pairing.v1 import pairing_pb2_grpc as pairing_grpc
from faristol.record import Decision, load, people


class PairingService(
    Players,
    Teams,
    Divisions,
    Sanctions,
    Appeals,
    Halls,
    Pairs,
    Corrections,
    Entering,
    History,
    Prizes,
    pairing_grpc.PairingServiceServicer,
):
    """The tournaments of a cell."""

    async def CreateTournament(
        self, request: pairing.CreateTournamentRequest, context: Context
    ) -> pairing.CreateTournamentResponse:
        """Create a tournament; ruleset, lexicon, id and seed are chosen where the caller left them empty."""
        at = self.at(request)
        name = identity.checked_name("name", request.name)
        if request.tournament_id:
            identity.checked_id("tournament_id", request.tournament_id)
        division = identity.checked_name("division", request.division, empty=True)
        first_division = identity.checked_name("first_division", request.first_division, empty=True)
        if first_division and not request.division_of:
            raise Invalid("first_division", N_("expected none where division_of is empty"))
        ruleset = pinning.ruleset_named(request.ruleset, [(option.name, option.value) for option in request.options])

        async def attempt() -> tuple[Decision, Callable[[int], pairing.CreateTournamentResponse]]:
            lexicons = await pinning.installed(self._runtime.channel("lexicon"), self._runtime.address("lexicon"))
            lexicon = pinning.choose_lexicon(lexicons, request.lexicon, ruleset)
            tournament_id = request.tournament_id or await self._free_id(name, request.command_id)
            loaded = await load(self._record, stream(tournament_id), Tournament(), evolve)
            facts = decide.create(
                loaded.state,
                tournament_id=tournament_id,
                name=name,
                rounds=request.rounds,
                seed=request.seed or secrets.token_bytes(decide.SEED_SIZE),
                ruleset=ruleset,
                lexicon=lexicon,
                keeping=request.keeping,
                time_zone=request.time_zone,
                division=division,
                division_of=request.division_of,
                at=at,
                now=self._runtime.now(),
            )
            writes = [*decision_of(tournament_id, loaded, facts).writes]
            writes += await keeping(self._record, ruleset, tournament_id)
            if request.division_of:
                first = await self.load(request.division_of, "division_of")
                added = Division(tournament_id, division)
                known = decide.add_division(
                    first.state, added, first_division=first_division, at=at, now=self._runtime.now()
                )
                writes += decision_of(request.division_of, first, known).writes

            def answer(position: int) -> pairing.CreateTournamentResponse:
                return pairing.CreateTournamentResponse(
                    position=position,
                    tournament_id=tournament_id,
                    ruleset=decide.pin_of(ruleset).message(),
                    lexicon=lexicon.message(),
                )

            return Decision(writes), answer

        return await self._runtime.desk.handle(context, request, attempt, response=pairing.CreateTournamentResponse)

    async def ChangeRounds(
        self, request: pairing.ChangeRoundsRequest, context: Context
    ) -> pairing.ChangeRoundsResponse:
        """Add rounds, or drop rounds that are not paired."""
        at = self.at(request)
        note = identity.checked_note("note", request.note)
        return await self.act(
            context,
            request,
            lambda state: decide.change_rounds(
                state, pinning.ruleset_of(state), rounds=request.rounds, note=note, at=at, now=self._runtime.now()
            ),
            lambda position, _: pairing.ChangeRoundsResponse(position=position),
            pairing.ChangeRoundsResponse,
        )

    async def PairRound(self, request: pairing.PairRoundRequest, context: Context) -> pairing.PairRoundResponse:
        """Pair the next round."""
        at = self.at(request)

        def facts_of(state: Tournament) -> list[Message]:
            ruleset = pinning.ruleset_of(state)
            return decide.pair(
                state, ruleset, number=request.round, system=request.system, at=at, now=self._runtime.now()
            )

        def answer(position: int, facts: list[Message]) -> pairing.PairRoundResponse:
            paired, *bye = facts
            assert isinstance(paired, events.RoundPaired)
            resting = [fact.player_id for fact in bye if isinstance(fact, events.ByeAwarded)]
            return pairing.PairRoundResponse(
                position=position,
                pairings=paired.pairings,
                bye_player_id=resting[0] if resting else "",
                matches=paired.matches,
                bye_team_id=paired.bye_team_id,
                requested_byes=paired.requested_byes,
                team_byes=paired.team_byes,
            )

        return await self.act(context, request, facts_of, answer, pairing.PairRoundResponse)

    async def StartRound(self, request: pairing.StartRoundRequest, context: Context) -> pairing.StartRoundResponse:
        """Give the signal for a paired round."""
        at = self.at(request)

        def facts_of(state: Tournament) -> list[Message]:
            ruleset = pinning.ruleset_of(state)
            return decide.start(state, ruleset, number=request.round, at=at, now=self._runtime.now())

        return await self.act(
            context,
            request,
            facts_of,
            lambda position, _: pairing.StartRoundResponse(position=position),
            pairing.StartRoundResponse,
        )

    async def CloseRound(self, request: pairing.CloseRoundRequest, context: Context) -> pairing.CloseRoundResponse:
        """Close a round of which every result is in."""
        at = self.at(request)

        def facts_of(state: Tournament) -> list[Message]:
            ruleset = pinning.ruleset_of(state)
            return decide.close(state, ruleset, number=request.round, at=at, now=self._runtime.now())

        return await self.act(
            context,
            request,
            facts_of,
            lambda position, _: pairing.CloseRoundResponse(position=position),
            pairing.CloseRoundResponse,
        )

    async def PublishStandings(
        self, request: pairing.PublishStandingsRequest, context: Context
    ) -> pairing.PublishStandingsResponse:
        """Publish the final standings."""
        at = self.at(request)
        return await self.act(
            context,
            request,
            lambda state: decide.publish(state, pinning.ruleset_of(state), at=at, now=self._runtime.now()),
            lambda position, _: pairing.PublishStandingsResponse(position=position),
            pairing.PublishStandingsResponse,
        )

    async def ReopenStandings(
        self, request: pairing.ReopenStandingsRequest, context: Context
    ) -> pairing.ReopenStandingsResponse:
        """Take published final standings back."""
        at = self.at(request)
        note = identity.checked_note("note", request.note)
        return await self.act(
            context,
            request,
            lambda state: decide.reopen(state, note=note, at=at, now=self._runtime.now()),
            lambda position, _: pairing.ReopenStandingsResponse(position=position),
            pairing.ReopenStandingsResponse,
        )

    async def GetTournament(
        self, request: pairing.GetTournamentRequest, context: Context
    ) -> pairing.GetTournamentResponse:
        """The tournament as it stands in the record."""
        loaded = await self.load(request.tournament_id)
        ratings = [one.message for one in await self._record.read_stream(ratings_stream(request.tournament_id))]
        divisions = await self.divisions(loaded.state)
        known = await people.names(self._record, [player.player_id for player in loaded.state.players])
        notes = await self._notes_on_players(request.tournament_id)
        return tournament_of(loaded.state, loaded.version, divisions, rating_system(ratings), known, notes)

    async def _notes_on_players(self, tournament_id: str) -> dict[str, str]:
        """What was noted when players were registered, by player; what was erased is not in it."""
        notes = await self._record.notes_of(stream(tournament_id))
        if not notes:
            return {}
        recorded = await self._record.read_stream(stream(tournament_id))
        entered = [(one.version, one.message) for one in recorded if one.type in people.ENTRIES]
        return {players_of(fact)[0]: notes[version] for version, fact in entered if version in notes}

    async def _free_id(self, name: str, command_id: str) -> str:
        for wanted in identity.ids_of(name, command_id, "championship"):
            if not await self._record.read_stream(stream(wanted)):
                return wanted
        raise AssertionError("the ids of a name have no end")
