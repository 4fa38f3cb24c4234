"""The short input of a scorer is expanded to the intended step, and input in the form of a case stays unchanged."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from faristol.casebook.case import Step
from faristol.kernel.refusal import Refusal
from faristol.pb.clock.v1 import clock_pb2
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.game.v1 import game_pb2
from faristol.rules import load_ruleset
from faristol.table_terminal.table.guide import GUIDES
from faristol.table_terminal.table.lines import Typed, read_typed
from faristol.table_terminal.table.offers import ShownTable
from faristol.table_terminal.table.services import VERBS
from faristol.table_terminal.table.shorthand import LineParser, Unclear

NAMES = {"p1": "Núria Puig", "p2": "Blai Soler"}
PEOPLE = {"p1": "p1", "p2": "p2", **{name: player for player, name in NAMES.items()}, "Núria": "p1", "Blai": "p2"}
WORDS = ("board", "help", "quit", "rack", "sheet", "table")


def hand(
    *,
    ruleset: str = "fise",
    phase: game_pb2.Phase.ValueType = game_pb2.PHASE_TURN,
    formed: Sequence[Sequence[str]] = (),
    racks: dict[str, Sequence[str]] | None = None,
    board: Sequence[tuple[int, int, str]] = (),
) -> LineParser:
    """Return a table at which Núria is on turn."""
    words = [events.ScoredWord(word=events.Word(faces=faces)) for faces in formed]
    table = game_pb2.GetGameResponse(
        phase=phase,
        turn=3,
        turn_player_id="p1" if phase != game_pb2.PHASE_UNSPECIFIED else "",
        sides=[game_pb2.Side(player_id=player, rack_size=7) for player in NAMES],
        pending=events.PlayPlaced(player_id="p1", words=words) if formed else None,
        bag_left=50,
        arbiter_id="arbiter",
        board=[events.Placement(row=row, column=column, face=face) for row, column, face in board],
    )
    began = phase != game_pb2.PHASE_UNSPECIFIED
    accepted = [("PlacePlay", "p1"), ("Pass", "p1")] if began else [("StartGame", player) for player in NAMES]
    offers = [game_pb2.Offer(method=method, player_id=player) for method, player in accepted]
    shown = ShownTable(table, clock_pb2.GetClockResponse(), load_ruleset(ruleset), offers)
    return LineParser(shown, NAMES, PEOPLE, VERBS, racks or {})


def expand_text(text: str, at: LineParser | None = None) -> str:
    return (at or hand()).expand(Typed(1, text), WORDS).text


@pytest.mark.parametrize(
    ("typed", "step"),
    [
        ("h8 casa", "Núria Puig: turn H8 C A S A"),
        ("H8 CASA", "Núria Puig: turn H8 C A S A"),
        ("η8 casa", "Núria Puig: turn H8 C A S A"),
        ("8h casa, at: 12:30", "Núria Puig: turn 8H C A S A, at: 12:30"),
        ("h8 cas(a)", "Núria Puig: turn H8 C A S (A)"),
        ("h8 CASa", "Núria Puig: turn H8 C A S (A)"),
        ("nuria: h8 casa", "Núria Puig: turn H8 C A S A"),
        ("BLAI: turn h8 casa", "Blai Soler: turn H8 C A S A"),
        ("Núria: place-play h8 casa", "Núria: place-play H8 C A S A"),
        ("-", "Núria Puig: turn pass"),
        ("pass", "Núria Puig: turn pass"),
        ("blai: -", "Blai Soler: turn pass"),
        ("-ae?", "Núria Puig: turn exchange A E ?"),
        ("- a e", "Núria Puig: turn exchange A E"),
        ("x ae", "Núria Puig: turn exchange A E"),
        ("Exch AE", "Núria Puig: turn exchange A E"),
        ("exchange ae, at: 2:00", "Núria Puig: turn exchange A E, at: 2:00"),
        ("Núria: exchange ae", "Núria: exchange A E"),
        ("Núria: turn exchange ae", "Núria: turn exchange A E"),
        ("state-rack q", "Núria Puig: state-rack Q"),
        ("ARBITER: settle-blank η8, with: {face: A}", "arbiter: settle-blank H8, with: {face: A}"),
        ("take-back-entries 3", "arbiter: take-back-entries 3"),
        ("call-arbiter", "Núria Puig: call-arbiter"),
        ("rule", "judge: rule"),
    ],
)
def test_a_line_in_short_is_the_step_that_is_meant(typed: str, step: str) -> None:
    assert expand_text(typed) == step
    assert expand_text(step) == step


@pytest.mark.parametrize(
    "text",
    [
        "board",
        "rack nuria",
        "help turn",
        "sing",
        "Núria:",
        "- Núria: turn\n  at: 1:30",
        "{Blai: draw-tiles, at: 1:30, with: {count: 4}}",
        "Núria: turn H8 C A S A",
        "Núria: turn H8 RR",
        "Núria: turn",
        "judge: rule invalid, with: {reason: no, source: DRAE}",
    ],
)
def test_what_is_no_short_form_stays_as_it_was_typed(text: str) -> None:
    assert expand_text(text) == text


@pytest.mark.parametrize("name", sorted(GUIDES))
def test_an_example_of_the_help_means_what_it_means_in_a_case(name: str) -> None:
    people = {"Anna": "p1", "Blai": "p2", "p1": "p1", "p2": "p2"}
    at = LineParser(hand().shown, {"p1": "Anna", "p2": "Blai"}, people, VERBS, {})
    typed = Typed(1, GUIDES[name].example)
    before, after = read_typed(typed, people), read_typed(at.expand(typed, WORDS), people)
    assert isinstance(before, Step)
    assert isinstance(after, Step)
    assert (before.actor, before.verb) == (after.actor, after.verb)
    assert (before.argument and before.argument.text()) == (after.argument and after.argument.text())


def test_what_can_be_several_tiles_is_asked_about_and_each_choice_is_clear() -> None:
    with pytest.raises(Unclear) as asked:
        expand_text("x rra, at: 3:00")
    assert str(asked.value).startswith("Which tiles? 1: exchange RR A, 2: exchange R R A. ")
    assert [expand_text(line) for line in asked.value.choices] == list(asked.value.choices)
    assert asked.value.choices[1] == "Núria Puig: turn exchange R R A, at: 3:00"


def test_a_word_is_laid_with_the_digraph_tile_unless_it_is_typed_with_spaces() -> None:
    assert expand_text("h8 carros") == "Núria Puig: turn H8 C A RR O S"
    assert expand_text("h8 c a r r o s") == "Núria Puig: turn H8 C A R R O S"


@pytest.mark.parametrize(
    ("typed", "step"),
    [
        ("paso", "Núria Puig: turn pass"),
        ("Passo", "Núria Puig: turn pass"),
        ("πάσο", "Núria Puig: turn pass"),
        ("cambio ae", "Núria Puig: turn exchange A E"),
        ("αλλαγή a e", "Núria Puig: turn exchange A E"),
        ("Blai: impugnació casa", "Blai: challenge C A S A"),
    ],
)
def test_what_players_say_in_their_language_is_understood(typed: str, step: str) -> None:
    assert expand_text(typed) == step


def test_a_rack_that_is_known_and_a_score_say_which_tiles_are_meant() -> None:
    assert expand_text("h8 carros", hand(racks={"p1": list("CARROSE")})) == "Núria Puig: turn H8 C A R R O S"
    assert expand_text("h8 carros 30") == "Núria Puig: turn H8 C A RR O S"


def test_a_score_that_does_not_agree_with_the_count_enters_nothing() -> None:
    assert expand_text("h8 casa 12") == "Núria Puig: turn H8 C A S A"
    with pytest.raises(Refusal, match="CASA scores 12, not 41: it was not entered"):
        expand_text("h8 casa 41")


def test_words_of_a_challenge_are_those_that_the_play_formed() -> None:
    at = hand(phase=game_pb2.PHASE_PLACED, formed=[["C", "A", "R", "R", "O", "S"], ["S", "I"]])
    assert expand_text("challenge carros, si", at) == "Blai Soler: challenge C A R R O S, S I"
    assert expand_text("Blai: challenge CARROS", at) == "Blai: challenge C A R R O S"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("h8 cabeça", "does not fit the tiles of es-100"),
        ("x 3", "does not fit the tiles of es-100"),
        ("q8 casa", "There is no square Q8: a row is one of ABCDEFGHIJKLMNO, a column 1 to 15."),
        ("h16 casa", "There is no square H16"),
        ("Núria: 8q casa", "There is no square 8Q"),
        ("h7 .alle", "H7 has no tile, but .alle has a tile of the board there."),
        ("h7 . A L", "H7 has no tile"),
        ("h8 c(as)a", "H10 has no tile"),
        ("h8 cosa", "H9 has A, but cosa has O there."),
        (
            "pepe: pass",
            "No player or official at this table has the name 'pepe'. There are: Núria Puig, Blai "
            "Soler, arbiter, judge.",
        ),
        ("Blay: pass", "No player or official at this table has the name 'Blay'; did you mean Blai Soler? There are: "),
        ("start-game", "Specify the player: `Núria Puig: start-game`; `Blai Soler: start-game`."),
    ],
)
def test_what_cannot_be_meant_says_why(text: str, said: str) -> None:
    phase = game_pb2.PHASE_UNSPECIFIED if text == "start-game" else game_pb2.PHASE_TURN
    with pytest.raises(Refusal) as refused:
        expand_text(text, hand(board=[(7, 8, "A")], phase=phase))
    assert said in str(refused.value)


def test_greek_is_read_without_accents_and_with_either_sigma() -> None:
    assert expand_text("Η8 λόγος", hand(ruleset="pes-2024")) == "Núria Puig: turn H8 Λ Ο Γ Ο Σ"
    assert expand_text("h8 λογος", hand(ruleset="pes-2024")) == "Núria Puig: turn H8 Λ Ο Γ Ο Σ"


def test_a_play_before_the_start_is_told_who_starts() -> None:
    for text in ("h8 casa", "-", "x ae", "place-play h8 casa"):
        with pytest.raises(Refusal) as refused:
            expand_text(text, hand(phase=game_pb2.PHASE_UNSPECIFIED))
        told = "The game has not begun; first `Núria Puig: start-game`; `Blai Soler: start-game`."
        assert (str(refused.value), refused.value.article) == (told, "FISE 4")
