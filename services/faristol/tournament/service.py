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
from faristol.tournament.fees.office import FeeOffice
from faristol.tournament.kept.withdrawal import withdraw_kept
from faristol.tournament.messages.mailing import send_message
from faristol.tournament.queries.drafts import get_draft, preview
from faristol.tournament.queries.history import list_acts, list_proposals, list_sanctions
from faristol.tournament.queries.pairings import explain_pairing, list_obstacles
from faristol.tournament.queries.requests import get_personal_details, list_data_requests, list_player_requests
from faristol.tournament.queries.results import get_result_check, list_results
from faristol.tournament.queries.tournament import get_tournament, list_final_checks, list_missing_licences
from faristol.tournament.registration.office import RegistrationOffice


def service(office: PairingHandler, registration: RegistrationOffice, fees: FeeOffice) -> Dispatcher:
    """Build the dispatcher of the pairing service."""
    # Commands on several streams, or on names, which are stored outside the record.
    own_ways: Mapping[type[Message], Answer] = {
        pb.CreateTournamentRequest: partial(create_tournament, office),
        pb.CreateStageRequest: partial(create_stage, office),
        pb.QualifyPlayersRequest: partial(qualify_players, office),
        pb.RenameDivisionRequest: partial(rename, office),
        pb.ChangeOptionsRequest: partial(change_options, office),
        pb.ChooseLexiconRequest: partial(choose_lexicon, office),
        pb.RegisterPlayerRequest: partial(register_player, office),
        pb.RegisterPlayersRequest: partial(register_players, office),
        pb.AmendPlayerRequest: partial(amend_player, office),
        pb.AnswerDataRequestRequest: partial(answer_data_request, office),
        pb.MovePlayerRequest: partial(move_player, office),
        pb.SendMessageRequest: partial(send_message, registration),
        pb.UndoActRequest: partial(undo_act, registration, fees),
        pb.WithdrawKeptCommandRequest: partial(withdraw_kept, office),
    }
    questions: Mapping[type[Message], Answer] = {
        pb.GetTournamentRequest: partial(get_tournament, office),
        pb.ListFinalChecksRequest: partial(list_final_checks, office),
        pb.ListMissingLicencesRequest: partial(list_missing_licences, office),
        pb.ListActsRequest: partial(list_acts, office),
        pb.ListSanctionsRequest: partial(list_sanctions, office),
        pb.ListDataRequestsRequest: partial(list_data_requests, office),
        pb.GetPersonalDetailsRequest: partial(get_personal_details, office),
        pb.ListPlayerRequestsRequest: partial(list_player_requests, office),
        pb.ListProposalsRequest: partial(list_proposals, office),
        pb.ListResultsRequest: partial(list_results, office),
        pb.GetResultCheckRequest: partial(get_result_check, office),
        pb.ListObstaclesRequest: partial(list_obstacles, office),
        pb.GetDraftRequest: partial(get_draft, office),
        pb.PreviewRoundRequest: partial(preview, office),
        pb.ExplainPairingRequest: partial(explain_pairing, office),
        pb.PreviewQualificationRequest: partial(preview_qualification, office),
    }
    descriptor = pb.DESCRIPTOR.services_by_name["PairingService"]
    return Dispatcher(descriptor, COMMANDS, office.carry_out, {**own_ways, **questions})
