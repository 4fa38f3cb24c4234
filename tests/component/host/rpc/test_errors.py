from __future__ import annotations

from typing import get_args

import grpc
import pytest
from google.protobuf.empty_pb2 import Empty
from google.rpc import code_pb2, error_details_pb2
from grpc_status import rpc_status
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from faristol.access_control.keyring import KeyringError
from faristol.event_store import Record, Unacceptable
from faristol.event_store.append.decision import NO_STREAM
from faristol.event_store.backends.databases import parse
from faristol.host.rpc.errors import PositionNotReached, Unreachable, status_of
from faristol.host.rpc.interceptor import ErrorInterceptor
from faristol.kernel.errors import THERE_IS, THERE_IS_NO, AlreadyExists, Invalid, Missing, NotFound, Taken
from faristol.kernel.refusal import N_, Refusal
from faristol.rules import pinned_ruleset
from faristol.text import LANGUAGES, TRANSLATED

SHORT = Invalid(
    "name",
    N_("has {length} {length:character|characters}; expected {least} to {most}"),
    {"length": 0, "least": 1, "most": 9},
)


def info(problem: Exception, language: str) -> error_details_pb2.ErrorInfo:
    status = status_of(problem, language)
    assert status is not None
    found = error_details_pb2.ErrorInfo()
    assert status.details[0].Unpack(found)
    return found


def message(problem: Exception, language: str) -> str:
    status = status_of(problem, language)
    assert status is not None
    return str(status.message)


@pytest.mark.parametrize(
    ("problem", "sentences"),
    [
        (
            NotFound("game", "lliga-r9-t9"),
            {
                "ca": "no hi ha cap partida 'lliga-r9-t9'",
                "es": "no hay ninguna partida 'lliga-r9-t9'",
                "el": "δεν υπάρχει αγώνας 'lliga-r9-t9'",
                "en": "there is no game 'lliga-r9-t9'",
            },
        ),
        (
            AlreadyExists("player", "anna"),
            {
                "ca": "ja hi ha un jugador 'anna'",
                "es": "ya hay un jugador 'anna'",
                "el": "υπάρχει ήδη παίκτης 'anna'",
                "en": "there is a player 'anna' already",
            },
        ),
        (
            SHORT,
            {
                "ca": "name: té 0 caràcters; se n’esperaven de 1 a 9",
                "es": "name: tiene 0 caracteres; se esperaban de 1 a 9",
                "el": "name: έχει 0 χαρακτήρες· αναμένονταν 1 έως 9",
                "en": "name: has 0 characters; expected 1 to 9",
            },
        ),
    ],
)
def test_callers_read_what_is_wrong_in_their_language(problem: Exception, sentences: dict[str, str]) -> None:
    assert {language: message(problem, language) for language in LANGUAGES} == sentences
    assert str(problem) == sentences["en"]


def test_every_kind_of_thing_has_its_sentence_in_every_language() -> None:
    assert set(THERE_IS_NO) == set(get_args(Missing))
    assert set(THERE_IS) == set(get_args(Taken))
    problems = [*(NotFound(kind, "x") for kind in THERE_IS_NO), *(AlreadyExists(kind, "x") for kind in THERE_IS)]
    for problem in problems:
        told = {message(problem, language) for language in LANGUAGES}
        assert len(told) == len(LANGUAGES)
        assert all("'x'" in sentence for sentence in told)


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_for_machines_are_the_same_in_every_language(language: str) -> None:
    missing = info(NotFound("rating list", "lliga"), language)
    assert (missing.reason, dict(missing.metadata)) == ("NOT_FOUND", {"kind": "rating list", "id": "lliga"})
    taken = info(AlreadyExists("player", "anna"), language)
    assert (taken.reason, dict(taken.metadata)) == ("ALREADY_EXISTS", {"kind": "player", "id": "anna"})
    invalid = info(SHORT, language)
    params = {key: str(value) for key, value in SHORT.params.items()}
    assert (invalid.reason, dict(invalid.metadata)) == (
        "INVALID",
        {"field": "name", "message": SHORT.problem, **params},
    )


