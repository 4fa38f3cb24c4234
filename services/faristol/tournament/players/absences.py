"""Absent players at the hour of a round: left out, given a bye or a forfeit, all by one command. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import reduce

from google.protobuf.message import Message

from faristol.kernel.errors import Invalid, check_count
from faristol.kernel.refusal import N_, Refusal, check_none
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.tournament.byes.requested import grant
from faristol.tournament.conditions import build_not_started_refusal, check_arbiter, check_open
from faristol.tournament.players.withdrawal import withdraw
from faristol.tournament.results.entry import give_forfeit
from faristol.tournament.situation import PairingCommand, Situation
from faristol.tournament.state import Phase, RoundState, TournamentState, evolve

BYES: Mapping[pb.AbsenceTreatment.ValueType, events.ByeKind.ValueType] = {
    pb.ABSENCE_TREATMENT_ZERO_POINT_BYE: events.BYE_KIND_ZERO_POINT,
    pb.ABSENCE_TREATMENT_HALF_POINT_BYE: events.BYE_KIND_HALF_POINT,
}

MAX_ABSENT_PLAYERS_COUNT = 2_000
"""Limit of the players of one command."""


def settle(situation: Situation, request: pb.SettleAbsencesRequest) -> list[Message]:
    """Leave out absent players, or give each a bye or a forfeit in a round, all or none.

    Raises ``Invalid`` without players or a treatment. Raises ``Refusal`` with the reasons of all refused players, as
    ``withdraw``, ``grant`` and ``give_forfeit`` do.
    """
    check_open(situation.state)
    players = list(dict.fromkeys(request.player_ids))
    check_count("player_ids", players, MAX_ABSENT_PLAYERS_COUNT)
    if request.treatment not in [number for number in pb.AbsenceTreatment.values() if number]:
        raise Invalid("treatment", N_("is missing; expected how the absent players are treated"))
    check_arbiter(request.arbiter_id, players)
    new_events: list[Message] = []
    refusals: list[Refusal] = []
    for player_id in players:
        if any(player_id in players_of_forfeit(event) for event in new_events):
            continue  # both players of a table are absent: one result decides it
        try:
            decided = _settle_one(situation, request, player_id, players)
        except Refusal as refusal:
            refusals += [refusal, *refusal.others]
            continue
        situation = replace(situation, state=reduce(evolve, decided, situation.state))
        new_events += decided
    check_none(refusals)
    return new_events


def _settle_one(
    situation: Situation, request: pb.SettleAbsencesRequest, player_id: str, absent: list[str]
) -> list[Message]:
    """Return the events about one absent player."""
    state = situation.state
    if request.treatment == pb.ABSENCE_TREATMENT_LEAVE_OUT:
        command = pb.WithdrawPlayerRequest(player_id=player_id, running_game=pb.RUNNING_GAME_GIVEN_UP)
        return withdraw(situation, command)
    if (kind := BYES.get(request.treatment)) is not None:
        number = request.round or len(state.played) + 1
        return grant(situation, pb.GrantByeRequest(player_id=player_id, round=number, kind=kind))
    played = _find_started_round(state, request.round)
    pairing = next((each for each in played.pairings if player_id in each.player_ids), None)
    if pairing is None:
        raise Refusal(
            "NO_TABLE",
            N_("{player} has no table in round {round}."),
            {"player": player_id, "round": played.number},
            subject=f"players/{player_id}",
        )
    losers = [each for each in pairing.player_ids if each in absent]
    forfeit = pb.GiveForfeitRequest(game_id=pairing.game_id, loser_ids=losers, arbiter_id=request.arbiter_id)
    return give_forfeit(situation, forfeit, field="player_ids")


def _find_started_round(state: TournamentState, number: int) -> RoundState:
    """Return the started round, or the one with a number. Raises ``Refusal`` if it is not started."""
    number = number or len(state.played)
    found = next((each for each in state.played if each.number == number), None)
    if found is None or found.phase is Phase.PAIRED:
        raise build_not_started_refusal(max(number, 1))
    return found


def players_of_forfeit(event: Message) -> Iterable[str]:
    """Return the players who lose a game by forfeit in an event of a result."""
    return tuple(event.loser_ids) if isinstance(event, events.ResultRecorded) else ()


def _games(state: TournamentState, request: pb.SettleAbsencesRequest) -> Iterable[str]:
    """Return the games of absent players in the round of a forfeit."""
    if request.treatment != pb.ABSENCE_TREATMENT_FORFEIT or not state.played:
        return ()
    number, absent = request.round or len(state.played), {*request.player_ids}
    return [
        pairing.game_id
        for played in state.played
        if played.number == number
        for pairing in played.pairings
        if absent.intersection(pairing.player_ids)
    ]


COMMANDS: Mapping[type[Message], PairingCommand] = {
    pb.SettleAbsencesRequest: PairingCommand(
        settle,
        of_tables=True,
        games=_games,
        concerned=lambda state, request: {*request.player_ids},
        more=lambda situation, request, new_events: {"player_ids": list(dict.fromkeys(request.player_ids))},
    )
}
