from __future__ import annotations

from google.protobuf.message import Message

from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.results.v1 import results_pb2 as results
from faristol.read_models.api.answers import game_by_itself

SEED = b"s" * 32


def test_the_public_has_the_commitment_from_the_start_and_the_seed_when_it_is_revealed() -> None:
    opened = game.GameOpened(game_id="cup-r1-t1", player_ids=["anna", "biel"], seed=SEED)
    committed = get_game(opened, game.DrawsCommitted(commitment=b"c" * 32))
    assert (committed.draw_commitment, committed.seed) == (b"c" * 32, b"")
    assert SEED not in committed.SerializeToString()
    assert get_game(opened, game.SeedRevealed(seed=SEED)).seed == SEED


def get_game(*events: Message) -> results.GetGameResponse:
    found = game_by_itself(events)
    assert found is not None
    return found
