"""A tournament as the public sees it in short, and what is copied into it from its rounds and its players."""

from __future__ import annotations

from google.protobuf.message import Message

from faristol.kernel import facts
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as results
from faristol.results.broken import Broken, Unknown
from faristol.results.players import never_came
from faristol.rules.options import NONE

TEAMS = "teams"
"""The option of rulesets by which a tournament is of teams (FISE 4.4)."""


def change_tournament(state: results.Tournament | None, event: Message) -> results.Tournament:
    """The tournament after ``event``, by changing ``state`` itself. Raises ``Broken`` if it cannot follow.

    Of the divisions of a championship the first one alone is told: what the others show of them is read there.
    """
    if isinstance(event, pairing.TournamentCreated):
        first = event.division and not event.division_of
        own = pairing.Division(tournament_id=event.tournament_id, name=event.division)
        return results.Tournament(
            tournament_id=event.tournament_id,
            name=event.name,
            rounds=event.rounds,
            created_at=event.occurred_at,
            division=event.division,
            division_of=event.division_of,
            divisions=[own] if first else [],
            time_zone=event.time_zone or "UTC",
        )
    state = existing(state, event)
    match event:
        case pairing.DivisionAdded():
            state.divisions.append(event.division)
            if event.division.tournament_id == state.tournament_id:
                state.division = event.division.name
        case pairing.RoundsChanged():
            state.rounds = event.rounds
        case pairing.RulesetPinned():
            state.ruleset.CopyFrom(event.ruleset)
            state.team_boards = _team_boards(event)
        case pairing.LexiconPinned():
            state.lexicon.CopyFrom(event.lexicon)
        case pairing.StandingsPublished():
            state.over = True
        case pairing.StandingsReopened():
            state.over = False
        case pairing.HallsSet():
            del state.halls[:]
            state.halls.extend(event.halls)
        case _:
            raise Unknown("the tournament", event)
    return state


def existing(state: results.Tournament | None, event: Message) -> results.Tournament:
    """``state``. Raises ``Broken`` when there is none, for ``event`` then is of no tournament."""
    if state is None:
        raise Broken(f"{event.DESCRIPTOR.name} is of a tournament that was not created")
    return state


def _team_boards(event: pairing.RulesetPinned) -> int:
    """How many boards a match between two teams has, as the organiser chose; 0 where there are none."""
    chosen = next((option.value for option in event.ruleset.options if option.name == TEAMS), NONE)
    return 0 if chosen == NONE else int(chosen)


def mirror_round(state: results.Tournament, round_: results.GetPairingsResponse) -> bool:
    """Copy where a round stands to the tournament; whether that changed anything."""
    tables, finished = len(round_.tables), sum(table.final for table in round_.tables)
    line = next((line for line in state.played if line.round == round_.round), None)
    if line is not None and not is_paired(round_):
        state.played.remove(line)
        return True
    if line is None:
        state.played.add(
            round=round_.round, phase=round_.phase, tables=tables, finished=finished, algorithm=round_.algorithm
        )
        state.played.sort(key=lambda line: line.round)
        return True
    if (line.phase, line.tables, line.finished) == (round_.phase, tables, finished):
        return False
    line.phase, line.tables, line.finished = round_.phase, tables, finished
    return True


def mark_rounds_after(state: results.Tournament, event: Message) -> bool:
    """Mark rounds paired before a result of an earlier one was corrected; whether that changed anything."""
    opened_again = isinstance(event, pairing.ResultRecorded) and event.revision > 0
    if not opened_again and not isinstance(event, pairing.ResultCorrected):
        return False
    number = facts.round_of(event)
    later = [line for line in state.played if line.round > number and not line.corrected_before]
    for line in later:
        line.corrected_before = True
    return bool(later)


def mirror_players(state: results.Tournament, players: results.ListPlayersResponse) -> bool:
    """Copy the number of players who take part to the tournament; whether that changed anything."""
    taking_part = sum(not never_came(player) for player in players.players)
    if state.players == taking_part:
        return False
    state.players = taking_part
    return True


def is_over(tournament: results.Tournament) -> bool:
    """Its standings are published, or its last round is closed."""
    closed = [line.phase == results.ROUND_PHASE_CLOSED for line in tournament.played]
    return tournament.over or (len(closed) >= tournament.rounds > 0 and all(closed))


def is_paired(round_: results.GetPairingsResponse) -> bool:
    """The round has a pairing that was not taken back."""
    return round_.phase != results.ROUND_PHASE_UNSPECIFIED
