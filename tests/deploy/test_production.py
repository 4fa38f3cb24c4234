"""The requirements of a cell for a championship: possible failures, growth, monitoring, and alerts."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest
import yaml
from deploy import release
from opentelemetry.exporter.prometheus import PrometheusMetricReader
from opentelemetry.metrics import Observation
from opentelemetry.sdk.metrics import MeterProvider
from prometheus_client import CollectorRegistry, generate_latest
from tests.deploy.conftest import DEPLOY, ROOT, Object
from tests.deploy.test_manifests import Render, containers, environment, of_kind, service_container, workloads

from faristol.consumers.consumer import durable
from faristol.gateway.http.addresses import Proxies
from faristol.host import SERVICES
from faristol.host.services import RELAY
from faristol.launcher.users import CONSUMERS, users

COMPONENTS = (
    *("autoscaling", "backups", "cilium", "ingress", "lexicons", "monitoring", "policies", "priorities", "sealing"),
    "tracing",
)
RESERVED_CONNECTION_COUNT = 15
"""Connections that PostgreSQL keeps for its administrators, and CloudNativePG for itself."""
METRIC = re.compile(r"\bfaristol_[a-z_]+")
OF_HISTOGRAMS = re.compile(r"_(bucket|count|sum)$")


def most_replicas(objects: tuple[Object, ...]) -> dict[str, int]:
    """Return the largest number of replicas of each process, without the additional one during an update."""
    found = {name: each["spec"]["maxReplicas"] for name, each in of_kind(objects, "HorizontalPodAutoscaler").items()}
    found |= {name: each["spec"]["maxReplicaCount"] for name, each in of_kind(objects, "ScaledObject").items()}
    for name, each in of_kind(objects, "Deployment").items():
        found.setdefault(name, each["spec"].get("replicas", 1))
    return found


def test_the_connections_of_all_replicas_fit_also_during_a_rollout(production: tuple[Object, ...]) -> None:
    (cluster,) = of_kind(production, "Cluster").values()
    most = int(cluster["spec"]["postgresql"]["parameters"]["max_connections"])
    each = int(environment(production)["FARISTOL_DATABASE_CONNECTIONS"])
    deployments = of_kind(production, "Deployment")
    replicas = sum(
        number + deployments[name]["spec"]["strategy"]["rollingUpdate"]["maxSurge"]
        for name, number in most_replicas(production).items()
        if name != "gateway"
    )
    jobs = sum("record" in name for name in of_kind(production, "CronJob"))
    assert (replicas + jobs) * each <= most - RESERVED_CONNECTION_COUNT


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


WRITER, READER, OWNER = "faristol_writer", "faristol_reader", "faristol"
PASSWORDS = {WRITER: "faristol-record-writer", READER: "faristol-record-reader", OWNER: "faristol-record-app"}
"""The Secrets of the roles of the database."""


def databases(pod: Object, settings: dict[str, str]) -> dict[str, tuple[str, str, str]]:
    """Return the database role, the password Secret and the authority Secret of each container with settings.

    Commands for the owner use the owner's URL, if the container has one.
    """
    volumes = {each["name"]: each for each in pod["volumes"]}
    found = {}
    for container in [*pod.get("initContainers", ()), *pod["containers"]]:
        if not any("configMapRef" in source for source in container.get("envFrom", ())):
            continue
        assert not any("secretRef" in source for source in container["envFrom"])
        given = settings | {each["name"]: each.get("value", "") for each in container.get("env", ())}
        owner = "OWNER_" if "FARISTOL_DATABASE_OWNER_URL" in given else ""
        url = urlsplit(given[f"FARISTOL_DATABASE_{owner}URL"])
        mounts = {mount["mountPath"]: mount["name"] for mount in container["volumeMounts"] if mount.get("readOnly")}
        secrets = []
        for file in (given[f"FARISTOL_DATABASE_{owner}PASSWORD_FILE"], dict(parse_qsl(url.query))["sslrootcert"]):
            folder, _, name = file.rpartition("/")
            secret = volumes[mounts[folder]]["secret"]
            assert name in {item["path"] for item in secret["items"]}
            secrets.append(secret["secretName"])
        assert url.password is None
        found[container["name"]] = (url.username or "", *secrets)
    return found


def test_each_process_has_the_role_of_the_database_that_is_enough_for_it(production: tuple[Object, ...]) -> None:
    settings = environment(production)
    pods = {name: each["spec"]["template"]["spec"] for name, each in of_kind(production, "Deployment").items()}
    pods |= {
        name: each["spec"]["jobTemplate"]["spec"]["template"]["spec"]
        for name, each in of_kind(production, "CronJob").items()
        if name.startswith("record-")
    }
    del pods["gateway"]
    roles = {(name, part): found for name, pod in pods.items() for part, found in databases(pod, settings).items()}
    of = {key: role for key, (role, _, _) in roles.items()}
    assert {key for key, role in of.items() if role == OWNER} == {
        (RELAY, "prepare"),
        ("record-migrate", "migrate"),
        ("record-restore", "restore"),
    }
    assert {name for (name, _), role in of.items() if role == READER} == {"results", "record-export", "record-verify"}
    assert {name for (name, part), role in of.items() if role == WRITER and part == "service"} == {
        *SERVICES,
        RELAY,
    } - {"gateway", "results"}
    for role, password, authority in roles.values():
        assert (password, authority) == (PASSWORDS[role], "faristol-record-ca")
    relay = {each["name"]: each for each in [*pods[RELAY]["containers"]]}["service"]
    assert "database-owner" not in {mount["name"] for mount in relay["volumeMounts"]}


def test_cloudnativepg_keeps_the_roles_and_the_owner_may_grant_them(production: tuple[Object, ...]) -> None:
    (cluster,) = of_kind(production, "Cluster").values()
    kept = {each["name"]: each for each in cluster["spec"]["managed"]["roles"]}
    assert set(kept) == set(PASSWORDS)
    assert all(each["login"] and not each.get("superuser") for each in kept.values())
    assert {name: each["passwordSecret"]["name"] for name, each in kept.items() if name != OWNER} == {
        name: secret for name, secret in PASSWORDS.items() if name != OWNER
    }
    assert set(kept[OWNER]["inRoles"]) == {WRITER, READER}
    assert cluster["spec"]["bootstrap"]["initdb"]["owner"] == OWNER
    prepare, migrate = (
        of_kind(production, "Deployment")[RELAY]["spec"]["template"]["spec"]["initContainers"][0],
        of_kind(production, "CronJob")["record-migrate"]["spec"]["jobTemplate"]["spec"]["template"]["spec"][
            "containers"
        ][0],
    )
    for container in (prepare, migrate):
        assert f"--writer {WRITER} --reader {READER}" in " ".join(container["args"])


def test_stores_are_never_evicted_for_a_service(render: Render) -> None:
    for overlay in ("overlays/production", "overlays/small"):
        objects = render(overlay)
        values = {name: each["value"] for name, each in of_kind(objects, "PriorityClass").items()}
        stores = [each["spec"]["template"]["spec"] for each in of_kind(objects, "StatefulSet").values()]
        stores += [each["spec"] for each in of_kind(objects, "Cluster").values()]
        services = {
            name: values[each["spec"]["template"]["spec"]["priorityClassName"]]
            for name, each in of_kind(objects, "Deployment").items()
        }
        assert set(services) == {*SERVICES, RELAY}
        assert all(values[each["priorityClassName"]] > max(services.values()) for each in stores)
        assert len(stores) == 2
        assert min(services[name] for name in ("access", "lexicon", "game", "clock")) > services["gateway"]


def test_no_two_servers_of_a_store_are_on_one_node(production: tuple[Object, ...]) -> None:
    (cluster,) = of_kind(production, "Cluster").values()
    assert cluster["spec"]["affinity"] == {"topologyKey": "kubernetes.io/hostname", "podAntiAffinityType": "required"}
    zones = cluster["spec"]["topologySpreadConstraints"]
    zones += of_kind(production, "StatefulSet")["nats"]["spec"]["template"]["spec"]["topologySpreadConstraints"]
    assert [each["topologyKey"] for each in zones].count("topology.kubernetes.io/zone") == 2
    page = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    assert re.search(r"three\s+nodes", page.replace("**", ""))


def test_a_base_backup_is_taken_at_once_and_what_an_instance_measures_is_read(production: tuple[Object, ...]) -> None:
    (scheduled,) = of_kind(production, "ScheduledBackup").values()
    assert scheduled["spec"]["immediate"] is True
    monitors = [each["spec"]["selector"]["matchLabels"] for each in of_kind(production, "PodMonitor").values()]
    assert {"cnpg.io/cluster": "faristol-record"} in monitors


def test_the_stores_of_one_machine_are_not_evicted_and_postgresql_has_room_to_share(render: Render) -> None:
    objects = render("overlays/small")
    budgets = of_kind(objects, "PodDisruptionBudget")
    for name, each in of_kind(objects, "StatefulSet").items():
        assert budgets[name]["spec"]["maxUnavailable"] == 0
        assert (
            budgets[name]["spec"]["selector"]["matchLabels"].items()
            <= each["spec"]["template"]["metadata"]["labels"].items()
        )
    pod = of_kind(objects, "StatefulSet")["postgres"]["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    (volume,) = (each["name"] for each in container["volumeMounts"] if each["mountPath"] == "/dev/shm")
    (shared,) = (each["emptyDir"] for each in pod["volumes"] if each["name"] == volume)
    assert shared["medium"] == "Memory"
    assert int(shared["sizeLimit"].removesuffix("Mi")) >= 256


def test_proxies_are_named_narrowly(cell: tuple[Object, ...]) -> None:
    gateway = service_container(of_kind(cell, "Deployment")["gateway"])
    given = environment(cell) | {each["name"]: each["value"] for each in gateway.get("env", ())}
    assert Proxies.of(given.get("FARISTOL_HTTP_PROXIES", "")).networks or "dev" in cell[0]["metadata"]["name"]


def test_nats_knows_the_consumers_of_the_release_before_and_of_the_next_one() -> None:
    for service, consumers in CONSUMERS.items():
        (user,) = (each for each in users("cell") if each.name == service)
        for consumer in consumers:
            name, _, version = consumer.partition("@")
            versions = [int(version) - 1, int(version), int(version) + 1] if version else []
            for each in [f"{name}@{number}" for number in versions if number] or [consumer]:
                assert f"$JS.API.CONSUMER.MSG.NEXT.FARISTOL.{durable('cell', each)}" in user.publish


def test_archives_are_pruned_once_a_new_one_is_there_and_never_all_of_them(cell: tuple[Object, ...]) -> None:
    jobs = of_kind(cell, "CronJob")
    if "record-export" not in jobs:
        return
    pod = jobs["record-export"]["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    begun = [each["name"] for each in pod["initContainers"]]
    assert begun == ["list", "export"], "what is there is known before the new one comes"
    export = pod["initContainers"][1]["args"][0]
    assert "faristol record erasures /archive/erasures.json" in export
    assert "faristol record prune --names /archive/there > /archive/expired" in export
    (upload,) = pod["containers"]
    copied, _, removed = upload["args"][0].partition(";")
    assert copied.startswith("rclone copy ")
    assert "if [ -s /archive/expired ]" in removed
    assert "rclone delete --files-from-raw /archive/expired" in removed
    for name, container in (("record-restore", "containers"), ("restore-drill", "initContainers")):
        parts = jobs[name]["spec"]["jobTemplate"]["spec"]["template"]["spec"]
        assert "erasures.json" in parts[container][0]["args"][0]


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
    """Yield the alerts."""
    yield from _rules("alerts.yaml")


def _rules(file: str) -> Iterator[Object]:
    text = (DEPLOY / "components" / "monitoring" / file).read_text(encoding="utf-8")
    for group in yaml.safe_load(text)["spec"]["groups"]:
        yield from group["rules"]


def expressions() -> Iterator[str]:
    """Yield all expressions for Prometheus: of alerts, service levels, dashboards and scalers."""
    yield from (rule["expr"] for rule in (*rules(), *_rules("aims.yaml")))
    for file in (DEPLOY / "components" / "monitoring" / "dashboards").glob("*.json"):
        for panel in json.loads(file.read_text(encoding="utf-8"))["panels"]:
            yield from (target["expr"] for target in panel["targets"])
    yield (DEPLOY / "components" / "autoscaling" / "gateway.yaml").read_text(encoding="utf-8")


def list_metrics() -> set[str]:
    """Return the metrics of the code, under the names that the exporter of every process gives them."""
    made = re.compile(r'create_(\w+)\(\s*"(faristol\.[a-z.]+)"(?:,\s*\[\w+\])?(?:,\s*unit="([^"]+)")?')
    registry = CollectorRegistry()
    meters = MeterProvider(metric_readers=[PrometheusMetricReader(registry=registry)])
    meter = meters.get_meter("faristol")
    for part in ("libs", "services", "apps"):
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
    assert asked <= list_metrics()


def anchors(page: str) -> set[str]:
    """Return the anchors of a page: its headings, in the form of GitHub."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return {line.lstrip("# ").casefold() for line in text.splitlines() if line.startswith("### ")}


