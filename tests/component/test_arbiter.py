"""A new arbiter keeps a table of FISE with `faristol table keep`, against services that run."""

from __future__ import annotations

import base64
import datetime
import json
import subprocess
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import grpc
import pytest
from google.protobuf.timestamp_pb2 import Timestamp
from tests.component.processes import START_SECONDS, Child, faristol, free_port, wait_until_serving

from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.game.v1 import game_pb2, game_pb2_grpc
from faristol.pb.pairing.v1 import pairing_pb2, pairing_pb2_grpc
from faristol.rules.tiles import load_tile_set
from faristol.words import About, Library

GAME = "copa-r1-t1"
SCRIPT = Path(__file__).parent / "tables" / "fise.txt"
ROUND_AGE_MINUTES = 75
"""When the round began: the game of the script takes an hour."""

SHEET = """\
Copa · Ronda 1 · Mesa 1 · fise
Anna Puig                                                  Blai Soler
Turno  Jugada                          Puntuación  Total   Turno  Jugada                          Puntuación  Total
    1  ACURDO                                  24     24       2  ENRAMA                                  22     22
    3  EEN [jugada no válida]                   0     24       4  AIRE (comodín R)                        15     37
    5  MENGUA                                  36     60       6  ZULLA                                   54     91
    7  VECERO                                  20     80       8  IZOTE                                   45    136
    9  MANCHEN                                 24    104      10  YERRE                                   34    170
   11  BOLSO                                   44    148      12  DAR                                     24    194
   13  OXEA                                    22    170      14  PAGS                                    24    218
   15  ACODE (comodín A)                       26    196      16  SIDO                                    27    245
   17  ORINAD                                  21    217      18  PUF                                     35    280
   19  HELO                                    25    242      20  BALO                                    23    303
   21  TAÑES                                   38    280      22  LAUROS                                  40    343
   23  JAN                                     31    311      24  CELEN                                   20    363
   25  CAÑO                                    20    331      26  AVES                                     9    372
   27  JI                                       9    340      28  OH                                       5    377
   29  GIME                                     7    347      30  TI                                       2    379
   31  pase                                     0    347      32  pase                                     0    379
   33  pase                                     0    347      34  pase                                     0    379
       fichas restantes en el atril Q          −5    342          fichas restantes en el atril T          −1    378
       tiempo excedido 1:52                   −20    322
--------------------------------------------------------   --------------------------------------------------------
       Total                                         322          Total                                         378
Firma: ________________                                    Firma: ________________
Turno 3, Anna Puig, resolución apelada
Turno 9, Anna Puig, fichas extraídas de más (1), FISE 28.2
Terminada por demasiados turnos perdidos seguidos.
El resultado es definitivo.
"""


@dataclass
class Hall:
    """A cell with one table over the board."""

    address: str

    def table(self, script: str, *options: str) -> subprocess.CompletedProcess[str]:
        """Record the table by a script."""
        return faristol(
            "table", "keep", GAME, "--address", self.address, "--language", "es", *options, given=script, timeout=180
        )


def ago(minutes: int) -> Timestamp:
    moment = Timestamp()
    moment.FromDatetime(datetime.datetime.now(datetime.UTC) - datetime.timedelta(minutes=minutes))
    return moment


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    """Yield a table over the board, of a round that began some time ago."""
    with open_hall(tmp_path, game.KEEPING_RECORDED, ago(ROUND_AGE_MINUTES)) as made:
        yield made


@pytest.fixture
def hosted_hall(tmp_path: Path) -> Iterator[Hall]:
    """Yield a table whose bag the system holds."""
    with open_hall(tmp_path, game.KEEPING_HOSTED, ago(0)) as made:
        yield made


LEXICONS: dict[str, tuple[str, str, set[tuple[str, ...]]]] = {
    "fise": ("spanish", "es-100", {("Z", "U", "LL", "A")}),
    "pes-2024": ("greek", "el-104", {tuple("ΛΟΓΟΣ"), tuple("ΟΙ")}),
}
"""For each book a lexicon: its name, its tiles, its words."""


def wait_for_table(channel: grpc.Channel) -> None:
    """Wait until the service of games has opened the table of the round."""
    games = game_pb2_grpc.GameServiceStub(channel)
    until = time.monotonic() + START_SECONDS
    while True:
        try:
            games.GetGame(game_pb2.GetGameRequest(game_id=GAME))
        except grpc.RpcError as problem:
            code = problem.code()
            if code is not grpc.StatusCode.NOT_FOUND or time.monotonic() > until:
                raise
            time.sleep(0.03)
        else:
            return


