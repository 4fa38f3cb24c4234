"""Conversion of a recorded game to a GCG file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from faristol.gateway.api.racks import RacksByTurn
from faristol.host.ruleset_store import ruleset_of
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.presentation import labels
from faristol.presentation.plays import PLAYS, settled_blanks, to_placements
from faristol.rules import Board, Ruleset, full_bag
from faristol.rules.gcg import (
    Challenge,
    Exchange,
    GcgGame,
    GcgPlayer,
    Line,
    Note,
    Pass,
    Play,
    Pragma,
    RackPenalty,
    RackPoints,
    TimePenalty,
    Withdrawal,
    write_play,
    write_rack,
)
from faristol.rules.scoring import score_play

_NOTED = (
    pb.ENTRY_KIND_FREE_EXCHANGE,
    pb.ENTRY_KIND_SANCTION,
    pb.ENTRY_KIND_ABANDONMENT,
    pb.ENTRY_KIND_FORFEIT,
    pb.ENTRY_KIND_CORRECTION,
)
"""Entries for which the format has no event."""


def no_gcg_of_duplicate() -> Refusal:
    """Return the refusal of a GCG file for a duplicate game."""
    return Refusal(
        "GCG_OF_TWO",
        N_(
            "A GCG file holds the turns of a game of two players. A duplicate game has no such turns; download "
            "its slips, turns and standings as CSV or JSON."
        ),
    )


def gcg_of(game: pb.GetGameResponse, ruleset: Ruleset | None = None, racks: RacksByTurn | None = None) -> GcgGame:
    """Convert the complete turns of a game, with its recorded and perhaps corrected scores and totals.

    Notes contain the parts that the format cannot express, such as deducted points or a free exchange. ``ruleset`` is
    the pinned one by default. ``racks`` are included if given. Raises ``Refusal`` for a table of more than two players,
    and for rules that are not installed with the pinned content.
    """
    if len(game.seats) != 2:
        raise Refusal(
            "GCG_OF_TWO",
            N_("A GCG file holds a game of two players; this table has {players}."),
            {"players": len(game.seats)},
        )
    ruleset = ruleset or ruleset_of(game.ruleset)
    return GcgGame((*_head(game, ruleset), *_SheetConverter(game, ruleset, racks or {}).lines()))


def _head(game: pb.GetGameResponse, ruleset: Ruleset) -> Iterator[Line]:
    yield Pragma(keyword="tile-set", text=ruleset.tile_set.name)
    yield Pragma(keyword="id", text=f"faristol {game.game_id}")
    if game.tournament_name:
        title = f"{game.tournament_name} ({game.division})" if game.division else game.tournament_name
        yield Pragma(keyword="title", text=_in_line(f"{title}, {game.round}.{game.table}"))
    if game.lexicon.name:
        yield Pragma(keyword="lexicon", text=game.lexicon.name)
    if not game.end_condition:
        yield Pragma(keyword="incomplete")
    seats = sorted(game.seats, key=lambda seat: seat.player_id != game.first_player_id)
    for number, seat in enumerate(seats, start=1):
        yield GcgPlayer(number=number, nick=_nick(seat.player_id), name=_in_line(seat.name))


def _nick(player_id: str) -> str:
    """Return the nickname of a player, without spaces."""
    return "_".join(player_id.split())


def _in_line(text: str) -> str:
    return " ".join(text.split())


class _SheetConverter:
    """Converter of the entries of a sheet, with the board and totals so far."""

    def __init__(self, game: pb.GetGameResponse, ruleset: Ruleset, racks: RacksByTurn) -> None:
        self._game = game
        self._racks = racks
        self._ruleset = ruleset
        self._board = Board()
        self._totals: dict[str, int] = {seat.player_id: 0 for seat in game.seats}
        self._settled = settled_blanks(game)

    def lines(self) -> Iterator[Line]:
        """Yield every line after the players, in order."""
        under_way = False
        for entry in self._game.entries:
            penalty = entry.kind == pb.ENTRY_KIND_CHALLENGE_PENALTY
            if not entry.complete and not penalty:
                under_way = True  # the turn is incomplete, and left out
                continue
            yield from (_note(entry),) if penalty and under_way else self._to_lines(entry)
            self._totals[entry.player_id] = entry.total

    def _rack(self, entry: pb.Entry) -> str | None:
        faces = self._racks.get((entry.turn, entry.player_id))
        return write_rack(faces) if faces else None

    def _to_lines(self, entry: pb.Entry) -> Iterator[Line]:
        nick, score, total = _nick(entry.player_id), entry.score, entry.total
        rack = self._rack(entry)
        if entry.kind in PLAYS:
            yield from self._play(entry, nick)
        elif entry.kind == pb.ENTRY_KIND_EXCHANGE:
            yield Exchange(nick=nick, rack=rack, tiles="", count=entry.exchanged, score=0, total=total)
        elif entry.kind in (pb.ENTRY_KIND_PASS, pb.ENTRY_KIND_CANNOT_PLAY, pb.ENTRY_KIND_LOST_TURN):
            yield Pass(nick=nick, rack=rack, score=0, total=total)
            if entry.kind != pb.ENTRY_KIND_PASS:
                yield _note(entry)
        elif entry.kind == pb.ENTRY_KIND_CHALLENGE_PENALTY:
            yield Challenge(nick=nick, rack=None, score=score, total=total)
        elif entry.kind == pb.ENTRY_KIND_OUT_BONUS:
            yield RackPoints(nick=nick, tiles=write_rack(self._compute_rack_left()), score=score, total=total)
        elif entry.kind == pb.ENTRY_KIND_RACK_PENALTY:
            if entry.faces:
                yield RackPenalty(nick=nick, rack=None, tiles=write_rack(entry.faces), score=score, total=total)
        elif entry.kind == pb.ENTRY_KIND_TIME_PENALTY:
            yield TimePenalty(nick=nick, rack=None, score=score, total=total)
        elif entry.kind in _NOTED:
            yield _note(entry)

    def _play(self, entry: pb.Entry, nick: str) -> Iterator[Line]:
        stands = entry.kind == pb.ENTRY_KIND_PLAY
        tiles = to_placements(entry.placements, self._settled if stands else None)
        start, word = write_play(self._board, tiles)
        before = self._totals[entry.player_id]
        points = entry.score if stands else score_play(self._board, tiles, self._ruleset).points
        total = entry.total if stands else before + points
        rack = self._rack(entry)
        yield Play(nick=nick, rack=rack, start=start, word=word, score=points, total=total)
        if stands:
            self._board = self._board.place(tiles)
            if entry.challenged:
                yield Note(text="challenged, stands")
        else:
            yield Withdrawal(nick=nick, rack=rack, score=-points, total=before)
            if entry.kind == pb.ENTRY_KIND_WITHDRAWN:
                yield Note(text=labels.WITHDRAWN[entry.withdrawn_for])

    def _compute_rack_left(self) -> Sequence[str]:
        """Return the remaining rack after a player went out: as counted, else the tiles not on the board."""
        for entry in self._game.entries:
            if entry.kind == pb.ENTRY_KIND_RACK_PENALTY and entry.faces:
                return entry.faces
        board = Counter(tile.in_rack for tile in self._board.values())
        return sorted((Counter(full_bag(self._ruleset.tile_set)) - board).elements())


def _note(entry: pb.Entry) -> Note:
    """Return a note in English about an entry that the format cannot express."""
    points = f" {entry.score:+}, {entry.total}" if entry.score else ""
    article = f" ({entry.article})" if entry.article else ""
    return Note(text=f"{entry.player_id}: {labels.ENTRY_KINDS[entry.kind]}{points}{article}")