def test_every_alert_has_a_runbook_and_every_runbook_its_alert() -> None:
    alerts = {rule["alert"].casefold() for rule in rules()}
    for rule in rules():
        assert rule["annotations"]["runbook_url"] == f"docs/runbooks.md#{rule['alert'].casefold()}"
        assert rule["alert"].casefold() in anchors("docs/runbooks.md"), rule["alert"]
        assert rule["labels"]["severity"] in {"page", "ticket", "heartbeat"}
    text = (ROOT / "docs" / "runbooks.md").read_text(encoding="utf-8")
    said = re.findall(r"^### (\w+)$", text.partition("## Alerts")[2].partition("\n## ")[0], re.MULTILINE)
    assert {each.casefold() for each in said} == alerts


def test_a_release_links_each_alert_to_its_runbook_by_an_address(tmp_path: Path) -> None:
    shutil.copytree(DEPLOY / "components" / "monitoring", tmp_path / "deploy" / "components" / "monitoring")
    release.link("https://host.test/owner/faristol/blob/v0.1.0", tmp_path)
    text = (tmp_path / "deploy" / "components" / "monitoring" / "alerts.yaml").read_text(encoding="utf-8")
    links = re.findall(r"runbook_url: (.*)", text)
    assert len(links) == len(list(rules()))
    assert all(each.startswith("https://host.test/owner/faristol/blob/v0.1.0/docs/runbooks.md#") for each in links)
    with pytest.raises(SystemExit, match="is no address"):
        release.link("blob/v0.1.0", tmp_path)


@pytest.mark.parametrize("left_out", COMPONENTS)
def test_a_component_can_be_left_out(left_out: str, tmp_path: Path, render: Render) -> None:
    """each component is independent: the rest renders without it"""
    written = {
        "resources": [os.path.relpath(DEPLOY / "base", tmp_path)],
        "components": [
            os.path.relpath(DEPLOY / "components" / name, tmp_path) for name in COMPONENTS if name != left_out
        ],
    }
    (tmp_path / "kustomization.yaml").write_text(yaml.safe_dump(written), encoding="utf-8")
    assert set(SERVICES) <= set(workloads(render(str(tmp_path))))
