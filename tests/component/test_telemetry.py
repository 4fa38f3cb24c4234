"""One trace runs from a caller through append, relay and consumers to the projections."""

from __future__ import annotations

import contextlib
import json
import re
import sqlite3
import time
import urllib.request
import uuid
from collections.abc import Iterator, Mapping
from concurrent import futures
from pathlib import Path
from typing import Any

import grpc
import pytest
from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2, metrics_service_pb2_grpc
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2, trace_service_pb2_grpc
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from tests.component.processes import Child, free_port, wait_until_serving

from faristol.pb.lexicon.v1 import adjudication_pb2, adjudication_pb2_grpc
from faristol.pb.pairing.v1 import pairing_pb2, pairing_pb2_grpc
from faristol.pb.results.v1 import results_pb2, results_pb2_grpc

pytestmark = [pytest.mark.lexicon, pytest.mark.usefixtures("lexicons")]


class Collector(trace_service_pb2_grpc.TraceServiceServicer, metrics_service_pb2_grpc.MetricsServiceServicer):
    """An OpenTelemetry collector that stores its input."""

    def __init__(self) -> None:
        self.spans: list[Span] = []
        self.metrics: set[str] = set()
        self._server = grpc.server(futures.ThreadPoolExecutor(2))
        trace_service_pb2_grpc.add_TraceServiceServicer_to_server(self, self._server)
        metrics_service_pb2_grpc.add_MetricsServiceServicer_to_server(_Metrics(self.metrics), self._server)
        self.endpoint = f"http://127.0.0.1:{self._server.add_insecure_port('127.0.0.1:0')}"
        self._server.start()

    def Export(  # noqa: N802 # named by OpenTelemetry
        self, request: trace_service_pb2.ExportTraceServiceRequest, context: grpc.ServicerContext
    ) -> trace_service_pb2.ExportTraceServiceResponse:
        for resource in request.resource_spans:
            for scope in resource.scope_spans:
                self.spans.extend(scope.spans)
        return trace_service_pb2.ExportTraceServiceResponse()

    def trace(self, trace_id: str) -> list[Span]:
        """Return the spans of one trace, by their start."""
        found = [span for span in list(self.spans) if span.trace_id.hex() == trace_id]
        return sorted(found, key=lambda span: span.start_time_unix_nano)

    def stop(self) -> None:
        self._server.stop(None)


class _Metrics(metrics_service_pb2_grpc.MetricsServiceServicer):
    def __init__(self, names: set[str]) -> None:
        self._names = names

    def Export(  # noqa: N802
        self, request: metrics_service_pb2.ExportMetricsServiceRequest, context: grpc.ServicerContext
    ) -> metrics_service_pb2.ExportMetricsServiceResponse:
        for resource in request.resource_metrics:
            for scope in resource.scope_metrics:
                self._names.update(metric.name for metric in scope.metrics)
        return metrics_service_pb2.ExportMetricsServiceResponse()


@pytest.fixture
def collector() -> Iterator[Collector]:
    running = Collector()
    yield running
    running.stop()


