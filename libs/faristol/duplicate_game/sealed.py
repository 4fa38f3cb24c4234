"""Sealed games: the racks and master plays of a whole game before it is played, as a document. Pure.

Problem. A game is drawn before it begins: halls can then continue without a connection, and another group can play it
later. No person may be able to change it afterwards, and only holders of its key may read it in advance. When the game
is over, every reader must be able to verify it.

Idea. This is a commitment that is opened later. The record has the SHA-256 of the document, and the document encrypted
with a separate key. That key is encrypted with the key of the cell (``Envelope``, AES-256-GCM). At the end of the game
its key is on the record. The racks follow from a seed, and the seed has a commitment too, so ``check`` draws them
again. A rerun has no seed: it repeats the racks and plays of an earlier game.

Invariants:

- The document is JSON in UTF-8 with sorted keys and without spaces. So one game has one document and one hash.
- It contains ``SALT_BYTES`` random bytes, so the content cannot be guessed from its hash.
- The envelope authenticates the id of the game. It does not open as that of another game.
- In a game with a seed, every master play is the one that the computer proposes (``play_ahead``).
- A deviation voids the sealed game from that turn on, with its cause on the record. It does not change the document.

Cost. ``play_ahead`` searches the best plays once for each turn. ``check`` draws every rack again. With a lexicon, it
also searches the plays of each turn.

Alternatives that are not used:

- Only the seed on the record, encrypted. A hall offline would need the lexicon and the search of plays to know the
  next board. A rerun has no seed.
- A hash without a salt. A reader could compare it with the hashes of likely games.
- A key for each turn (docs/duplicate.md). A hall without a connection could not get the next one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from faristol.duplicate_game.draws import END_REASONS, DrawState, Words, draw_next_rack
from faristol.duplicate_game.game import Duplicate
from faristol.kernel.pins import Pin
from faristol.kernel.refusal import Refusal
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.rules import Board, Notation, Ruleset, full_bag, without
from faristol.rules.draws.bag import commitment
from faristol.rules.duplicate_game.finish import DuplicateEndReason
from faristol.rules.duplicate_game.plays import Play, make_play
from faristol.rules.duplicate_game.verification import CalledRack, HeldSeed, PlayedTurn, check_racks
from faristol.rules.notation import lay, read_tiles

KEY_BYTES = 32
NONCE_BYTES = 12


class EnvelopeError(ValueError):
    """An envelope that cannot be opened: wrong key, or modified bytes."""


def key_id(key: bytes) -> str:
    """Return the id of a key: the first 16 hexadecimal digits of its SHA-256."""
    return hashlib.sha256(key).hexdigest()[:16]


def seal(content: bytes, game_id: str, key: bytes, wrapping: bytes, nonces: tuple[bytes, bytes]) -> events.Envelope:
    """Encrypt ``content`` with ``key``, and that with ``wrapping``.

    Keys have 32 bytes. Each of the nonces has 12 and is used once.
    """
    for_content, for_key = nonces
    about = game_id.encode()
    return events.Envelope(
        digest=hashlib.sha256(content).digest(),
        content=for_content + AESGCM(key).encrypt(for_content, content, about),
        wrapped_key=for_key + AESGCM(wrapping).encrypt(for_key, key, about),
        key_id=key_id(wrapping),
    )


def unwrap(envelope: events.Envelope, game_id: str, wrapping: bytes) -> bytes:
    """Decrypt the key of the content. Raises ``EnvelopeError``."""
    return _decrypt(envelope.wrapped_key, game_id, wrapping)


def content_of(envelope: events.Envelope, game_id: str, key: bytes) -> bytes:
    """Decrypt the content. Raises ``EnvelopeError``, also if it does not match its commitment."""
    content = _decrypt(envelope.content, game_id, key)
    if hashlib.sha256(content).digest() != envelope.digest:
        raise EnvelopeError(
            f"the sealed game of {game_id} does not match the commitment {envelope.digest.hex()} commits to"
        )
    return content


def _decrypt(sealed: bytes, game_id: str, key: bytes) -> bytes:
    try:
        return AESGCM(key).decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], game_id.encode())
    except (InvalidTag, ValueError) as error:
        raise EnvelopeError(f"the sealed game of {game_id} cannot be opened with this key") from error


SALT_BYTES = 32


@dataclass(frozen=True, slots=True)
class SealedTurn:
    """A turn of a sealed game."""

    rack: CalledRack
    went_back: tuple[CalledRack, ...]
    by_hand: bool
    """Whether the tiles were taken out of a bag, in a game that is played again."""
    master: Play
    top: int
    """The highest score of the rack."""
    drawn_as: int = 0
    """The turn for which the rack was drawn, if a rerun skips turns without a play; 0: this one. It determines the
    number of vowels and consonants that the rack needs.
    """


@dataclass(frozen=True, slots=True)
class SealedGame:
    """A whole game."""

    game_id: str
    """The game that is played from it."""
    ruleset: Pin
    lexicon: Pin
    salt: bytes
    """32 random bytes that prevent guessing the sealed content from its hash."""
    turns: tuple[SealedTurn, ...]
    end: DuplicateEndReason
    seed: bytes = b""
    """The seed of its racks; empty for a rerun."""
    rerun_of: str = ""

    @property
    def commitment(self) -> bytes:
        """The commitment to its seed; empty without one."""
        return commitment(self.seed, self.game_id) if self.seed else b""

    def turn(self, number: int) -> SealedTurn | None:
        """Return a turn by its number, from 1; None after the last."""
        return self.turns[number - 1] if 0 < number <= len(self.turns) else None


class DocumentError(ValueError):
    """A document that is not a sealed game; the message says where, and states the expected content."""


def play_ahead(
    game_id: str, pins: tuple[Pin, Pin], seed: bytes, salt: bytes, ruleset: Ruleset, words: Words
) -> SealedGame:
    """Return a game played by the computer: racks from ``seed``, and always the proposed master play."""
    board = Board()
    leftover: tuple[str, ...] = ()
    bag = full_bag(ruleset.tile_set)
    turns: list[SealedTurn] = []
    counter = 0
    while True:
        found = draw_next_rack(DrawState(len(turns) + 1, board, leftover, bag, seed, counter), ruleset, words)
        if isinstance(found, DuplicateEndReason):
            return SealedGame(game_id, *pins, salt, tuple(turns), found, seed)
        *back, last = (CalledRack(attempt.rack, len(attempt.leftover), attempt.counter) for attempt in found.attempts)
        play = words.tops(board, last.faces)[0]
        turns.append(SealedTurn(last, tuple(back), by_hand=False, master=play, top=play.score))
        board, bag, counter = board.place(play.placements), found.bag, found.next_counter
        leftover = without(last.faces, _list_used_faces(play))


def play_again(game_id: str, game: Duplicate, salt: bytes) -> SealedGame:
    """Return the racks and master plays of a finished game, for another group."""
    turns: list[SealedTurn] = []
    for turn in game.turns:
        if turn.completed and turn.master is not None:  # a turn without a play leaves no play to repeat
            rack = turn.called_rack
            drawn_as = turn.number if turn.number != len(turns) + 1 else 0
            turns.append(SealedTurn(rack, turn.went_back, turn.by_hand, turn.master, turn.top, drawn_as))
    return SealedGame(
        game_id, game.ruleset, game.lexicon, salt, tuple(turns), END_REASONS[game.end], rerun_of=game.game_id
    )


def document_of(sealed: SealedGame) -> bytes:
    """Serialize a sealed game."""
    content = {
        "game": sealed.game_id,
        "rerun_of": sealed.rerun_of,
        "ruleset": _pin(sealed.ruleset),
        "lexicon": _pin(sealed.lexicon),
        "salt": sealed.salt.hex(),
        "seed": sealed.seed.hex(),
        "end": sealed.end.value,
        "turns": [
            {
                **_rack(turn.rack),
                "by_hand": turn.by_hand,
                "went_back": [_rack(back) | ({"by_hand": True} if back.by_hand else {}) for back in turn.went_back],
                "master": _master(turn.master),
                "top": turn.top,
                **({"drawn_as": turn.drawn_as} if turn.drawn_as else {}),
            }
            for turn in sealed.turns
        ],
    }
    return json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def read_document(document: bytes) -> SealedGame:
    """Parse a document. Raises ``DocumentError``, which names the turn of the error, if it is in one."""
    try:
        content = json.loads(document)
        sealed = SealedGame(
            game_id=content["game"],
            ruleset=_read_pin(content["ruleset"]),
            lexicon=_read_pin(content["lexicon"]),
            salt=bytes.fromhex(content["salt"]),
            turns=(),
            end=DuplicateEndReason(content["end"]),
            seed=bytes.fromhex(content["seed"]),
            rerun_of=content["rerun_of"],
        )
        turns = list(content["turns"])
    except KeyError as error:
        raise DocumentError(f"this is not a sealed game: it has no {error}") from error
    except (ValueError, TypeError) as error:
        raise DocumentError(f"this is not a sealed game: {error}") from error
    return replace(sealed, turns=tuple(_read_turns(turns)))


def check(sealed: SealedGame, ruleset: Ruleset, words: Words | None = None) -> Iterator[str]:
    """Yield every error of a sealed game as a sentence with its turn and the expected value.

    Racks must follow from the seed, if any, and master plays must use them. With ``words``, master plays must be in the
    lexicon and tops must be correct. In a game with a seed, master plays must then be the proposed ones.
    """
    played = [
        PlayedTurn(
            turn.rack, turn.went_back, by_hand=turn.by_hand, used=_list_used_faces(turn.master), drawn_as=turn.drawn_as
        )
        for turn in sealed.turns
    ]
    held = HeldSeed(sealed.seed, sealed.commitment) if sealed.seed else None
    yield from check_racks(played, game_id=sealed.game_id, held=held, ruleset=ruleset)
    board = Board()
    for number, turn in enumerate(sealed.turns, start=1):
        problem = _wrong_play(turn, board, ruleset, words.is_word if words else lambda faces: True)
        if problem is None and words is not None:
            tops = words.tops(board, turn.rack.faces)
            if turn.top != tops[0].score:
                problem = f"the highest score is {tops[0].score}, not {turn.top}"
            elif sealed.seed and turn.master != tops[0]:
                problem = f"expected the master play {tops[0]}, and {turn.master} stands there"
        if problem is not None:
            yield f"turn {number}: {problem}"
            return
        board = board.place(turn.master.placements)


def differences(sealed: SealedGame, played: Sequence[tuple[int, Sequence[str], Play | None]]) -> Iterator[str]:
    """Yield the differences of played turns from a sealed game: number, rack, and master play."""
    for number, rack, master in played:
        turn = sealed.turn(number)
        if turn is None:
            yield f"turn {number}: the sealed game has {len(sealed.turns)} turns"
        elif turn.rack.faces != tuple(rack):
            yield f"turn {number}: expected the rack {' '.join(turn.rack.faces)}, and {' '.join(rack)} was called"
        elif master is not None and not master.lays_as(turn.master):
            yield f"turn {number}: expected the master play {turn.master}, and {master} was laid"


def _wrong_play(
    turn: SealedTurn, board: Board, ruleset: Ruleset, is_word: Callable[[tuple[str, ...]], bool]
) -> str | None:
    """Return the error of a turn's master play; None if it is correct."""
    master = turn.master
    try:
        play = make_play(master.start, master.word, board, turn.rack.faces, ruleset, is_word)
    except Refusal as refusal:
        return f"the master play {master} cannot be: {refusal}"
    if play.score != master.score:
        return f"the master play is worth {play.score}, not {master.score}"
    if not play.lays_as(master):
        return f"the master play {master} lays other tiles than its word needs"
    return None


