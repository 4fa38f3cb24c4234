"""Registration by the public form over gRPC, with a real record and a real mail server."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import grpc
import pytest
from sqlalchemy import select
from tests.component.tournament.test_service import create, read_refusal, register
from tests.support.mail_server import Inbox, free_port, smtp_server
from tests.support.pairing_service import PairingService, serving

from faristol.client.services import build_call
from faristol.event_store import Metadata, Record
from faristol.event_store.backends import tables
from faristol.event_store.event import utc_now
from faristol.event_store.integrity.verification import verify
from faristol.mail import outbox
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import events_pb2 as pairing_events
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.pairing.v1 import registration_events_pb2 as events
from faristol.pb.pairing.v1 import registration_pb2 as pb
from faristol.personal_data.erasure import erase
from faristol.tournament.registration import links

ANNA = "anna@example.org"


class Clock:
    """A clock that a test advances."""

    def __init__(self) -> None:
        self.ahead = timedelta(0)

    def now(self) -> Any:
        return utc_now() + self.ahead


async def ask(service: PairingService, request: Any) -> Any:
    """Return the answer to a request, with an id if it needs one."""
    fields = request.DESCRIPTOR.fields_by_name
    if "command_id" in fields and not request.command_id:
        request.command_id = str(uuid.uuid4())
    if "tournament_id" in fields and not request.tournament_id:
        request.tournament_id = "open"
    return await build_call(service.runtime.channel("pairing"), type(request))(request)


async def open_form(service: PairingService, **settings: Any) -> None:
    """Create a tournament with an open form."""
    await create(service)
    await ask(service, pb.SetRegistrationRequest(open=True, **settings))


async def submit(service: PairingService, name: str, email: str = "", **more: Any) -> pb.SubmitEntryResponse:
    """Send the form."""
    more.setdefault("listing", events.ENTRY_LISTING_NAME)
    answer: pb.SubmitEntryResponse = await ask(service, pb.SubmitEntryRequest(name=name, email=email, **more))
    return answer


async def states(service: PairingService) -> list[str]:
    """Return the states of all entries."""
    listed = await ask(service, pb.ListEntriesRequest())
    return [pb.EntryState.Name(each.state).removeprefix("ENTRY_STATE_").lower() for each in listed.entries]


async def until(condition: Callable[[], bool]) -> None:
    """Wait until a condition holds."""
    async with asyncio.timeout(60):
        while not condition():  # noqa: ASYNC110 # another thread fulfils it
            await asyncio.sleep(0.05)


@asynccontextmanager
async def with_mail(record: Record, port: int, clock: Clock | None = None) -> AsyncIterator[PairingService]:
    """Yield the service with its tasks, which sends e-mail to a port of this machine."""
    async with serving(
        record,
        now=(clock or Clock()).now,
        with_tasks=True,
        mail_server=f"smtp://127.0.0.1:{port}",
        mail_sender="open@example.org",
        mail_plain=True,
        http_address="https://results.example",
    ) as service:
        yield service


async def test_an_entry_without_a_mail_server_is_received_at_once_and_becomes_a_player_without_second_typing(
    service: PairingService,
) -> None:
    await open_form(service, fields=["club", "country", "need", "category"], categories=["U18", "open"])
    answer = await submit(
        service, "Ελένη Παπαδοπούλου", ANNA, club="Όμιλος", country="GRE", need="step-free", category="U18", school="no"
    )
    assert not answer.by_mail
    own = await ask(service, pb.GetOwnEntryRequest(key=answer.key))
    assert (own.entry.entry, own.entry.state, own.entry.details.email) == (1, pb.ENTRY_STATE_RECEIVED, ANNA)
    assert own.entry.details.school == "", "a field that the form does not have is ignored"
    accepted = await ask(service, pb.AcceptEntryRequest(entry=1, rating=1500))
    (player,) = (await service.stub.GetTournament(pairing.GetTournamentRequest(tournament_id="open"))).players
    assert (player.player_id, player.name, player.club) == (accepted.player_id, "Ελένη Παπαδοπούλου", "Όμιλος")
    assert (player.rating, player.category, player.need, player.email) == (1500, "U18", "step-free", ANNA)
    assert (await verify(service.record)).names.bound == 1
    stored = b"".join(event.payload for event in await service.record.read())
    assert [text for text in (ANNA, "Ελένη", "step-free") if text.encode() in stored] == []


async def test_marked_entries_are_accepted_by_one_command_and_those_with_a_problem_are_left_out(
    service: PairingService,
) -> None:
    await open_form(service, fields=["club", "category"], places=4, waiting_places=2)
    for name in ("Anna Puig", "Biel Soler", "Anna Puig", "Carla Roca", "Dani Mas"):
        await submit(service, name, ANNA, category="U18")
    await ask(service, pb.RejectEntryRequest(entry=2))
    asked = pb.AcceptEntriesRequest(entries=[1, 2, 3, 4, 5, 4])
    answer = await ask(service, asked)
    assert list(answer.accepted) == [1, 4, 5]
    assert dict(zip(answer.left_out, answer.reasons, strict=True)) == {2: "ENTRY_DECIDED", 3: "NAME_TAKEN"}
    assert await ask(service, asked) == answer, "a repeated command has the first answer"
    found = await service.stub.GetTournament(pairing.GetTournamentRequest(tournament_id="open"))
    assert [(each.name, each.email, each.category, each.unrated) for each in found.players] == [
        (name, ANNA, "U18", True) for name in ("Anna Puig", "Carla Roca", "Dani Mas")
    ]
    assert await states(service) == ["accepted", "rejected", "received", "accepted", "accepted"]
    assert (await verify(service.record)).names.bound == 5, "each entrant, under their own id"
    before = await service.record.last_position()
    assert list((await ask(service, pb.AcceptEntriesRequest(entries=[2]))).accepted) == []
    assert await service.record.last_position() == before
    for entries in ([], [7], range(1, 502)):
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await ask(service, pb.AcceptEntriesRequest(entries=entries))
        assert refused.value.code() in (grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.NOT_FOUND)


async def test_the_form_opens_closes_and_says_what_is_missing(record: Record) -> None:
    clock = Clock()
    async with serving(record, now=clock.now) as service:
        await create(service)
        code, _, info = await read_refusal(submit(service, "Anna Puig"))
        assert (code, info.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "FORM_CLOSED")
        request = pb.SetRegistrationRequest(open=True, fields=["birth_year"], required_fields=["birth_year"])
        request.opens_at.FromDatetime(utc_now() + timedelta(hours=1))
        request.closes_at.FromDatetime(utc_now() + timedelta(hours=2))
        await ask(service, request)
        assert (await read_refusal(submit(service, "Anna Puig", birth_year=1990)))[2].reason == "FORM_CLOSED"
        clock.ahead = timedelta(minutes=61)
        with pytest.raises(grpc.aio.AioRpcError, match="birth_year: is missing"):
            await submit(service, "Anna Puig")
        await submit(service, "Anna Puig", birth_year=1990)
        clock.ahead = timedelta(hours=3)
        assert (await read_refusal(submit(service, "Biel Soler", birth_year=1990)))[2].reason == "FORM_CLOSED"


async def test_the_form_accepts_entries_until_the_rules_accept_no_further_player(service: PairingService) -> None:
    await open_form(service)
    for place in range(8):
        await register(service, player_id=f"p{place}", name=f"Player {place}")
    await ask(service, pairing.PairRoundRequest(round=1))
    await ask(service, pairing.StartRoundRequest(round=1))
    await submit(service, "Carla Roca")
    for table in (await ask(service, pairing.ListResultsRequest())).tables:
        scores = [game_events.FinalScore(player_id=each.player_id, score=len(each.player_id)) for each in table.players]
        await ask(service, pairing.EnterResultRequest(game_id=table.game_id, scores=scores, arbiter_id="eva"))
    await ask(service, pairing.CloseRoundRequest(round=1))
    await ask(service, pairing.PairRoundRequest(round=2))
    await ask(service, pairing.StartRoundRequest(round=2))
    code, _, info = await read_refusal(submit(service, "Dani Mas"))
    assert (code, info.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "TOO_LATE_TO_ENTER")
    assert info.metadata["article"] == "FISC I.4"
    found = await ask(service, pb.GetRegistrationRequest())
    assert (found.accepts, found.too_late) == (False, True)


async def test_who_comes_when_all_places_are_taken_waits_and_moves_up_when_a_player_leaves(
    service: PairingService,
) -> None:
    await open_form(service, places=2, waiting_places=2, moves_up=True)
    await register(service, player_id="sitting", name="Sitting Player")
    keys = [(await submit(service, name)).key for name in ("Anna Puig", "Biel Soler", "Carla Mas")]
    assert await states(service) == ["received", "waiting", "waiting"]
    assert (await read_refusal(submit(service, "Dídac Riu")))[2].reason == "NO_PLACE_LEFT"
    assert (await ask(service, pb.GetOwnEntryRequest(key=keys[2]))).waiting_place == 2
    await ask(service, pb.AcceptEntryRequest(entry=1))
    await ask(service, pb.WithdrawOwnEntryRequest(key=keys[0]))
    assert await states(service) == ["withdrawn", "received", "waiting"]
    players = (await service.stub.GetTournament(pairing.GetTournamentRequest(tournament_id="open"))).players
    assert [player.withdrawn_round for player in players] == [0, 1]
    await ask(service, pb.RejectEntryRequest(entry=2, note="no licence"))
    assert await states(service) == ["withdrawn", "rejected", "received"]
    await ask(service, pb.ReinstateEntryRequest(entry=2))
    assert await states(service) == ["withdrawn", "waiting", "received"]
    await ask(service, pb.SetRegistrationRequest(open=True, places=3, waiting_places=2, moves_up=True))
    assert await states(service) == ["withdrawn", "received", "received"]


async def follow_withdrawals(service: PairingService) -> None:
    """React to the withdrawals of the tournament, each once more if the test did so before."""
    (entries,) = (each for each in service.part.reactions if each.name == "pairing.entries")
    for event in await service.record.read_stream("tournament-open"):
        if (
            isinstance(event.message, pairing_events.PlayerWithdrawn)
            and (decision := await entries.react(event)) is not None
        ):
            await service.record.append(decision, Metadata())


async def test_a_player_without_an_entry_who_is_absent_leaves_a_place_until_the_first_pairing(
    service: PairingService,
) -> None:
    await open_form(service, places=8, waiting_places=3, moves_up=True)
    for each in ("anna", "biel", "carla", "dana", "ester", "flor", "gal", "hug"):
        await register(service, player_id=each, name=each.title())
    for name in ("Eva Puig", "Fina Soler", "Guiu Mas"):
        await submit(service, name)
    await ask(service, pairing.WithdrawPlayerRequest(player_id="anna"))
    await follow_withdrawals(service)
    assert await states(service) == ["received", "waiting", "waiting"]
    await ask(service, pairing.WithdrawPlayerRequest(player_id="biel"))
    await follow_withdrawals(service)
    assert await states(service) == ["received", "received", "waiting"]
    await ask(service, pairing.PairRoundRequest(round=1))
    await ask(service, pb.RejectEntryRequest(entry=1))
    assert await states(service) == ["rejected", "received", "waiting"]


async def test_the_public_list_has_what_each_consents_to(service: PairingService) -> None:
    await open_form(service, fields=["club"])
    for name, listing in (
        ("Anna Puig", events.ENTRY_LISTING_FULL),
        ("Biel Soler", events.ENTRY_LISTING_NAME),
        ("Carla Mas", events.ENTRY_LISTING_HIDDEN),
    ):
        await submit(service, name, f"{name[:4]}@example.org".lower(), club="Valls", listing=listing)
    shown = await ask(service, pb.GetRegistrationRequest())
    assert [(each.name, each.club) for each in shown.entrants] == [("Anna Puig", "Valls"), ("Biel Soler", ""), ("", "")]
    assert "@" not in str(shown)
    assert "Carla" not in str(shown)


async def test_the_public_list_names_no_minor(service: PairingService) -> None:
    await open_form(service, fields=["category"])
    for name, category in (("Anna Puig", "U18"), ("Biel Soler", "veteran")):
        await submit(
            service, name, f"{name[:4]}@example.org".lower(), category=category, listing=events.ENTRY_LISTING_FULL
        )
    shown = await ask(service, pb.GetRegistrationRequest())
    assert [each.category for each in shown.entrants] == ["", "veteran"]
    listed = await ask(service, pb.ListEntriesRequest())
    assert [each.category for each in listed.entries] == ["U18", "veteran"]


async def test_an_entry_is_merged_with_a_known_person_whose_name_stays(service: PairingService) -> None:
    await create(service, tournament_id="last-year")
    await register(service, tournament_id="last-year", player_id="eleni", name="Eleni Papadopoulou", club="Athens")
    await open_form(service, fields=["club"])
    await submit(service, "Ελένη Παπαδοπούλου", ANNA, club="Πάτρα")
    await submit(service, "Ελενη Παπαδοπουλου", "other@example.org")
    listed = await ask(service, pb.ListEntriesRequest())
    assert [list(each.similar_entries) for each in listed.entries] == [[2], [1]], "two people claim one entry"
    await ask(service, pb.AcceptEntryRequest(entry=1, player_id="eleni"))
    (player,) = (await service.stub.GetTournament(pairing.GetTournamentRequest(tournament_id="open"))).players
    assert (player.player_id, player.name, player.club) == ("eleni", "Eleni Papadopoulou", "Πάτρα")
    code, _ = (await read_refusal(ask(service, pb.AcceptEntryRequest(entry=2, player_id="eleni"))))[:2]
    assert code is grpc.StatusCode.ALREADY_EXISTS
    assert (await verify(service.record)).wrong == ""
    await erase(service.record, "eleni")
    async with service.record.reading() as connection:
        rows = (await connection.execute(select(tables.people))).all()
    assert [row for row in rows if "Παπαδοπούλου" in str(row)] == [], "no copy of the merged details is left"


async def test_a_withdrawn_entrant_who_never_played_can_remove_the_own_details(service: PairingService) -> None:
    await open_form(service)
    key = (await submit(service, "Anna Puig", ANNA)).key
    assert (await read_refusal(ask(service, pb.EraseOwnEntryRequest(key=key))))[2].reason == "ENTRY_STANDS"
    await ask(service, pb.WithdrawOwnEntryRequest(key=key))
    await ask(service, pb.EraseOwnEntryRequest(key=key))
    assert (await ask(service, pb.ListEntriesRequest())).entries[0].details.name == ""
    assert (await verify(service.record)).wrong == ""


async def test_a_link_confirms_an_entry_once_and_each_step_is_told_by_mail(record: Record) -> None:
    inbox, port = Inbox(), free_port()
    with smtp_server(inbox, port):
        async with with_mail(record, port) as service:
            await open_form(service)
            assert (await submit(service, "Anna Puig", ANNA, language="ca")).by_mail
            await until(lambda: len(inbox.messages) == 1)
            assert await states(service) == [], "no event before the confirmation"
            key = inbox.key_of(ANNA)
            assert (await ask(service, pb.GetOwnEntryRequest(key=key))).entry.state == pb.ENTRY_STATE_UNCONFIRMED
            answers = await asyncio.gather(*(ask(service, pb.ConfirmEntryRequest(key=key)) for _ in range(5)))
            assert {each.entry for each in answers} == {1}
            assert await states(service) == ["received"]
            await ask(service, pb.AskEntrantRequest(entry=1, note="Which club?"))
            await until(lambda: len(inbox.messages) == 3)
            assert "Which club?" in inbox.messages[2].get_content()
            await ask(service, pb.AnswerEntryRequest(key=key, note="Valls"))
            await ask(service, pb.AcceptEntryRequest(entry=1))
            await until(lambda: len(inbox.messages) == 4)
            (entry,) = (await ask(service, pb.ListEntriesRequest())).entries
            assert (entry.question, entry.answer, entry.confirmed) == ("Which club?", "Valls", True)
            async with record.reading() as connection:
                rows = (await connection.execute(select(outbox.outbox))).all()
            assert {(row.state, row.address, row.body) for row in rows} == {("sent", "", "")}


async def test_a_known_and_an_unknown_address_get_the_same_answer_by_the_same_steps(record: Record) -> None:
    inbox, port = Inbox(), free_port()
    with smtp_server(inbox, port):
        async with with_mail(record, port) as service:
            await open_form(service)
            await submit(service, "Anna Puig", ANNA)
            await until(lambda: len(inbox.messages) == 1)
            await ask(service, pb.ConfirmEntryRequest(key=inbox.key_of(ANNA)))
            known, unknown = (
                await submit(service, "Anna Puig", ANNA),
                await submit(service, "Biel Soler", "biel@example.org"),
            )
            assert known == unknown
            await until(lambda: len(inbox.messages) == 4)
            subjects = [inbox.subjects(ANNA)[-1], inbox.subjects("biel@example.org")[-1]]
            assert subjects[0] == subjects[1]
            for _ in range(5):
                await submit(service, "Carla Mas", "carla@example.org")
            await until(lambda: len(inbox.subjects("carla@example.org")) == links.MAX_MAILS_PER_ADDRESS_COUNT)


async def test_a_lost_link_is_sent_again_once_an_hour_and_only_to_the_address_of_the_entry(record: Record) -> None:
    inbox, port, clock = Inbox(), free_port(), Clock()
    with smtp_server(inbox, port):
        async with with_mail(record, port, clock) as service:
            await open_form(service)
            await submit(service, "Anna Puig", ANNA)
            await until(lambda: len(inbox.messages) == 1)
            await ask(service, pb.ConfirmEntryRequest(key=inbox.key_of(ANNA)))
            await until(lambda: len(inbox.messages) == 2)
            for address in ("other@example.org", ANNA.upper(), ANNA):
                assert await ask(service, pb.SendEntryLinksRequest(email=address)) == pb.SendEntryLinksResponse()
            await until(lambda: len(inbox.messages) == 3)
            clock.ahead += timedelta(hours=1)
            await ask(service, pb.SendEntryLinksRequest(email=ANNA))
            await until(lambda: len(inbox.messages) == 4)
            assert {str(mail["To"]) for mail in inbox.messages} == {ANNA}
            own = await ask(service, pb.GetOwnEntryRequest(key=inbox.key_of(ANNA)))
            assert own.entry.entry == 1


async def test_messages_wait_for_a_server_that_is_away_for_an_hour_and_are_sent_once(record: Record) -> None:
    inbox, port, clock = Inbox(), free_port(), Clock()
    async with with_mail(record, port, clock) as service:
        await open_form(service)
        for number in range(25):
            await submit(service, f"Player {'abcdefghijklmnopqrstuvwxy'[number]}", f"p{number}@example.org")
        await asyncio.sleep(1)
        status = await ask(service, pb.GetMailStatusRequest())
        assert (status.enabled, status.waiting, status.refused) == (True, 25, 0)
    clock.ahead = timedelta(hours=1)
    inbox.refused.add("p3@example.org")
    with smtp_server(inbox, port):
        async with with_mail(record, port, clock) as service:  # a restart loses no message
            await until(lambda: len(inbox.messages) == 24)
            await asyncio.sleep(1)
            status = await ask(service, pb.GetMailStatusRequest())
    assert (status.waiting, status.refused) == (0, 1)
    assert len({each["Message-ID"] for each in inbox.messages}) == len(inbox.messages) == 24


async def test_a_message_whose_reply_was_lost_comes_again_under_the_same_id(record: Record) -> None:
    inbox, port, clock = Inbox(), free_port(), Clock()
    inbox.drops_reply = True
    with smtp_server(inbox, port):
        async with with_mail(record, port, clock) as service:
            await open_form(service)
            await submit(service, "Anna Puig", ANNA)
            await until(lambda: len(inbox.messages) == 1)
            clock.ahead = timedelta(minutes=10)
            await until(lambda: len(inbox.messages) == 2)
    assert inbox.messages[0]["Message-ID"] == inbox.messages[1]["Message-ID"]


async def test_a_message_is_sent_by_mail_once_to_each_addressed_player_with_an_address(record: Record) -> None:
    inbox, port = Inbox(), free_port()
    with smtp_server(inbox, port):
        async with with_mail(record, port) as service:
            await create(service)
            for player, name, address in (("anna", "Anna Puig", ANNA), ("biel", "Biel Roca", "b@example.org")):
                await ask(service, pairing.RegisterPlayerRequest(player_id=player, name=name, email=address))
            await ask(service, pairing.RegisterPlayerRequest(player_id="carla", name="Carla Mas"))
            to_all = pairing.SendMessageRequest(command_id=str(uuid.uuid4()), text="Lunch is served", by_mail=True)
            for _ in range(3):
                await ask(service, to_all)
            await ask(service, pairing.SendMessageRequest(text="To phones only"))
            await ask(service, pairing.SendMessageRequest(text="See me", player_ids=["biel", "carla"], by_mail=True))
            await until(lambda: len(inbox.messages) == 3)
    told = sorted((str(mail["To"]), str(mail.get_content()).splitlines()[0]) for mail in inbox.messages)
    assert told == [(ANNA, "Lunch is served"), ("b@example.org", "Lunch is served"), ("b@example.org", "See me")]
    assert "https://results.example/tournaments/open/my-table" in str(inbox.messages[0].get_content())


async def test_a_message_by_mail_is_refused_without_a_mail_server(service: PairingService) -> None:
    await create(service)
    sent = ask(service, pairing.SendMessageRequest(text="Lunch is served", by_mail=True))
    code, _, info = await read_refusal(sent)
    assert (code, info.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "NO_MAIL_SERVER")


async def test_three_hundred_forms_do_not_move_the_stream_of_the_director(service: PairingService) -> None:
    await open_form(service)
    before = len(await service.record.events("tournament-open"))
    answers = await asyncio.gather(
        *(submit(service, f"Player {chr(0x391 + place % 17)}{place}") for place in range(100))
    )
    assert len({each.entry for each in answers}) == 100
    assert len(await service.record.events("tournament-open")) == before


async def test_an_address_that_sends_too_many_forms_has_to_wait(
    service: PairingService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("faristol.tournament.registration.entrants.MAX_FORMS_COUNT", 3)
    await open_form(service)
    for place in range(3):
        await submit(service, f"Player {place}")
    assert (await read_refusal(submit(service, "Player 4")))[2].reason == "TOO_MANY_FORMS"
