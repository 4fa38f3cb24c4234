"""The tables of a round with their current results."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from faristol.event_store import Recorded
from faristol.host.rpc.dispatch import Context
from faristol.host.ruleset_store import ruleset_of
from faristol.host.security.authorization import caller
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import to_timestamp
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.personal_data import people
from faristol.rules.scoring import usual_scores
from faristol.tournament.command_handling.handler import PairingHandler
from faristol.tournament.conditions import build_not_in_game_error, found_round, paired_game
from faristol.tournament.kept.withdrawal import may_withdraw
from faristol.tournament.results.results import final_scores, winner_by
from faristol.tournament.state import Pairing, Phase, RoundState, TournamentState


async def list_results(
    handler: PairingHandler, request: pb.ListResultsRequest, context: Context
) -> pb.ListResultsResponse:
    """Return the tables of a round with their current results."""
    loaded = await handler.load(request.tournament_id)
    state = loaded.state
    played = found_round(state, request.round or _running(state))
    games = [table.game_id for table in played.pairings]
    recorded = await handler.result_events.of(request.tournament_id, loaded.version, games)
    by, given = _entered_by(recorded), _scores_given(recorded)
    persons = {person for confirmed in played.confirmed_by.values() for person in confirmed}
    disputes = await _disputes(handler, recorded, played.disputed)
    persons |= {dispute.person for dispute in disputes.values()}
    known = await people.names(handler.record, {last.metadata.actor for last in by.values()} | persons)
    names = {actor: person.name for actor, person in known.items()} | await handler.names(state)
    seats = max((len(table.player_ids) for table in played.pairings), default=2)
    usual = usual_scores(ruleset_of(state.ruleset), seats)
    kept, elsewhere = await handler.kept.scores_of(state), await handler.kept.list_elsewhere(played.pairings)
    listed = pb.ListResultsResponse(
        tournament=state.name,
        round=played.number,
        phase=played.phase.value,
        tables=[
            _add_confirmations(
                _table(played, table, by.get(table.game_id), given.get(table.game_id, ()), names),
                state,
                played,
                table,
                [names.get(person) or person for person in played.confirmed_by.get(table.game_id, ())],
                disputes.get(table.game_id),
                names,
            )
            for table in played.pairings
        ],
        usual=pb.UsualScores(lowest=usual.lowest, highest=usual.highest, largest_difference=usual.largest_difference),
        time_zone=state.time_zone,
        version=loaded.version,
        second_person=state.result_check.second_person,
        players_confirm=state.result_check.players,
        blind=state.result_check.blind,
        players_enter=state.result_check.players_enter,
        started_at=to_timestamp(played.started_at) if played.started_at else None,
    )
    credential, withdrawable = caller(), await handler.kept.list_withdrawable(request.tournament_id)
    for shown in listed.tables:
        command_id, author = withdrawable.get(shown.game_id, ("", ""))
        if command_id and may_withdraw(credential.subject if credential else "", author):
            shown.kept_command_id = command_id
        shown.kept, shown.decided_elsewhere = shown.game_id in kept, shown.game_id in elsewhere
    return listed


async def get_result_check(
    handler: PairingHandler, request: pb.GetResultCheckRequest, context: Context
) -> pb.GetResultCheckResponse:
    """Return the confirmations and disputes of a game's result. Raises ``Invalid`` if the player is not in it."""
    loaded = await handler.load(request.tournament_id)
    state = loaded.state
    played, pairing = paired_game(state, request.game_id)
    if request.player_id not in pairing.player_ids:
        raise build_not_in_game_error("player_id", request.player_id, request.game_id)
    answer = pb.GetResultCheckResponse(
        players_confirm=state.result_check.players,
        players_enter=state.result_check.players_enter,
        kept_scores=(await handler.kept.scores_of(state)).get(request.game_id, ()),
    )
    if not (state.result_check.wanted and played.entered_by.get(request.game_id)):
        return answer
    if request.game_id in played.disputed:
        answer.check = pb.RESULT_CHECK_PHASE_DISPUTED
    else:
        is_open = played.is_unconfirmed(pairing)
        answer.check = pb.RESULT_CHECK_PHASE_OPEN if is_open else pb.RESULT_CHECK_PHASE_CONFIRMED
    by = played.entered_by[request.game_id]
    answer.entered_by = by if by in pairing.player_ids else ""
    recorded = await handler.result_events.of(request.tournament_id, loaded.version, [request.game_id])
    stated = _said_of_result(recorded, request.game_id)
    for person, event in stated.items():
        is_dispute = isinstance(event.message, events.ResultDisputed)
        if person in pairing.player_ids:
            (answer.disputed_by if is_dispute else answer.confirmed_by).append(person)
        elif is_dispute:
            answer.disputed_by_official = True
        else:
            answer.confirmed_by_official = True
    if request.player_id in answer.disputed_by:
        own = stated[request.player_id]
        if isinstance(own.message, events.ResultDisputed):
            answer.scores_claimed.extend(own.message.scores_claimed)
        answer.own_dispute = (await handler.record.notes_of(own.stream)).get(own.version, "")
    return answer


