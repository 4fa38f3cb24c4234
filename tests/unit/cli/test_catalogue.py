"""Commands of duplicate games, webhooks and credentials fill one request each, with defaults for omitted values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from typer.testing import CliRunner

from faristol.cli import client, contract
from faristol.cli.contract import COMMAND_METHODS
from faristol.cli.main import app
from faristol.pb.access.v1 import access_pb2 as access
from faristol.pb.access.v1 import needs_pb2 as needs
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.pb.game.v1 import duplicate_pb2 as duplicate
from faristol.pb.results.v1 import webhooks_pb2 as webhooks

PLAY = events.DuplicatePlay(row=7, column=3, across=True, faces=["C", "A", "S", "A"], score=12)

Run = Callable[..., tuple[Any, str]]


@pytest.fixture
def run_command(monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return the request of a command line and its output, for a given answer of the service."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    game = duplicate.GetDuplicateResponse(
        turns=[duplicate.DuplicateTurn(turn=number, scored=number < 3) for number in (1, 2, 3)]
    )
    sheet = duplicate.GetHallSheetResponse(hall=events.DuplicateHall(name="Nord"))

    def load(request: Message, _address: str | None) -> Message:
        return game if isinstance(request, duplicate.GetDuplicateRequest) else sheet

    async def name_tournament(given: str, _address: str | None) -> str:
        return f"{given}-id"

    def run(*words: str, answer: Message | None = None, code: int = 0) -> tuple[Any, str]:
        sent: list[Message] = []

        def call(_address: str | None, method: str, request: Message) -> Message:
            sent.append(request)
            return answer or GetMessageClass(COMMAND_METHODS[method].output_type)()

        monkeypatch.setattr(contract, "call", call)
        done = CliRunner().invoke(app, list(words))
        assert done.exit_code == code, done.output
        return (sent[0] if sent else None), done.output

    monkeypatch.setattr(client, "answer_to", load)
    monkeypatch.setattr(client, "tournament_meant", name_tournament)
    monkeypatch.setattr(contract, "find_webhook_id", lambda tournament, begins, _: f"{begins} of {tournament}")
    return run


def test_parts_of_a_message_are_options_and_omitted_values_follow_the_game(run_command: Run) -> None:
    words = ("cup-r1", "anna", "--coordinates", "H4", "--word", "C A S A", "--reason", "read again")
    made, told = run_command("duplicate", "rule", *words)
    assert made == duplicate.RuleSlipRequest(
        game_id="cup-r1",
        hall="Nord",
        turn=3,
        slip=events.Slip(player_id="anna", coordinates="H4", word="C A S A", handed=events.HANDED_IN_TIME),
        reason="read again",
        arbiter_id="judge",
    )
    assert told == "round 3: the slip of anna is ruled on\n"
    made, _ = run_command("duplicate", "rule", *words, "--handed", "late", "--hall", "Sud", "--turn", "1")
    assert (made.slip.handed, made.hall, made.turn) == (events.HANDED_LATE, "Sud", 1)


def test_a_claim_is_about_the_last_scored_turn(run_command: Run) -> None:
    made, told = run_command(
        "duplicate", "claim", "cup-r1", "blai", "I wrote H4", answer=duplicate.RaiseClaimResponse(claim_id="t2-1")
    )
    assert (made.turn, made.hall, made.player_id, made.words) == (2, "Nord", "blai", "I wrote H4")
    assert told == "claim t2-1 is waiting for the judge\n"


def test_a_sentence_names_the_parts_of_a_play(run_command: Run) -> None:
    answer = duplicate.ChooseMasterResponse(play=PLAY, top=70)
    made, told = run_command("duplicate", "master", "cup-r1", "H4", "C A S A", answer=answer)
    assert (made.coordinates, made.word, made.turn) == ("H4", "C A S A", 3)
    assert told == "round 3: the master play is H4 C A S A for 12, the highest score is 70\n"


def test_open_halls_are_left_out_only_with_a_reason(run_command: Run) -> None:
    answer = duplicate.ScoreTurnResponse(master=PLAY, scored=1)
    made, told = run_command("duplicate", "score", "cup-r1", "--without-open-halls", "no line", answer=answer)
    assert (made.without_open_halls, made.reason) == (True, "no line")
    assert told == "round 3: 1 slip scored, the master play is H4 C A S A for 12\n"
    made, told = run_command("duplicate", "score", "cup-r1", "--turn", "2")
    assert (made.without_open_halls, made.turn) == (False, 2)
    assert told == "round 2: 0 slips scored; the rack has no valid play and goes back to the bag\n"


def test_a_round_and_reruns_are_arguments_after_the_tournament(run_command: Run) -> None:
    made, told = run_command(
        "duplicate",
        *("embargo", "cup", "2", "again-r1", "third-r1", "--together"),
        answer=duplicate.SetEmbargoResponse(game_ids=["cup-r2", "again-r1"]),
    )
    assert (made.tournament_id, made.round, list(made.game_ids)) == ("cup-id", 2, ["again-r1", "third-r1"])
    assert made.together
    assert told == "under embargo until all of these are played: cup-r2, again-r1\n"
    made, told = run_command(
        *("duplicate", "prepare", "cup", "1"), answer=duplicate.PrepareGameResponse(game_id="cup-r1", digest=b"\x01")
    )
    assert (made.tournament_id, made.round) == ("cup-id", 1)
    assert told == "cup-r1 is prepared and sealed; its SHA-256 is 01\n"


def test_a_webhook_has_its_filter_and_its_id_by_the_beginning(run_command: Run) -> None:
    answer = webhooks.AddWebhookResponse(webhook=webhooks.Webhook(webhook_id="12ab"), secret="whsec_1")
    words = ("--after", "0", "--type", "PlayPlaced", "--round", "2", "--round", "3", "--content")
    made, told = run_command("webhook", "add", "cup", "https://here/", *words, answer=answer)
    assert (made.tournament_id, made.url, made.after_position) == ("cup-id", "https://here/", 0)
    assert made.with_content
    assert made.HasField("after_position")
    assert made.filter == webhooks.WebhookFilter(types=["PlayPlaced"], rounds=[2, 3])
    assert told == "12ab\nsecret, shown only once: whsec_1\n"
    made, told = run_command("webhook", "drop", "cup", "12", "3", "4", answer=webhooks.DropNewsResponse(count=2))
    assert (made.webhook_id, list(made.positions), told) == ("12 of cup-id", [3, 4], "dropped: 2\n")
    resumed = webhooks.ResumeWebhookResponse(webhook=webhooks.Webhook(position=7))
    made, told = run_command("webhook", "resume", "cup", "12", answer=resumed)
    assert not made.HasField("after_position")
    assert told == "12 of cup-id: resumes after position 7\n"


def test_a_query_without_a_tournament_is_of_all(run_command: Run) -> None:
    credential = access.CredentialLine(name="Eva")
    credential.credential.role = needs.ROLE_ARBITER
    made, told = run_command(
        "access", "list", "--ended", answer=access.ListCredentialsResponse(credentials=[credential])
    )
    assert (made.tournament_id, made.ended) == ("", True)
    assert "arbiter  Eva  all" in told
    made, told = run_command("data-request", "list")
    assert (made.tournament_id, told) == ("", "There are no requests.\n")
    assert run_command("duplicate", "rule", "cup-r1", code=2)[0] is None
