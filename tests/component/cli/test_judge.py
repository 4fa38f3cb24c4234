from __future__ import annotations

import asyncio
import csv
import io
import json
import subprocess
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.component.processes import FARISTOL, environment, faristol
from tests.support.court import Court, command, now, sitting
from tests.support.small_lexicon import catalan, library

from faristol.cli.judge.case_file import ask_program
from faristol.client.judge import Judge, judge_queue
from faristol.host import StartError
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.lexicon.v1 import adjudication_pb2 as pb
from faristol.pb.lexicon.v1 import events_pb2 as events
from faristol.words import InstalledLexicon, Library

__all__ = ["catalan", "library"]

ANY, ANYS = ("A", "NY"), ("A", "NY", "S")
GAME = "cup-r1-t1"


@pytest.fixture
async def court(tmp_path: Path, library: Library, catalan: InstalledLexicon, shared_nats: str) -> AsyncIterator[Court]:
    async with sitting(tmp_path, library.path, shared_nats, catalan.digest) as made:
        yield made


async def run_command(court: Court, *arguments: str, code: int = 0) -> str:
    """Return the output of a command; its error output if it fails."""
    done = await asyncio.to_thread(faristol, *arguments, client_lexicon_address=court.address)
    assert done.returncode == code, done.stderr
    return done.stderr if code else done.stdout


async def test_a_director_sets_up_judges_and_a_judge_rules_from_the_command_line(court: Court) -> None:
    await run_command(court, "judge", "appoint", "cup", "eva", "--language", "ca", "--language", "es")
    assert (
        await run_command(court, "judge", "mode", "cup", "panel", "--panel", "3", "--lease", "20")
        == "cup: a panel of judges\n"
    )
    shown = json.loads(await run_command(court, "judge", "show", "cup", "--json"))
    assert (shown["mode"], shown["panel"], shown["lease_seconds"]) == ("MODE_PANEL", 3, 20)
    assert {judge["judge_id"]: judge["languages"] for judge in shown["judges"]}["eva"] == ["ca", "es"]
    await run_command(court, "judge", "mode", "cup", "judge")
    await court.open_game(GAME)
    case_id = await court.challenge(GAME, ANY, ANYS)
    await court.wait_for_case("eva", case_id)
    queue = json.loads(await run_command(court, "judge", "watch", "--as", "eva", "--once", "--json"))
    assert [case["case_id"] for case in queue["cases"]] == [case_id]
    refused = await run_command(
        court, "judge", "rule", case_id, "--as", "eva", "--valid", "any", "--valid", "anys", code=2
    )
    assert "ANYS is not in the lexicon catalan: to accept it, give a reason and a source" in refused
    other = await run_command(court, "judge", "rule", case_id, "--as", "ada", "--valid", "any", code=2)
    assert "expected A NY, A NY S" in other, "a ruling that is refused leaves the case to others"
    ruled = await run_command(court, "judge", "rule", case_id, "--as", "eva", "--valid", "any", "--invalid", "a ny s")
    assert ruled == f"{case_id}: ruled\n"
    await court.close_round(1)
    rows = list(csv.DictReader(io.StringIO(await run_command(court, "ruling", "export", "cup"))))
    assert [(row["word"], row["valid"], row["judges"]) for row in rows] == [
        ("ANY", "yes", "eva"),
        ("ANYS", "no", "eva"),
    ]
    assert "A NY, A NY S: play withdrawn  (FISC I.10)" in await run_command(court, "ruling", "list", "cup")
    (times,) = json.loads(await run_command(court, "ruling", "stats", "cup", "--json"))["times"]
    assert (times["mode"], times["rulings"]) == ("MODE_JUDGE", 1)
    assert "there is no tournament 'lliga'" in await run_command(court, "ruling", "stats", "lliga", code=2)


@pytest.mark.parametrize(
    ("locale", "expected"),
    [
        (
            "C",
            [
                "ada: appointed",
                "cup: a panel of judges",
                "a panel of judges (3); claims expire after 30 s without activity",
                "no case is pending",
                "no rulings in closed rounds",
                "0 pending",
                "nothing is not appointed and cannot be dismissed.",
            ],
        ),
        (
            "ca_ES",
            [
                "Nomenament: ada",
                "cup: un comitè de jutges",
                "un comitè de jutges (3); un cas es reté 30 s sense senyals",
                "no hi ha res pendent",
                "no hi ha resolucions de rondes tancades",
                "0 pendents",
                "nothing no té cap nomenament: no hi ha res a acabar.",
            ],
        ),
        (
            "es_ES",
            [
                "Nombramiento: ada",
                "cup: un jurado",
                "un jurado (3); un caso se retiene 30 s sin señales",
                "no hay nada pendiente",
                "no hay resoluciones de rondas cerradas",
                "0 pendientes",
                "nothing no tiene nombramiento: no hay nada que terminar.",
            ],
        ),
        (
            "el_GR",
            [
                "ada: έχει οριστεί",
                "cup: επιτροπή κριτών",
                "επιτροπή κριτών (3)· μια υπόθεση κρατιέται 30 s χωρίς σήμα",
                "τίποτα δεν περιμένει",
                "δεν υπάρχουν αποφάσεις κλεισμένων γύρων",
                "σε αναμονή: 0",
                "Κριτής nothing δεν έχει οριστεί: δεν υπάρχει ορισμός να ανακληθεί.",
            ],
        ),
    ],
)
async def test_directors_and_judges_are_told_in_the_language_of_the_terminal(
    court: Court, monkeypatch: pytest.MonkeyPatch, locale: str, expected: list[str]
) -> None:
    monkeypatch.setenv("LC_ALL", f"{locale}.UTF-8")
    commands = [
        ("judge", "appoint", "cup", "ada", "--language", "ca"),
        ("judge", "mode", "cup", "panel"),
        ("judge", "show", "cup"),
        ("judge", "watch", "--as", "ada", "--once"),
        ("ruling", "list", "cup"),
        ("ruling", "stats", "cup"),
    ]
    said = [(await run_command(court, *arguments)).splitlines()[0] for arguments in commands]
    said.append((await run_command(court, "judge", "dismiss", "cup", "nothing", code=2)).strip())
    assert said[:-1] == expected[:-1]
    assert expected[-1] in said[-1]


