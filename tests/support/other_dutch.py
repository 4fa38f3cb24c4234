"""The same round paired by an independent implementation of the Dutch system, caissify-pairings."""

from __future__ import annotations

from caissify_pairings.engines.dutch import DutchEngine

from faristol.tournament.engines.dutch.player import BLACK, WHITE, DutchRound


def pair_elsewhere(a_round: DutchRound, rounds: int) -> set[tuple[int, int | None]]:
    """Return white and black of each board, by pairing number; black is None for the bye."""
    names = {WHITE: "white", BLACK: "black"}
    players = [
        {
            "id": player.number,
            "name": str(player.number),
            "score": player.points / 10,
            "rating": 3000 - player.number,
            "starting_number": player.number,
            "color_hist": [names[colour] for colour in player.colours],
            "float_history": [received.value for received in reversed(player.floats)],
            "bye_count": int(player.had_bye),
            "forfeit_win_count": 0,
        }
        for player in a_round.players
    ]
    met = {
        (min(player.number, other), max(player.number, other))
        for player in a_round.players
        for other in player.opponents
    }
    engine = DutchEngine(
        players=players,
        previous_pairings=met,
        round_number=a_round.number,
        total_rounds=rounds,
        initial_color=names[a_round.initial_colour],
    )
    # Virtual points are in the scores. Without this the engine pairs any first round by halves.
    engine.accelerated = a_round.number == 1 and len({player.points for player in a_round.players}) > 1
    return {(board["white_id"], board["black_id"]) for board in engine.generate_pairings()}