@contextmanager
def open_hall(
    tmp_path: Path, keeping: game.Keeping.ValueType, began: Timestamp, ruleset: str = "fise"
) -> Iterator[Hall]:
    """Yield a cell with one table of a tournament."""
    lexicon, tiles, words = LEXICONS[ruleset]
    about = About(lexicon, "first", "CC0-1.0", "written for the tests", datetime.date(2024, 2, 29))
    Library(tmp_path / "lexicons").install(lexicon, words, tile_set=load_tile_set(tiles), about=about)
    port = free_port()
    arguments = ["up", "--data", str(tmp_path / "data"), "--http", "0", "--grpc", str(port)]
    up = Child(arguments, {"lexicons": tmp_path / "lexicons"}, tmp_path / "up.log")
    address = f"127.0.0.1:{port}"
    wait_until_serving(address, up)
    with grpc.insecure_channel(address) as channel:
        pairing = pairing_pb2_grpc.PairingServiceStub(channel)
        pairing.CreateTournament(
            pairing_pb2.CreateTournamentRequest(
                command_id=str(uuid.uuid4()),
                tournament_id="copa",
                name="Copa",
                rounds=1,
                ruleset=ruleset,
                lexicon=lexicon,
                seed=b"s" * 32,
                keeping=keeping,
                occurred_at=began,
            )
        )
        for player, name in (("anna", "Anna Puig"), ("blai", "Blai Soler")):
            pairing.RegisterPlayer(
                pairing_pb2.RegisterPlayerRequest(
                    command_id=str(uuid.uuid4()), tournament_id="copa", player_id=player, name=name, occurred_at=began
                )
            )
        pairing.PairRound(
            pairing_pb2.PairRoundRequest(command_id=str(uuid.uuid4()), tournament_id="copa", round=1, occurred_at=began)
        )
        pairing.StartRound(
            pairing_pb2.StartRoundRequest(
                command_id=str(uuid.uuid4()), tournament_id="copa", round=1, occurred_at=began
            )
        )
        wait_for_table(channel)
    try:
        yield Hall(address)
    finally:
        code = up.terminate()
    assert code == 0, up.output()


def test_a_whole_game_with_a_challenge_an_appeal_an_over_draw_and_overtime_gives_the_sheet_of_the_book(
    hall: Hall,
) -> None:
    played = hall.table(SCRIPT.read_text(encoding="utf-8"))
    assert played.returncode == 0, played.stdout + played.stderr
    told_of_rulings = [line for line in played.stdout.splitlines() if line.startswith("Resolución")]
    assert told_of_rulings == [
        "Resolución: la jugada EEN del turno 3 no es válida. (FISE 40)",
        "Resolución de la apelación: la jugada EEN del turno 3 no es válida. (FISE 42.4)",
        "Resolución: la jugada ZULLA del turno 6 es válida. (FISE 40)",
    ]
    assert played.stdout.endswith("\nGana Blai Soler, 378–322. El resultado es definitivo.\n")
    sheet = faristol("game", "sheet", GAME, "--address", hall.address, "--language", "es")
    assert (sheet.stdout, sheet.returncode) == (SHEET, 0), sheet.stderr
    told = json.loads(faristol("game", "sheet", GAME, "--address", hall.address, "--json").stdout)
    assert [seat["score"] for seat in told["seats"]] == [322, 378]
    assert (told["winner_id"], told["final"]) == ("blai", True)


def test_a_whole_turn_typed_wrong_is_taken_back_though_its_clock_was_pressed_and_typed_again(hall: Hall) -> None:
    played = hall.table("Anna: start-game\nh8 sol\narbiter: take-back-entries 1\n8g casa\nh7 la\n")
    assert played.returncode == 0, played.stdout + played.stderr
    again = "El turno 1 se anota de nuevo tal como se jugó."
    assert again in played.stdout
    offered = played.stdout.split(again)[1].split("\n")[1]
    assert offered.startswith("A continuación: Anna Puig: turn, place-play")
    ended = [line for line in played.stdout.splitlines() if line.startswith(("Turno", "  Anna", "  Blai"))][-3:]
    assert ended[0].startswith("Turno 3")
    assert ended[1].split("(")[0].split() == ["Anna", "Puig:", "12"]
    assert "▶" in ended[1]


def test_a_short_turn_leaves_the_steps_of_who_is_away_and_says_what_it_counts(hall: Hall) -> None:
    script = "Anna: start-game\nAnna: place-play H8 S O L\nAnna: write-score\nBlai: write-score\n"
    script += "Anna: leave-table yes\nAnna: press\ni8 en\narbiter: settle-count Maria\n"
    played = hall.table(script).stdout
    assert "\nSOL cuenta 6 puntos.\n" in played
    away = played[played.rindex("Turno ") :].splitlines()
    assert away[0] == "Turno 3 · 86 fichas en la bolsa"
    assert away[1].endswith("▢▢▢▢  [ausente de la mesa]")
    assert away[2].endswith("▢▢▢▢▢")
    assert "se esperaban jugadores (Anna Puig, Blai Soler), no Maria" in played


