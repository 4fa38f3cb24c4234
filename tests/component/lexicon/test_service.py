from __future__ import annotations

import uuid
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import grpc
import pytest
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp
from google.rpc import error_details_pb2
from grpc_status import rpc_status
from tests.support.small_lexicon import ABOUT

from faristol.access_control import keyring
from faristol.access_control.credential import Credential, Scope
from faristol.access_control.needs import needs_of_all
from faristol.access_control.roles import JUDGE
from faristol.access_control.tokens import issue
from faristol.event_store import Decision, Metadata, Record, Write
from faristol.host import Runtime, Settings
from faristol.host.rpc.interceptor import ErrorInterceptor
from faristol.host.security.authorization import AccessInterceptor, Admission
from faristol.kernel.cases import case_id_of
from faristol.lexicon.service_module import part
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.lexicon.v1 import events_pb2 as events
from faristol.pb.lexicon.v1 import lexicon_pb2, lexicon_pb2_grpc
from faristol.rules.tiles import load_tile_set
from faristol.words import InstalledLexicon, Library, Listing


@pytest.fixture
async def stub(
    record: Record, settings: Settings, catalan: InstalledLexicon
) -> AsyncIterator[lexicon_pb2_grpc.LexiconServiceAsyncStub]:
    server = grpc.aio.server(interceptors=(ErrorInterceptor(),))
    for servicer in part(Runtime(settings, record)).servicers:
        servicer.add_to(server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        yield lexicon_pb2_grpc.LexiconServiceStub(channel)
    await server.stop(None)


async def test_installed_lexicons_say_what_they_are(
    stub: lexicon_pb2_grpc.LexiconServiceAsyncStub, catalan: InstalledLexicon
) -> None:
    (found,) = (await stub.ListLexicons(lexicon_pb2.ListLexiconsRequest())).lexicons
    assert found == lexicon_pb2.Lexicon(
        pin=game_events.Pin(name="catalan", digest=catalan.digest),
        tile_set="ca-100",
        words=4,
        source="written for the tests",
        licence="CC0-1.0",
        edition="first",
    )


@pytest.mark.parametrize("by", ["name", "digest"])
async def test_words_are_answered_with_their_tiles_in_the_order_asked(
    by: str, stub: lexicon_pb2_grpc.LexiconServiceAsyncStub, catalan: InstalledLexicon
) -> None:
    asked = ["col·la", "kiwi", "COLLA", "any"]
    answer = await stub.LookUp(lexicon_pb2.LookUpRequest(lexicon=getattr(catalan, by), words=asked))
    assert [(entry.text, [tuple(word.faces) for word in entry.spellings]) for entry in answer.entries] == [
        ("col·la", [("C", "O", "L·L", "A")]),
        ("kiwi", []),
        ("COLLA", [("C", "O", "L", "L", "A")]),
        ("any", [("A", "NY")]),
    ]


@pytest.mark.parametrize(
    ("text", "reason", "problem"),
    [
        ("", "EMPTY_WORD", "The word is empty"),
        ("kiwi", "NO_SUCH_TILE", "k (U+006B LATIN SMALL LETTER K)"),
        ("Ωny", "MIXED_SCRIPTS", "Ω (Greek)"),
        ("a" * 16, "WORD_LENGTH", "in tiles is 16"),
        ("a", "WORD_LENGTH", "in tiles is 1:"),
        ("xoz", "", ""),
    ],
)
async def test_a_text_that_is_no_word_for_the_tiles_is_refused_by_name(
    text: str, reason: str, problem: str, stub: lexicon_pb2_grpc.LexiconServiceAsyncStub, catalan: InstalledLexicon
) -> None:
    (entry,) = (await stub.LookUp(lexicon_pb2.LookUpRequest(lexicon="catalan", words=[text]))).entries
    assert (entry.text, entry.reason, list(entry.spellings)) == (text, reason, [])
    assert problem in entry.problem
    asked = stub.LookUp(
        lexicon_pb2.LookUpRequest(lexicon="catalan", words=[text]), metadata=[("accept-language", "ca")]
    )
    (in_catalan,) = (await asked).entries
    assert not reason or in_catalan.problem != entry.problem


async def test_an_answer_says_in_which_layers_and_by_which_sources_a_word_is(
    library: Library, stub: lexicon_pb2_grpc.LexiconServiceAsyncStub
) -> None:
    sol, al = ("S", "O", "L"), ("A", "L")
    listed: dict[Listing, list[tuple[str, ...]]] = {
        Listing("", "DIEC"): [sol],
        Listing("balearic", "DCVB"): [al, sol],
    }
    library.install("layered", (), tile_set=load_tile_set("ca-100"), about=ABOUT, listed=listed)

    async def look_up(*layers: str) -> list[tuple[bool, list[tuple[str, str, bool]]]]:
        asked = lexicon_pb2.LookUpRequest(lexicon="layered", words=["al", "sol"], layers=layers)
        entries = (await stub.LookUp(asked)).entries
        return [
            (each.valid, [(place.layer, place.source, place.on) for place in each.listings])
            for entry in entries
            for each in entry.listed
        ]

    off = [(False, [("balearic", "DCVB", False)]), (True, [("", "DIEC", True), ("balearic", "DCVB", False)])]
    on = [(True, [("balearic", "DCVB", True)]), (True, [("", "DIEC", True), ("balearic", "DCVB", True)])]
    assert await look_up() == off
    assert await look_up("balearic") == on


async def test_a_case_is_shown_as_it_stands(record: Record, stub: lexicon_pb2_grpc.LexiconServiceAsyncStub) -> None:
    word = game_events.Word(faces=["A", "NY"])
    pin = game_events.Pin(name="catalan", digest="ab" * 32)
    opened = events.CaseOpened(case_id="g-1", game_id="g", words=[word], lexicon=pin, occurred_at=Timestamp(seconds=5))
    await record.append(Decision([Write("case-g-1", 0, [opened], "cup")]), Metadata())
    asked = lexicon_pb2.GetCaseRequest(case_id="g-1")
    assert await stub.GetCase(asked) == lexicon_pb2.GetCaseResponse(
        case_id="g-1", game_id="g", words=[word], lexicon=pin, opened_at=Timestamp(seconds=5)
    )
    ruling = events.WordRuling(word=word, valid=True)
    ruled = events.CaseRuled(case_id="g-1", valid=True, words=[ruling], occurred_at=Timestamp(seconds=6))
    await record.append(Decision([Write("case-g-1", 1, [ruled], "cup")]), Metadata())
    assert await stub.GetCase(asked) == lexicon_pb2.GetCaseResponse(
        case_id="g-1",
        game_id="g",
        words=[word],
        lexicon=pin,
        ruled=True,
        valid=True,
        rulings=[ruling],
        opened_at=Timestamp(seconds=5),
        ruled_at=Timestamp(seconds=6),
    )


async def test_the_case_of_a_game_is_that_of_its_last_challenge_or_of_the_appeal_in_it(
    record: Record, stub: lexicon_pb2_grpc.LexiconServiceAsyncStub
) -> None:
    seed, asked = b"s" * 32, lexicon_pb2.GetCaseRequest(game_id="g")

    async def add(stream: str, version: int, event: Message) -> None:
        await record.append(Decision([Write(stream, version, [event], "cup")]), Metadata())

    await add("game-g", 0, game_events.GameOpened(game_id="g", tournament_id="cup", seed=seed))
    with pytest.raises(grpc.aio.AioRpcError, match="there is no case of the game 'g'"):
        await stub.GetCase(asked)
    for version, challenge in ((1, 1), (2, 2)):
        await add("game-g", version, game_events.ChallengeRaised(challenge=challenge))
        case_id = case_id_of("g", seed, challenge)
        await add(f"case-{case_id}", 0, events.CaseOpened(case_id=case_id, game_id="g"))
        assert (await stub.GetCase(asked)).case_id == case_id
    appeal_id = case_id_of("g", seed, 2, appeal=True)
    await add(f"case-{appeal_id}", 0, events.CaseOpened(case_id=appeal_id, game_id="g", appeal=True))
    assert (await stub.GetCase(asked)).case_id == appeal_id


async def test_a_judge_is_told_the_case_of_a_game_in_their_languages_alone(
    record: Record, settings: Settings, catalan: InstalledLexicon, tmp_path: Path
) -> None:
    seed, opened = b"s" * 32, game_events.GameOpened(game_id="g", tournament_id="cup", table=1, seed=b"s" * 32)
    raised, case_id = game_events.ChallengeRaised(challenge=1), case_id_of("g", seed, 1)
    case = events.CaseOpened(case_id=case_id, game_id="g", language="ca")
    await record.append(Decision([Write("game-g", 0, [opened, raised], "cup")]), Metadata())
    await record.append(Decision([Write(f"case-{case_id}", 0, [case], "cup")]), Metadata())
    keyring.prepare(tmp_path / "access")
    keys = keyring.Keyring(tmp_path / "access")
    runtime = Runtime(settings, record)
    runtime.admission = admission = Admission(record, keys, runtime.now)
    await admission.read()
    servicers = part(runtime).servicers
    admission.serve(needs_of_all(servicer.descriptor for servicer in servicers))
    server = grpc.aio.server(interceptors=(ErrorInterceptor(), AccessInterceptor(admission)))
    for servicer in servicers:
        servicer.add_to(server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()

    async def get_case(language: str) -> str:
        now = runtime.now().replace(microsecond=0)
        scope = Scope(frozenset({"cup"}), languages=frozenset({language}))
        judge = Credential(str(uuid.uuid4()), "nil", JUDGE, scope, now, now + timedelta(hours=1))
        token = issue(judge, keys.signer(), record.record_id)
        asked = lexicon_pb2.GetCaseRequest(game_id="g")
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            stub: lexicon_pb2_grpc.LexiconServiceAsyncStub = lexicon_pb2_grpc.LexiconServiceStub(channel)
            return (await stub.GetCase(asked, metadata=(("authorization", f"Bearer {token}"),))).case_id

    assert await get_case("ca") == case_id
    with pytest.raises(grpc.aio.AioRpcError, match="there is no case of the game 'g'"):
        await get_case("el")
    await server.stop(None)


LookUp = lexicon_pb2.LookUpRequest


@pytest.mark.parametrize(
    ("request_", "code", "reason"),
    [
        (LookUp(words=["any"]), grpc.StatusCode.INVALID_ARGUMENT, "INVALID"),
        (LookUp(lexicon="catalan", words=["any"], layers=["slang"]), grpc.StatusCode.INVALID_ARGUMENT, "INVALID"),
        (LookUp(lexicon="catalan", words=["a"] * 1_001), grpc.StatusCode.INVALID_ARGUMENT, "INVALID"),
        (LookUp(lexicon="catalan", words=["any", "a" * 101]), grpc.StatusCode.INVALID_ARGUMENT, "INVALID"),
        (LookUp(lexicon="klingon", words=["any"]), grpc.StatusCode.FAILED_PRECONDITION, "LEXICON_MISSING"),
        (lexicon_pb2.GetCaseRequest(), grpc.StatusCode.INVALID_ARGUMENT, "INVALID"),
        (lexicon_pb2.GetCaseRequest(case_id="g-9", game_id="g"), grpc.StatusCode.INVALID_ARGUMENT, "INVALID"),
        (lexicon_pb2.GetCaseRequest(game_id="g"), grpc.StatusCode.NOT_FOUND, "NOT_FOUND"),
        (lexicon_pb2.GetCaseRequest(case_id="g-9"), grpc.StatusCode.NOT_FOUND, "NOT_FOUND"),
    ],
)
async def test_what_cannot_be_answered_says_why(
    request_: lexicon_pb2.LookUpRequest | lexicon_pb2.GetCaseRequest,
    code: grpc.StatusCode,
    reason: str,
    stub: lexicon_pb2_grpc.LexiconServiceAsyncStub,
) -> None:
    call = stub.LookUp(request_) if isinstance(request_, lexicon_pb2.LookUpRequest) else stub.GetCase(request_)
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await call
    assert refused.value.code() == code
    status = rpc_status.from_call(refused.value)  # type: ignore[arg-type]
    info = error_details_pb2.ErrorInfo()
    assert status.details[0].Unpack(info)
    assert info.reason == reason
