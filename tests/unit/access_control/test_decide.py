"""A credential is sufficient for a call if its role is permitted, and its scope contains the objects of the call."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from google.protobuf.message import Message
from hypothesis import given
from tests.unit.access_control.access_table import PAGE, SERVICES, table
from tests.unit.access_control.holders import build_credential, scopes

from faristol.access_control.credential import Credential, Scope
from faristol.access_control.decide import GamePlace, Places, check_recent, check_role, check_scope, may_judge
from faristol.access_control.errors import Denied, Unauthenticated
from faristol.access_control.needs import needs_of, needs_of_all
from faristol.access_control.roles import ARBITER, DIRECTOR, FEDERATION, HALL, JUDGE, PLAYER, SCORER, Role
from faristol.kernel.errors import NotFound
from faristol.pb.access.v1 import access_pb2 as access
from faristol.pb.game.v1 import duplicate_pb2 as duplicate
from faristol.pb.game.v1 import game_pb2 as game
from faristol.pb.hall.v1 import hall_pb2 as halls
from faristol.pb.lexicon.v1 import adjudication_pb2 as judging
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.rating.v1 import federation_pb2 as rating_lists
from faristol.pb.results.v1 import fair_play_pb2 as fair_play
from faristol.pb.results.v1 import results_pb2 as results

NEEDS = needs_of_all(SERVICES)
PLACE = GamePlace("open", "A", 3, frozenset({"p1", "p2"}), "ca")
PLACES = Places({"open-r1-t3": PLACE}, {"a-case": PLACE})


def outcome(credential: Credential | None, method: str, request: Message, places: Places = PLACES) -> str:
    """Return the reason why a call is refused; empty when it is not."""
    needs = next(needs for path, needs in NEEDS.items() if path.endswith(f"/{method}"))
    try:
        check_role(credential, needs, request)
        check_scope(credential, needs, request, places)
    except (Denied, Unauthenticated) as problem:
        return problem.reason
    except NotFound as problem:
        return problem.kind
    return ""


def at_table(kind: Any = game.PlacePlayRequest, **fields: Any) -> Any:
    return kind(game_id="open-r1-t3", **fields)


@pytest.mark.parametrize(
    ("method", "request_type"),
    [
        ("JoinHall", halls.JoinHallRequest),
        ("FollowChampionship", halls.FollowChampionshipRequest),
        ("PushEvents", halls.PushEventsRequest),
        ("Heartbeat", halls.HeartbeatRequest),
        ("FetchLexicon", halls.FetchLexiconRequest),
    ],
)
def test_the_cell_of_a_hall_calls_for_its_own_hall_alone(method: str, request_type: type[Message]) -> None:
    credential = build_credential(HALL, tournaments=["open"], halls=["A"])
    for tournament, hall, expected in (
        ("open", "A", ""),
        ("open", "B", "OUT_OF_SCOPE"),
        ("open", "", "OUT_OF_SCOPE"),
        ("cup", "A", "OUT_OF_SCOPE"),
    ):
        request = request_type(tournament_id=tournament, hall=hall)
        assert outcome(credential, method, request) == expected, (tournament, hall)


def test_every_method_says_what_it_needs_and_the_page_of_access_says_the_same() -> None:
    assert PAGE.read_text(encoding="utf-8").endswith(table())


def test_a_method_that_does_not_say_who_may_call_it_is_refused() -> None:
    from grpc_health.v1 import health_pb2

    with pytest.raises(TypeError, match=r"grpc\.health\.v1\.Health\.Check has no option"):
        needs_of(health_pb2.DESCRIPTOR.services_by_name["Health"].methods_by_name["Check"])


def test_every_command_names_a_scope_but_for_those_that_carry_it_inside() -> None:
    bare = {
        path.rpartition("/")[2]
        for path, needs in NEEDS.items()
        if needs.is_command and not (needs.tournaments or needs.games or needs.case)
    }
    by_key = {"AnswerEntry", "EraseOwnEntry", "WithdrawOwnEntry"}
    of_cell = {"CreateSeason", "SetCircuit", "RemoveCircuit", "ReviseFederationList"}
    of_cell |= {"MergePersons", "SeparatePersons"}
    of_cell |= {"SetRegisteredPerson", "RemoveRegisteredPerson", "SetLicence", "RemoveLicence", "SetClub", "RemoveClub"}
    of_cell |= {"MergeClubs", "SetCategories", "ImportPersons", "UndoRegisterAct"}
    assert bare == {"GrantCredential", "RevokeCredential", "SignIn", "SignOut"} | by_key | of_cell


def test_every_command_that_players_give_at_a_table_says_for_whom_they_act() -> None:
    called = [needs for needs in NEEDS.values() if PLAYER in needs.roles and (needs.games or needs.tournaments)]
    acting = [needs for needs in called if not needs.method.rpartition("/")[2].startswith(("List", "Get"))]
    assert acting
    assert [needs.method for needs in acting if not needs.players or not needs.occurred_at] == []


@pytest.mark.parametrize(
    ("credential", "expected"),
    [
        (None, "NO_CREDENTIAL"),
        (build_credential(SCORER, tournaments=["open"]), ""),
        (build_credential(SCORER, tournaments=["open"], tables=[3]), ""),
        (build_credential(SCORER, tournaments=["open"], halls=["A"]), ""),
        (build_credential(SCORER, tournaments=["open"], tables=[4]), "OUT_OF_SCOPE"),
        (build_credential(SCORER, tournaments=["open"], halls=["B"]), "OUT_OF_SCOPE"),
        (build_credential(SCORER, tournaments=["closed"]), "OUT_OF_SCOPE"),
        (build_credential(ARBITER, tournaments=["open"]), ""),
        (build_credential(ARBITER, tournaments=["open"], player="p2"), "OWN_GAME"),
        (build_credential(ARBITER, tournaments=["open"], player="p9"), ""),
        (build_credential(DIRECTOR, tournaments=["open"]), ""),
        (build_credential(JUDGE), "ROLE_MAY_NOT"),
        (build_credential(PLAYER, tournaments=["open"]), "ROLE_MAY_NOT"),
        (build_credential(FEDERATION), "ROLE_MAY_NOT"),
    ],
)
def test_who_keeps_a_table_plays_there(credential: Credential | None, expected: str) -> None:
    assert outcome(credential, "PlacePlay", at_table()) == expected


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"player_id": "p1"}, ""),
        ({"player_id": "p2"}, "OTHER_PLAYER"),
        ({}, "OTHER_PLAYER"),
        ({"player_id": "p1", "occurred_at": {"seconds": 1}}, "DATED_BY_PLAYER"),
    ],
)
def test_a_player_acts_for_themselves_and_when_it_arrives(fields: dict[str, Any], expected: str) -> None:
    credential = build_credential(PLAYER, tournaments=["open"], player="p1")
    assert outcome(credential, "Challenge", at_table(game.ChallengeRequest, **fields)) == expected


def test_a_player_acts_at_their_own_table_alone() -> None:
    stranger = build_credential(PLAYER, tournaments=["open"], player="p9")
    assert outcome(stranger, "Challenge", at_table(game.ChallengeRequest, player_id="p9")) == "OUT_OF_SCOPE"


def test_a_player_abandons_for_nobody_else() -> None:
    credential = build_credential(PLAYER, tournaments=["open"], player="p1")
    both = at_table(game.AbandonRequest, player_ids=["p1", "p2"])
    assert outcome(credential, "Abandon", both) == "OTHER_PLAYER"
    assert outcome(credential, "Abandon", at_table(game.AbandonRequest, player_ids=["p1"])) == ""


def test_the_public_sees_a_table_and_no_rack() -> None:
    assert outcome(None, "GetGame", at_table(game.GetGameRequest)) == ""
    with_rack = at_table(game.GetGameRequest, player_id="p1")
    assert outcome(None, "GetGame", with_rack) == "NO_CREDENTIAL"
    assert outcome(build_credential(PLAYER, tournaments=["open"], player="p1"), "GetGame", with_rack) == ""
    assert outcome(build_credential(PLAYER, tournaments=["open"], player="p2"), "GetGame", with_rack) == "OTHER_PLAYER"
    assert outcome(build_credential(SCORER, tournaments=["open"], tables=[4]), "GetGame", with_rack) == "OUT_OF_SCOPE"
    assert outcome(build_credential(JUDGE), "GetGame", with_rack) == "ROLE_MAY_NOT"


def test_the_report_for_officials_is_for_officials() -> None:
    report = results.GetReportRequest(tournament_id="open", for_officials=True)
    found = next(needs for needs in NEEDS.values() if needs.method.endswith("ResultsService/GetReport"))
    with pytest.raises(Unauthenticated):
        check_role(None, found, report)
    check_role(None, found, results.GetReportRequest(tournament_id="open"))
    with pytest.raises(Denied):
        check_scope(build_credential(DIRECTOR, tournaments=["closed"]), found, report, PLACES)


def test_a_scorer_names_no_arbiter() -> None:
    scorer = build_credential(SCORER, tournaments=["open"])
    assert outcome(scorer, "SettleCount", at_table(game.SettleCountRequest, player_ids=["p1"])) == ""
    assert outcome(scorer, "SettleCount", at_table(game.SettleCountRequest, arbiter_id="nil")) == "OTHER_PERSON"


def test_an_arbiter_rules_in_their_own_name() -> None:
    aina = build_credential(ARBITER, subject="aina", tournaments=["open"])
    assert outcome(aina, "RuleAppeal", at_table(game.RuleAppealRequest, arbiter_id="aina")) == ""
    assert outcome(aina, "RuleAppeal", at_table(game.RuleAppealRequest, arbiter_id="nil")) == "OTHER_PERSON"
    director = build_credential(DIRECTOR, tournaments=["open"])
    assert outcome(director, "RuleAppeal", at_table(game.RuleAppealRequest, arbiter_id="nil")) == ""


@pytest.mark.parametrize(
    ("credential", "expected"),
    [
        (build_credential(JUDGE, subject="nil"), ""),
        (build_credential(JUDGE, subject="nil", tournaments=["open"], languages=["ca"]), ""),
        (build_credential(JUDGE, subject="nil", languages=["el"]), "case"),
        (build_credential(JUDGE, subject="nil", tournaments=["closed"]), "case"),
        (build_credential(JUDGE, subject="nil", player="p2"), "case"),
        (build_credential(JUDGE, subject="eva"), "OTHER_PERSON"),
        (build_credential(ARBITER, subject="eva"), "OTHER_PERSON"),
        (build_credential(SCORER), "ROLE_MAY_NOT"),
        (build_credential(PLAYER), "ROLE_MAY_NOT"),
    ],
)
def test_a_judge_takes_cases_of_theirs_in_their_own_name_and_no_other_exists(
    credential: Credential, expected: str
) -> None:
    assert outcome(credential, "ClaimCase", judging.ClaimCaseRequest(case_id="a-case", judge_id="nil")) == expected


def test_a_director_makes_divisions_of_their_own_tournament_and_a_federation_any() -> None:
    director = build_credential(DIRECTOR, tournaments=["open"])
    create = pairing.CreateTournamentRequest
    assert outcome(director, "CreateTournament", create(tournament_id="b", division_of="open")) == ""
    assert outcome(director, "CreateTournament", create(tournament_id="b", division_of="closed")) == "OUT_OF_SCOPE"
    assert outcome(director, "CreateTournament", create(tournament_id="b")) == "OUT_OF_SCOPE"
    assert outcome(build_credential(FEDERATION), "CreateTournament", create(tournament_id="b")) == ""


def test_a_player_moves_between_tournaments_of_one_director() -> None:
    move = pairing.MovePlayerRequest(tournament_id="open", to_tournament_id="closed")
    assert outcome(build_credential(DIRECTOR, tournaments=["open"]), "MovePlayer", move) == "OUT_OF_SCOPE"
    assert outcome(build_credential(DIRECTOR, tournaments=["open", "closed"]), "MovePlayer", move) == ""


def _of(*games: str) -> list[pairing.GameResult]:
    return [pairing.GameResult(game_id=each) for each in games]


def test_results_of_a_table_are_entered_by_its_scorer_and_no_others_with_them() -> None:
    scorer = build_credential(SCORER, tournaments=["open"], tables=[3])
    own = pairing.EnterResultsRequest(tournament_id="open", results=_of("open-r1-t3"))
    assert outcome(scorer, "EnterResults", own) == ""
    none = pairing.EnterResultsRequest(tournament_id="open")
    assert outcome(scorer, "EnterResults", none) == "OUT_OF_SCOPE"
    elsewhere = pairing.EnterResultsRequest(tournament_id="closed", results=_of("open-r1-t3"))
    assert outcome(scorer, "EnterResults", elsewhere) == "OUT_OF_SCOPE"
    unknown = pairing.EnterResultsRequest(tournament_id="open", results=_of("open-r1-t3", "?"))
    assert outcome(scorer, "EnterResults", unknown) == "OUT_OF_SCOPE"


def test_who_holds_tables_reads_of_their_tournament_and_changes_nothing_of_it() -> None:
    scorer = build_credential(SCORER, tournaments=["open"], tables=[3])
    assert outcome(scorer, "ListResults", pairing.ListResultsRequest(tournament_id="open")) == ""
    assert outcome(scorer, "ListResults", pairing.ListResultsRequest(tournament_id="closed")) == "OUT_OF_SCOPE"
    arbiter = build_credential(ARBITER, tournaments=["open"], halls=["A"])
    assert outcome(arbiter, "CheckInPlayer", pairing.CheckInPlayerRequest(tournament_id="open")) == "OUT_OF_SCOPE"


@given(scopes, scopes, scopes)
def test_what_is_within_is_within_whatever_that_is_within(narrow: Scope, middle: Scope, wide: Scope) -> None:
    assert narrow.within(narrow)
    assert narrow.within(Scope())
    if narrow.within(middle) and middle.within(wide):
        assert narrow.within(wide)


@given(scopes, scopes)
def test_a_narrower_scope_holds_nothing_more(narrow: Scope, wide: Scope) -> None:
    if not narrow.within(wide):
        return
    for tournament in ("open", "closed", "junior", "other"):
        assert not narrow.holds(tournament) or wide.holds(tournament)
        for hall in ("", "A", "B"):
            for number in (1, 2, 3):
                held_here = narrow.holds_table(tournament, hall, number)
                assert not held_here or wide.holds_table(tournament, hall, number)


@pytest.mark.parametrize("role", [ARBITER, JUDGE])
def test_nobody_judges_a_game_that_they_play(role: Role) -> None:
    assert may_judge(build_credential(role, player="p9"), PLACE)
    assert not may_judge(replace(build_credential(role), player="p1"), PLACE)


EVERYWHERE = Places({"open-r1": GamePlace("open", "", 0, frozenset({"p1", "p2"}), everywhere=True)})


@pytest.mark.parametrize(
    ("credential", "hall", "expected"),
    [
        (build_credential(SCORER, tournaments=["open"], halls=["Nord"]), "Nord", ""),
        (build_credential(SCORER, tournaments=["open"], halls=["Nord"]), "Sud", "OUT_OF_SCOPE"),
        (build_credential(SCORER, tournaments=["open"], halls=["Nord"]), "", "OUT_OF_SCOPE"),
        (build_credential(SCORER, tournaments=["open"]), "Sud", ""),
        (build_credential(ARBITER, tournaments=["closed"]), "Sud", "OUT_OF_SCOPE"),
        (build_credential(PLAYER, tournaments=["open"], player="p1"), "Sud", ""),
        (build_credential(PLAYER, tournaments=["closed"], player="p1"), "Sud", "OUT_OF_SCOPE"),
    ],
)
def test_who_holds_a_hall_of_a_duplicate_game_hands_in_for_it_alone(
    credential: Credential, hall: str, expected: str
) -> None:
    request = duplicate.SubmitSlipsRequest(game_id="open-r1", hall=hall)
    request.slips.add(player_id="p1")
    assert outcome(credential, "SubmitSlips", request, EVERYWHERE) == expected


@pytest.mark.parametrize(
    ("credential", "expected"),
    [
        (build_credential(ARBITER, tournaments=["open"]), ""),
        (build_credential(ARBITER, tournaments=["open"], halls=["Nord"]), "OUT_OF_SCOPE"),
        (build_credential(SCORER, tournaments=["open"]), "ROLE_MAY_NOT"),
    ],
)
def test_what_is_for_all_halls_is_for_those_who_hold_the_tournament(credential: Credential, expected: str) -> None:
    request = duplicate.ScoreTurnRequest(game_id="open-r1", turn=1)
    assert outcome(credential, "ScoreTurn", request, EVERYWHERE) == expected


def test_a_player_hands_in_their_own_slip_alone() -> None:
    request = duplicate.SubmitSlipsRequest(game_id="open-r1")
    request.slips.add(player_id="p2")
    credential = build_credential(PLAYER, tournaments=["open"], player="p1")
    assert outcome(credential, "SubmitSlips", request, EVERYWHERE) == "OTHER_PLAYER"
    request.slips[0].player_id = "p1"
    assert outcome(credential, "SubmitSlips", request, EVERYWHERE) == ""
    request.collector_id = "somebody"
    assert outcome(credential, "SubmitSlips", request, EVERYWHERE) == "ROLE_MAY_NOT"
    request.collector_id = ""
    request.slips[0].written_at.FromSeconds(1)
    assert outcome(credential, "SubmitSlips", request, EVERYWHERE) == "", "a phone without a network says when it saved"
    request.occurred_at.FromSeconds(1)
    assert outcome(credential, "SubmitSlips", request, EVERYWHERE) == "DATED_BY_PLAYER"


@pytest.mark.parametrize(
    ("credential", "inside", "expected"),
    [
        (None, False, ""),
        (None, True, "NO_CREDENTIAL"),
        (build_credential(PLAYER, tournaments=["open"], player="p1"), True, ""),
        (build_credential(SCORER, tournaments=["open"], halls=["Nord"]), True, ""),
        (build_credential(SCORER, tournaments=["closed"], halls=["Nord"]), True, "OUT_OF_SCOPE"),
        (build_credential(SCORER, tournaments=["closed"], halls=["Nord"]), False, ""),
        (build_credential(JUDGE), True, "ROLE_MAY_NOT"),
    ],
)
def test_a_duplicate_game_is_seen_from_inside_by_those_who_play_and_direct_it(
    credential: Credential | None, inside: bool, expected: str
) -> None:
    for method, kind in (
        ("GetDuplicate", duplicate.GetDuplicateRequest),
        ("GetHallSheet", duplicate.GetHallSheetRequest),
        ("GetDuplicateStandings", duplicate.GetDuplicateStandingsRequest),
    ):
        assert outcome(credential, method, kind(game_id="open-r1", inside=inside), EVERYWHERE) == expected


@pytest.mark.parametrize(
    ("credential", "hall", "expected"),
    [
        (build_credential(SCORER, tournaments=["open"], halls=["Nord"]), "Nord", ""),
        (build_credential(SCORER, tournaments=["open"], halls=["Nord"]), "Sud", "OUT_OF_SCOPE"),
        (build_credential(ARBITER, tournaments=["open"], halls=["Sud"]), "Nord", "OUT_OF_SCOPE"),
        (build_credential(ARBITER, tournaments=["open"]), "Nord", ""),
        (build_credential(PLAYER, tournaments=["open"], player="p1"), "Nord", "ROLE_MAY_NOT"),
        (None, "Nord", "NO_CREDENTIAL"),
    ],
)
def test_the_key_of_a_sealed_game_is_for_who_collects_or_judges_in_the_hall(
    credential: Credential | None, hall: str, expected: str
) -> None:
    request = duplicate.GetBundleRequest(game_id="open-r1", hall=hall)
    assert outcome(credential, "GetBundle", request, EVERYWHERE) == expected


@pytest.mark.parametrize("method", ["ScoreTurn", "RuleSlip", "ListTops", "ListWaiting", "DecideClaim"])
def test_an_arbiter_who_plays_a_duplicate_game_does_not_judge_it(method: str) -> None:
    request = (
        getattr(duplicate, f"{method}Request")(game_id="open-r1", turn=1)
        if method != "DecideClaim"
        else (duplicate.DecideClaimRequest(game_id="open-r1", claim_id="t1-1"))
    )
    assert (
        outcome(build_credential(ARBITER, tournaments=["open"], player="p1"), method, request, EVERYWHERE) == "OWN_GAME"
    )
    assert outcome(build_credential(ARBITER, tournaments=["open"], player="p9"), method, request, EVERYWHERE) == ""


@pytest.mark.parametrize("method", ["GetGameFairPlay", "GetTournamentFairPlay", "GetPlayerFairPlay"])
def test_figures_of_fair_play_are_for_arbiters_directors_and_the_federation_alone(method: str) -> None:
    (needs,) = (needs for path, needs in NEEDS.items() if path.endswith(f"/{method}"))
    assert needs.roles == {ARBITER, DIRECTOR, FEDERATION}


def test_figures_of_fair_play_stay_within_the_tournaments_of_a_credential() -> None:
    arbiter = build_credential(ARBITER, tournaments=["open"])
    assert outcome(arbiter, "GetTournamentFairPlay", fair_play.GetTournamentFairPlayRequest(tournament_id="open")) == ""
    for tournaments in ([], ["open", "cup"]):
        wide = fair_play.GetPlayerFairPlayRequest(player_id="p1", tournament_ids=tournaments)
        assert outcome(arbiter, "GetPlayerFairPlay", wide) == "OUT_OF_SCOPE"
    playing = build_credential(ARBITER, tournaments=["open"], player="p1")
    own = fair_play.GetGameFairPlayRequest(game_id="open-r1-t3")
    assert outcome(playing, "GetGameFairPlay", own) == "OWN_GAME"


NOW = datetime(2026, 11, 28, 12, tzinfo=UTC)
LIMIT = timedelta(minutes=15)


def refuse_old(method: str, request: Message, credential: Credential, limit: timedelta = LIMIT) -> str:
    """Return the reason why a sign-in is too old for a call; empty if it is not."""
    needs = next(needs for path, needs in NEEDS.items() if path.endswith(f"/{method}"))
    try:
        check_recent(credential, needs, request, NOW, limit)
    except Denied as problem:
        return problem.reason
    return ""


@pytest.mark.parametrize(
    ("method", "request_"),
    [
        ("FinaliseTournament", pairing.FinaliseTournamentRequest(tournament_id="open")),
        ("RevokeCredential", access.RevokeCredentialRequest(credential_id="x")),
        ("AnswerDataRequest", pairing.AnswerDataRequestRequest(tournament_id="open", erased=True)),
        ("PublishFederationList", rating_lists.PublishFederationListRequest()),
    ],
)
def test_commands_that_cannot_be_undone_need_a_recent_sign_in(method: str, request_: Message) -> None:
    signed_in = replace(build_credential(FEDERATION), issued_at=NOW, auth_time=NOW - timedelta(minutes=15))
    assert refuse_old(method, request_, signed_in) == ""
    earlier = replace(signed_in, auth_time=NOW - timedelta(minutes=15, seconds=1))
    assert refuse_old(method, request_, earlier) == "SIGN_IN_TOO_OLD"
    assert refuse_old(method, request_, earlier, timedelta()) == ""


def test_other_commands_and_other_answers_need_no_recent_sign_in() -> None:
    earlier = replace(build_credential(DIRECTOR), issued_at=NOW - timedelta(hours=10))
    assert refuse_old("PublishStandings", pairing.PublishStandingsRequest(tournament_id="open"), earlier) == ""
    refused = pairing.AnswerDataRequestRequest(tournament_id="open", refused=True)
    assert refuse_old("AnswerDataRequest", refused, earlier) == ""
