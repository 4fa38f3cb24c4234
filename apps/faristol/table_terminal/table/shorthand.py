"""The shorthand of scorers, expanded to rulebook cases: ``h8 casa 24`` is ``Anna: turn H8 C A S A``.

A line that is valid in a case keeps its meaning. An ambiguous line leads to a question.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from faristol.casebook.case import ARBITER, JUDGE, OFFICIALS
from faristol.casebook.commands import Verb
from faristol.casebook.forms import board_of
from faristol.casebook.steps import SAID_KEYS
from faristol.kernel.quotation import nearest
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.game.v1 import game_pb2
from faristol.presentation.names import Named, candidates, fold_name
from faristol.rules import Board, check_play, lay, score_play
from faristol.rules.board import BOARD_SIZE, ROW_NAMES, Tile
from faristol.rules.look_alikes import latin
from faristol.rules.notation import Notation, Start
from faristol.rules.readings import clash, is_exact, tile_readings, word_readings
from faristol.rules.tiles import BLANK, TileSet
from faristol.table_terminal.shared.names import COULD_BE
from faristol.table_terminal.table.lines import Typed
from faristol.table_terminal.table.offers import ShownTable, list_next_steps

EXCHANGES = frozenset({"X", "EX", "EXCH", "EXCHANGE"})
"""Words for an exchange, in Latin capitals."""
SPOKEN: Mapping[str, str] = {
    **dict.fromkeys(("paso", "passo", "πασο"), "pass"),
    **dict.fromkeys(("cambio", "canvi", "αλλαγη"), "exchange"),
    **dict.fromkeys(("impugno", "impugnar", "impugnacion", "impugnacio", "ενσταση"), "challenge"),
    **dict.fromkeys(("ayuda", "ajuda", "βοηθεια"), "help"),
}
"""Words that books prescribe players to say (FISE 26: "Paso"), without accents, and their verbs."""

DASHES = "-–—−"
"""Signs for a pass, and with tiles for an exchange, as in GCG files."""

WHICH = N_("Which tiles? {readings}. Type the number, or the tiles separated by spaces.")
WHO = N_("Specify the player: {known}.")
NO_TILES = N_("{text} does not fit the tiles of {tiles}: a blank is (A) or ?a, and a tile on the board may be a dot.")
MISCOUNTED = N_(
    "{word} scores {counted}, not {score}: it was not entered. If the players agreed on that score, "
    "write `{who}: place-play …` and then `{who}: write-score, with: {{score: {score}}}`."
)

NO_SQUARE = N_("There is no square {square}: a row is one of {rows}, a column 1 to {most}.")
NOTHING_LIES = N_("{square} has no tile, but {word} has a tile of the board there.")
ANOTHER_LIES = N_("{square} has {tile}, but {word} has {wanted} there.")
NOT_BEGUN = N_("The game has not begun; first {known}.")
UNKNOWN_PERSON = N_("No player or official at this table has the name {given}. There are: {known}.")
PERHAPS = N_("No player or official at this table has the name {given}; did you mean {near}? There are: {known}.")

_SQUARE = re.compile(r"[A-Z]\d{1,2}|\d{1,2}[A-Z]")
_TAIL = re.compile(r",\s*(?:with|at|after):\s")
_SCORED_WORD_PATTERN = re.compile(r"(.*\S)\s+\+?(\d{1,4})")


class Unclear(Refusal):
    """A typed line is ambiguous; ``choices`` are its possible meanings."""

    def __init__(self, choices: Sequence[str], readings: Sequence[str]) -> None:
        numbered = ", ".join(f"{number}: {reading}" for number, reading in enumerate(readings, start=1))
        super().__init__("UNCLEAR", WHICH, {"readings": numbered})
        self.choices = choices


@dataclass(frozen=True, slots=True)
class LineParser:
    """A parser of lines at a table, with its people, rules, verbs, and state."""

    shown: ShownTable
    names: Mapping[str, str]
    """Of the players, by id."""
    people: Mapping[str, str]
    """Ids of players by alias."""
    verbs: Mapping[str, Verb]
    racks: Mapping[str, Sequence[str]]
    """Each player's rack, with an empty text for an unknown tile."""

    def expand(self, typed: Typed, words: Collection[str]) -> Typed:
        """Expand a line to a step of a case; return the line itself if it is one, or a command of the tool.

        ``words`` are those of the tool itself. Raises ``Unclear`` for an ambiguous line, ``Refusal`` for a play that
        cannot be read or has another score.
        """
        text = typed.text.strip()
        if "\n" in text or text[:1] in "{[" or re.match(r"-\s*\{", text):
            return typed
        name, said, tail = self._parts(text)
        if not said or (not name and said.split(maxsplit=1)[0].lower() in words):
            return typed
        short = self._in_words(said, whole=not name)
        verb, _, rest = short.partition(" ")
        if not name and verb != "turn" and verb not in self.verbs and verb != "rule":
            return typed
        who = self._find_person(name) if name else self._on_turn(verb)
        readings = self._arguments(who, verb, rest.strip())
        lines = [f"{who}: {f'{verb} {argument}'.rstrip()}{tail}" for argument in readings]
        if len(lines) > 1:
            raise Unclear(lines, readings)
        same = lines[0] == text.removeprefix("- ")
        return typed if same else typed._replace(text=lines[0])

    def _parts(self, text: str) -> tuple[str, str, str]:
        """Split a line into actor, text, and trailing keys: ``Anna``, ``h8 casa``, ``, at: 12:30``."""
        name, rest = "", text
        head = re.match(r"(?:-\s+)?([^,:]+):(?:\s+|$)", text)
        if head:
            name, rest = head[1].strip(), text[head.end() :]
        found = _TAIL.search(rest)
        return (name, rest[: found.start()].strip(), rest[found.start() :]) if found else (name, rest.strip(), "")

    def _in_words(self, typed: str, *, whole: bool) -> str:
        """Expand a move to the words of a case; with ``whole``, bare ``pass`` and ``exchange`` are whole turns."""
        first, _, rest = typed.partition(" ")
        if (verb := SPOKEN.get(fold_name(first))) and verb != "help":
            first, typed = verb, f"{verb} {rest}".rstrip()
        if typed[:1] and typed[0] in DASHES:
            tiles = typed[1:].strip()
            return f"turn exchange {tiles}" if tiles else "turn pass"
        move = latin(first)
        if move in EXCHANGES and (whole or first != "exchange"):
            return f"turn exchange {rest}"
        if whole and move == "PASS":
            return "turn pass"
        try:
            start, word = Notation.FISC.read_first(typed)
        except ValueError:
            if first not in self.verbs and _SQUARE.fullmatch(move):
                raise Refusal("NO_SQUARE", NO_SQUARE, {"square": move, "rows": ROW_NAMES, "most": BOARD_SIZE}) from None
            return typed if first in self.verbs else f"{first.lower()} {rest}".rstrip()
        return f"turn {Notation.FISC.write(start)} {word}".rstrip()

    def _find_person(self, name: str) -> str:
        """Return the name of a person as in a case. Raises ``Refusal`` for an ambiguous or unknown name."""
        if name in self.people or name in OFFICIALS:
            return name
        known = [Named(player, self.names[player]) for player in self.names]
        known += [Named(official, official) for official in OFFICIALS]
        found = candidates(name, known)
        if len(found) > 1:
            raise Refusal("WHO", COULD_BE, {"given": repr(name), "known": "; ".join(map(str, found))})
        if not found and name not in SAID_KEYS:
            raise self._nobody(name)
        return self._label(found[0].id) if found else name

    def _nobody(self, name: str) -> Refusal:
        """Return the refusal of an unknown name, with the known ones."""
        labels = {fold_name(alias): self._label(player) for alias, player in self.people.items()}
        labels |= {official: official for official in (ARBITER, JUDGE)}
        near = nearest(fold_name(name), labels)
        known = ", ".join([*map(self._label, self.names), ARBITER, JUDGE])
        params = {"given": repr(name), "known": known}
        if near:
            return Refusal("NOBODY", PERHAPS, {**params, "near": labels[near]})
        return Refusal("NOBODY", UNKNOWN_PERSON, params)

    def _on_turn(self, verb: str) -> str:
        """Return the actor of a line without a name: the only possible one, or the player on turn.

        Raises ``Refusal`` if the actor is ambiguous or the game has not begun.
        """
        if verb == "rule":
            return JUDGE
        mover = self.shown.table.turn_player_id
        wanted = STEP_OF.get(verb, verb)
        able = [who for who, verbs in list_next_steps(self.shown) if wanted in verbs]
        if self.shown.table.phase == game_pb2.PHASE_UNSPECIFIED and wanted == "turn":
            choices = "; ".join(f"`{self._label(able)}: {first[0]}`" for able, first in list_next_steps(self.shown))
            raise Refusal(
                "NOT_BEGUN", NOT_BEGUN, {"known": choices}, article=self.shown.ruleset.article("start.method")
            )
        known = self.verbs[verb].request.DESCRIPTOR.fields_by_name if verb in self.verbs else ()
        if len(able) == 1:
            who = able[0]
        elif "arbiter_id" in known and not able:
            who = ARBITER
        elif mover and (mover in able or not able):
            others = self.shown.others(mover)
            who = others[0] if verb in OF_OPPONENTS and len(others) == 1 else mover
        else:
            choices = "; ".join(f"`{self._label(player)}: {verb}`" for player in able or self.shown.players)
            raise Refusal("WHO", WHO, {"known": choices})
        return self._label(who)

    def _label(self, who: str) -> str:
        """Return a player's name, or the id if the name is ambiguous; the word for an official."""
        name = self.names.get(who, who)
        return name if self.people.get(name, who) == who else who

    def _arguments(self, who: str, verb: str, text: str) -> list[str]:
        """Return all readings of the argument of a verb."""
        field = self.verbs[verb].argument if verb in self.verbs else ""
        first, _, rest = text.partition(" ")
        if verb == "turn" and first in ("exchange", "pass"):
            return [f"{first} {tiles}".rstrip() for tiles in self._tiles(who, rest.strip())]
        if not text or text[0] in "{[\"'":
            return [text]
        if verb == "turn" or field == "placements":
            return self._plays(who, text)
        if field == "faces":
            return self._tiles(who, text)
        if field in ("words", "word"):
            return self._words(text, several=field == "words")
        return [latin(text)] if field == "row" else [text]

    def _plays(self, who: str, text: str) -> list[str]:
        try:
            start, word = Notation.FISC.read_first(text)
        except ValueError:
            return [text]  # the case's grammar reports the error
        score = _SCORED_WORD_PATTERN.fullmatch(word)
        if score:
            word = score[1]
        board, tiles = board_of(self.shown.table), self.shown.ruleset.tile_set
        square = Notation.FISC.write(start)
        if is_exact(word, tiles) and not score:
            return [f"{square} {word}"]
        read = word_readings(word, start, board, tiles)
        if not read:
            if found := clash(word, start, board, tiles):
                taken, lies, wanted = found
                params = {"square": str(taken), "word": word, "tile": str(lies or ""), "wanted": str(wanted or "")}
                raise Refusal("NO_FIT", ANOTHER_LIES if lies else NOTHING_LIES, params)
            raise Refusal("NO_TILES", NO_TILES, {"text": word, "tiles": tiles.name})
        read = self._of_rack(who, read, start, board)
        if score:
            read = self._of_score(who, read, start, board, int(score[2]))
        if self.shown.ruleset.law.digraph:
            read = [reading for reading in read if not _splits(reading, tiles)] or read
        return [f"{square} {' '.join(map(str, reading))}" for reading in read]

    def _of_rack(self, who: str, read: list[tuple[Tile, ...]], start: Start, board: Board) -> list[tuple[Tile, ...]]:
        """Return the readings that a known rack has the tiles for; all of them if it has them for none."""
        if (rack := self._rack(who)) is None:
            return read
        laid = {reading: Counter(tile.in_rack for _, tile in lay(board, start, reading)) for reading in read}
        return [reading for reading in read if laid[reading] <= rack] or read

    def _rack(self, who: str) -> Counter[str] | None:
        """Return the tiles of a player; None if not all of them are known."""
        rack = self.racks.get(self.people.get(who, ""), ())
        return Counter(rack) if rack and "" not in rack else None

    def _of_score(
        self, who: str, read: list[tuple[Tile, ...]], start: Start, board: Board, score: int
    ) -> list[tuple[Tile, ...]]:
        """Return the readings with this ``score`` or an unknown one. Raises ``Refusal`` if none matches."""
        counts = [self._compute_score(reading, start, board) for reading in read]
        if fitting := [reading for reading, count in zip(read, counts, strict=True) if count in (score, None)]:
            return fitting
        choices = ", ".join(str(count) for count in dict.fromkeys(counts))
        word = "".join(map(str, read[0]))
        raise Refusal("MISCOUNTED", MISCOUNTED, {"word": word, "counted": choices, "score": score, "who": who})

    def _compute_score(self, word: Sequence[Tile], start: Start, board: Board) -> int | None:
        """Return the score of a play; None if the rules forbid it, which the game service explains better."""
        laid = lay(board, start, word)
        if any(tile.face == BLANK for _, tile in laid):
            return None
        ruleset = self.shown.ruleset
        try:
            words = check_play(board, laid, rack=[tile.in_rack for _, tile in laid], ruleset=ruleset)
        except Refusal:
            return None
        return score_play(board, laid, ruleset, words).points

    def _tiles(self, who: str, text: str) -> list[str]:
        tiles = self.shown.ruleset.tile_set
        if not text or is_exact(text.replace(",", " "), tiles) or text[0] in "{[\"'":
            return [text]
        read = tile_readings(text, tiles)
        if not read:
            raise Refusal("NO_TILES", NO_TILES, {"text": text, "tiles": tiles.name})
        if (rack := self._rack(who)) is not None:
            read = [faces for faces in read if Counter(faces) <= rack] or read
        return [" ".join(faces) for faces in read]

    def _words(self, text: str, *, several: bool) -> list[str]:
        """Split a text at commas into words, each as the play in question formed it if possible."""
        table, tiles = self.shown.table, self.shown.ruleset.tile_set
        formed = [
            tuple(formed_word.word.faces) for play in (table.pending, table.open_play) for formed_word in play.words
        ]
        ways: list[list[str]] = [[]]
        for word in text.split(",") if several else [text]:
            exact = is_exact(word, tiles) and (not several or tuple(word.split()) in formed)
            read = [tuple(word.split())] if exact else tile_readings(word.strip(), tiles)
            matched = [faces for faces in read if faces in formed] or (read[:1] if several else read)
            found = [" ".join(faces) for faces in matched] or [word.strip()]
            ways = [[*before, reading] for before in ways for reading in found]
        return [", ".join(way) for way in ways]


STEP_OF: Mapping[str, str] = {"place-play": "turn", "lay-tiles": "turn"}
"""Verbs that are possible when another one is offered."""

OF_OPPONENTS = frozenset({"challenge", "accept-play", "decide-off-centre", "dispute-count", "claim-time"})
"""Verbs of the opponent of the player on turn."""


def _splits(word: Sequence[Tile], tiles: TileSet) -> bool:
    """Check whether two tiles of a word make one of the set: ``L L``, which books forbid if the set has ``LL``.

    A player who laid both anyway is entered with a space between (FISE 11).
    """
    return any(first.face + second.face in tiles.faces for first, second in pairwise(word))