def _said_of_result(recorded: Iterable[Recorded], game: str) -> dict[str, Recorded]:
    """Return each person's last confirmation or dispute of a game's current result, by person id."""
    found: dict[str, Recorded] = {}
    for event in recorded:
        match event.message:
            case events.ResultEntered() | events.ResultCorrected() as message if message.game_id == game:
                found = {}
            case events.ResultConfirmed() | events.ResultDisputed() as message if message.game_id == game:
                found[message.person_id] = event
    return found


def _running(state: TournamentState) -> int:
    """Return the number of the round that was started last. Raises ``Refusal`` before the first start."""
    started = [played.number for played in state.played if played.phase is not Phase.PAIRED]
    if not started:
        raise Refusal("NO_ROUND_STARTED", N_("No round of {name} has been started yet."), {"name": state.name})
    return started[-1]


def _entered_by(recorded: Iterable[Recorded]) -> dict[str, Recorded]:
    """Return the last event on the result of each game.

    A result that is recorded with an entry has the actor of the entry.
    """
    return {
        event.message.game_id: event
        for event in recorded
        if isinstance(event.message, events.ResultEntered | events.ResultRecorded | events.ResultCorrected)
    }


def _scores_given(recorded: Iterable[Recorded]) -> dict[str, Sequence[game_events.FinalScore]]:
    """Return the scores as entered, by game, if the book adjusted them and no correction followed."""
    found: dict[str, Sequence[game_events.FinalScore]] = {}
    for event in recorded:
        match event.message:
            case events.ResultEntered() as message:
                found[message.game_id] = message.scores_given
            case events.ResultCorrected() as message if not message.by_sanction:
                found.pop(message.game_id, None)
    return found


@dataclass(frozen=True, slots=True)
class Dispute:
    """The last dispute of a result."""

    person: str
    note: str
    scores: Sequence[game_events.FinalScore]
    """The scores in the version of the person; may be empty."""


async def _disputes(
    handler: PairingHandler, recorded: Iterable[Recorded], games: Collection[str]
) -> dict[str, Dispute]:
    """Return the last dispute of each of these games."""
    found = {
        event.message.game_id: event
        for event in recorded
        if isinstance(event.message, events.ResultDisputed) and event.message.game_id in games
    }
    if not found:
        return {}
    notes = await handler.record.notes_of(next(iter(found.values())).stream)
    return {
        game: Dispute(event.message.person_id, notes.get(event.version, ""), event.message.scores_claimed)
        for game, event in found.items()
        if isinstance(event.message, events.ResultDisputed)
    }


def _add_confirmations(
    shown: pb.TableResult,
    state: TournamentState,
    played: RoundState,
    table: Pairing,
    confirmed: Sequence[str],
    dispute: Dispute | None,
    names: Mapping[str, str],
) -> pb.TableResult:
    """Add the confirmations of a result to its table."""
    if state.result_check.wanted and shown.scores and played.entered_by.get(table.game_id):
        shown.entered_by_player = played.entered_by[table.game_id] in table.player_ids
        if table.game_id in played.disputed:
            shown.check = pb.RESULT_CHECK_PHASE_DISPUTED
            if dispute is not None:
                shown.dispute, shown.disputed_by = dispute.note, names.get(dispute.person) or dispute.person
                shown.scores_claimed.extend(dispute.scores)
        else:
            is_open = played.is_unconfirmed(table)
            shown.check = pb.RESULT_CHECK_PHASE_OPEN if is_open else pb.RESULT_CHECK_PHASE_CONFIRMED
            shown.confirmed_by.extend(confirmed)
    return shown


def _table(
    played: RoundState,
    table: Pairing,
    last: Recorded | None,
    scores_given: Sequence[game_events.FinalScore],
    names: Mapping[str, str],
) -> pb.TableResult:
    """Build a table with its current result."""
    game = table.game_id
    shown = pb.TableResult(
        table=table.table,
        hall=table.hall,
        game_id=game,
        players=[pb.SeatedPlayer(player_id=player_id, name=names.get(player_id, "")) for player_id in table.player_ids],
        postponed=game in played.postponed,
    )
    if game not in played.results:
        shown.taken_off.extend(
            pb.PointsTakenOff(player_id=each.player_id, points=each.points, beside_result=each.beside_result)
            for each in played.at_table.get(game, ())
        )
        return shown
    decided = played.decided[game]
    scores = dict(zip(table.player_ids, played.results[game], strict=True))
    shown.scores.extend(final_scores(scores.items()))
    shown.winner_id = decided.winner_id or ("" if decided.lost_by_all else winner_by(scores))
    shown.lost_by_all, shown.unplayed, shown.entered = decided.lost_by_all, decided.unplayed, game in played.entered
    if decided.condition in (game_events.END_CONDITION_ABANDONED, game_events.END_CONDITION_ALL_ABANDONED):
        shown.abandoned_by.extend(decided.losers)
    shown.scores_given.extend(scores_given)
    if last is not None:
        shown.actor = last.metadata.actor
        shown.actor_name = names.get(last.metadata.actor, "")
        shown.recorded_at.CopyFrom(to_timestamp(last.recorded_at))
        event = last.message
        shown.corrected = isinstance(event, events.ResultCorrected) and not event.before_confirmation
    return shown
