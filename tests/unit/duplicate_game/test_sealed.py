"""Sealed games as documents: their content, and the detection of any changed tile."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from tests.support.games_ahead import FISC, GAME, SALT, sealed_game, words

from faristol.duplicate_game.draws import Words
from faristol.duplicate_game.game import Duplicate, Turn
from faristol.duplicate_game.sealed import (
    DocumentError,
    EnvelopeError,
    check,
    content_of,
    document_of,
    play_again,
    read_document,
    seal,
    unwrap,
)
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.rules import Board
from faristol.rules.duplicate_game.finish import DuplicateEndReason
from faristol.rules.duplicate_game.verification import CalledRack, PlayedTurn, check_racks

KEY, WRAPPING = bytes([1] * 32), bytes([2] * 32)
NONCES = (bytes(12), bytes([3] * 12))


def find_problems(change: Any, lexicon: Words | None = None) -> list[str]:
    """Return the problems of a document with a change; of its words too with a ``lexicon``."""
    said = json.loads(document_of(sealed_game()))
    change(said)
    try:
        return list(check(read_document(json.dumps(said).encode()), FISC, lexicon))
    except DocumentError as problem:
        return [str(problem)]


def test_a_game_is_played_to_its_end_by_the_law_and_reads_as_it_was_written() -> None:
    game = sealed_game()
    assert len(game.turns) > 12
    assert game.end in (DuplicateEndReason.EXHAUSTED, DuplicateEndReason.NO_RACK, DuplicateEndReason.NO_PLAY)
    assert read_document(document_of(game)) == game
    assert list(check(game, FISC, words())) == []
    assert find_problems(lambda said: None, words()) == []


def test_every_changed_tile_of_a_rack_is_named_with_its_turn_and_what_was_expected() -> None:
    for place, turn in enumerate(sealed_game().turns):
        for tile, face in enumerate(turn.rack.faces):
            other = next(known for known in "AESR" if known != face)

            def change(said: Any, place: int = place, tile: int = tile, other: str = other) -> None:
                said["turns"][place]["rack"][tile] = other

            assert find_problems(change)[0].startswith(f"turn {place + 1}: "), (place, tile)


def test_a_changed_tile_is_told_with_the_one_that_was_expected() -> None:
    first = sealed_game().turns[0].rack.faces

    def change(said: Any) -> None:
        said["turns"][0]["rack"][6] = next(face for face in "AESR" if face != first[6])

    assert f"draw 0 gives {' '.join(first)} from the seed" in find_problems(change)[0]


@pytest.mark.parametrize("place", [0, 3, -1])
def test_another_master_play_is_named_with_its_turn(place: int) -> None:
    number = place % len(sealed_game().turns) + 1

    def change(said: Any) -> None:
        said["turns"][place]["master"]["score"] += 1

    assert find_problems(change)[0].startswith(f"turn {number}: ")

    def elsewhere(said: Any) -> None:
        said["turns"][place]["master"]["coordinates"] = "A1"

    assert find_problems(elsewhere)[0].startswith(f"turn {number}: ")


def test_with_the_lexicon_at_hand_a_lower_master_play_is_named_with_the_proposed_one() -> None:
    last = sealed_game().turns[-1]

    def change(said: Any) -> None:
        said["turns"][-1]["top"] = last.top + 1

    number = len(sealed_game().turns)
    assert find_problems(change, words()) == [f"turn {number}: the highest score is {last.top}, not {last.top + 1}"]


def test_a_document_that_is_none_says_so() -> None:
    with pytest.raises(DocumentError, match="not a sealed game"):
        read_document(b"{}")
    assert find_problems(lambda said: said["turns"][2].pop("top"))[0].startswith("turn 3: ")


def test_a_game_that_is_played_again_keeps_the_turns_for_which_its_racks_were_drawn() -> None:
    first, second = sealed_game().turns[:2]
    board, lifted = Board(), ("A", "B", "C", "D", "E", "F", "G")
    turns = (
        Turn(1, board, first.rack.faces, 0, master=first.master, top=first.top, completed=True),
        Turn(2, board, lifted, 0, completed=True),  # no play is possible
        Turn(3, board, second.rack.faces, 0, master=second.master, top=second.top, completed=True),
    )
    again = play_again("cup-r2", Duplicate(game_id=GAME, turns=turns, end=events.DUPLICATE_END_EXHAUSTED), SALT)
    assert [turn.drawn_as for turn in again.turns] == [0, 3]
    assert read_document(document_of(again)) == again


def test_a_rack_of_a_late_turn_is_valid_where_it_is_called_earlier_when_the_game_is_played_again() -> None:
    def turn(rack: str, drawn_as: int = 0) -> PlayedTurn:
        return PlayedTurn(CalledRack(tuple(rack), 0, 0), (), by_hand=True, used=(), drawn_as=drawn_as)

    early = [turn("CASERNA")] * (FISC.racks.late_from_turn - 2)
    wrong = [
        list(check_racks([*early, late], game_id=GAME, held=None, ruleset=FISC))
        for late in (turn("CSLRTNA"), turn("CSLRTNA", FISC.racks.late_from_turn))
    ]
    assert wrong == [[f"turn {FISC.racks.late_from_turn - 1}: the rack C S L R T N A is not valid"], []]


def test_an_envelope_opens_by_its_key_for_its_game_alone() -> None:
    document = document_of(sealed_game())
    envelope = seal(document, GAME, KEY, WRAPPING, NONCES)
    assert envelope.digest == hashlib.sha256(document).digest()
    assert document[:40] not in envelope.SerializeToString()
    key = unwrap(envelope, GAME, WRAPPING)
    assert content_of(envelope, GAME, key) == document
    for game, other in ((GAME, SALT), ("cup-r2", key)):
        with pytest.raises(EnvelopeError):
            content_of(envelope, game, other)
    with pytest.raises(EnvelopeError):
        unwrap(envelope, GAME, KEY)
    envelope.content = envelope.content[:-1] + bytes([envelope.content[-1] ^ 1])
    with pytest.raises(EnvelopeError):
        content_of(envelope, GAME, key)
