"""The confirmation of entered results by a second person. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from google.protobuf.message import Message

from faristol.kernel.errors import Invalid
from faristol.kernel.likeness import like
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.tournament.conditions import (
    build_game_refusal,
    build_not_in_game_error,
    check_arbiter,
    check_open,
    found_game,
)
from faristol.tournament.results.entry import decide_each
from faristol.tournament.results.results import check_standing, final_scores, given_scores
from faristol.tournament.situation import PairingCommand, Situation, Undo, as_before
from faristol.tournament.state import Pairing, RoundState, TournamentState


def set_result_check(situation: Situation, request: pb.SetResultCheckRequest) -> list[Message]:
    """Set how results that an official enters are confirmed. It applies to existing results too.

    Raises ``Refusal`` if the tournament is over, ``Invalid`` for blind entry without a second person.
    """
    check_open(situation.state)
    if request.blind and not request.second_person:
        raise Invalid("blind", N_("expected a second person, who types the results again"))
    if request.players_enter and not request.players:
        raise Invalid("players_enter", N_("expected that players confirm results, too: set `players`"))
    return [situation.event(events.ResultCheckSet, request)]


def confirm_result(situation: Situation, request: pb.ConfirmResultRequest) -> list[Message]:
    """Confirm a result that another person entered, or dispute it.

    An official confirms it as a second person; a player of the game does so if the organiser allows it. The director
    may confirm their own entry by the slip that the players signed, with a reason: for a late result there may be no
    other person. Raises ``Invalid`` without a person or reason, and for scores of other players. Raises ``Refusal`` if
    results are not confirmed, or if no official entered this one. Raises ``Refusal`` if the scores are outdated, or if
    the person entered them.
    """
    state = situation.state
    check_open(state)
    played, pairing = found_game(state, request.game_id)
    _check_paper(request)
    person = _person(situation, pairing, request)
    _check_due(situation, played, request.game_id)
    if person == played.entered_by[request.game_id] and not (request.disputed or request.on_paper):
        raise Refusal(
            "SAME_PERSON",
            N_(
                "{person} entered the result of {game}: another person must confirm it, or the director by the signed "
                "slip."
            ),
            {"person": person, "game": request.game_id},
            subject=f"games/{request.game_id}",
        )
    check_standing(played, pairing, request.scores)
    fields: Mapping[str, Any] = {
        "round": played.number,
        "game_id": request.game_id,
        "scores": final_scores(given_scores(pairing, request.scores)),
        "person_id": person,
        "occurred_at": situation.occurred_at,
    }
    if request.disputed:
        claimed = final_scores(given_scores(pairing, request.scores_claimed) if request.scores_claimed else ())
        return [events.ResultDisputed(**fields, note=request.note, scores_claimed=claimed)]
    if person in played.confirmed_by.get(request.game_id, ()):
        raise Refusal(
            "CONFIRMED_ALREADY",
            N_("{person} has already confirmed {game}."),
            {"person": person, "game": request.game_id},
        )
    return [events.ResultConfirmed(**fields, on_paper=request.on_paper, note=request.note if request.on_paper else "")]


def confirm_results(situation: Situation, request: pb.ConfirmResultsRequest) -> list[Message]:
    """Confirm the results of several games as a second official, all or none.

    Raises ``Invalid`` for an empty or too long list, and as ``confirm_result`` does. Raises ``Refusal`` with the
    reasons of all refused results.
    """

    def confirm(before: Situation, shown: pb.ShownResult) -> list[Message]:
        return confirm_result(before, like(pb.ConfirmResultRequest, shown, arbiter_id=request.arbiter_id))

    return decide_each(situation, request.results, confirm)


def set_second_official(situation: Situation, request: pb.SetSecondOfficialRequest) -> list[Message]:
    """Set whether changes after a round was closed need a second official. Raises ``Refusal`` if it does not change."""
    state = situation.state
    check_open(state)
    if state.second_official == request.required:
        raise Refusal("SAME_RULE", N_("No change for {name}: specify a new value."), {"name": state.name})
    return [situation.event(events.SecondOfficialSet, request)]


def _check_paper(request: pb.ConfirmResultRequest) -> None:
    """Raise ``Invalid`` for paper evidence of a player or of a dispute, or without a reason."""
    if not request.on_paper:
        return
    if request.player_id or request.disputed:
        raise Invalid("on_paper", N_("expected only for the confirmation by an official"))
    if not request.note:
        raise Invalid("note", N_("is missing; expected the reason"))


def _check_due(situation: Situation, played: RoundState, game: str) -> None:
    """Raise ``Refusal`` if results are not confirmed, or if no official entered this one."""
    if not situation.state.result_check.wanted:
        raise Refusal(
            "NO_RESULT_CHECK", N_("Results are not confirmed here: the organiser has not enabled confirmation.")
        )
    if not played.entered_by.get(game):
        raise build_game_refusal(
            "NO_RESULT_ENTERED",
            "",
            N_("{game} has no result entered by an official: there is no result to confirm."),
            game,
        )


def _person(situation: Situation, pairing: Pairing, request: pb.ConfirmResultRequest) -> str:
    """Return the id of the person who confirms or disputes. Raises ``Invalid`` or ``Refusal``."""
    if request.player_id:
        if request.player_id not in pairing.player_ids:
            raise build_not_in_game_error("player_id", request.player_id, request.game_id)
        if not situation.state.result_check.players:
            raise Refusal(
                "PLAYERS_DO_NOT_CONFIRM", N_("Players do not confirm results here: an official confirms them.")
            )
        return request.player_id
    check_arbiter(request.arbiter_id, pairing.player_ids)
    return request.arbiter_id


def list_unconfirmed_tables(state: TournamentState, played: RoundState) -> tuple[Pairing, ...]:
    """Return the tables of a round with an unconfirmed result; an empty tuple if results are not confirmed."""
    return tuple(pairing for pairing in played.pairings if state.result_check.wanted and played.is_unconfirmed(pairing))


COMMANDS: Mapping[type[Message], PairingCommand] = {
    pb.SetResultCheckRequest: PairingCommand(set_result_check, rests_on=(events.ResultCheckSet,)),
    pb.SetSecondOfficialRequest: PairingCommand(set_second_official, rests_on=(events.SecondOfficialSet,)),
    pb.ConfirmResultRequest: PairingCommand(confirm_result, concerned=lambda state, request: ()),
    pb.ConfirmResultsRequest: PairingCommand(confirm_results, concerned=lambda state, request: ()),
}

UNDO: Mapping[type[Message], Undo] = {
    events.ResultCheckSet: Undo(as_before(pb.SetResultCheckRequest), thing=("result-check",)),
    events.SecondOfficialSet: Undo(
        lambda act, before: pb.SetSecondOfficialRequest(required=not act.required), thing=("second-official",)
    ),
}