def test_what_a_caller_sent_cannot_be_mistaken_for_a_place_to_fill() -> None:
    problem = Invalid("name", N_("{given} contains a character that cannot be displayed"), {"given": repr("{most}\n")})
    for language in LANGUAGES:
        assert r"'{most}\n'" in message(problem, language)
        assert "'{0} {id}'" in message(NotFound("game", "{0} {id}"), language)


def test_results_that_are_late_say_how_far_they_are() -> None:
    status = status_of(PositionNotReached(wanted=90, here=7), "ca")
    assert status is not None
    assert status.code == code_pb2.DEADLINE_EXCEEDED
    assert status.message == "els resultats són a la posició 7; s’ha esperat en va la posició 90"


@pytest.mark.parametrize("language", TRANSLATED)
def test_a_service_that_is_away_and_a_missing_ruleset_are_told_in_the_language(language: str) -> None:
    with pytest.raises(Refusal) as refused:
        pinned_ruleset("fisc-1999", "0" * 64)
    for problem in (Unreachable("lexicon"), Unreachable("lexicon", "lexicon:50051"), refused.value):
        assert message(problem, language) != message(problem, "en")


LONG = "Ω" * 4_000
MANY = [
    Refusal("MANY", N_("{given} contains a character that cannot be displayed"), {"given": LONG}, subject=LONG)
] * 40


@pytest.mark.parametrize(
    "problem",
    [
        Invalid("name", N_("{given} contains a character that cannot be displayed"), {"given": LONG}),
        Refusal("LONG", N_("{given} contains a character that cannot be displayed"), {"given": LONG}),
        Refusal("LONG", N_("{given} contains a character that cannot be displayed"), {"given": LONG}, others=MANY),
        NotFound("game", LONG),
        AlreadyExists("player", LONG),
        Unacceptable(NO_STREAM, name=LONG),
    ],
    ids=lambda problem: type(problem).__name__,
)
async def test_a_refusal_arrives_whatever_length_has_what_it_is_about(problem: Exception) -> None:
    async def refuse(_request: Empty, _context: object) -> Empty:
        raise problem

    handler = grpc.unary_unary_rpc_method_handler(refuse, Empty.FromString, Empty.SerializeToString)
    server = grpc.aio.server(interceptors=(ErrorInterceptor(),))
    server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler("faristol.Refusing", {"Refuse": handler})])
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await channel.unary_unary("/faristol.Refusing/Refuse", Empty.SerializeToString, Empty.FromString)(Empty())
    await server.stop(None)
    expected = status_of(problem, "en")
    assert expected is not None
    assert refused.value.code().value[0] == expected.code
    assert "ΩΩΩ" in str(refused.value.details())
    assert rpc_status.from_call(refused.value) == expected  # type: ignore[arg-type]


async def test_a_defect_in_a_statement_is_ours_and_not_a_database_that_is_away(record: Record) -> None:
    for statement in ("SELECT nothing FROM events", "SELECT nothing() FROM events", "SELECT FROM FROM"):
        with pytest.raises(DBAPIError) as defect:
            async with record.reading() as connection:
                await connection.execute(text(statement))
        assert status_of(defect.value, "en") is None, statement


async def test_a_commit_is_on_disk_whatever_the_database_was_set_to(new_database: str) -> None:
    record = await Record.open(new_database)
    async with record.engine.connect() as connection:
        name = parse(new_database).database
        await connection.execute(text(f'ALTER DATABASE "{name}" SET synchronous_commit = off'))
        await connection.commit()
    await record.close()
    record = await Record.open(new_database)
    async with record.writing() as connection:
        assert (await connection.execute(text("SHOW synchronous_commit"))).scalar_one() == "on"
    await record.close()


def test_a_file_of_the_operator_that_cannot_be_read_is_no_defect_and_its_name_is_nobodys() -> None:
    status = status_of(KeyringError("the secret /etc/faristol/secret cannot be read: Permission denied"), "en")
    assert status is not None
    assert (status.code, "/etc" in status.message) == (code_pb2.UNAVAILABLE, False)
