"""Results of tables. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.kernel.refusal import N_, Refusal
from faristol.pairing.decide.counting import after_sanctions
from faristol.pairing.model import Decided, Phase, Tournament, Unsanctioned
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.rules import Ruleset


def record_result(
    state: Tournament,
    ruleset: Ruleset,
    *,
    game: str,
    scores: Sequence[tuple[str, int]],
    occurred_at: Timestamp,
    decided: Decided | None = None,
) -> list[Message]:
    """A table's final result, ``scores`` in the order of the pairing. Nothing when it is known already.

    ``decided`` says who won where that is not the higher score, and that the result was opened again (FISE 44): then it
    takes the place of the one before, whatever became of the round since; what sanctions take comes off it
    again. Raises ``Refusal`` when no such game was paired, when others played it, when its round is not being played,
    or when another result of it is on the record.
    """
    decided = decided or Decided()
    found = state.find_game(game)
    if found is None:
        raise Refusal(
            "GAME_NOT_PAIRED",
            "",
            N_("A result came in for {game}, which is not a game of {tournament}."),
            {"game": game, "tournament": state.tournament_id},
        )
    one, pairing = found
    names = tuple(player_id for player_id, _ in scores)
    if names != pairing.player_ids:
        raise Refusal(
            "WRONG_PLAYERS",
            "",
            N_("The result of {game} is of {found}; it was paired for {expected}, in this order."),
            {"game": game, "found": ", ".join(names), "expected": ", ".join(pairing.player_ids)},
        )
    result = tuple(score for _, score in scores)
    corrects = False
    known = None
    if game in one.results:
        unsanctioned = one.without_sanctions(game)
        known, before = unsanctioned.scores, unsanctioned.decided
        corrects = decided.revision > before.revision
        if decided.revision < before.revision or (known == result and not corrects):
            return []
    if game in one.entered:
        return []  # an arbiter entered the result before the table came to its end
    if known is not None and not corrects:
        raise Refusal(
            "RESULT_KNOWN",
            ruleset.law.result_final,
            N_("{game} ended {known} on the record; {found} came in after that."),
            {"game": game, "known": "–".join(map(str, known)), "found": "–".join(map(str, result))},
        )
    if one.phase is not Phase.STARTED and not corrects:
        raise Refusal(
            "ROUND_NOT_STARTED",
            "",
            N_("A result of {game} came in, but round {round} is not being played."),
            {"game": game, "round": one.number},
        )
    recorded = events.ResultRecorded(
        round=one.number,
        game_id=game,
        scores=[game_events.FinalScore(player_id=player_id, score=score) for player_id, score in scores],
        occurred_at=occurred_at,
        winner_id=decided.winner_id,
        lost_by_all=decided.lost_by_all,
        revision=decided.revision,
        condition=decided.condition,
        loser_ids=decided.losers,
        unplayed=decided.unplayed,
    )
    return [recorded, *after_sanctions(one, pairing, ruleset, Unsanctioned(result, decided), occurred_at)]
