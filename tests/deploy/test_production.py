"""What is promised of a cell for a championship: what may be lost, what grows, what is watched, and who is told."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from opentelemetry.exporter.prometheus import PrometheusMetricReader
from opentelemetry.metrics import Observation
from opentelemetry.sdk.metrics import MeterProvider
from prometheus_client import CollectorRegistry, generate_latest
from tests.deploy.conftest import DEPLOY, ROOT, Object
from tests.deploy.test_manifests import Render, containers, environment, of_kind, workloads

from faristol.host import SERVICES
from faristol.host.services import RELAY

COMPONENTS = ("autoscaling", "backups", "ingress", "lexicons", "monitoring", "policies", "sealing", "tracing")
RESERVED = 15
"""Connections that PostgreSQL keeps for its administrators, and CloudNativePG for itself."""
METRIC = re.compile(r"\bfaristol_[a-z_]+")
OF_HISTOGRAMS = re.compile(r"_(bucket|count|sum)$")


def most_replicas(objects: tuple[Object, ...]) -> dict[str, int]:
    """How many of each process there may be at a time, but for one more during an update."""
    found = {name: each["spec"]["maxReplicas"] for name, each in of_kind(objects, "HorizontalPodAutoscaler").items()}
    found |= {name: each["spec"]["maxReplicaCount"] for name, each in of_kind(objects, "ScaledObject").items()}
    for name, each in of_kind(objects, "Deployment").items():
        found.setdefault(name, each["spec"].get("replicas", 1))
    return found


def test_the_connections_of_all_replicas_fit(production: tuple[Object, ...]) -> None:
    (cluster,) = of_kind(production, "Cluster").values()
    most = int(cluster["spec"]["postgresql"]["parameters"]["max_connections"])
    each = int(environment(production)["FARISTOL_DATABASE_CONNECTIONS"])
    replicas = sum(number for name, number in most_replicas(production).items() if name != "gateway")
    assert replicas * each <= most - RESERVED


def test_every_service_has_two_replicas_or_more_and_who_scales_it_says_how_many(production: tuple[Object, ...]) -> None:
    deployments = of_kind(production, "Deployment")
    scaled = {**of_kind(production, "HorizontalPodAutoscaler"), **of_kind(production, "ScaledObject")}
    assert set(scaled) == set(SERVICES)
    for name, each in scaled.items():
        assert each["spec"].get("minReplicas", each["spec"].get("minReplicaCount")) >= 2
        assert each["spec"]["scaleTargetRef"]["name"] == name
        assert "replicas" not in deployments[name]["spec"], "an update would take the replicas back"
    assert deployments[RELAY]["spec"]["replicas"] == 2


def test_a_metric_that_is_lost_is_an_error_and_takes_no_replicas_away(production: tuple[Object, ...]) -> None:
    (scaled,) = of_kind(production, "ScaledObject").values()
    asked = [each for each in scaled["spec"]["triggers"] if each["type"] == "prometheus"]
    assert asked
    assert all(each["metadata"]["ignoreNullValues"] == "false" for each in asked)
    assert scaled["spec"]["fallback"]["behavior"] == "currentReplicasIfHigher"


def test_one_server_of_the_stores_may_be_lost(production: tuple[Object, ...]) -> None:
    nats = of_kind(production, "StatefulSet")["nats"]
    given = environment(production)
    assert nats["spec"]["replicas"] == int(given["FARISTOL_NATS_REPLICAS"]) == 3
    assert given["FARISTOL_NATS_URL"].count("tls://") == 3
    assert of_kind(production, "PodDisruptionBudget")["nats"]["spec"]["maxUnavailable"] == 1
    (configuration,) = (
        each["data"]["nats.conf"] for name, each in of_kind(production, "ConfigMap").items() if name[:5] == "nats-"
    )
    assert "sync_interval: always" in configuration
    assert "verify: true" in configuration.partition("cluster {")[2].partition("\n}")[0]
    (cluster,) = of_kind(production, "Cluster").values()
    assert cluster["spec"]["instances"] == 3
    assert cluster["spec"]["postgresql"]["synchronous"]["dataDurability"] == "required"
    assert of_kind(production, "ScheduledBackup")


def test_the_password_and_the_authority_of_the_database_are_read_where_they_are_mounted(
    production: tuple[Object, ...],
) -> None:
    given = environment(production)
    files = (given["FARISTOL_DATABASE_PASSWORD_FILE"], given["FARISTOL_DATABASE_URL"].rpartition("sslrootcert=")[2])
    jobs = [each["spec"]["jobTemplate"] for name, each in of_kind(production, "CronJob").items() if "record" in name]
    processes = [each for name, each in of_kind(production, "Deployment").items() if name != "gateway"]
    processes += of_kind(production, "Job").values()
    assert len(jobs) == 3
    for each in (*processes, *jobs):
        (container,) = (
            found for found in containers(each) if any("configMapRef" in source for source in found.get("envFrom", ()))
        )
        places = [mount["mountPath"] for mount in container["volumeMounts"] if mount.get("readOnly")]
        for file in files:
            assert file.rpartition("/")[0] in places
        assert not any("secretRef" in source for source in container["envFrom"])


def test_a_job_is_bound_as_a_service_is(cell: tuple[Object, ...]) -> None:
    jobs = {name: each["spec"]["jobTemplate"] for name, each in of_kind(cell, "CronJob").items()}
    for name, job in {**jobs, **of_kind(cell, "Job")}.items():
        template = job["spec"]["template"]["spec"]
        assert template["serviceAccountName"] == re.sub(r"-[\d.]+$", "", name)
        assert template["automountServiceAccountToken"] is False
        assert template["securityContext"]["runAsNonRoot"] is True
        assert job["spec"]["activeDeadlineSeconds"] > 0
        mounted = set()
        for container in containers(job):
            assert container["securityContext"]["readOnlyRootFilesystem"] is True
            assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
            assert "memory" in container["resources"]["limits"]
            mounted |= {mount["name"] for mount in container["volumeMounts"]}
        assert mounted == {volume["name"] for volume in template["volumes"]}


def rules() -> Iterator[Object]:
    text = (DEPLOY / "components" / "monitoring" / "alerts.yaml").read_text(encoding="utf-8")
    for group in yaml.safe_load(text)["spec"]["groups"]:
        yield from group["rules"]


def expressions() -> Iterator[str]:
    """Whatever is asked of Prometheus: by alerts, dashboards, and who scales."""
    yield from (rule["expr"] for rule in rules())
    for file in (DEPLOY / "components" / "monitoring" / "dashboards").glob("*.json"):
        for panel in json.loads(file.read_text(encoding="utf-8"))["panels"]:
            yield from (target["expr"] for target in panel["targets"])
    yield (DEPLOY / "components" / "autoscaling" / "gateway.yaml").read_text(encoding="utf-8")


def measured() -> set[str]:
    """What the code measures, under the names that the exporter of every process gives it."""
    made = re.compile(r'create_(\w+)\(\s*"(faristol\.[a-z.]+)"(?:,\s*\[\w+\])?(?:,\s*unit="([^"]+)")?')
    registry = CollectorRegistry()
    meters = MeterProvider(metric_readers=[PrometheusMetricReader(registry=registry)])
    meter = meters.get_meter("faristol")
    for part in ("libs", "services"):
        for file in (ROOT / part).rglob("*.py"):
            for kind, name, unit in made.findall(file.read_text(encoding="utf-8")):
                if kind.startswith("observable_"):
                    getattr(meter, f"create_{kind}")(name, [lambda _: [Observation(1)]], unit=unit)
                    continue
                instrument = getattr(meter, f"create_{kind}")(name, unit=unit)
                getattr(instrument, {"histogram": "record", "gauge": "set"}.get(kind, "add"))(1)
    exported = generate_latest(registry).decode().splitlines()
    meters.shutdown()
    return {OF_HISTOGRAMS.sub("", re.split(r"[{ ]", line)[0]) for line in exported if not line.startswith("#")}


def test_whatever_is_asked_of_prometheus_is_measured() -> None:
    asked = {OF_HISTOGRAMS.sub("", name) for expression in expressions() for name in METRIC.findall(expression)}
    assert len(asked) > 10
    assert asked <= measured()


def test_every_alert_has_a_runbook() -> None:
    text = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    headings = {line.removeprefix("### ").casefold() for line in text.splitlines() if line.startswith("### ")}
    for rule in rules():
        assert rule["annotations"]["runbook_url"] == f"docs/operations.md#{rule['alert'].casefold()}"
        assert rule["alert"].casefold() in headings, rule["alert"]
        assert rule["labels"]["severity"] in {"page", "ticket"}


@pytest.mark.parametrize("left_out", COMPONENTS)
def test_a_component_can_be_left_out(left_out: str, tmp_path: Path, render: Render) -> None:
    """Each is of its own: what remains renders, and nothing of it is missed by the others."""
    written = {
        "resources": [os.path.relpath(DEPLOY / "base", tmp_path)],
        "components": [
            os.path.relpath(DEPLOY / "components" / name, tmp_path) for name in COMPONENTS if name != left_out
        ],
    }
    (tmp_path / "kustomization.yaml").write_text(yaml.safe_dump(written), encoding="utf-8")
    assert set(SERVICES) <= set(workloads(render(str(tmp_path))))