async def test_a_program_sits_as_a_judge_and_keeps_a_case_for_longer_than_a_claim_lasts(court: Court) -> None:
    await court.set_mode(events.MODE_JUDGE, lease_seconds=6)
    await court.open_game(GAME)
    process = await asyncio.create_subprocess_exec(
        FARISTOL,
        "judge",
        "sit",
        "--as",
        "ada",
        "--json",
        "--cases",
        "3",
        env=environment(client_lexicon_address=court.address),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    stdout = process.stdout

    async def line() -> dict[str, Any]:
        found: dict[str, Any] = json.loads(await asyncio.wait_for(stdout.readline(), 60))
        return found

    first = await court.challenge(GAME, ANY)
    assert (await line())["case_id"] == first
    await asyncio.sleep(7)
    ruling = {"words": [{"tiles": ["A", "NY"], "valid": True}]}
    process.stdin.write(json.dumps(ruling).encode() + b"\n")
    assert await line() == {"case_id": first, "given": True, "ruled": True, "problem": ""}
    assert await court.events(first, events.CaseReturned) == []
    second = await court.challenge(GAME, ANY, number=2)
    assert (await line())["case_id"] == second
    process.stdin.write(b"{}\n")
    assert (await line())["given"] is False
    assert (await court.came(second, events.CaseReturned)).reason == events.RETURN_REASON_RELEASED
    third = await court.challenge(GAME, ANY, number=3)
    assert (await line())["case_id"] == third
    await court.add(f"game-{GAME}", game_events.GameEnded(occurred_at=now()))
    await court.came(third, events.CaseWithdrawn)
    process.stdin.write(b"{}\n")
    assert (await line())["given"] is False
    assert await process.wait() == 0


async def test_a_judge_sits_on_when_a_director_takes_one_tournament_from_him(court: Court) -> None:
    other = replace(court, tournament="lliga", versions={})
    await other.found_tournament()
    await other.appoint("ada", "berta")
    await other.appoint("head", languages=["en"], director=True)
    for judged in (court, other):
        await judged.set_mode(events.MODE_JUDGE)
        await judged.open_game(f"{judged.tournament}-r1-t1")
    first = await court.challenge("cup-r1-t1", ANY)
    taken = await other.challenge("lliga-r1-t1", ANY)
    await court.wait_for_case("ada", taken)
    heard: list[tuple[str, str]] = []
    later: list[str] = []

    async def ask(file: pb.GetCaseFileResponse) -> list[events.WordRuling]:
        if file.case_id == first:
            await other.appoint("ada", languages=["es"])
            later.append(await court.challenge("cup-r1-t1", ANY, number=2))
        else:
            await court.direct.DismissJudge(
                pb.DismissJudgeRequest(command_id=command(), tournament_id="cup", judge_id="ada")
            )
        return [events.WordRuling(word=word.word, valid=word.valid) for word in file.words]

    def note_answer(case_id: str, _: pb.RuleCaseResponse | None, problem: str) -> None:
        heard.append((case_id, problem))

    await asyncio.wait_for(judge_queue(Judge(court.channel, "ada"), "", ask, note_answer, most=2), 60)
    assert heard == [(first, ""), (later[0], "ada is not a judge of the tournament cup.")]
    assert (await court.wait_for_case("berta", taken)).case_id == taken


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ('{"words": [{"tiles": ["A", "NY"], "valid": "true"}]}', "valid is true or false"),
        ('{"words": [{"tiles": ["A", "NY"], "valid": 1}]}', "valid is true or false"),
        ('{"word": []}', "no words"),
    ],
)
async def test_a_line_that_says_no_ruling_is_not_taken_for_one(
    line: str, problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{line}\n"))
    with pytest.raises(StartError, match=problem):
        await ask_program(pb.GetCaseFileResponse())


async def test_where_no_service_is_a_command_says_so_in_one_sentence(court: Court) -> None:
    nowhere = await asyncio.to_thread(faristol, "judge", "show", "cup")
    assert nowhere.returncode == 2
    assert "use --address or FARISTOL_CLIENT_ADDRESS" in nowhere.stderr
    assert "Traceback" not in nowhere.stderr
    gone = await asyncio.to_thread(faristol, "judge", "show", "cup", "--address", "127.0.0.1:9")
    assert "the lexicon service at 127.0.0.1:9 cannot be reached" in gone.stderr
