"""Any command at a table of any book, in any order, is executed, or refused with a message."""

from __future__ import annotations

from copy import deepcopy
from functools import reduce
from random import Random
from typing import Any

import pytest
from google.protobuf.message import Message
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.squares import neighbours
from tests.unit.table.hall import PLAYERS, Hall, rules

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import Refusal
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.game.v1 import game_pb2
from faristol.rules import CENTRE, Direction, Ruleset, Square, Tile, check_play, commitment, ruleset_names
from faristol.rules.board import Placement
from faristol.rules.draws.draw_log import check_draws
from faristol.table.decide import GAME_COMMANDS, decide
from faristol.table.decide.draws import unseen
from faristol.table.draw_log import draws_of
from faristol.table.game.evolution import evolve, fold
from faristol.table.game.state import UNENTERED_TILE, Game, Phase

TABLES = [
    (name, players)
    for name in ruleset_names("classic", "multi")
    for players in range(2, rules(name).game.players_max + 1)
]
COMMANDS = list(GAME_COMMANDS)


class Somebody:
    """Chooses the next command: mostly a fitting one, often any."""

    def __init__(self, hall: Hall, chance: Random, arbiters: float = 0) -> None:
        """``arbiters`` is how often one of them corrects an entry or imposes a sanction."""
        self.hall = hall
        self.chance = chance
        self.arbiters = arbiters
        self.told: list[str] = []
        """The refusals."""

    def act(self) -> None:
        game = self.hall.game
        roll = self.chance.random()
        try:
            if self.chance.random() < self.arbiters:
                self.hall.do(self._of_arbiter(game), self.chance.random() * 10)
            elif roll < 0.15:
                self.hall.press(self.chance.random() * 40, self._player())
            elif roll < 0.25:
                self.hall.stop(self.chance.random() * 20, self._player())
            elif roll < 0.4 and game.phase is Phase.CHALLENGED and game.ruled is None and not game.course.appealed:
                play = next(event for event in reversed(self.hall.events) if isinstance(event, events.ChallengeRaised))
                self.hall.rule([self.chance.random() < 0.5 for _ in play.words])
            elif roll < 0.75:
                self.hall.do(self._fitting(game), self.chance.random() * 10)
            else:
                self.hall.do(self._any(game), self.chance.random() * 10)
        except (Refusal, Invalid) as refused:
            self.told.append(str(refused))

    def _player(self) -> str:
        game = self.hall.game
        return game.mover if game.mover and self.chance.random() < 0.8 else self.chance.choice(self.hall.players)

    def _fitting(self, game: Game) -> Message:
        """Return a command that fits the state of the table."""
        mover, chance = game.mover, self.chance
        if game.over:
            return game_pb2.SignSheetRequest(player_id=chance.choice(self.hall.players))
        if game.interruption is not None or game.arbiter_called:
            return self._settling(game)
        rack = self._rack(game)
        full = self.hall.ruleset.game.rack_size
        holder = next((player for player in game.player_ids if len(game.racks[player]) > full), None)
        if holder is not None and chance.random() < 0.5:
            claimant = chance.choice(self.hall.players)
            return game_pb2.ClaimOverdrawRequest(player_id=claimant, drawer_id=holder, racked=chance.random() < 0.5)
        match game.phase:
            case Phase.PLACED | Phase.DRAWN if game.pending is not None and chance.random() < 0.25:
                words = [word.word for word in game.pending.words]
                return game_pb2.ChallengeRequest(player_id=game.others(mover)[0], words=words)
            case Phase.TURN if rack and chance.random() < 0.8:
                return game_pb2.PlacePlayRequest(player_id=mover, placements=self._play(game))
            case Phase.TURN if rack:
                faces = chance.sample(rack, chance.randint(1, len(rack)))
                return game_pb2.ExchangeRequest(player_id=mover, faces=faces, done=chance.random() < 0.5)
            case Phase.OFF_CENTRE:
                return game_pb2.DecideOffCentreRequest(player_id=game.others(mover)[0], accept=chance.random() < 0.5)
            case Phase.PLACED if chance.random() < 0.5:
                return game_pb2.WriteScoreRequest(player_id=chance.choice(self.hall.players))
            case Phase.PLACED:
                extra = chance.choice([None, None, 1, 8])
                return game_pb2.DrawTilesRequest(player_id=mover, count=extra)
            case Phase.CHALLENGED:
                accepts = chance.random() < 0.5
                return (
                    game_pb2.AcceptRulingRequest(player_id=mover)
                    if accepts
                    else game_pb2.AppealRequest(player_id=mover)
                )
        return self._any(game)

    def _settling(self, game: Game) -> Message:
        match game.interruption:
            case events.OverdrawFound(arbiter=True) as found:
                faces = self.chance.sample(game.racks[found.player_id], found.surplus)
                return game_pb2.ResolveOverdrawRequest(arbiter_id="eleni", faces=faces)
            case events.OverdrawFound() as found:
                faces = self.chance.sample(list(found.shown), found.choose)
                return game_pb2.ChooseSurplusRequest(player_id=game.others(found.player_id)[0], faces=faces)
            case events.UnderdrawFound():
                return game_pb2.ResolveUnderdrawRequest(arbiter_id="eleni", show=self.chance.random() < 0.5)
            case events.IllegalExchangeFound() as found:
                faces = self.chance.sample([*found.from_rack, *found.bag], found.keep)
                return game_pb2.KeepAfterExchangeRequest(player_id=game.others(found.player_id)[0], faces=faces)
            case events.CountDisputed():
                return game_pb2.SettleCountRequest(arbiter_id="eleni")
        return game_pb2.DismissArbiterRequest(arbiter_id="eleni")

    def _of_arbiter(self, game: Game) -> Message:
        """Return a command by which an arbiter corrects or imposes, or a player leaves."""
        chance, player = self.chance, self.chance.choice(self.hall.players)
        blanks = [square for square, tile in game.board.items() if tile.blank] or [CENTRE]
        blank, face = chance.choice(blanks), chance.choice(self.hall.ruleset.tile_set.faces)
        turn = chance.randint(1, max(1, len(game.turns_taken)))
        kind = chance.choice([events.SANCTION_KIND_POINTS, events.SANCTION_KIND_TURN, events.SANCTION_KIND_WARNING])
        points = 30 if kind == events.SANCTION_KIND_POINTS else 0
        several = (
            game_pb2.AbandonRequest(player_ids=[player]) if len(self.hall.players) > 2 else game_pb2.AgreeEndRequest()
        )
        return chance.choice(
            [
                game_pb2.ImposeSanctionRequest(arbiter_id="eleni", player_id=player, kind=kind, points=points),
                game_pb2.CorrectTotalRequest(arbiter_id="eleni", player_id=player, total=chance.randint(0, 99)),
                game_pb2.CorrectPlayRequest(arbiter_id="eleni", turn=turn, score=chance.randint(0, 99)),
                game_pb2.RecordOverholdingRequest(arbiter_id="eleni", player_id=player),
                game_pb2.RecordWordAskedRequest(arbiter_id="eleni", player_id=player, word=events.Word(faces=["A"])),
                game_pb2.SettleBlankRequest(
                    arbiter_id="eleni", row=blank.row, column=blank.col, stated=face, face=face
                ),
                game_pb2.AssignArbiterRequest(arbiter_id=chance.choice(["eleni", "nikos"])),
                several,
            ]
        )

    def _any(self, game: Game) -> Message:
        """Return any command with any arguments; rare endings are mostly left out, so that games continue."""
        kind = self.chance.choice(COMMANDS)
        ends = (
            game_pb2.AbandonRequest,
            game_pb2.ImposeSanctionRequest,
            game_pb2.RecordWordAskedRequest,
            game_pb2.AgreeEndRequest,
        )
        if kind in ends and self.chance.random() < 0.9:
            kind = game_pb2.WriteScoreRequest
        request: Any = kind()
        for field in request.DESCRIPTOR.fields:
            if self.chance.random() < 0.1:
                continue
            self._fill(game, request, field.name)
        return request  # type: ignore[no-any-return] # it is one of the commands

    def _fill(self, game: Game, request: Any, name: str) -> None:
        chance = self.chance
        rack = self._rack(game) or ("A",)
        match name:
            case "player_id" | "drawer_id" | "answerer_id":
                setattr(request, name, chance.choice([*self.hall.players, game.mover, "nobody"]))
            case "player_ids":
                request.player_ids.extend(chance.sample(self.hall.players, chance.randint(0, len(self.hall.players))))
            case "arbiter_id":
                request.arbiter_id = "eleni"
            case "placements":
                request.placements.extend(self._play(game))
            case "faces":
                request.faces.extend(chance.sample(rack, chance.randint(0, len(rack))))
            case "words":
                formed = [word.word for word in game.in_question.words] if game.in_question else []
                request.words.extend(chance.sample(formed, chance.randint(0, len(formed))))
            case "word":
                request.word.faces.extend(rack[:3])
            case "blanks":
                request.blanks.append(chance.choice(rack))
            case "totals":
                request.totals.extend(chance.choice([[], [0], [*game.scores.values()], [7 for _ in game.scores]]))
            case "face" | "stated":
                setattr(request, name, chance.choice([*self.hall.ruleset.tile_set.faces, "nothing"]))
            case "row" | "column" | "turn" | "count" | "surplus" | "kind" | "score" | "total" | "points":
                setattr(request, name, chance.choice([-1, 0, 1, 2, 3, 5, 7, 8, 14, 15, 30]))
            case "command_id" | "game_id" | "occurred_at" | "arguments" | "note":
                pass
            case _:
                setattr(request, name, chance.random() < 0.5)

    def _play(self, game: Game) -> list[events.Placement]:
        """Return a play that the rules of placement allow if one is found soon, otherwise tiles anywhere."""
        rack, chance = self._rack(game) or ("A",), self.chance
        tries: list[Placement] = []
        for _ in range(25):
            chosen = chance.sample(rack, chance.randint(1, len(rack)))
            square = self._start(game)
            direction = chance.choice(list(Direction))
            tries = []
            for face in chosen:
                while square in game.board:
                    square = square.step(direction)
                tile = Tile(chance.choice(self.hall.ruleset.tile_set.faces), blank=True) if face == "?" else Tile(face)
                tries.append(Placement(square, tile))
                square = square.step(direction)
            try:
                check_play(game.board, tries, rack=rack, ruleset=self.hall.ruleset)
            except Refusal:
                continue
            break
        return [
            events.Placement(row=square.row, column=square.col, face=tile.face, blank=tile.blank)
            for square, tile in tries
        ]

    def _rack(self, game: Game) -> tuple[str, ...]:
        """Return the rack of the mover; over the board, a rack that the mover may hold."""
        rack = game.racks.get(game.mover, ())
        if UNENTERED_TILE not in rack:
            return rack
        known = [face for face in rack if face != UNENTERED_TILE]
        hidden = self.chance.sample(unseen(game, self.hall.ruleset), len(rack) - len(known))
        return (*known, *hidden)

    def _start(self, game: Game) -> Square:
        if not game.board:
            return CENTRE if self.chance.random() < 0.8 else Square(8, 3)
        laid_square = self.chance.choice(list(game.board))
        return self.chance.choice(list(neighbours(laid_square)))


