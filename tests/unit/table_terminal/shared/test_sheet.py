"""The scoresheet as text, of whole games that rulebook cases play."""

from __future__ import annotations

from pathlib import Path

from faristol.casebook.hosts.memory import in_memory
from faristol.casebook.reader import read_cases
from faristol.casebook.runner import world_of
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.read_models.api.answers import game_by_itself
from faristol.read_models.computed.sheet import write_sheet
from faristol.rules import load_ruleset
from faristol.table_terminal.shared.sheet import explanations, format_sheet

CASES = Path(__file__).parents[3] / "rulebook" / "cases"


async def run_case(file: str, starts: str) -> pb.GetGameResponse:
    """Return the public game after the case of ``file`` of which the name starts so."""
    case = next(case for case in read_cases(CASES / file) if case.name.startswith(starts))
    world = world_of(case)
    async with in_memory(case, world.now) as services:
        await world.open(services)
        for step in case.steps:
            await world.do(step)
        events = await services.events()
    state = game_by_itself(events)
    assert state is not None
    write_sheet(state, case.ruleset)
    state.tournament_name = "Copa"
    return state


async def test_a_fise_sheet_has_words_the_letters_of_blanks_deductions_totals_and_room_for_signatures() -> None:
    lines = list(format_sheet(await run_case("fise/game.yaml", "A complete game"), "es"))
    assert lines[0] == "Copa · Ronda 1 · Mesa 1 · fise"
    assert lines[1].split() == ["Anna", "Blai"]
    assert lines[3].split() == ["1", "ACURDO", "24", "24", "2", "ENRAMA", "22", "22"]
    phony = ["3", "EEN", "[jugada", "no", "válida]", "0", "24"]
    assert lines[4].split() == [*phony, "4", "AIRE", "(comodín", "R)", "15", "37"]
    assert next(line for line in lines if "1:52" in line).split()[-2:] == ["−20", "322"]
    totals = next(line for line in lines if line.split()[:1] == ["Total"])
    assert totals.split() == ["Total", "322", "Total", "378"]
    assert next(line for line in lines if "____" in line).split() == ["Firma:", "_" * 16] * 2
    assert "Turno 9, Anna, fichas extraídas de más (1), FISE 28.2" in lines


async def test_a_sheet_without_words_has_scores_bingos_and_the_keepers_signature_alone() -> None:
    lines = list(format_sheet(await run_case("fm/ends.yaml", "The scorekeeper"), "ca"))
    assert not any("CASAR" in line for line in lines)
    assert [line for line in lines if line.startswith("Bingos: 0")]
    signed = next(line for line in lines if "____" in line)
    assert signed.split() == ["Signatura:", "_" * 16]


async def test_a_bingo_is_circled_and_an_exchange_a_dash_where_the_book_says_so() -> None:
    lines = list(format_sheet(await run_case("fisc/sheets.yaml", "The sheet shows"), "ca"))
    assert lines[3].split() == ["1", "H4", "CASERN(A)", "(68)", "68", "2", "canvi", "–", "0"]


async def test_the_second_players_columns_stand_under_the_name_from_the_first_line_to_the_last() -> None:
    lines = list(format_sheet(await run_case("fise/game.yaml", "A complete game"), "el"))
    start = lines[1].index("Blai")
    body = lines[2 : next(number for number, line in enumerate(lines) if line.startswith("-"))]
    assert {line[start - 3 : start] for line in body if len(line) > start} == {" " * 3}
    assert len({len(line) for line in body if len(line) > start}) == 1


async def test_every_score_is_explained_square_by_square() -> None:
    game = await run_case("fise/game.yaml", "A complete game")
    lines = list(explanations(game, load_ruleset("fise"), "es"))
    assert lines[:2] == ["Turno 1 · Anna · ACURDO 24", "  8C ACURDO: (A1 + C3×2 + U1 + R1 + D2 + O1)×2 = 24"]
    plays = [line for line in lines if line.startswith("Turno")]
    phony = next(place for place, line in enumerate(plays) if "EEN" in line)
    assert plays[phony].endswith("→ 0")
    assert not [line for line in plays if "→" in line and line != plays[phony]]
