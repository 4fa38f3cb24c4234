"""Rounds: paired, started, closed. Pure."""

from __future__ import annotations

from datetime import datetime

from google.protobuf.message import Message

from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import to_timestamp
from faristol.pairing import conditions, seating, systems, team_round
from faristol.pairing.decide.entering import lost_by_absence
from faristol.pairing.model import KINDS, Pairing, Phase, Tournament, evolve, game_id
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.rules import Ruleset, derive_seed


def pair(
    state: Tournament, ruleset: Ruleset, *, number: int, system: str = "", at: datetime | None, now: datetime
) -> list[Message]:
    """Pair round ``number``, which has to be the next one (FISC I.1), by the system of the rules or one of its own.

    Pairs made by hand stand, and all sit at tables of the halls where the tournament has some. A ``Refusal`` has every
    other reason against it in ``others``.
    """
    conditions.check_next(state, number)
    conditions.check_none(conditions.against_next(state, ruleset, number))
    seed = derive_seed(state.seed, f"pairing round {number}")
    if ruleset.championship.team_boards is not None:
        return [_between_teams(state, ruleset, number, seed, system, conditions.moment(state, at, now))]
    paired = systems.propose(state, ruleset, number, seed, system)
    seated = zip(seating.tables_for(state, paired.tables), paired.tables, strict=True)
    pairings = [
        Pairing(
            table, game_id(state.tournament_id, number, table), players, seating.hall_of_table(state, table)
        ).message()
        for table, players in sorted(seated)
    ]
    facts: list[Message] = [
        events.RoundPaired(
            round=number,
            pairings=pairings,
            algorithm=paired.algorithm,
            seed=seed,
            inputs_digest=paired.inputs,
            requested_byes=[
                events.RequestedBye(player_id=player_id, kind=KINDS[kind]) for player_id, kind in paired.requested
            ],
            occurred_at=to_timestamp(conditions.moment(state, at, now)),
        )
    ]
    if paired.bye is not None:
        facts.append(events.ByeAwarded(round=number, player_id=paired.bye))
    return facts


def _between_teams(
    state: Tournament, ruleset: Ruleset, number: int, seed: bytes, system: str, occurred_at: datetime
) -> events.RoundPaired:
    """A round of matches between teams, the boards of each at tables beside each other."""
    paired = team_round.propose(state, ruleset, number, seed, system)
    laid = team_round.lay_out(state, ruleset, paired, number)
    tables = seating.tables_for_matches(state, [[board.players for board in boards] for boards in laid.boards])
    return events.RoundPaired(
        round=number,
        pairings=[
            Pairing(
                table,
                game_id(state.tournament_id, number, table),
                one.players,
                seating.hall_of_table(state, table),
                match=one.match,
                board=one.board,
            ).message()
            for table, one in team_round.numbered(tables, laid.boards)
        ],
        algorithm=paired.algorithm,
        seed=seed,
        inputs_digest=paired.inputs,
        requested_byes=[
            events.RequestedBye(
                player_id=player_id, kind=KINDS[kind], match=at.match, board=at.board, team_id=at.team_id
            )
            for player_id, kind, at in laid.byes
        ],
        occurred_at=to_timestamp(occurred_at),
        matches=[match.message() for match in laid.matches],
        bye_team_id=paired.bye or "",
        team_byes=[events.TeamBye(team_id=team_id, kind=KINDS[kind]) for team_id, kind in paired.requested],
    )


def obstacles(state: Tournament, ruleset: Ruleset, number: int) -> list[Refusal]:
    """Everything that speaks against pairing round ``number``, which is the next one; empty when it can be paired."""
    found = conditions.against_next(state, ruleset, number)
    if found:
        return found
    seed = derive_seed(state.seed, f"pairing round {number}")
    try:
        if ruleset.championship.team_boards is None:
            seating.tables_for(state, systems.propose(state, ruleset, number, seed).tables)
        else:
            _between_teams(state, ruleset, number, seed, "", state.latest)
    except Refusal as refusal:
        return [refusal]
    return []


def unpair(state: Tournament, *, number: int, note: str, at: datetime | None, now: datetime) -> list[Message]:
    """Take the pairing of a round back that was not started."""
    one = conditions.paired_round(state, number)
    if one.phase is not Phase.PAIRED:
        raise Refusal(
            "ROUND_STARTED",
            "",
            N_("Round {round} has been started: its pairing stands."),
            {"round": number},
            subject=f"rounds/{number}",
        )
    occurred_at = to_timestamp(conditions.moment(state, at, now))
    return [events.RoundUnpaired(round=number, note=note, occurred_at=occurred_at)]


def start(state: Tournament, ruleset: Ruleset, *, number: int, at: datetime | None, now: datetime) -> list[Message]:
    """The judge's signal for a paired round; it decides the games that are lost by absence (PES ΣΤ)."""
    one = conditions.paired_round(state, number)
    if one.phase is not Phase.PAIRED:
        raise Refusal("ROUND_STARTED", "", N_("Round {round} has been started already."), {"round": number})
    conditions.check_all_there(state, ruleset, one)
    started = events.RoundStarted(round=number, occurred_at=to_timestamp(conditions.moment(state, at, now)))
    return [started, *lost_by_absence(evolve(state, started), ruleset, number, started.occurred_at)]


def close(state: Tournament, ruleset: Ruleset, *, number: int, at: datetime | None, now: datetime) -> list[Message]:
    """Close a round of which every result is in; its scores are beyond correction then (FISC I.9)."""
    one = conditions.paired_round(state, number)
    if one.phase is Phase.CLOSED:
        raise Refusal(
            "ROUND_CLOSED", ruleset.law.result_final, N_("Round {round} has been closed already."), {"round": number}
        )
    if one.phase is Phase.PAIRED:
        raise Refusal(
            "ROUND_NOT_STARTED", "", N_("Round {round} cannot be closed: it has not been started."), {"round": number}
        )
    if one.missing:
        one_left = N_("Round {round} cannot be closed: one result is missing, of table {tables}.")
        several = N_("Round {round} cannot be closed: {count} results are missing, of tables {tables}.")
        raise Refusal(
            "RESULTS_MISSING",
            ruleset.law.signatures,
            one_left if len(one.missing) == 1 else several,
            {
                "round": number,
                "count": len(one.missing),
                "tables": ", ".join(f"{pairing.table} ({pairing.game_id})" for pairing in one.missing),
            },
        )
    return [events.RoundClosed(round=number, occurred_at=to_timestamp(conditions.moment(state, at, now)))]
