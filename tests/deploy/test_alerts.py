"""Every alert fires when required, and none for a healthy cell: the rules as Prometheus evaluates them."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.deploy.conftest import DEPLOY, ROOT

MONITORING = DEPLOY / "components" / "monitoring"
FILES = ("aims.yaml", "alerts.yaml")
EXTRACTED = ROOT / "var" / "prometheus" / "usr" / "bin" / "promtool"
"""Where ``make promtool`` puts it."""

CELL = 'namespace="faristol"'
SCENARIO_HOURS = 8
"""How long each scenario lasts, at least: longer than any window and any wait but that of RecordNotVerified."""

LENGTH = "MINUTES"
"""In the place of how many values a series has: as many as its scenario lasts."""

Series = Mapping[str, str]
"""The data of Prometheus, a value a minute: series and values in the notation of promtool."""


def steady(value: float) -> str:
    """Return a gauge with a constant value."""
    return f"{value}x{LENGTH}"


def rising(a_minute: float) -> str:
    """Return a counter that rises by this amount each minute."""
    return f"0+{a_minute}x{LENGTH}"


def histogram(name: str, fast: float, slow: float, labels: str = "", bounds: Sequence[str] = ("0.25", "1.0")) -> Series:
    """Return a histogram with this number of short and of long (20 s) durations a minute."""
    found = {f'{name}_bucket{{{labels}le="{bound}"}}': rising(fast) for bound in bounds}
    found[f'{name}_bucket{{{labels}le="30.0"}}'] = rising(fast + slow)
    found[f'{name}_bucket{{{labels}le="+Inf"}}'] = rising(fast + slow)
    found[f"{name}_count{{{labels.rstrip(',')}}}"] = rising(fast + slow)
    return found


DURATIONS = ("faristol_append_duration_seconds", "faristol_deadline_late_seconds", "faristol_news_delay_seconds")
CALL, HTTP = "faristol_call_duration_seconds", "faristol_http_duration_seconds"
BACKUP = "barman_cloud_cloudnative_pg_io_last_{}_backup_timestamp"
ARCHIVED = "cnpg_pg_stat_archiver_last_{}_time"
DEPLOYMENTS = ("access", "lexicon", "game", "clock", "pairing", "rating", "results", "gateway", "relay")


def well() -> dict[str, str]:
    """Return a healthy cell. Prometheus reads from 1970 on, as in promtool: moments are seconds since then."""
    found: dict[str, str] = {
        "faristol_cases_wait_seconds": steady(20),
        "faristol_clock_failing": steady(0),
        "faristol_relay_lag": steady(3),
        'faristol_consumer_lag{consumer="results@4"}': steady(5),
        'faristol_consumer_stopped{consumer="results@4"}': steady(0),
        'faristol_consumer_parked{consumer="results@4"}': steady(0),
        'faristol_invariant_violations_total{invariant="order"}': steady(0),
        "faristol_webhook_failing": steady(0),
        "faristol_webhook_stopped": steady(0),
        "faristol_seals_wait_seconds": steady(50),
        'faristol_witness_behind{witness="folder:1"}': steady(0),
        f'kube_job_status_completion_time{{{CELL},job_name="record-verify-1"}}': rising(60),
        f'kube_job_status_completion_time{{{CELL},job_name="record-export-1"}}': rising(60),
        f'kube_cronjob_status_last_schedule_time{{{CELL},cronjob="restore-drill"}}': steady(1),
        f'kube_cronjob_status_last_successful_time{{{CELL},cronjob="restore-drill"}}': steady(900),
        f"{BACKUP.format('available')}{{{CELL}}}": steady(60),
        f"{BACKUP.format('failed')}{{{CELL}}}": steady(0),
        f"{ARCHIVED.format('archived')}{{{CELL}}}": rising(60),
        f"{ARCHIVED.format('failed')}{{{CELL}}}": steady(-1),
        f'cnpg_collector_pg_wal_archive_status{{{CELL},value="ready"}}': steady(1),
        f'cnpg_pg_replication_streaming_replicas{{{CELL},pod="faristol-record-1"}}': steady(2),
        f'cnpg_pg_replication_streaming_replicas{{{CELL},pod="faristol-record-2"}}': steady(0),
        f'kube_statefulset_status_replicas_ready{{{CELL},statefulset="nats"}}': steady(3),
        f'kube_statefulset_replicas{{{CELL},statefulset="nats"}}': steady(3),
        f'kube_pod_container_status_restarts_total{{{CELL},pod="game-1",container="service"}}': steady(1),
        f'kubelet_volume_stats_used_bytes{{{CELL},persistentvolumeclaim="store-nats-0"}}': steady(1e9),
        f'kubelet_volume_stats_capacity_bytes{{{CELL},persistentvolumeclaim="store-nats-0"}}': steady(1e10),
        'node_timex_offset_seconds{instance="a"}': steady(-0.01),
    }
    for name in DEPLOYMENTS:
        found[f'kube_deployment_status_replicas_available{{{CELL},deployment="{name}"}}'] = steady(2)
        found[f'up{{{CELL},service="{name}",pod="{name}-1"}}'] = steady(1)
    for name in DURATIONS:
        found |= histogram(name, 100, 0)
    for kind in ("command", "read"):
        found |= histogram(CALL, 1_000, 0, f'kind="{kind}",outcome="ok",')
    found |= histogram(HTTP, 1_000, 0, 'kind="page",status="2xx",')
    found |= certificate("access", renewal=720 - 240, end=720)
    found |= certificate("desk", renewal=168 - 56, end=168)
    found |= certificate("of-others", renewal=1, end=4, namespace="elsewhere")
    return found


def certificate(name: str, renewal: float, end: float, namespace: str = "faristol") -> Series:
    """Return the metrics of cert-manager for a certificate; both times in hours."""
    labels = f'{{name="{name}",exported_namespace="{namespace}",namespace="cert-manager"}}'
    return {
        f"certmanager_certificate_renewal_timestamp_seconds{labels}": steady(renewal * 3_600),
        f"certmanager_certificate_expiration_timestamp_seconds{labels}": steady(end * 3_600),
    }


def without(*prefixes: str) -> dict[str, str]:
    return {name: values for name, values in well().items() if not name.startswith(prefixes)}


ILL: Mapping[str, Series] = {
    "JudgeQueueWaits": {"faristol_cases_wait_seconds": steady(301)},
    "DeadlinesLate": histogram("faristol_deadline_late_seconds", 90, 10),
    "ClocksFail": {"faristol_clock_failing": steady(1)},
    "GatewayFails": {**histogram(HTTP, 50, 0, 'kind="page",status="5xx",')},
    "GatewaySlow": histogram(HTTP, 1_000, 100, 'kind="page",status="2xx",'),
    "SloBurnsFast": histogram(CALL, 20, 0, 'kind="command",outcome="failed",'),
    "SloBurnsSlowly": histogram(CALL, 10, 0, 'kind="command",outcome="failed",'),
    "RelayBehind": {"faristol_relay_lag": steady(501)},
    "InvariantViolated": {'faristol_invariant_violations_total{invariant="order"}': rising(1)},
    "ConsumerBehind": {'faristol_consumer_lag{consumer="results@4"}': steady(501)},
    "ConsumerStopped": {'faristol_consumer_stopped{consumer="results@4"}': steady(1)},
    "EventsParked": {'faristol_consumer_parked{consumer="results@4"}': steady(1)},
    "WebhooksFail": {"faristol_webhook_stopped": steady(1)},
    "SealsLate": {"faristol_seals_wait_seconds": rising(60)},
    "WitnessBehind": {'faristol_witness_behind{witness="folder:1"}': steady(12)},
    "AppendsSlow": histogram("faristol_append_duration_seconds", 90, 10),
    "RecordNotVerified": {f'kube_job_status_completion_time{{{CELL},job_name="record-verify-1"}}': steady(60)},
    "ExportMissing": {f'kube_job_status_completion_time{{{CELL},job_name="record-export-1"}}': steady(60)},
    "DrillFails": {f'kube_cronjob_status_last_schedule_time{{{CELL},cronjob="restore-drill"}}': steady(1_000)},
    "BackupMissing": {f"{BACKUP.format('failed')}{{{CELL}}}": steady(120)},
    "WalNotArchived": {f"{ARCHIVED.format('failed')}{{{CELL}}}": rising(61)},
    "StandbyAway": {f'cnpg_pg_replication_streaming_replicas{{{CELL},pod="faristol-record-1"}}': steady(1)},
    "NatsServerAway": {f'kube_statefulset_status_replicas_ready{{{CELL},statefulset="nats"}}': steady(2)},
    "NatsDown": {f'kube_statefulset_status_replicas_ready{{{CELL},statefulset="nats"}}': steady(1)},
    "ServiceDown": {f'kube_deployment_status_replicas_available{{{CELL},deployment="game"}}': steady(0)},
    "ServiceRestarts": {
        f'kube_pod_container_status_restarts_total{{{CELL},pod="game-1",container="service"}}': rising(1)
    },
    "CertificateEnds": certificate("desk", renewal=1, end=5),
    "DiskFills": {f'kubelet_volume_stats_used_bytes{{{CELL},persistentvolumeclaim="store-nats-0"}}': steady(9e9)},
    "ClocksOfNodesDiffer": {'node_timex_offset_seconds{instance="a"}': steady(-0.2)},
    "ProcessNotMeasured": {f'up{{{CELL},service="game",pod="game-1"}}': steady(0)},
}
"""The changed series for each alert."""
ALSO = {"NatsDown": {"NatsServerAway"}, "GatewayFails": {"SloBurnsFast", "SloBurnsSlowly"}}
"""Alerts that come along, and are right."""
ALSO |= {name: {"SloBurnsFast", "SloBurnsSlowly"} for name in ("DeadlinesLate",)}
ALSO |= {"SloBurnsFast": {"SloBurnsSlowly"}, "RecordNotVerified": {"BackupMissing"}}
LATE = {"RecordNotVerified": 37}
"""Hours after which an alert has to be there, where that is not ``HOURS``."""


@pytest.fixture(scope="module")
def promtool() -> str:
    """Return the program by which Prometheus tests rules."""
    found = shutil.which("promtool") or (str(EXTRACTED) if EXTRACTED.exists() else None)
    if not found:
        pytest.skip("there is no promtool on this machine: `make promtool`")
    return found


def groups() -> Iterator[Any]:
    for file in FILES:
        yield from yaml.safe_load((MONITORING / file).read_text(encoding="utf-8"))["spec"]["groups"]


def alerts() -> set[str]:
    return {rule["alert"] for group in groups() for rule in group["rules"] if "alert" in rule}


def scenario(name: str, series: Series, expected: set[str], hours: float) -> dict[str, Any]:
    """Return a test of promtool: exactly these alerts fire after this number of hours."""
    asked = sorted(expected) or [""]
    query = 'count by (alertname) (ALERTS{alertstate="firing"}) > 0'
    return {
        "name": name,
        "interval": "1m",
        "input_series": [
            {"series": each, "values": values.replace(LENGTH, str(round(hours * 60)))}
            for each, values in series.items()
        ],
        "promql_expr_test": [
            {
                "expr": f"({query}) * 0",
                "eval_time": f"{round(hours * 60)}m",
                "exp_samples": [{"labels": f'{{alertname="{each}"}}', "value": 0} for each in asked if each],
            }
        ],
    }


def group_alerts() -> Iterator[tuple[set[str], dict[str, str]]]:
    """Yield groups of alerts with different series that are tested together, with the changed series of each group."""
    left = {name: changed for name, changed in ILL.items() if name not in LATE}
    while left:
        names: set[str] = set()
        series: dict[str, str] = {}
        for name, changed in left.items():
            if not changed.keys() & series.keys():
                names.add(name)
                series |= changed
        yield names, series
        left = {name: changed for name, changed in left.items() if name not in names}


def scenarios() -> Iterator[dict[str, Any]]:
    always = {"Heartbeat"}
    yield scenario("a cell that is well", well(), always, SCENARIO_HOURS)
    for names, changed in group_alerts():
        expected = names.union(always, *(ALSO.get(name, ()) for name in names))
        yield scenario(", ".join(sorted(names)), {**well(), **changed}, expected, SCENARIO_HOURS)
    for name, hours in LATE.items():
        yield scenario(name, {**well(), **ILL[name]}, {name, *ALSO.get(name, ())} | always, hours)
    yield scenario("NothingMeasured", without("up{"), {"NothingMeasured"} | always, SCENARIO_HOURS)


def test_every_alert_is_tried() -> None:
    assert {*ILL, "NothingMeasured", "Heartbeat"} == alerts()


def test_each_alert_comes_once_it_has_to_and_no_other(promtool: str, tmp_path: Path) -> None:
    (tmp_path / "rules.yaml").write_text(yaml.safe_dump({"groups": list(groups())}), encoding="utf-8")
    tests = {
        "rule_files": ["rules.yaml"],
        "evaluation_interval": "10m",  # longer than the lookback of Prometheus, so recorded series must come first
        "group_eval_order": [group["name"] for group in groups()],
        "tests": list(scenarios()),
    }
    (tmp_path / "tests.yaml").write_text(yaml.safe_dump(tests), encoding="utf-8")
    done = subprocess.run(
        [promtool, "test", "rules", "tests.yaml"],
        cwd=tmp_path,
        env={"TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
