from __future__ import annotations

from faristol.pb.game.v1 import events_pb2 as game
from faristol.results.scoresheet import change_game

SEED = b"s" * 32


def test_the_public_has_the_commitment_from_the_start_and_the_seed_when_it_is_revealed() -> None:
    opened = change_game(None, game.GameOpened(game_id="cup-r1-t1", player_ids=["anna", "biel"], seed=SEED))
    committed = change_game(opened, game.DrawsCommitted(commitment=b"c" * 32))
    assert (committed.draw_commitment, committed.seed) == (b"c" * 32, b"")
    assert SEED not in committed.SerializeToString()
    assert change_game(committed, game.SeedRevealed(seed=SEED)).seed == SEED
