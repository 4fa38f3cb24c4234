"""Drafts of pairings: changes by hand, publication, and its withdrawal. Pure.

A round is paired as a draft (``pairing.pair``), changed by hand and published. Its publication writes the events of a
pairing that is public at once, so a reader cannot tell the two apart. A draft is checked again at its publication: its
players may have withdrawn, and others may have entered.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from zoneinfo import ZoneInfo

from google.protobuf.message import Message

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_, Refusal, check_none
from faristol.kernel.times import moment_of, to_timestamp
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.rules import Ruleset
from faristol.tournament.conditions import build_round_refusal, check_given, check_open, found_round
from faristol.tournament.rounds.readiness import check_all_there, check_next
from faristol.tournament.rounds.systems import requested_byes
from faristol.tournament.rounds.tables import MAX_TABLES, hall_of_table
from faristol.tournament.situation import PairingCommand, Situation, Undo, latest, since
from faristol.tournament.state import (
    Draft,
    Pairing,
    Phase,
    TournamentState,
    draft_pairing,
    evolve,
    game_id,
    publish_draft,
)


def set_publication(situation: Situation, request: pb.SetPairingPublicationRequest) -> list[Message]:
    """Set whether the next pairings are drafts. Raises ``Invalid`` without a value."""
    check_open(situation.state)
    if request.publication not in (events.PAIRING_PUBLICATION_AT_ONCE, events.PAIRING_PUBLICATION_DRAFT):
        raise Invalid("publication", N_("is missing; expected `at-once` or `draft`"))
    return [situation.event(events.PairingPublicationSet, request)]


def find_draft(state: TournamentState, number: int) -> Draft:
    """Return the draft of a round of an open tournament. Raises ``Refusal``, ``Invalid`` for a missing number."""
    check_open(state)
    check_given(number)
    if state.draft is None or state.draft.number != number:
        raise build_round_refusal("NO_DRAFT", "", N_("Round {round} has no draft."), number)
    return state.draft


def swap_players(situation: Situation, request: pb.SwapPlayersRequest) -> list[Message]:
    """Swap two players of a draft; two at the same table swap the order of the start.

    Raises ``Invalid`` unless they are two players of the draft, ``Refusal`` in a tournament of teams.
    """
    state, number = situation.state, request.round
    draft = find_draft(state, number)
    if state.teams:
        raise Refusal(
            "PLAYERS_IN_TEAMS",
            N_(
                "Players have the boards of their teams here: change the line-up or the pairs of teams, and pair again."
            ),
        )
    found = draft.played
    given = list(request.player_ids)
    if len(set(given)) != 2 or len(given) != 2 or not found.seated.issuperset(given):
        raise Invalid(
            "player_ids",
            N_("are {found}; expected two players at tables of round {round}, or one of them with its bye"),
            {"found": ", ".join(given)[:200] or "–", "round": number},
        )
    first, second = given
    other = {first: second, second: first}
    swapped = [
        _seat(state, number, table, [other.get(player, player) for player in table.player_ids], table.table)
        for table in found.pairings
        if not other.keys().isdisjoint(table.player_ids)
    ]
    if situation.ruleset.championship.system == "knock-out" and len(swapped) > 1:
        raise Refusal(
            "BRACKET_FIXED",
            N_("The pairs follow from the bracket: only the two players of a table can be swapped."),
            article=situation.ruleset.article("championship.system"),
        )
    return [
        situation.event(
            events.DraftPlayersSwapped,
            round=number,
            player_ids=given,
            pairings=swapped,
            bye_player_id=other.get(found.bye or "", found.bye or ""),
            note=request.note,
        )
    ]


def move_pairing(situation: Situation, request: pb.MovePairingRequest) -> list[Message]:
    """Move a pairing of a draft to another table; the pairing of that table, if any, takes its table.

    Raises ``Invalid`` for a table without a pairing, an unknown new table or hall, or the same table, ``Refusal`` for a
    hall without a free table.
    """
    state, number = situation.state, request.round
    tables = {table.table: table for table in find_draft(state, number).played.pairings}
    if request.table not in tables:
        params = {"table": request.table, "round": number}
        raise Invalid("table", N_("round {round} has no pairing at table {table}"), params)
    to_table = request.to_table or _find_free_table(state, request.hall, tables)
    if to_table == request.table:
        raise Invalid("to_table", N_("the pairing is at table {table}; expected another table"), {"table": to_table})
    known = {table for hall in state.halls for table in hall.tables}
    if not 1 <= to_table <= MAX_TABLES or (known and to_table not in known):
        raise Invalid("to_table", N_("there is no table {table}"), {"table": to_table})
    moved = [(to_table, tables[request.table])]
    if to_table in tables:
        moved.append((request.table, tables[to_table]))
    pairings = [_seat(state, number, pairing, pairing.player_ids, table) for table, pairing in sorted(moved)]
    return [situation.event(events.DraftPairingMoved, request, round=number, to_table=to_table, pairings=pairings)]


def _find_free_table(state: TournamentState, name: str, taken: Iterable[int]) -> int:
    """Return the first table of a hall without a pairing. Raises ``Invalid``, ``Refusal`` if it has none."""
    hall = next((hall for hall in state.halls if hall.name == name), None)
    if not name or hall is None:
        params = {"hall": name[:200] or "–", "halls": ", ".join(hall.name for hall in state.halls) or "–"}
        raise Invalid("hall", N_("is {hall}; expected a table, or one of the halls {halls}"), params)
    free = next((table for table in hall.tables if table not in {*taken}), 0)
    if not free:
        raise Refusal("HALL_FULL", N_("{hall} has no free table in this round."), {"hall": name})
    return free


def _seat(state: TournamentState, number: int, pairing: Pairing, players: Sequence[str], table: int) -> events.Pairing:
    """Return a pairing with these players at a table. The ID of its game is that of a new pairing there."""
    seats = tuple(players)
    game = game_id(state.tournament_id, number, table, seats, state.unpaired)
    return Pairing(table, game, seats, hall_of_table(state, table), pairing.match, pairing.board).message()


def against_publication(state: TournamentState, ruleset: Ruleset, draft: Draft) -> list[Refusal]:
    """Return the reasons why a draft cannot be published; an empty list if it can."""
    found = []
    try:
        check_all_there(state, ruleset, draft.played, is_published=True)
    except Refusal as refusal:
        found.append(refusal)
    if draft.number > state.rounds:
        found.append(
            build_round_refusal(
                "NO_ROUND_LEFT", "", N_("Round {round} no longer exists: discard its draft."), draft.number
            )
        )
    byes = dict(requested_byes(state, draft.number))
    played = draft.played
    changed = sorted(
        {
            player_id
            for player_id, kind in byes.items()
            if not state.teams and played.requested.get(player_id) is not kind
        }
        | {
            player.player_id
            for player in state.to_pair(draft.number)
            if not state.teams and player.player_id in played.requested and player.player_id not in byes
        }
    )
    if changed:
        found.append(
            Refusal(
                "BYES_CHANGED",
                N_("The byes of {players} have changed since round {round} was paired: pair it again."),
                {"players": ", ".join(changed), "round": draft.number},
                subject=f"rounds/{draft.number}",
            )
        )
    return found


def publish(situation: Situation, request: pb.PublishRoundRequest) -> list[Message]:
    """Publish the draft of a round.

    Raises ``Refusal`` with all reasons against it, and for a round that is public already.
    """
    state, number = situation.state, request.round
    if 1 <= number <= len(state.played):
        raise build_round_refusal("ROUND_PUBLISHED", "", N_("The pairing of round {round} is already public."), number)
    draft = find_draft(state, number)
    check_none(against_publication(state, situation.ruleset, draft))
    paired = publish_draft(draft)
    paired.occurred_at.CopyFrom(situation.occurred_at)
    bye = draft.content.bye_player_id
    return [
        paired,
        *([events.ByeAwarded(round=number, player_id=bye)] if bye else []),
        situation.event(events.RoundPublished, round=number),
    ]


def schedule(situation: Situation, request: pb.SchedulePublicationRequest) -> list[Message]:
    """Set the time at which a draft is published. Raises ``Invalid`` for a missing time, or one that has passed."""
    find_draft(situation.state, request.round)
    if not request.HasField("publish_at"):
        raise Invalid("publish_at", N_("is missing; expected the time of the publication"))
    publish_at = moment_of("publish_at", request.publish_at)
    if publish_at <= max(situation.moment, situation.now):
        at = publish_at.astimezone(ZoneInfo(situation.state.time_zone)).isoformat()
        raise Invalid("publish_at", N_("is {at}, which has passed; expected a later time"), {"at": at})
    return [situation.event(events.PublicationScheduled, request, publish_at=to_timestamp(publish_at))]


def cancel(situation: Situation, request: pb.CancelPublicationRequest) -> list[Message]:
    """Cancel the time at which a draft is published. Raises ``Refusal`` if no time is set."""
    if find_draft(situation.state, request.round).publish_at is None:
        raise build_round_refusal(
            "NO_PUBLICATION_TIME", "", N_("No time is set for the publication of round {round}."), request.round
        )
    return [situation.event(events.PublicationCancelled, request)]


def unpublish(situation: Situation, request: pb.UnpublishRoundRequest) -> list[Message]:
    """Withdraw the publication of a pairing: it is a draft again. Raises ``Refusal`` after the start of the round."""
    state, number = situation.state, request.round
    check_open(state)
    if state.draft is not None and state.draft.number == number:
        raise build_round_refusal(
            "ROUND_NOT_PUBLISHED", "", N_("The pairing of round {round} is a draft: it is not published."), number
        )
    played = found_round(state, number)
    if played.phase is not Phase.PAIRED:
        raise build_round_refusal(
            "ROUND_STARTED", "", N_("Round {round} has been started: its pairing cannot change."), number
        )
    paired = latest(events.RoundPaired, situation.past_events)
    draft = draft_pairing(paired, played.bye or "", changed=paired.changed_by_hand)
    draft.occurred_at.CopyFrom(situation.occurred_at)
    return [situation.event(events.RoundUnpublished, request, round=number), draft]


_DRAFT_CHANGES = (
    events.RoundDrafted,
    events.DraftPlayersSwapped,
    events.DraftPairingMoved,
    events.DraftDiscarded,
    events.RoundPaired,
    events.RoundUnpublished,
)
"""Events that make the draft which a caller saw stale."""

COMMANDS: Mapping[type[Message], PairingCommand] = {
    pb.SetPairingPublicationRequest: PairingCommand(set_publication, of_tables=True),
    pb.SwapPlayersRequest: PairingCommand(swap_players, of_tables=True, rests_on=_DRAFT_CHANGES),
    pb.MovePairingRequest: PairingCommand(
        move_pairing, of_tables=True, rests_on=_DRAFT_CHANGES, tells=events.DraftPairingMoved
    ),
    pb.PublishRoundRequest: PairingCommand(publish, of_tables=True, rests_on=_DRAFT_CHANGES),
    pb.SchedulePublicationRequest: PairingCommand(schedule, of_tables=True),
    pb.CancelPublicationRequest: PairingCommand(cancel, of_tables=True),
    pb.UnpublishRoundRequest: PairingCommand(
        unpublish,
        of_tables=True,
        needs_past_events=True,
        rests_on=(*_DRAFT_CHANGES, events.RoundUnpaired, events.RoundStarted),
    ),
}


def _restore(situation: Situation, version: int, note: str) -> list[Message]:
    """Restore a discarded draft. Raises ``Refusal`` if the round is paired, or has another draft."""
    act, before = situation.act(version), situation.past_events[: version - 1]
    check_next(situation.state, act.round)
    draft = reduce(evolve, before, TournamentState()).draft
    assert draft is not None
    return [situation.again(draft.content)]


def _publication_before(act: events.PairingPublicationSet, before: Sequence[Message]) -> Message:
    earlier = latest(events.PairingPublicationSet, before).publication
    return pb.SetPairingPublicationRequest(publication=earlier or events.PAIRING_PUBLICATION_AT_ONCE)


_DRAFT_OF_ROUND = ("draft", "round")
_TIME_OF_PUBLICATION = ("publication time", "round")
_CHANGED_SINCE = since(*_DRAFT_CHANGES)

UNDO: Mapping[type[Message], Undo] = {
    events.PairingPublicationSet: Undo(_publication_before, thing=("pairing-publication",)),
    events.RoundDrafted: Undo(pb.UnpairRoundRequest, thing=_DRAFT_OF_ROUND, rests=_CHANGED_SINCE),
    events.DraftPlayersSwapped: Undo(pb.SwapPlayersRequest, rests=_CHANGED_SINCE),
    events.DraftPairingMoved: Undo(
        lambda act, before: pb.MovePairingRequest(round=act.round, table=act.to_table, to_table=act.table),
        rests=_CHANGED_SINCE,
    ),
    events.DraftDiscarded: Undo(pb.PairRoundRequest, _restore, thing=_DRAFT_OF_ROUND, rests=_CHANGED_SINCE),
    events.PublicationScheduled: Undo(pb.CancelPublicationRequest, thing=_TIME_OF_PUBLICATION, rests=_CHANGED_SINCE),
    events.PublicationCancelled: Undo(
        lambda act, before: pb.SchedulePublicationRequest(
            round=act.round, publish_at=latest(events.PublicationScheduled, before).publish_at
        ),
        thing=_TIME_OF_PUBLICATION,
        rests=_CHANGED_SINCE,
    ),
    events.RoundPublished: Undo(
        pb.UnpublishRoundRequest, rests=since(events.RoundStarted, events.RoundUnpaired, events.RoundUnpublished)
    ),
}
