"""Laying tiles, announcing a play, and accepting it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from google.protobuf.message import Message

from faristol.kernel.errors import Invalid
from faristol.kernel.pins import UNPINNED, no_lexicon
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import Instant
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.game.v1 import game_pb2
from faristol.rules import (
    Direction,
    Placement,
    Ruleset,
    Word,
    check_play,
    off_centre,
    score_play,
    without,
)
from faristol.rules.blanks import check_blank_kept
from faristol.rules.ruleset.sections import Step
from faristol.rules.touch import check_change, check_touched
from faristol.table import Table
from faristol.table.clock import Clock
from faristol.table.decide.checks import (
    check_back,
    check_board_unquestioned,
    check_in_turn,
    check_no_challenge,
    check_nothing_begun,
    check_on_turn,
    check_player,
    check_undisturbed,
    in_doubt,
)
from faristol.table.decide.draws import rack_for
from faristol.table.game.state import Game, Phase, blanks_of, tiles_of


def lay_tiles(table: Table, request: game_pb2.LayTilesRequest, at: Instant) -> list[Message]:
    """Lay tiles that the others see, before any announcement (FISC I.6, FISE 21).

    Raises ``Invalid`` if no tile is named, ``Refusal`` for tiles that the rack does not hold or squares taken.
    """
    game, ruleset = table.game, table.ruleset
    placements = tiles_of(request)
    check_on_turn(table, request.player_id, at, on_board=True)
    check_nothing_begun_with_exchange(table)
    if not placements:
        raise Invalid("placements", N_("expected at least one tile and its square"))
    lying = game.course.laid
    taken = {square for square, _ in lying}
    for square, tile in placements:
        if not square.on_board:
            raise Invalid(
                "placements",
                N_("{square} is not on the board: its rows are A to O, its columns 1 to 15."),
                {"square": str(square)},
            )
        if square in game.board or square in taken:
            raise Refusal(
                "SQUARE_TAKEN",
                N_("{square} already has {there}. {tile} needs an empty square."),
                {
                    "square": str(square),
                    "there": str(game.board.get(square) or dict(lying).get(square) or tile),
                    "tile": str(tile),
                },
                article=ruleset.law.free_square,
            )
        taken.add(square)
    _check_held(table, request.player_id, (*lying, *placements))
    if stated := game.course.said:
        check_blank_kept(stated, game.course.blanks_counted, blanks_of((*lying, *placements)), ruleset)
    event = events.TilesLaid(turn=game.turn, player_id=request.player_id)
    _write(event, placements)
    return [event]


def take_back_tiles(table: Table, request: game_pb2.TakeBackTilesRequest, at: Instant) -> list[Message]:
    """Take all tiles of the turn back: free while the rules allow it (PES Δ.β), else at the cost of the turn."""
    game, ruleset = table.game, table.ruleset
    player_id = request.player_id
    check_in_turn(table, player_id, at)
    if player_id != game.mover or (not game.course.laid and game.pending is None):
        raise Refusal(
            "NOTHING_LAID",
            N_("{player} has laid no tile in this turn."),
            {"player": player_id},
            article=ruleset.law.rearranged,
        )
    check_board_unquestioned(table)
    check_undisturbed(table)
    check_change(_list_steps_taken(game, table.clock), ruleset)
    if game.pending is None and ruleset.touch.rule == "strict" and ruleset.touch.sanction == "turn-lost":
        return [_touch_lost(game, ruleset)]
    return [events.TilesTakenBack(turn=game.turn, player_id=player_id)]


def place_play(table: Table, request: game_pb2.PlacePlayRequest, at: Instant) -> list[Message]:
    """Place, announce and score a play (FISC I.6). The validity of its words is a matter of challenges.

    A play that contradicts the tiles laid before costs the turn if the rules say so (FISE 24). If every play is checked
    when laid, it is challenged at once, without a challenger.
    """
    game, ruleset = table.game, table.ruleset
    player_id = request.player_id
    placements = tiles_of(request)
    check_on_turn(table, player_id, at, on_board=True)
    check_nothing_begun_with_exchange(table)
    rack = rack_for(game, ruleset, player_id, [tile.in_rack for _, tile in placements])
    words = check_play(game.board, placements, rack=rack, ruleset=ruleset)
    if game.course.laid:
        try:
            check_touched(game.course.laid, placements, ruleset)
        except Refusal:
            if ruleset.touch.sanction == "turn-lost":
                return [_touch_lost(game, ruleset)]
            raise
    if stated := game.course.said:
        check_blank_kept(stated, game.course.blanks_counted, blanks_of(placements), ruleset)
    if game.asked:
        _check_not_asked(table, player_id, words)
    played = build_play_placed(game, ruleset, player_id, placements, words, at)
    if ruleset.challenge.by != "nobody":
        return [played]
    if game.lexicon == UNPINNED:
        raise no_lexicon(
            N_(
                "Each play is checked by the lexicon when it is laid, and this tournament has none. Enter the "
                "result of the table, or have the director choose a lexicon under “Settings”, which applies to "
                "tables that open after that."
            ),
            ruleset.article("challenge.by"),
        )
    # A play may contain the same word twice: it is ruled on once.
    every = [events.Word(faces=faces) for faces in dict.fromkeys(tuple(word.faces) for word in words)]
    return [
        played,
        events.ChallengeRaised(turn=game.turn, challenge=game.challenges + 1, words=every),
    ]


def build_play_placed(
    game: Game,
    ruleset: Ruleset,
    player_id: str,
    placements: Iterable[Placement],
    words: Sequence[Word],
    at: Instant,
) -> events.PlayPlaced:
    """Return the event of a play that passed ``check_play``, which returned ``words``."""
    laid = sorted(placements)
    score = score_play(game.board, laid, ruleset, words)
    played = events.PlayPlaced(
        turn=game.turn,
        player_id=player_id,
        score=score.points,
        bingo=score.bingo,
        off_centre=off_centre(game.board, laid, ruleset),
    )
    _write(played, laid)
    for scored in score.words:
        (row, column), direction = scored.word.start
        across = direction is Direction.ACROSS
        written = played.words.add(row=row, column=column, across=across, score=scored.points)
        written.word.faces.extend(scored.word.faces)
    played.occurred_at.FromNanoseconds(at)
    return played


def decide_off_centre(table: Table, request: game_pb2.DecideOffCentreRequest, at: Instant) -> list[Message]:
    """Accept a first play that misses the centre, or declare it invalid (FISE 20)."""
    game = table.game
    player_id = request.player_id
    check_player(table, player_id)
    article = table.ruleset.article("first_move.centre")
    if game.phase is not Phase.OFF_CENTRE:
        raise Refusal("NOT_OFF_CENTRE", N_("No play on the board misses the centre."), article=article)
    if player_id == game.mover:
        raise Refusal("OWN_PLAY", N_("This is {player}'s own play."), {"player": player_id}, article=article)
    check_undisturbed(table)
    decided = events.OffCentreDecided(turn=game.turn, player_id=player_id, accepted=request.accept)
    if request.accept:
        return [decided]
    withdrawn = events.PlayWithdrawn(turn=game.turn, player_id=game.mover, reason=events.WITHDRAWAL_REASON_OFF_CENTRE)
    return [decided, withdrawn]


def accept_play(table: Table, request: game_pb2.AcceptPlayRequest, at: Instant) -> list[Message]:
    """Accept the play of the previous turn, if it can still be challenged (FM 4, FISE 37)."""
    game, ruleset = table.game, table.ruleset
    player_id = request.player_id
    check_player(table, player_id)
    check_no_challenge(table)
    article = ruleset.article("challenge.closes_on")
    play = in_doubt(game, table.clock, ruleset)
    if play is None or play is game.pending:
        raise Refusal("NOTHING_TO_ACCEPT", N_("No complete play is waiting to be accepted."), article=article)
    if player_id == play.player_id:
        raise Refusal("OWN_PLAY", N_("This is {player}'s own play."), {"player": player_id}, article=article)
    check_back(table, player_id)
    return [events.PlayAccepted(turn=play.turn, player_id=player_id)]


def check_nothing_begun_with_exchange(table: Table) -> None:
    """Check that no exchange was announced, which binds the turn."""
    if table.game.course.announced is not None:
        check_nothing_begun(table)


def _list_steps_taken(game: Game, clock: Clock) -> set[Step]:
    """Return the steps of this turn that were taken."""
    done: set[Step] = set()
    if game.course.laid or game.pending:
        done.add("place")
    if game.pending:
        done.add("announce")
    if clock.has_stopped(game.turn):
        done.add("stop")
    if game.course.written:
        done.add("write")
    if game.phase is Phase.DRAWN:
        done.add("draw")
    return done


def _check_held(table: Table, player_id: str, placements: Iterable[Placement]) -> None:
    ruleset = table.ruleset
    held = [tile.in_rack for _, tile in placements]
    try:
        without(rack_for(table.game, ruleset, player_id, held), held)
    except ValueError:
        raise Refusal(
            "NOT_IN_RACK",
            N_("The rack does not hold all these tiles. A play uses only tiles of the player's own rack."),
            article=ruleset.law.in_rack,
        ) from None


def _check_not_asked(table: Table, player_id: str, words: Iterable[Word]) -> None:
    for word in words:
        if (player_id, word.faces) in table.game.asked:
            raise Refusal(
                "WORD_ASKED",
                N_("{player} asked about {word} before playing it and cannot play it."),
                {"player": player_id, "word": "".join(word.faces)},
                article=table.ruleset.article("arbiter.asked_word"),
            )


def _touch_lost(game: Game, ruleset: Ruleset) -> events.TurnLost:
    return events.TurnLost(
        turn=game.turn,
        player_id=game.mover,
        reason=events.TURN_LOST_REASON_TOUCH,
        article=ruleset.article("touch.sanction"),
    )


def _write(event: events.PlayPlaced | events.TilesLaid, placements: Iterable[Placement]) -> None:
    """Add tiles to ``event`` in place: messages passed to its constructor would be copied."""
    for (row, column), tile in placements:
        event.placements.add(row=row, column=column, face=tile.face, blank=tile.blank)