def walk(ruleset: Ruleset, players: int, seed: int, steps: int) -> Hall:
    """Return a table for any commands; every fourth one is over the board."""
    hall = Hall(ruleset, players, recorded=seed % 4 == 3)
    somebody = Somebody(hall, Random(seed))
    for _ in range(steps):
        somebody.act()
        hall.check_tiles()
        if hall.game.phase is Phase.FINAL:
            break
    assert fold(Game(), hall.events) == hall.game
    assert not [told for told in somebody.told if "{" in told]
    if hall.game.hosted:
        game, log = hall.game, list(draws_of(hall.events, ruleset))
        committed = commitment(game.seed, game.game_id)
        wrong = check_draws(log, game_id=game.game_id, seed=game.seed, committed=committed, tile_set=ruleset.tile_set)
        assert list(wrong) == []
        assert len(log) == game.next_draw
    return hall


@pytest.mark.parametrize(("name", "players"), TABLES, ids=lambda value: str(value))
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
@given(seed=st.integers(0, 2**32))
def test_whatever_is_done_is_done_or_refused_in_words_and_no_tile_is_lost(name: str, players: int, seed: int) -> None:
    walk(rules(name), players, seed, 60)


STANDING = (
    events.ArbiterAssigned,
    events.TotalCorrected,
    events.SanctionImposed,
    events.ScoreAdjusted,
    events.WordAsked,
    events.Abandoned,
)
"""Corrections and sanctions of an arbiter, and departures: no entries of a turn."""


