"""Print the results at table 1, live, by gRPC: `python grpc_follower.py ADDRESS TOURNAMENT`."""

import sys
import time

import grpc

from faristol.pb.results.v1.results_pb2 import FollowRequest
from faristol.pb.results.v1.results_pb2_grpc import ResultsServiceStub

wanted = FollowRequest(tournament_id=sys.argv[2], tables=[1], types=["ResultRecorded"], marks=True)
results = ResultsServiceStub(grpc.insecure_channel(sys.argv[1]))
while True:
    try:
        for news in results.Follow(wanted):
            wanted.after_position = news.position
            if news.type:
                print(news.game_id, news.position, flush=True)
    except grpc.RpcError as problem:
        if problem.code() in (grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.NOT_FOUND):
            sys.exit(problem.details())
    time.sleep(2)