def _list_used_faces(play: Play) -> tuple[str, ...]:
    return tuple(tile.in_rack for _, tile in play.placements)


def _pin(pin: Pin) -> dict[str, Any]:
    return {"name": pin.name, "digest": pin.digest, "options": [list(option) for option in pin.options]}


def _read_pin(content: Mapping[str, Any]) -> Pin:
    return Pin(content["name"], content["digest"], tuple((str(name), str(value)) for name, value in content["options"]))


def _rack(rack: CalledRack) -> dict[str, Any]:
    return {"rack": list(rack.faces), "leftover": rack.leftover, "draw": rack.draw}


def _master(play: Play) -> dict[str, Any]:
    return {
        "coordinates": Notation.FISC.write(play.start),
        "word": " ".join(map(str, play.word)),
        "score": play.score,
    }


def _read_turns(content: Sequence[Any]) -> Iterator[SealedTurn]:
    board = Board()
    for number, turn in enumerate(content, start=1):
        try:
            master = _read_master(turn["master"], board)
            yield SealedTurn(
                rack=_read_rack(turn),
                went_back=tuple(
                    _read_rack(back)._replace(by_hand=bool(back.get("by_hand"))) for back in turn["went_back"]
                ),
                by_hand=bool(turn["by_hand"]),
                master=master,
                top=int(turn["top"]),
                drawn_as=int(turn.get("drawn_as", 0)),
            )
            board = board.place(master.placements)
        except (ValueError, KeyError, TypeError) as error:
            raise DocumentError(f"turn {number}: {error}") from error


def _read_rack(content: Mapping[str, Any]) -> CalledRack:
    return CalledRack(tuple(map(str, content["rack"])), int(content["leftover"]), int(content["draw"]))


def _read_master(content: Mapping[str, Any], board: Board) -> Play:
    start, word = Notation.FISC.read(content["coordinates"]), read_tiles(content["word"])
    return Play(start, word, lay(board, start, word), int(content["score"]))