@pytest.mark.nightly
def test_what_is_refused_is_told_with_its_article_and_what_is_next_and_stops_a_script(hall: Hall) -> None:
    early = hall.table("Anna: turn H8 S O L\n")
    assert early.returncode == 1
    assert "1: Rechazado: La partida no ha empezado" in early.stdout
    assert "(FISE 4)" in early.stdout
    played = hall.table("Anna: start-game, at: 0:10\nAnna: place-play A8 S O L\n\nAnna: pass\nAnna: turn pass\n")
    assert played.returncode == 1
    before, _, refused = played.stdout.rpartition("\n4: Rechazado: ")
    assert before.endswith("A continuación: Blai Soler: decide-off-centre")
    assert refused.splitlines() == [
        "La jugada no cubre la casilla central: el oponente la acepta o la declara inválida. (FISE 20)",
        "El oponente decide sobre la jugada: `Blai Soler: decide-off-centre yes` la acepta, `no` la rechaza.",
        "¿Se escribió mal? `arbiter: take-back-entries 1` lo deshace, y se anota de nuevo.",
        "A continuación: Blai Soler: decide-off-centre",
    ]
    sung = hall.table("Blai: decide-off-centre yes\nAnna: press\nAnna: sing\n").stdout
    assert "2: Rechazado: " in sung
    assert sung.endswith("A continuación: Anna Puig: write-score; Blai Soler: challenge, write-score\n")
    unsaid = hall.table("Anna: leave-table\n")
    assert unsaid.returncode == 1
    assert "1: Diga si antes se avisó al árbitro: `Anna: leave-table yes`, o" in unsaid.stdout
    assert unsaid.stdout.endswith("\nCon `no`, se descalifica a Anna y la partida termina al instante (FISE 46.5).\n")
    assert "1: no hay ningún verbo sing; `help` los dice todos" in hall.table("Anna: sing\n").stdout
    assert "1: turn no dice nada de 'tiles'; puede decir: –" in hall.table("Anna: turn pass, with: {tiles: A}\n").stdout


def test_a_turn_that_a_crash_cut_off_is_finished_from_the_journal_and_taken_once(hall: Hall, tmp_path: Path) -> None:
    assert hall.table("Anna: start-game, at: 0:10\n").returncode == 0
    journal = tmp_path / "journal.jsonl"
    step_id = str(uuid.uuid4())
    journal.write_text(json.dumps({"id": step_id, "text": "Anna: turn H8 S O L, at: 0:40"}) + "\n", encoding="utf-8")
    for _ in range(2):
        again = hall.table("", "--journal", str(journal))
        assert again.returncode == 0, again.stdout + again.stderr
        assert "no ejecutado: Anna: turn H8 S O L" in again.stdout
        assert "Rechazado" not in again.stdout
        assert "Turno 2 · " in again.stdout
        # The second run is as if the first had been killed before it reported the end.
        done = json.dumps({"id": step_id})
        lines = journal.read_text(encoding="utf-8").splitlines()
        assert lines[-1] == done
        journal.write_text("\n".join(lines[:-1]) + "\n", encoding="utf-8")
    sheet = faristol("game", "sheet", GAME, "--address", hall.address).stdout
    assert sheet.count("SOL") == 1


@pytest.mark.nightly
def test_the_draws_of_a_hosted_game_are_committed_to_and_can_be_checked_when_it_is_final(hosted_hall: Hall) -> None:
    def read_sheet() -> dict[str, str]:
        until = time.monotonic() + 60  # the results follow the record
        while (sheet := faristol("game", "sheet", GAME, "--address", hosted_hall.address, "--json")).returncode:
            assert time.monotonic() < until, sheet.stderr
        found: dict[str, str] = json.loads(sheet.stdout)
        return found

    committed = read_sheet()["draw_commitment"]
    assert (len(base64.b64decode(committed)), read_sheet()["seed"]) == (32, "")
    early = faristol("draw", "verify", GAME, "--address", hosted_hall.address)
    assert (early.returncode, "when the result is final" in early.stderr) == (2, True)

    rack = hosted_hall.table("rack Anna\n").stdout.splitlines()[-1].split()
    passes = "Blai: turn pass\nAnna: turn pass\nBlai: turn pass\nAnna: turn pass\n"
    played = hosted_hall.table(
        f"Anna: turn exchange {rack[0]} {rack[1]}\n{passes}Anna: sign-sheet\nBlai: sign-sheet\nsheet\n"
    )
    assert played.returncode == 0, played.stdout + played.stderr

    assert read_sheet()["draw_commitment"] == committed
    kept = base64.b64decode(committed).hex()
    checked = faristol("draw", "verify", GAME, "--address", hosted_hall.address, "--commitment", kept)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert (
        checked.stdout
        == f"{GAME}: 5 draws, all as the seed {base64.b64decode(read_sheet()['seed']).hex()} gives them\n"
    )
    other = faristol("draw", "verify", GAME, "--address", hosted_hall.address, "--commitment", "00" * 32, "--json")
    assert (other.returncode, len(json.loads(other.stdout)["wrong"])) == (1, 1)
