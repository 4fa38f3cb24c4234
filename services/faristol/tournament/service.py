"""The pairing service over gRPC. The contract documents its methods."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from google.protobuf.message import Message

from faristol.host.rpc.dispatch import Answer, Dispatcher
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.tournament.command_handling.handler import COMMANDS, PairingHandler
from faristol.tournament.command_handling.players import (
    amend_player,
    answer_data_request,
    move_player,
    register_player,
    register_players,
)
from faristol.tournament.command_handling.stages import create_stage, preview_qualification, qualify_players, rename
from faristol.tournament.command_handling.tournaments import (
    change_options,
    choose_lexicon,
    create_tournament,
)
from faristol.tournament.command_handling.undo_others import undo_act
from faristol.tournament.fees.handler import FeeHandler
from faristol.tournament.kept.withdrawal import withdraw_kept
from faristol.tournament.messages.mailing import send_message
from faristol.tournament.queries.drafts import get_draft, preview
from faristol.tournament.queries.history import list_acts, list_proposals, list_sanctions
from faristol.tournament.queries.pairings import explain_pairing, list_obstacles
from faristol.tournament.queries.requests import get_personal_details, list_data_requests, list_player_requests
from faristol.tournament.queries.results import get_result_check, list_results
from faristol.tournament.queries.tournament import get_tournament, list_final_checks, list_missing_licences
from faristol.tournament.registration.handler import RegistrationHandler


def service(handler: PairingHandler, registration: RegistrationHandler, fees: FeeHandler) -> Dispatcher:
    """Build the dispatcher of the pairing service."""
    # Commands on several streams, or on names, which are stored outside the record.
    own_ways: Mapping[type[Message], Answer] = {
        pb.CreateTournamentRequest: partial(create_tournament, handler),
        pb.CreateStageRequest: partial(create_stage, handler),
        pb.QualifyPlayersRequest: partial(qualify_players, handler),
        pb.RenameDivisionRequest: partial(rename, handler),
        pb.ChangeOptionsRequest: partial(change_options, handler),
        pb.ChooseLexiconRequest: partial(choose_lexicon, handler),
        pb.RegisterPlayerRequest: partial(register_player, handler),
        pb.RegisterPlayersRequest: partial(register_players, handler),
        pb.AmendPlayerRequest: partial(amend_player, handler),
        pb.AnswerDataRequestRequest: partial(answer_data_request, handler),
        pb.MovePlayerRequest: partial(move_player, handler),
        pb.SendMessageRequest: partial(send_message, registration),
        pb.UndoActRequest: partial(undo_act, registration, fees),
        pb.WithdrawKeptCommandRequest: partial(withdraw_kept, handler),
    }
    questions: Mapping[type[Message], Answer] = {
        pb.GetTournamentRequest: partial(get_tournament, handler),
        pb.ListFinalChecksRequest: partial(list_final_checks, handler),
        pb.ListMissingLicencesRequest: partial(list_missing_licences, handler),
        pb.ListActsRequest: partial(list_acts, handler),
        pb.ListSanctionsRequest: partial(list_sanctions, handler),
        pb.ListDataRequestsRequest: partial(list_data_requests, handler),
        pb.GetPersonalDetailsRequest: partial(get_personal_details, handler),
        pb.ListPlayerRequestsRequest: partial(list_player_requests, handler),
        pb.ListProposalsRequest: partial(list_proposals, handler),
        pb.ListResultsRequest: partial(list_results, handler),
        pb.GetResultCheckRequest: partial(get_result_check, handler),
        pb.ListObstaclesRequest: partial(list_obstacles, handler),
        pb.GetDraftRequest: partial(get_draft, handler),
        pb.PreviewRoundRequest: partial(preview, handler),
        pb.ExplainPairingRequest: partial(explain_pairing, handler),
        pb.PreviewQualificationRequest: partial(preview_qualification, handler),
    }
    descriptor = pb.DESCRIPTOR.services_by_name["PairingService"]
    return Dispatcher(descriptor, COMMANDS, handler.carry_out, {**own_ways, **questions})
