"""The pairing of a round, and its undo. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import reduce
from typing import Any

from google.protobuf.message import Message

from faristol.kernel.pairings import BYE_KINDS
from faristol.kernel.refusal import N_, Refusal, check_none
from faristol.kernel.times import to_timestamp
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.rules import Bye, Ruleset, derive_seed
from faristol.tournament.conditions import build_round_refusal, check_meets_at_tables, check_open, paired_round
from faristol.tournament.rounds.readiness import against_next, check_next
from faristol.tournament.rounds.systems import Proposal, of_algorithm, propose
from faristol.tournament.rounds.tables import check_tables, hall_of_table, tables_for, tables_for_matches
from faristol.tournament.situation import PairingCommand, Situation, Undo, since
from faristol.tournament.state import BoardBye, Pairing, Phase, TournamentState, draft_pairing, evolve, game_id
from faristol.tournament.teams import boards
from faristol.tournament.teams.boards import MatchBoard


def pair(situation: Situation, request: pb.PairRoundRequest) -> list[Message]:
    """Pair the next round (FISC I.1) by the system of the rules or by one for this round.

    Pairs made by hand are kept. If there are halls, all pairings get a table in them. A ``Refusal`` has all other
    reasons in ``others``.
    """
    state, ruleset, number = situation.state, situation.ruleset, request.round
    check_next(state, number)
    as_draft = _is_draft(state, ruleset, request)
    check_none(against_next(state, ruleset, number))
    event, bye = compute_pairing(state, ruleset, number, request.system, situation.moment)
    if as_draft:
        return [draft_pairing(event, bye)]
    return [event, *([events.ByeAwarded(round=number, player_id=bye)] if bye else [])]


def _is_draft(state: TournamentState, ruleset: Ruleset, request: pb.PairRoundRequest) -> bool:
    """Check whether a pairing becomes a draft. Raises ``Refusal`` for a public one of a round with a draft.

    The seats of a duplicate game are no pairing of opponents: they are never a draft.
    """
    if ruleset.game.mode == "duplicate":
        if request.draft:
            check_meets_at_tables(ruleset)
        return False
    drafted = state.draft is not None and state.draft.number == request.round
    if not request.HasField("draft"):
        return drafted or state.publication == events.PAIRING_PUBLICATION_DRAFT
    if drafted and not request.draft:
        raise build_round_refusal(
            "ROUND_DRAFTED",
            "",
            N_("Round {round} has a draft: publish or discard it, or pair the round again as a draft."),
            request.round,
        )
    return request.draft


def compute_pairing(
    state: TournamentState, ruleset: Ruleset, number: int, system: str, occurred_at: datetime
) -> tuple[events.RoundPaired, str]:
    """Pair a round; return its event and the player without an opponent, who may be empty. Raises ``Refusal``."""
    if ruleset.championship.team_boards is not None:
        return _between_teams(state, ruleset, number, system, occurred_at), ""
    paired = propose(state, ruleset, number, _derive_lot_seed(state, number), system)
    seated = zip(tables_for(state, paired.tables), paired.tables, strict=True)
    games = [(table, MatchBoard(0, 0, players)) for table, players in sorted(seated)]
    byes = [(player_id, kind, BoardBye()) for player_id, kind in paired.requested]
    return _round_paired(state, number, paired, games, byes, occurred_at), paired.bye or ""


def _derive_lot_seed(state: TournamentState, number: int) -> bytes:
    """Derive the seed of the lots in the pairing of a round."""
    return derive_seed(state.seed, f"pairing round {number}")


def _between_teams(
    state: TournamentState, ruleset: Ruleset, number: int, system: str, occurred_at: datetime
) -> events.RoundPaired:
    """Pair a round of matches between teams. The boards of a match get adjacent tables."""
    paired = boards.propose(state, ruleset, number, _derive_lot_seed(state, number), system)
    laid = boards.lay_out(state, ruleset, paired, number)
    tables = tables_for_matches(state, [[board.players for board in match] for match in laid.boards])
    event = _round_paired(
        state, number, paired, boards.list_numbered_boards(tables, laid.boards), laid.byes, occurred_at
    )
    event.matches.extend(match.message() for match in laid.matches)
    event.bye_team_id = paired.bye or ""
    event.team_byes.extend(events.TeamBye(team_id=team_id, kind=BYE_KINDS[kind]) for team_id, kind in paired.requested)
    return event


def _round_paired(
    state: TournamentState,
    number: int,
    paired: Proposal,
    games: Iterable[tuple[int, MatchBoard]],
    byes: Iterable[tuple[str, Bye, BoardBye]],
    occurred_at: datetime,
) -> events.RoundPaired:
    """Build the event of a paired round, with its ``games`` by table and its byes."""
    return events.RoundPaired(
        round=number,
        pairings=[
            Pairing(
                table,
                game_id(state.tournament_id, number, table, board.players, state.unpaired),
                board.players,
                hall_of_table(state, table),
                board.match,
                board.board,
            ).message()
            for table, board in games
        ],
        algorithm=paired.algorithm,
        seed=_derive_lot_seed(state, number),
        inputs_digest=paired.inputs,
        requested_byes=[at.to_requested_bye(player_id, BYE_KINDS[kind]) for player_id, kind, at in byes],
        seeded_player_ids=paired.seeds,
        occurred_at=to_timestamp(occurred_at),
    )


def obstacles(state: TournamentState, ruleset: Ruleset, number: int) -> list[Refusal]:
    """Return all reasons why the next round, ``number``, cannot be paired; an empty list if it can."""
    found = against_next(state, ruleset, number)
    if found:
        return found
    try:
        if ruleset.championship.team_boards is None:
            check_tables(state, propose(state, ruleset, number, _derive_lot_seed(state, number)).tables)
        else:
            _between_teams(state, ruleset, number, "", state.latest)
    except Refusal as refusal:
        return [refusal]
    return []


def unpair(situation: Situation, request: pb.UnpairRoundRequest) -> list[Message]:
    """Undo the pairing of a round that is not started, or discard its draft."""
    number, draft = request.round, situation.state.draft
    if draft is not None and draft.number == number:
        check_open(situation.state)
        return [situation.event(events.DraftDiscarded, request, round=number)]
    if paired_round(situation.state, number).phase is not Phase.PAIRED:
        raise build_round_refusal(
            "ROUND_STARTED", "", N_("Round {round} has been started: its pairing cannot change."), number
        )
    return [situation.event(events.RoundUnpaired, request, round=number)]


def _bye(situation: Situation, request: pb.PairRoundRequest, new_events: Sequence[Message]) -> Mapping[str, Any]:
    drafts = [event for event in new_events if isinstance(event, events.RoundDrafted)]
    if drafts:
        return {
            **{field.name: value for field, value in drafts[0].ListFields() if field.name in _TOLD},
            "drafted": True,
        }
    resting = [event.player_id for event in new_events if isinstance(event, events.ByeAwarded)]
    return {"bye_player_id": resting[0] if resting else ""}


_TOLD = frozenset(pb.PairRoundResponse.DESCRIPTOR.fields_by_name)
"""The fields of a draft that the answer has, too."""


COMMANDS: Mapping[type[Message], PairingCommand] = {
    pb.PairRoundRequest: PairingCommand(pair, tells=events.RoundPaired, more=_bye, in_thread=True),
    pb.UnpairRoundRequest: PairingCommand(unpair),
}


def _pair_again(situation: Situation, version: int, note: str) -> list[Message]:
    """Restore a pairing that was undone, with its postponed games.

    Raises ``Refusal`` if the pairing would differ because of events since then.
    """
    unpaired, before = situation.act(version), situation.past_events[: version - 1]
    number = unpaired.round
    was = reduce(evolve, before, TournamentState()).played[number - 1]
    asked = pb.PairRoundRequest(round=number, system=of_algorithm(was.algorithm), draft=False)
    again = pair(situation, asked)
    if replace(was, postponed=frozenset()) != reduce(evolve, again, situation.state).played[number - 1]:
        raise build_round_refusal(
            "NOT_UNDONE",
            "",
            N_(
                "Round {round} would be paired differently from before: pair it without expecting a particular pairing."
            ),
            number,
        )
    agreed = {event.game_id: event for event in before if isinstance(event, events.GamePostponed)}
    return [*again, *(situation.again(agreed[game]) for game in sorted(was.postponed))]


_PAIRING_OF_ROUND = ("pairing", "round")


def _always(act: events.RoundUnpaired, later: Message) -> bool:
    # A new pairing of the round is not the one that was undone.
    return True


UNDO: Mapping[type[Message], Undo] = {
    events.RoundPaired: Undo(pb.UnpairRoundRequest, thing=_PAIRING_OF_ROUND, rests=since(events.RoundStarted)),
    events.RoundUnpaired: Undo(pb.PairRoundRequest, _pair_again, thing=_PAIRING_OF_ROUND, rests=_always),
    events.RoundUnpublished: Undo(pb.PublishRoundRequest, thing=_PAIRING_OF_ROUND),
}
