"""Direct a tournament of one round by gRPC: `python championship.py ADDRESS TOURNAMENT [TOKEN]`.

Each command has an ID that the program chooses. A retry with the same ID has no second effect.
"""

import sys
import uuid
from typing import Any

import grpc

from faristol.pb.game.v1.events_pb2 import KEEPING_RECORDED, FinalScore
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.pb.pairing.v1.pairing_pb2_grpc import PairingServiceStub

PLAYERS = {"ada": 1900, "berta": 1800, "carles": 1700, "dolors": 1600, "emili": 1500, "fina": 1400}

address, tournament, *token = sys.argv[1:]
pairing = PairingServiceStub(grpc.insecure_channel(address))
metadata = [("authorization", f"Bearer {token[0]}")] if token else []


def execute(command: str, **fields: Any) -> Any:
    """Call a method of the pairing service with a new command."""
    request = getattr(pb, f"{command}Request")(command_id=str(uuid.uuid4()), tournament_id=tournament, **fields)
    return getattr(pairing, command)(request, metadata=metadata, timeout=30)


try:
    execute("CreateTournament", name="Copa", rounds=5, without_lexicon=True, keeping=KEEPING_RECORDED)
    for player_id, rating in PLAYERS.items():
        execute("RegisterPlayer", player_id=player_id, name=player_id.title(), rating=rating)
    pairings = execute("PairRound", round=1).pairings
    execute("StartRound", round=1)
    for pair in pairings:
        first, second = pair.first_player_id, pair.second_player_id
        scores = [FinalScore(player_id=first, score=400), FinalScore(player_id=second, score=350)]
        execute("EnterResult", game_id=pair.game_id, scores=scores, arbiter_id="eva")
        print(f"{pair.table}: {first} 400, {second} 350")
    execute("CloseRound", round=1)
except grpc.RpcError as refusal:
    sys.exit(refusal.details())