def test_a_trace_runs_from_the_call_through_append_relay_and_reactions_to_the_projection(
    collector: Collector, tmp_path: Path
) -> None:
    port = free_port()
    settings = {"otlp_endpoint": collector.endpoint}
    arguments = ["up", "--data", str(tmp_path / "data"), "--http", "0", "--grpc", str(port)]
    up = Child(arguments, settings, tmp_path / "up.log")
    try:
        wait_until_serving(f"127.0.0.1:{port}", up)
        trace_id = uuid.uuid4().hex
        with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
            pairing = pairing_pb2_grpc.PairingServiceStub(channel)
            caller = (("traceparent", f"00-{trace_id}-{'ab' * 8}-01"),)
            who: dict[str, Any] = {"tournament_id": "traced"}
            pairing.CreateTournament(
                pairing_pb2.CreateTournamentRequest(command_id=str(uuid.uuid4()), name="Traced", rounds=5, **who),
                metadata=caller,
            )
            for number in range(6):
                pairing.RegisterPlayer(
                    pairing_pb2.RegisterPlayerRequest(
                        command_id=str(uuid.uuid4()), player_id=f"p{number}", name=f"P{number}", **who
                    )
                )
            pairing.PairRound(pairing_pb2.PairRoundRequest(command_id=str(uuid.uuid4()), round=1, **who))
            pairing.StartRound(
                pairing_pb2.StartRoundRequest(command_id=str(uuid.uuid4()), round=1, **who), metadata=caller
            )
        wanted = {
            "faristol.pairing.v1.PairingService/StartRound",
            "append",
            "publish RoundStarted",
            "publish GameStarted",
            "publish ClockStarted",
        }
        spans = _wait_for(collector, trace_id, wanted, ["RoundStarted", "GameStarted", "ClockStarted"])
    finally:
        code = up.terminate()
    assert code == 0, up.output()

    by_id = {span.span_id: span for span in spans}
    clock_started = next(span for span in spans if span.name == "publish ClockStarted")
    chain = [clock_started.name]
    while parent := by_id.get(clock_started.parent_span_id):
        chain.append(parent.name)
        clock_started = parent
    assert any("RoundStarted" in name and "game" in name for name in chain), chain
    assert chain[-2:] == ["append", "faristol.pairing.v1.PairingService/StartRound"], chain
    assert {"faristol.commands", "faristol.appends", "faristol.consumer.lag"} <= collector.metrics


def start_cell(settings: Mapping[str, str], folder: Path) -> tuple[Child, int, int]:
    """Start a cell with pages. Return it with its ports of gRPC and HTTP."""
    grpc_port, http_port = free_port(), free_port()
    arguments = ["up", "--data", str(folder / "data"), "--http", str(http_port), "--grpc", str(grpc_port)]
    return Child(arguments, settings, folder / "up.log"), grpc_port, http_port


def test_streams_that_are_left_in_a_traced_cell_leave_nothing_in_its_log(collector: Collector, tmp_path: Path) -> None:
    up, port, http = start_cell({"otlp_endpoint": collector.endpoint}, tmp_path)
    try:
        wait_until_serving(f"127.0.0.1:{port}", up)
        with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
            pairing = pairing_pb2_grpc.PairingServiceStub(channel)
            for number in range(3):
                wanted = pairing_pb2.CreateTournamentRequest(
                    command_id=str(uuid.uuid4()), tournament_id=f"traced-{number}", name=f"Traced {number}", rounds=5
                )
                follow: Any = results_pb2_grpc.ResultsServiceStub(channel).Follow(results_pb2.FollowRequest())
                watch: Any = adjudication_pb2_grpc.JudgeServiceStub(channel).WatchQueue(
                    adjudication_pb2.WatchQueueRequest(judge_id="ada")
                )
                web = [
                    urllib.request.urlopen(f"http://127.0.0.1:{http}/api/v1/stream{query}", timeout=30)
                    for query in ("", "?include=content")
                ]
                for answer in web:
                    answer.read(1)
                pairing.CreateTournament(wanted, timeout=30)
                next(follow)
                for call in (follow, watch):
                    call.cancel()
                for answer in web:
                    answer.close()
    finally:
        code = up.terminate()
    assert code == 0, up.output()
    assert [line for line in up.output().splitlines() if "detach" in line or "Traceback" in line] == []


def _wait_for(collector: Collector, trace_id: str, wanted: set[str], projected: list[str]) -> list[Span]:
    give_up = time.monotonic() + 30
    while True:
        spans = collector.trace(trace_id)
        names = {span.name for span in spans}
        if wanted <= names and all(any(name == f"results {event}" for name in names) for event in projected):
            return spans
        assert time.monotonic() < give_up, f"only these spans came: {sorted(names)}"
        time.sleep(0.2)


def test_without_an_endpoint_nothing_is_exported(collector: Collector, tmp_path: Path) -> None:
    port = free_port()
    up = Child(["up", "--data", str(tmp_path / "data"), "--http", "0", "--grpc", str(port)], {}, tmp_path / "up.log")
    try:
        wait_until_serving(f"127.0.0.1:{port}", up)
    finally:
        up.terminate()
    assert collector.spans == []


