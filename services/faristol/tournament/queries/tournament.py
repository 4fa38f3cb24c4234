"""The tournament as the service shows it, what its end requires, and the players without a licence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from google.protobuf.message import Message

from faristol.access_control.roles import DIRECTOR, FEDERATION
from faristol.event_store import Record
from faristol.host.descriptions import Description, read_description
from faristol.host.rpc.dispatch import Context
from faristol.host.security.authorization import caller, is_asked
from faristol.kernel.details import Value
from faristol.kernel.likeness import like
from faristol.kernel.pairings import BYE_KINDS
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.pb.rating.v1 import events_pb2 as rating
from faristol.personal_data import people
from faristol.tournament.command_handling.handler import PairingHandler
from faristol.tournament.command_handling.open_matters import load_open_matters
from faristol.tournament.players.licences import has_licence, licence_day
from faristol.tournament.situation import Situation
from faristol.tournament.state import Appeal, PlayerState, RoundState, TeamState, stream


def ratings_stream(tournament_id: str) -> str:
    """Return the name of the stream of a tournament's rating list."""
    return f"ratings-{tournament_id}"


def rating_system(past_events: Sequence[Message]) -> str:
    """Return the chosen rating system, or that of the published list; empty for the default."""
    described = (
        event.system
        for event in reversed(past_events)
        if isinstance(event, rating.RatingSystemChosen | rating.RatingListPublished)
    )
    return next(described, "")


async def get_tournament(
    handler: PairingHandler, request: pb.GetTournamentRequest, context: Context
) -> pb.GetTournamentResponse:
    """Return the whole tournament, except its seed. Restricted details are for directors and the federation only."""
    record, tournament_id = handler.record, request.tournament_id
    loaded = await handler.load(tournament_id)
    state, paired = loaded.state, len(loaded.state.played)
    known = await people.names(record, [player.player_id for player in state.players])
    sees_all = may_see_restricted()
    details = {player_id: each.known if sees_all else each.unrestricted for player_id, each in known.items()}
    notes, words = await _words_beside(record, tournament_id)
    return like(
        pb.GetTournamentResponse,
        state,
        ruleset=state.ruleset.message(),
        lexicon=state.lexicon.optional_message(),
        player_ids=[player.player_id for player in state.players],
        played=[_round(played) for played in state.played],
        contact=words.contact,
        arbiters=words.arbiters,
        halls=[hall.message() for hall in state.halls],
        announced=state.announced,
        divisions=await handler.divisions(state),
        stage=state.stage.message() if state.stage else None,
        version=loaded.version,
        players=[
            _player(player, paired, details.get(player.player_id, {}), notes.get(player.player_id, ""))
            for player in state.players
        ],
        teams=[_team(team, paired) for team in state.teams],
        waiting_player_requests=sum(each.waits for each in state.player_requests),
        player_acts=like(pb.PlayerActs, state.player_acts),
        waiting_data_requests=sum(each.waits for each in state.data_requests),
        tribunal=state.tribunal,
        persons=[
            pb.ActPlayer(player_id=person_id, name=name) for person_id, name in (await handler.persons(state)).items()
        ],
        appeals=[appeal_of(number, appeal) for number, appeal in enumerate(state.appeals, start=1)],
        rating_system=rating_system(await record.events(ratings_stream(tournament_id))),
    )


async def notes_on_players(record: Record, tournament_id: str) -> dict[str, str]:
    """Return the current notes on players, by player id, without erased ones."""
    on_players, _ = await _words_beside(record, tournament_id)
    return on_players


async def _words_beside(record: Record, tournament_id: str) -> tuple[dict[str, str], Description]:
    """Return the notes on players, by player id, and the texts about the tournament outside events."""
    notes = await record.notes_of(stream(tournament_id))
    if not notes:
        return {}, Description()
    on_players: dict[str, str] = {}
    contact = arbiters = ""
    for event in await record.read_whole_stream(stream(tournament_id)):
        text = notes.get(event.version, "")
        match event.message:
            case events.PlayerRegistered() | events.LateEntryAdmitted():
                on_players[event.message.player_id] = text
            case events.PlayerAmended() if events.ENTRY_PART_NOTE in event.message.parts:
                on_players[event.message.player_id] = text
            case events.ContactSet():
                contact = text
            case events.ArbitersNamed():
                arbiters = text
            case _:
                pass
    return on_players, read_description(contact, arbiters)


def appeal_of(number: int, appeal: Appeal) -> pb.Appeal:
    """Convert an appeal to a message."""
    return like(
        pb.Appeal,
        appeal,
        appeal=number,
        player_ids=appeal.involved,
        members=appeal.members,
        phase=appeal.phase.value,
    )


def may_see_restricted() -> bool:
    """Check whether the caller may see restricted personal details, such as addresses."""
    credential = caller()
    return credential.role in (DIRECTOR, FEDERATION) if credential else not is_asked()


def _player(player: PlayerState, paired: int, known: Mapping[str, Value], note: str) -> pb.Player:
    return like(
        pb.Player,
        player,
        entered_round=player.entered,
        fictitious_half_points=player.fictitious,
        withdrawn_round=player.withdrawn or 0,
        byes=_byes(player, paired),
        note=note,
        **known,
    )


def _team(team: TeamState, paired: int) -> pb.Team:
    return pb.Team(
        team_id=team.team_id,
        name=team.name,
        player_ids=team.line_up,
        entered_round=team.entry.entered,
        withdrawn_round=team.entry.withdrawn or 0,
        byes=_byes(team.entry, paired),
    )


def _byes(entry: PlayerState, paired: int) -> list[pb.GrantedBye]:
    return [
        pb.GrantedBye(round=number, kind=BYE_KINDS[kind])
        for number, kind in sorted(entry.byes.items())
        if number > paired
    ]


def _round(played: RoundState) -> pb.Round:
    return like(
        pb.Round,
        played.message(),
        phase=played.phase.value,
        finished_game_ids=[table.game_id for table in played.pairings if table.game_id in played.results],
    )


async def list_final_checks(
    handler: PairingHandler, request: pb.ListFinalChecksRequest, context: Context
) -> pb.ListFinalChecksResponse:
    """Return what each check finds now."""
    loaded = await handler.load(request.tournament_id)
    state = loaded.state
    return pb.ListFinalChecksResponse(
        checks=[like(pb.FinalCheckResult, found) for found in await load_open_matters(handler.record, state)],
        published=state.over,
        finalised=state.finalised,
        version=loaded.version,
    )


async def list_missing_licences(
    handler: PairingHandler, request: pb.ListMissingLicencesRequest, context: Context
) -> pb.ListMissingLicencesResponse:
    """Return the players without the licence who have not withdrawn, with the exceptions."""
    state = (await handler.load(request.tournament_id)).state
    day = licence_day(Situation(state, now=handler.runtime.now()))
    answer = pb.ListMissingLicencesResponse(required=state.licence.required, kind=state.licence.kind, day=day)
    persons, _ = await handler.persons_register(state)
    for player in state.players:
        if player.withdrawn is not None or has_licence(state, persons, player.player_id, day):
            continue
        entry = persons.entries.get(player.player_id)
        answer.players.add(
            player_id=player.player_id,
            is_registered=entry is not None,
            valid_to=entry.last_day(state.licence.kind) if entry else "",
            has_exception=player.player_id in state.licence.exceptions,
        )
    return answer