def stands(event: Message, turn: int, before: Game) -> bool:
    """Return whether ``event``, which came after ``turn`` had begun from ``before``, was not taken back."""
    match event:
        case events.NextTurnForfeited():
            return event.reason == events.TURN_LOST_REASON_SANCTION
        case events.PlayCorrected():
            return event.turn < turn
        case events.BlankSettled():
            return bool(event.arbiter_id) and before.board.get(Square(event.row, event.column)) is not None
    return isinstance(event, STANDING)


def apply_correction(game: Game, event: Message) -> Game:
    """Return ``game`` with the corrections and sanctions of a later game: totals change by the same points."""
    if isinstance(event, events.TotalCorrected | events.PlayCorrected):
        corrected = deepcopy(event)
        to = event.total if isinstance(event, events.TotalCorrected) else event.score
        corrected.total = game.scores[event.player_id] + to - event.before
        return evolve(game, corrected)
    return evolve(game, event)


@pytest.mark.parametrize(("name", "players"), TABLES, ids=lambda value: str(value))
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
@given(seed=st.integers(0, 2**32))
def test_taken_back_entries_leave_the_table_as_it_was_but_for_what_arbiters_did(
    name: str, players: int, seed: int
) -> None:
    hall = Hall(rules(name), players, recorded=True)
    chance = Random(seed)
    somebody = Somebody(hall, chance, arbiters=0.15)
    for _ in range(chance.randint(0, 40)):
        somebody.act()
    game = hall.game
    if game.over:
        return
    turn = chance.randint(1, game.turn) if hall.ruleset.clock.model == "none" else game.turn
    began = next(place for place in range(len(hall.events), 0, -1) if fold(Game(), hall.events[:place]).turn < turn) + 1
    before = fold(Game(), hall.events[:began])
    left = reduce(apply_correction, [event for event in hall.events[began:] if stands(event, turn, before)], before)
    called = game.arbiter_called if before.arbiter_called or turn < game.turn else ""
    again = turn if turn < game.turn else game.again
    kept = {"next_draw": game.next_draw, "challenges": game.challenges, "again": again}
    left = left.but(begun=(), arbiter_called=called, **kept)
    request = game_pb2.TakeBackEntriesRequest(arbiter_id="eleni", turn=turn)
    if left.but(signals=game.signals) == game.but(begun=(), last_at=left.last_at):
        with pytest.raises(Refusal, match="has no entries to take back"):
            decide(hall.table, request, hall.at)
        return
    hall._write(decide(hall.table, request, hall.at)[:1])
    assert hall.game.but(begun=()) == left.but(last_at=hall.game.last_at, signals=hall.game.signals)
    hall.settle()
    hall.check_tiles()


def test_every_command_of_the_contract_can_be_given() -> None:
    service = game_pb2.DESCRIPTOR.services_by_name["GameService"]
    questions = {"GetGameRequest", "ListBestPlaysRequest", "ListDrawsRequest", "ListOffersRequest"}
    requests = {method.input_type.name for method in service.methods} - questions
    assert {request.DESCRIPTOR.name for request in COMMANDS} == requests
    assert len(PLAYERS) == 4