def scrape_metrics(port: int) -> dict[str, float]:
    """Return the metrics that Prometheus reads, by name and labels."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
        lines = answer.read().decode().splitlines()
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines if line[0] != "#")}


def fail_in_a_trace(record: Path, port: int) -> str:
    """Cause two failing calls that the log reports, the second one in the returned trace."""
    trace_id = uuid.uuid4().hex
    with contextlib.closing(sqlite3.connect(record)) as database:
        database.execute("ALTER TABLE commands RENAME COLUMN answer TO lost")
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        pairing = pairing_pb2_grpc.PairingServiceStub(channel)
        for metadata in ((), (("traceparent", f"00-{trace_id}-{'ab' * 8}-01"),)):
            request = pairing_pb2.CreateTournamentRequest(
                command_id=str(uuid.uuid4()), tournament_id="lost", name="L", rounds=5
            )
            with pytest.raises(grpc.RpcError):
                pairing.CreateTournament(request, metadata=metadata, timeout=10)
    return trace_id


def test_prometheus_reads_what_a_cell_does_and_logs_are_lines_of_json(tmp_path: Path) -> None:
    metrics = free_port()
    settings = {"metrics_port": str(metrics), "log_format": "json", "log_level": "INFO"}
    up, port, http = start_cell(settings, tmp_path)
    try:
        wait_until_serving(f"127.0.0.1:{port}", up)
        with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
            pairing = pairing_pb2_grpc.PairingServiceStub(channel)
            request = pairing_pb2.CreateTournamentRequest(
                command_id=str(uuid.uuid4()), tournament_id="lliga", name="Lliga", rounds=5
            )
            for _ in range(2):
                pairing.CreateTournament(request, timeout=10)
            request.command_id = str(uuid.uuid4())
            with pytest.raises(grpc.RpcError):
                pairing.CreateTournament(request, timeout=10)
        measured = (
            "append_duration_seconds_count",
            "call_duration_seconds_count",
            "http_duration_seconds_count",
            "news_delay_seconds_count",
            "cases_waiting",
            "consumer_lag",
            "record_position",
            "relay_lag",
            "seals_behind",
            "viewers",
        )
        wanted = {f"faristol_{name}" for name in measured}
        command = 'command="faristol.pairing.v1.CreateTournament"'
        deadline = time.monotonic() + 60
        while True:
            found = scrape_metrics(metrics)
            outcomes = {
                outcome: sum(
                    value
                    for name, value in found.items()
                    if name.startswith("faristol_commands") and command in name and f'outcome="{outcome}"' in name
                )
                for outcome in ("done", "repeated", "refused")
            }
            names = {name.partition("{")[0] for name in found}
            with urllib.request.urlopen(f"http://127.0.0.1:{http}/api/v1/tournaments", timeout=10) as answer:
                assert answer.status == 200
            if wanted <= names and outcomes == {"done": 1, "repeated": 1, "refused": 1}:
                break
            assert time.monotonic() < deadline, (outcomes, wanted - names)
            time.sleep(0.5)
        ended = {
            labels: value
            for name, value in found.items()
            if name.startswith("faristol_call_duration_seconds_count")
            for labels in [tuple(re.findall(r'(?:kind|outcome)="(\w+)"', name))]
        }
        assert ended[("command", "ok")] == 2
        assert ended[("command", "refused")] == 1
        assert any('le="0.25"' in name for name in found if name.startswith("faristol_append_duration_seconds_bucket"))
        trace_id = fail_in_a_trace(tmp_path / "data" / "record.db", port)
        after = scrape_metrics(metrics)
        (failed,) = (
            value for name, value in after.items() if "call_duration_seconds_count" in name and "failed" in name
        )
        assert failed == 2
    finally:
        up.terminate()
    lines = [line for line in (tmp_path / "up.log").read_text(encoding="utf-8").splitlines() if line.startswith("{")]
    assert lines
    assert all({"time", "level", "logger", "message"} <= set(json.loads(line)) for line in lines)
    told = [json.loads(line) for line in lines if "trace_id" in line]
    assert trace_id in {line["trace_id"] for line in told}, "the caller's own, though no collector gathers spans"
    assert {line["trace_id"] for line in told} - {trace_id}, "one of its own where the caller has none"
    assert all(re.fullmatch(r"[0-9a-f]{16}", line["span_id"]) for line in told)
