"""A tournament as the service shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from faristol.pairing.model import (
    KINDS,
    Appeal,
    AppealPhase,
    BoardBye,
    Division,
    Phase,
    Player,
    Round,
    Team,
    Tournament,
)
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.record.people import Person
from faristol.rules import Bye

PHASES: Mapping[Phase, pairing.RoundPhase.ValueType] = {
    Phase.PAIRED: pairing.ROUND_PHASE_PAIRED,
    Phase.STARTED: pairing.ROUND_PHASE_STARTED,
    Phase.CLOSED: pairing.ROUND_PHASE_CLOSED,
}

_APPEAL_PHASES: Mapping[AppealPhase, pairing.AppealPhase.ValueType] = {
    AppealPhase.OPEN: pairing.APPEAL_PHASE_OPEN,
    AppealPhase.UPHELD: pairing.APPEAL_PHASE_UPHELD,
    AppealPhase.DISMISSED: pairing.APPEAL_PHASE_DISMISSED,
    AppealPhase.WITHDRAWN: pairing.APPEAL_PHASE_WITHDRAWN,
}


def tournament_of(
    state: Tournament,
    version: int,
    divisions: Sequence[Division] = (),
    rating_system: str = "",
    known: Mapping[str, Person] = MappingProxyType({}),
    notes: Mapping[str, str] = MappingProxyType({}),
) -> pairing.GetTournamentResponse:
    """The whole tournament, one of ``divisions`` where there are some; its seed is not among what is shown.

    ``rating_system`` is the one by which it is rated, where that was said. ``known`` are the names of its players,
    and ``notes`` what is noted about them.
    """
    return pairing.GetTournamentResponse(
        tournament_id=state.tournament_id,
        name=state.name,
        rounds=state.rounds,
        ruleset=state.ruleset.message(),
        lexicon=state.lexicon.message(),
        player_ids=[player.player_id for player in state.players],
        played=[_round(one) for one in state.played],
        over=state.over,
        time_zone=state.time_zone,
        halls=[hall.message() for hall in state.halls],
        top_tables=state.top_tables,
        division=state.division,
        division_of=state.division_of,
        divisions=[one.message() for one in divisions],
        version=version,
        players=[
            _player(player, len(state.played), known.get(player.player_id), notes.get(player.player_id, ""))
            for player in state.players
        ],
        teams=[_team(team, len(state.played)) for team in state.teams],
        tribunal=[one.message() for one in state.tribunal],
        appeals=[_appeal(number, one) for number, one in enumerate(state.appeals, start=1)],
        rating_system=rating_system,
    )


def _appeal(number: int, one: Appeal) -> pairing.Appeal:
    return pairing.Appeal(
        appeal=number,
        player_id=one.player_id,
        version=one.version,
        player_ids=one.involved,
        members=[member.message() for member in one.members],
        phase=_APPEAL_PHASES[one.phase],
    )


def _player(player: Player, paired: int, known: Person | None, note: str) -> pairing.Player:
    return pairing.Player(
        player_id=player.player_id,
        entered_round=player.entered,
        fictitious_half_points=player.fictitious,
        withdrawn_round=player.withdrawn or 0,
        checked_in=player.checked_in,
        table=player.table or 0,
        byes=_byes(player, paired),
        name=known.name if known else "",
        club=known.club if known else "",
        category=player.category,
        note=note,
        rating=player.rating,
        unrated=player.unrated,
    )


def _team(team: Team, paired: int) -> pairing.Team:
    return pairing.Team(
        team_id=team.team_id,
        name=team.name,
        player_ids=team.line_up,
        entered_round=team.entry.entered,
        withdrawn_round=team.entry.withdrawn or 0,
        byes=_byes(team.entry, paired),
    )


def _byes(entry: Player, paired: int) -> list[pairing.GrantedBye]:
    return [
        pairing.GrantedBye(round=number, kind=KINDS[kind])
        for number, kind in sorted(entry.byes.items())
        if number > paired
    ]


def _round(one: Round) -> pairing.Round:
    return pairing.Round(
        round=one.number,
        phase=PHASES[one.phase],
        pairings=[table.message() for table in one.pairings],
        bye_player_id=one.bye or "",
        requested_byes=[_requested(one, player_id, kind) for player_id, kind in one.requested.items()],
        matches=[match.message() for match in one.matches],
        bye_team_id=one.team_bye or "",
        team_byes=[events.TeamBye(team_id=team_id, kind=KINDS[kind]) for team_id, kind in one.team_byes.items()],
        finished_game_ids=[table.game_id for table in one.pairings if table.game_id in one.results],
    )


def _requested(one: Round, player_id: str, kind: Bye) -> events.RequestedBye:
    at = one.board_byes.get(player_id, BoardBye("", 0, 0))
    return events.RequestedBye(
        player_id=player_id, kind=KINDS[kind], match=at.match, board=at.board, team_id=at.team_id
    )
