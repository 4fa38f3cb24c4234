"""What players do at a table. Pure: the game is settled, the moment is given, the draws follow from the seed.

Every function gives the facts to write, or raises ``Refusal`` with the article that stands against it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from google.protobuf.message import Message

from faristol.game.model import Game, Instant, Phase, timestamp
from faristol.game.views import Clock
from faristol.host.errors import Invalid
from faristol.pb.game.v1 import events_pb2 as events
from faristol.rules import (
    N_,
    Direction,
    Placement,
    Refusal,
    Ruleset,
    check_exchange,
    check_pass,
    check_play,
    draw,
    full_bag,
    score_play,
    without,
)
from faristol.rules import exchange as exchange_tiles


def place_play(
    game: Game, ruleset: Ruleset, player_id: str, placements: Sequence[Placement], at: Instant
) -> list[Message]:
    """Place, announce and count a play (FISC I.6). Whether its words are words is for a challenge to ask."""
    _check_turn(game, ruleset, player_id)
    check_play(game.board, placements, rack=game.racks[player_id], ruleset=ruleset)
    score = score_play(game.board, placements, ruleset)
    return [
        events.PlayPlaced(
            turn=game.turn,
            player_id=player_id,
            placements=[
                events.Placement(row=square.row, column=square.col, face=tile.face, blank=tile.blank)
                for square, tile in sorted(placements)
            ],
            words=[
                events.ScoredWord(
                    word=events.Word(faces=scored.word.faces),
                    row=scored.word.start.square.row,
                    column=scored.word.start.square.col,
                    across=scored.word.start.direction is Direction.ACROSS,
                    score=scored.points,
                )
                for scored in score.words
            ],
            score=score.points,
            bingo=score.bingo,
            occurred_at=timestamp(at),
        )
    ]


def exchange(game: Game, ruleset: Ruleset, player_id: str, faces: Sequence[str], at: Instant) -> list[Message]:
    """Set tiles aside, draw as many, and only then return them to the bag (FISC I.7.1)."""
    _check_turn(game, ruleset, player_id)
    bag = bag_of(game, ruleset)
    check_exchange(game.racks[player_id], faces, len(bag), ruleset)
    drawn, after = exchange_tiles(bag, faces, game.seed, game.next_draw)
    return [
        events.Exchanged(turn=game.turn, player_id=player_id, faces=faces, occurred_at=timestamp(at)),
        events.TilesDrawn(
            player_id=player_id, faces=drawn, draw=game.next_draw, bag_left=len(after), occurred_at=timestamp(at)
        ),
    ]


def pass_turn(game: Game, ruleset: Ruleset, player_id: str, at: Instant) -> list[Message]:
    """Pass (FISC I.7.4)."""
    _check_turn(game, ruleset, player_id)
    check_pass(game.bag_left, ruleset)
    return [events.Passed(turn=game.turn, player_id=player_id, occurred_at=timestamp(at))]


def draw_tiles(game: Game, ruleset: Ruleset, player_id: str, at: Instant) -> list[Message]:
    """Fill the rack after a play (FISC I.7): from now on it cannot be challenged (FISC I.10)."""
    _check_running(game, ruleset, player_id)
    if player_id != game.mover or game.phase is Phase.TURN:
        raise Refusal(
            "NOTHING_PLAYED",
            ruleset.law.refill,
            N_("{player} has placed no play, and so has no tiles to draw; {mover} is on turn."),
            {"player": player_id, "mover": game.mover},
        )
    _check_no_challenge(game, ruleset)
    if game.phase is Phase.DRAWN:
        raise Refusal(
            "ALREADY_DRAWN", ruleset.law.refill, N_("The turn has been taken and the rack is full: press the clock.")
        )
    if game.bag_left == 0:
        raise Refusal(
            "BAG_EMPTY", ruleset.law.refill, N_("The bag is empty: there is nothing to draw, press the clock.")
        )
    bag = bag_of(game, ruleset)
    wanted = min(ruleset.game.rack_size - len(game.racks[player_id]), len(bag))
    drawn = draw(bag, wanted, game.seed, game.next_draw)
    return [
        events.TilesDrawn(
            player_id=player_id,
            faces=drawn,
            draw=game.next_draw,
            bag_left=len(bag) - len(drawn),
            occurred_at=timestamp(at),
        )
    ]


def challenge(
    game: Game, ruleset: Ruleset, player_id: str, words: Sequence[Sequence[str]], at: Instant
) -> list[Message]:
    """Challenge all, some or one of the words of the play on the board (FISC I.10).

    Raises ``Invalid`` when no word is named.
    """
    _check_running(game, ruleset, player_id)
    if game.phase is Phase.TURN or game.pending is None:
        raise Refusal(
            "NOTHING_TO_CHALLENGE",
            ruleset.article("challenge.closes_on"),
            N_("No play lies on the board that can be challenged: the last turn is complete and accepted."),
        )
    if player_id == game.mover:
        raise Refusal(
            "OWN_PLAY",
            ruleset.article("challenge.by"),
            N_("The play is {player}'s own: only the opponent can challenge it."),
            {"player": player_id},
        )
    _check_no_challenge(game, ruleset)
    if game.ruled is not None:
        raise Refusal(
            "CHALLENGED_ALREADY",
            ruleset.law.challenge_once,
            N_("This play was challenged and stands: no other word of it can be challenged."),
        )
    if game.phase is Phase.DRAWN:
        raise Refusal(
            "CHALLENGE_TOO_LATE",
            ruleset.article("challenge.closes_on"),
            N_("{mover} has begun to draw, so the play is complete and accepted."),
            {"mover": game.mover},
        )
    if not words:
        raise Invalid("words", N_("expected at least one of the words that the play formed"))
    formed = [tuple(scored.word.faces) for scored in game.pending.words]
    asked = list(dict.fromkeys(tuple(word) for word in words))
    for word in asked:
        if word not in formed:
            raise Refusal(
                "WORD_NOT_FORMED",
                ruleset.law.challenge_words,
                N_("The play did not form {word}. It formed {formed}."),
                {"word": "".join(word), "formed": ", ".join("".join(faces) for faces in formed)},
            )
    return [
        events.ChallengeRaised(
            turn=game.turn,
            challenge=game.challenges + 1,
            player_id=player_id,
            words=[events.Word(faces=word) for word in asked],
            occurred_at=timestamp(at),
        )
    ]


def sign_sheet(game: Game, clock: Clock, ruleset: Ruleset, player_id: str, at: Instant) -> list[Message]:
    """Sign the scoresheet; with the second signature the result is final (FISC I.8)."""
    _check_seated(game, ruleset, player_id)
    if game.phase is Phase.FINAL:
        raise Refusal("RESULT_FINAL", ruleset.law.result_final, N_("Both players have signed: the result is final."))
    if game.phase is not Phase.ENDED:
        raise Refusal(
            "GAME_NOT_OVER", ruleset.law.signatures, N_("The game is not over: its scoresheet cannot be signed yet.")
        )
    if not clock.stopped:
        raise Refusal(
            "CLOCK_NOT_STOPPED",
            ruleset.law.signatures,
            N_("The clock has not been stopped yet, so overtime is not known: sign in a moment."),
        )
    if player_id in game.signed:
        raise Refusal(
            "SIGNED_ALREADY",
            ruleset.law.signatures,
            N_("{player} has signed; the signature of {other} is awaited."),
            {"player": player_id, "other": game.opponent(player_id)},
        )
    facts: list[Message] = [events.SheetSigned(player_id=player_id, occurred_at=timestamp(at))]
    if game.opponent(player_id) in game.signed:
        facts.append(_result(game, at))
    return facts


def check_time(game: Game, clock: Clock, at: Instant) -> None:
    """Within a game time never runs back. Raises ``Invalid`` when ``at`` is before the last fact of table or clock."""
    last = max(game.last_at, clock.last_at)
    if at < last:
        raise Invalid(
            "occurred_at",
            N_("is {at}, before the last thing at this table, which was at {last}"),
            {"at": _written(at), "last": _written(last)},
        )


def bag_of(game: Game, ruleset: Ruleset) -> tuple[str, ...]:
    """The tiles in the bag: those that lie neither on the board nor on a rack."""
    outside = [tile.in_rack for tile in game.board.values()]
    for rack in game.racks.values():
        outside.extend(rack)
    return without(full_bag(ruleset.tile_set), outside)


def _result(game: Game, at: Instant) -> events.ResultFinal:
    first, second = game.player_ids
    difference = game.scores[first] - game.scores[second]
    return events.ResultFinal(
        scores=[events.FinalScore(player_id=player, score=game.scores[player]) for player in game.player_ids],
        winner_id="" if difference == 0 else first if difference > 0 else second,
        occurred_at=timestamp(at),
    )


def _check_seated(game: Game, ruleset: Ruleset, player_id: str) -> None:
    if player_id not in game.player_ids:
        raise Refusal(
            "NOT_AT_TABLE",
            ruleset.law.turn,
            N_("{player} does not play at this table; {first} and {second} do."),
            {"player": player_id, "first": game.player_ids[0], "second": game.player_ids[1]},
        )


def _check_running(game: Game, ruleset: Ruleset, player_id: str) -> None:
    _check_seated(game, ruleset, player_id)
    if game.over:
        raise Refusal("GAME_OVER", ruleset.law.game_over, N_("The game is over: no turn can be taken any more."))


def _check_no_challenge(game: Game, ruleset: Ruleset) -> None:
    if game.phase is Phase.CHALLENGED:
        raise Refusal(
            "CHALLENGE_PENDING", ruleset.law.challenge_once, N_("The play was challenged: wait for the ruling.")
        )


def _check_turn(game: Game, ruleset: Ruleset, player_id: str) -> None:
    """That it is for ``player_id`` to take a turn now."""
    _check_running(game, ruleset, player_id)
    if player_id != game.mover:
        raise Refusal(
            "NOT_YOUR_TURN",
            ruleset.law.turn,
            N_("{mover} is on turn, not {player}."),
            {"mover": game.mover, "player": player_id},
        )
    _check_no_challenge(game, ruleset)
    if game.phase is not Phase.TURN:
        raise Refusal(
            "TURN_TAKEN",
            ruleset.law.play_complete,
            N_("{player} has taken this turn already: it is complete when the clock is pressed."),
            {"player": player_id},
        )


def _written(at: Instant) -> str:
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=at // 1_000)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
