"""Games for tests: short ones written by hand, and long ones of players who lay any valid tiles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from tests.support.squares import neighbours
from tests.unit.rules.gcg.recorder import Recorder

from faristol.kernel.refusal import Refusal
from faristol.rules import (
    BLANK,
    CENTRE,
    Board,
    Direction,
    Placement,
    Ruleset,
    Square,
    Tile,
    check_play,
    load_ruleset,
)
from faristol.rules.gcg import GcgGame, GcgPlayer, Replay, read_gcg, replay
from faristol.rules.ruleset.with_options import with_options
from faristol.rules.turns import exchange_limit

BOX = load_ruleset("box")
ENGLISH, CATALAN, SPANISH, GREEK = (
    with_options(BOX, {"ending": "tournament", "tiles": tiles}) for tiles in ("en-100", "ca-100", "es-100", "el-104")
)
INSTRUCTIONS = BOX
"""The same rules with the ending of the instructions: two passes each, and racks deducted and added."""
FISC = load_ruleset("fisc-2023")
PES = load_ruleset("pes-2024")
FESTA_MAJOR = load_ruleset("festa-major")

PLAYERS = ("#player1 a Ada Lovelace", "#player2 b Blaise Pascal")
FIRST = len(PLAYERS) + 1
"""Line of the first event in a file that ``text`` makes."""


def text(*events: str) -> str:
    """Return a file with two players, ``a`` and ``b``, and these lines."""
    return "\n".join([*PLAYERS, *events]) + "\n"


def replay_events(*events: str, ruleset: Ruleset = ENGLISH) -> Replay:
    """Return the replay of such a file."""
    return replay(read_gcg(text(*events)), ruleset)


def list_problems(*events: str, ruleset: Ruleset = ENGLISH) -> tuple[tuple[int, str], ...]:
    """Return the problems of such a file: the number of the event, from 1, and the reason."""
    problems = replay_events(*events, ruleset=ruleset).problems
    return tuple((problem.line - FIRST + 1, problem.reason) for problem in problems)


class NaiveGame:
    """A game of two players who know no words. Racks, bag and board are kept here as well as by the recorder."""

    def __init__(self, ruleset: Ruleset, random: Random) -> None:
        self.ruleset = ruleset
        self.random = random
        counts = ruleset.tile_set.counts
        self.bag = [face for face, count in counts.items() for _ in range(count)]
        random.shuffle(self.bag)
        # Tiles of several characters and blanks come early, so that every game has them.
        self.bag.sort(key=lambda face: (len(face) > 1 or face == BLANK) and random.random() < 0.6)
        self.racks: dict[str, list[str]] = {"a": [], "b": []}
        for nick in self.racks:
            self.refill(nick)
        self.board = Board()
        first, second = GcgPlayer(number=1, nick="a", name="Ada Lovelace"), GcgPlayer(number=2, nick="b")
        self.recorder = Recorder(first, second, ruleset)

    def refill(self, nick: str) -> None:
        rack = self.racks[nick]
        while self.bag and len(rack) < self.ruleset.game.rack_size:
            rack.append(self.bag.pop())

    def draw_rack(self, nick: str, used: Sequence[str]) -> list[str] | None:
        """Return the rack as an annotator saw it: all of it, the used tiles and a few more, or none."""
        rack = list(self.racks[nick])
        seen = self.random.random()
        if seen < 0.1:
            return None
        if seen < 0.25:
            for face in used:
                rack.remove(face)
            return [*used, *rack[: self.random.randrange(len(rack) + 1)]]
        self.random.shuffle(rack)
        return rack

    def play(self, turns: int) -> GcgGame:
        """Return so many turns at most, and the closing lines if the game ends."""
        nick = self.random.choice("ab")
        for _ in range(turns):
            self.turn(nick)
            if self.recorder.end:
                break
            nick = "b" if nick == "a" else "a"
        self.close()
        return self.recorder.game()

    def turn(self, nick: str) -> None:
        rack, kind = self.racks[nick], self.random.random()
        found = next(self.candidates(nick), None) if kind > 0.1 else None
        if found is None:
            most = min(exchange_limit(len(self.bag), self.ruleset), len(rack))
            if most and kind > 0.02:
                self.exchange(nick, self.random.randint(1, most))
            else:
                self.recorder.pass_turn(nick, self.draw_rack(nick, ()))
            return
        used = [tile.in_rack for _, tile in found]
        self.recorder.play(nick, self.draw_rack(nick, used), found)
        other = "b" if nick == "a" else "a"
        what = self.random.random()
        if what < 0.12:
            self.recorder.withdraw(nick)
            return
        self.board = self.board.place(found)
        for face in used:
            rack.remove(face)
        self.refill(nick)
        price = self.ruleset.challenge.penalty or (5 if self.ruleset.name == "box" else 0)
        if price and what < 0.2:
            self.recorder.challenge(other, self.racks[other], -price)
        elif self.ruleset.name == "box" and what < 0.25:
            self.recorder.challenge(nick, rack, price)
        if what > 0.9:
            self.recorder.note("a note\n\n  of «three» lines, 'ŀ' and Ω")

    def exchange(self, nick: str, count: int) -> None:
        rack = self.racks[nick]
        given, kept = rack[:count], rack[count:]
        known = self.random.random() < 0.7
        self.recorder.exchange(nick, self.draw_rack(nick, given), given if known else count)
        self.racks[nick] = kept
        self.refill(nick)
        self.bag[:0] = given
        self.random.shuffle(self.bag)

    def close(self) -> None:
        if self.recorder.end:
            self.recorder.count_racks({nick: tuple(rack) for nick, rack in self.racks.items()})
            if self.random.random() < 0.3:
                self.recorder.time_penalty("b", 20)
        else:
            self.recorder.pragma("incomplete")

    def candidates(self, nick: str, tries: int = 60) -> Iterator[list[Placement]]:
        """Yield valid plays, found by trial."""
        rack = self.racks[nick]
        for _ in range(tries):
            anchor = self.random.choice(self.anchors())
            direction = self.random.choice(list(Direction))
            tiles = self.random.sample(rack, self.random.randint(1, len(rack)))
            laid = [
                Placement(square, self.tile(face))
                for square, face in zip(self.squares(anchor, direction, len(tiles)), tiles, strict=False)
            ]
            try:
                check_play(self.board, laid, rack=rack, ruleset=self.ruleset)
            except Refusal:
                continue
            yield laid

    def tile(self, face: str) -> Tile:
        if face != BLANK:
            return Tile(face)
        digraphs = [face for face in self.ruleset.tile_set.faces if len(face) > 1]
        return Tile(self.random.choice(digraphs or self.ruleset.tile_set.faces), blank=True)

    def anchors(self) -> list[Square]:
        found = {near for square in self.board for near in neighbours(square) if near not in self.board}
        return sorted(found) or [CENTRE]

    def squares(self, anchor: Square, direction: Direction, count: int) -> list[Square]:
        """Free squares in line, the anchor among them."""
        back = self.random.randrange(count)
        line = [anchor.step(direction, by) for by in range(-14, 15)]
        free = [square for square in line if square.on_board and square not in self.board]
        at = free.index(anchor)
        return free[max(0, at - back) : max(0, at - back) + count]
