"""The requirements of the cluster: valid objects, and services with only the necessary rights."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml
from kubernetes_validate import utils as schemas
from tests.deploy import nats_users
from tests.deploy.conftest import DEPLOY, OVERLAYS

from faristol.host import SERVICES, Settings
from faristol.host.services import RELAY

Object = dict[str, Any]
Render = Callable[[str], tuple[Object, ...]]

GRPC_PORT, HEALTH_PORT = 50051, 50052
PROCESSES = (*SERVICES, RELAY)
OF_OTHERS = (
    "barmancloud.cnpg.io/",
    "cert-manager.io/",
    "cilium.io/",
    "gateway.networking.k8s.io/",
    "keda.sh/",
    "monitoring.coreos.com/",
    "postgresql.cnpg.io/",
)
"""Prefixes of the names of kinds that do not belong to Kubernetes."""
OLDEST = "1.30"
"""The oldest Kubernetes that these manifests are made for: the first that sleeps before it stops a container."""


def of_kind(objects: tuple[Object, ...], kind: str) -> dict[str, Object]:
    return {found["metadata"]["name"]: found for found in objects if found["kind"] == kind}


def workloads(objects: tuple[Object, ...]) -> dict[str, Object]:
    return of_kind(objects, "Deployment") | of_kind(objects, "StatefulSet")


def containers(workload: Object) -> list[Object]:
    pod = workload["spec"]["template"]["spec"]
    return [*pod.get("initContainers", []), *pod["containers"]]


def service_container(deployment: Object) -> Object:
    (container,) = containers(deployment)
    return container


@pytest.fixture(scope="module", autouse=True)
def cached_schemas() -> Iterator[None]:
    """Read each file of schemas once: one has a megabyte, and it is read for every object."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(schemas, "schema_contents", cache(schemas.schema_contents))
        yield


@pytest.mark.parametrize("kubernetes", [OLDEST, kubernetes_validate.latest_version()])
def test_every_object_is_valid(objects: tuple[Object, ...], kubernetes: str) -> None:
    for found in objects:
        if not found["apiVersion"].startswith(OF_OTHERS):
            kubernetes_validate.validate(found, kubernetes, strict=True)


def test_an_object_with_a_word_that_kubernetes_does_not_know_is_not_valid(development: tuple[Object, ...]) -> None:
    deployment = of_kind(development, "Deployment")["game"]
    wrong = deployment | {"spec": deployment["spec"] | {"replica": 1}}
    with pytest.raises(kubernetes_validate.ValidationError, match="replica"):
        kubernetes_validate.validate(wrong, OLDEST, strict=True)


def test_no_two_objects_have_one_name(objects: tuple[Object, ...]) -> None:
    names = [(found["kind"], found["metadata"]["name"]) for found in objects]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("kind", ["Deployment", "Service", "ServiceAccount", "PodDisruptionBudget"])
def test_each_service_has_one(objects: tuple[Object, ...], kind: str) -> None:
    assert set(SERVICES) <= set(of_kind(objects, kind))


def test_each_workload_has_an_account_of_its_own_without_a_token(objects: tuple[Object, ...]) -> None:
    accounts = of_kind(objects, "ServiceAccount")
    for name, workload in workloads(objects).items():
        pod = workload["spec"]["template"]["spec"]
        assert pod["serviceAccountName"] == name
        assert pod["automountServiceAccountToken"] is False
        assert accounts[name]["automountServiceAccountToken"] is False


def test_nothing_runs_as_root_or_can_become_it(objects: tuple[Object, ...]) -> None:
    for workload in workloads(objects).values():
        security = workload["spec"]["template"]["spec"]["securityContext"]
        assert security["runAsNonRoot"] is True
        assert security["runAsUser"] > 0
        assert security["seccompProfile"] == {"type": "RuntimeDefault"}
        for container in containers(workload):
            assert container["securityContext"] == {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            }


def test_the_services_write_to_tmp_and_data_only(objects: tuple[Object, ...]) -> None:
    for name in SERVICES:
        deployment = of_kind(objects, "Deployment")[name]
        mounts = service_container(deployment)["volumeMounts"]
        assert {mount["mountPath"] for mount in mounts if not mount.get("readOnly")} == {
            "/tmp",
            "/data",
        }  # a path in the container


def test_the_private_keys_of_credentials_are_for_the_service_of_access_alone(objects: tuple[Object, ...]) -> None:
    for name in SERVICES:
        volumes = of_kind(objects, "Deployment")[name]["spec"]["template"]["spec"]["volumes"]
        (keys,) = (volume for volume in volumes if volume["name"] == "access")
        if name == "access":
            assert keys["secret"]["secretName"] == "faristol-access"
        else:
            assert keys["configMap"]["name"] == "faristol-access-public"
        assert len(keys) == 2


def test_sealed_games_are_opened_by_a_key_that_outlives_a_pod(objects: tuple[Object, ...]) -> None:
    deployment = of_kind(objects, "Deployment")["game"]
    container = service_container(deployment)
    (key,) = (variable["value"] for variable in container["env"] if variable["name"] == "FARISTOL_SEALED_GAMES")
    (mount,) = (mount for mount in container["volumeMounts"] if key.startswith(f"{mount['mountPath']}/"))
    volumes = {volume["name"]: volume for volume in deployment["spec"]["template"]["spec"]["volumes"]}
    assert mount["readOnly"], "no pod makes a key of its own"
    assert volumes[mount["name"]]["secret"]["secretName"] == "faristol-sealed-games"


def test_each_process_shows_a_certificate_of_its_own_name(objects: tuple[Object, ...]) -> None:
    certificates = of_kind(objects, "Certificate")
    for name in PROCESSES:
        volumes = of_kind(objects, "Deployment")[name]["spec"]["template"]["spec"]["volumes"]
        (tls,) = (volume["secret"] for volume in volumes if volume["name"] == "tls")
        certificate = certificates[name]["spec"]
        assert tls["secretName"] == certificate["secretName"] == f"{name}-tls"
        assert certificate["dnsNames"][0] == name
        assert not {*certificate["dnsNames"]} & {*PROCESSES} - {name}, "NATS would take it for another"
        assert {"server auth", "client auth"} <= {*certificate["usages"]}


def test_every_certificate_has_an_issuer(cell: tuple[Object, ...]) -> None:
    issuers = of_kind(cell, "Issuer")
    for found in of_kind(cell, "Certificate").values():
        assert found["spec"]["issuerRef"]["name"] in issuers


def test_nothing_talks_without_tls(objects: tuple[Object, ...]) -> None:
    given = environment(objects)
    for name in ("CERTIFICATE", "KEY", "CA", "CLIENT_CA"):
        assert given[f"FARISTOL_TLS_{name}"].startswith("/tls/")
    assert given["FARISTOL_NATS_URL"].startswith("tls://")
    assert given["FARISTOL_NATS_RELAY"] == "false", "the relay alone may publish"


def test_nats_knows_every_process_by_its_certificate_and_what_it_may_do(cell: tuple[Object, ...]) -> None:
    (files,) = (found["data"] for name, found in of_kind(cell, "ConfigMap").items() if "nats-" in name)
    assert "verify_and_map: true" in files["nats.conf"]
    assert 'http: "127.0.0.1:8222"' in files["nats.conf"]
    assert files["nats-users.conf"] == nats_users.content(environment(cell)["FARISTOL_NATS_CELL"]), (
        "python -m tests.deploy.nats_users writes it anew"
    )


def test_every_mount_has_its_volume(objects: tuple[Object, ...]) -> None:
    for workload in workloads(objects).values():
        claims = workload["spec"].get("volumeClaimTemplates", [])
        volumes = {volume["name"] for volume in workload["spec"]["template"]["spec"].get("volumes", [])}
        volumes |= {claim["metadata"]["name"] for claim in claims}
        mounted = {mount["name"] for container in containers(workload) for mount in container["volumeMounts"]}
        assert mounted == volumes


def test_every_service_is_probed_over_grpc(objects: tuple[Object, ...]) -> None:
    for name in SERVICES:
        container = service_container(of_kind(objects, "Deployment")[name])
        assert {port["name"]: port["containerPort"] for port in container["ports"]}["grpc"] == GRPC_PORT
        for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
            assert container[probe]["grpc"]["port"] == HEALTH_PORT
        assert container["readinessProbe"]["grpc"]["service"] == name


def test_every_workload_has_all_three_probes_and_bounds(objects: tuple[Object, ...]) -> None:
    for workload in workloads(objects).values():
        for container in workload["spec"]["template"]["spec"]["containers"]:
            assert {"startupProbe", "readinessProbe", "livenessProbe"} <= set(container)
    for container in chain.from_iterable(map(containers, workloads(objects).values())):
        assert set(container["resources"]["requests"]) == {"cpu", "memory"}
        assert "memory" in container["resources"]["limits"]


def test_each_container_serves_the_service_that_it_is_named_for(objects: tuple[Object, ...]) -> None:
    for name in SERVICES:
        container = service_container(of_kind(objects, "Deployment")[name])
        assert "command" not in container, "the image's own entry point is used"
        assert container["args"] == ["serve", name]


def images(found: Any) -> Iterator[str]:
    """Yield every image that an object names, at any depth."""
    if isinstance(found, dict):
        for key, value in found.items():
            if key in {"image", "imageName"} and isinstance(value, str):
                yield value
            else:
                yield from images(value)
    elif isinstance(found, list):
        for each in found:
            yield from images(each)


def test_every_image_is_pinned_by_its_digest_and_ours_is_of_this_version(
    objects: tuple[Object, ...], version: str
) -> None:
    named = set(chain.from_iterable(map(images, objects)))
    assert f"faristol:{version}" in named, "a release writes its digest here"
    for image in named - {f"faristol:{version}"}:
        assert re.fullmatch(r"[\w./-]+:\d[\w.-]+@sha256:[0-9a-f]{64}", image), image


def test_the_record_is_made_ready_before_a_rollout_by_what_may_change(objects: tuple[Object, ...]) -> None:
    """The template of a Job is fixed: one that refers to settings or an image fails the next `kubectl apply`."""
    assert not of_kind(objects, "Job")
    relay = of_kind(objects, "Deployment")[RELAY]["spec"]["template"]["spec"]
    (prepare,) = relay["initContainers"]
    assert prepare["args"][:2] == ["record", "prepare"]
    assert [each["args"] for each in relay["containers"]] == [["serve", RELAY]]
    migrate = of_kind(objects, "CronJob")["record-migrate"]["spec"]
    assert migrate["suspend"] is True, "the way back is ended by hand"


IMMUTABLE: dict[str, tuple[str, ...]] = {
    "Deployment": ("selector",),
    "StatefulSet": ("selector", "serviceName", "volumeClaimTemplates", "podManagementPolicy"),
    "Service": ("clusterIP",),
    "Job": ("selector", "template"),
    "PriorityClass": ("value",),
}
"""Fields that Kubernetes does not let change, below ``spec`` where there is one."""


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_other_settings_and_another_image_can_be_applied_over_a_cell(
    overlay: str, render: Render, tmp_path: Path
) -> None:
    def list_immutable(objects: tuple[Object, ...]) -> dict[tuple[str, str], Object]:
        found = {}
        for each in objects:
            spec = each.get("spec", each)
            fields = {name: spec.get(name) for name in IMMUTABLE.get(each["kind"], ())}
            found[each["kind"], each["metadata"]["name"]] = fields
        return found

    written = {
        "resources": [os.path.relpath(DEPLOY / overlay, tmp_path)],
        "images": [{"name": "faristol", "newName": "registry.test/faristol", "digest": f"sha256:{'0' * 64}"}],
        "namespace": "faristol-dev" if overlay.endswith("dev") else "faristol",
        "configMapGenerator": [
            {"name": "faristol-settings", "behavior": "merge", "literals": ["FARISTOL_LOG_LEVEL=DEBUG"]},
        ],
    }
    (tmp_path / "kustomization.yaml").write_text(yaml.safe_dump(written), encoding="utf-8")
    before, after = list_immutable(render(overlay)), list_immutable(render(str(tmp_path)))
    common = before.keys() & after.keys()
    assert {kind for kind, _ in before.keys() ^ after.keys()} <= {"ConfigMap"}
    assert {key: after[key] for key in common} == {key: before[key] for key in common}


def test_replicas_spread_over_nodes_and_zones(objects: tuple[Object, ...]) -> None:
    for name in PROCESSES:
        spread = of_kind(objects, "Deployment")[name]["spec"]["template"]["spec"]["topologySpreadConstraints"]
        by_key = {each["topologyKey"]: each for each in spread}
        assert by_key["kubernetes.io/hostname"]["whenUnsatisfiable"] == "DoNotSchedule"
        assert by_key["topology.kubernetes.io/zone"]["maxSkew"] == 1
        labels = of_kind(objects, "Deployment")[name]["spec"]["template"]["metadata"]["labels"]
        for each in spread:
            assert each["labelSelector"]["matchLabels"].items() <= labels.items()
            assert "app.kubernetes.io/name" in each["matchLabelKeys"], "each service spreads by itself"


def test_an_update_never_takes_a_service_away(objects: tuple[Object, ...]) -> None:
    for name in SERVICES:
        spec = of_kind(objects, "Deployment")[name]["spec"]
        assert spec["strategy"]["rollingUpdate"]["maxUnavailable"] == 0
        assert spec["strategy"]["rollingUpdate"]["maxSurge"] > 0


def test_a_service_has_time_to_end_what_it_began(objects: tuple[Object, ...]) -> None:
    running_calls = Settings.model_fields["grace_seconds"].default
    for name in SERVICES:
        deployment = of_kind(objects, "Deployment")[name]
        leaving = service_container(deployment)["lifecycle"]["preStop"]["sleep"]["seconds"]
        given = deployment["spec"]["template"]["spec"]["terminationGracePeriodSeconds"]
        assert given > leaving + 2 * running_calls


def test_selectors_find_the_pods_that_they_are_named_for(objects: tuple[Object, ...]) -> None:
    pods = {name: found["spec"]["template"]["metadata"]["labels"] for name, found in workloads(objects).items()}

    def found_by(selector: dict[str, str]) -> list[str]:
        return [name for name, labels in pods.items() if selector.items() <= labels.items()]

    for name, service in of_kind(objects, "Service").items():
        assert found_by(service["spec"]["selector"]) == [name]
    for name, found in [*workloads(objects).items(), *of_kind(objects, "PodDisruptionBudget").items()]:
        assert found_by(found["spec"]["selector"]["matchLabels"]) == [name]


def test_every_port_of_a_service_is_one_of_its_pods(objects: tuple[Object, ...]) -> None:
    for name, service in of_kind(objects, "Service").items():
        open_ports = {
            port["name"] for container in containers(workloads(objects)[name]) for port in container.get("ports", ())
        }
        assert {port["targetPort"] for port in service["spec"]["ports"]} <= open_ports


def test_the_name_of_a_service_leads_to_all_its_replicas(objects: tuple[Object, ...]) -> None:
    services = of_kind(objects, "Service")
    for name in SERVICES:
        headless = services[name]["spec"].get("clusterIP") == "None"
        assert headless == (name != "gateway"), "callers of gRPC share calls out, and people come by one address"


def environment(objects: tuple[Object, ...]) -> dict[str, str]:
    """Return the settings of the services' ConfigMap."""
    (settings,) = (
        found["data"] for name, found in of_kind(objects, "ConfigMap").items() if name.startswith("faristol-settings-")
    )
    return dict(settings)


def test_every_variable_is_a_setting(objects: tuple[Object, ...]) -> None:
    known = {f"FARISTOL_{field.upper()}" for field in Settings.model_fields}
    secrets = of_kind(objects, "Secret").items()
    hidden = {key for name, found in secrets if name.startswith("faristol-") for key in found["data"]}
    assert set(environment(objects)) | hidden <= known
    given = {key.removeprefix("FARISTOL_").lower(): value for key, value in environment(objects).items()}
    Settings.model_validate(given)


def test_every_address_leads_to_a_port_of_a_service(cell: tuple[Object, ...]) -> None:
    services = of_kind(cell, "Service")
    addresses = {key: value for key, value in environment(cell).items() if key.startswith("FARISTOL_PEER_")}
    assert set(addresses) == {f"FARISTOL_PEER_{name.upper()}" for name in SERVICES if name != "gateway"}
    for key, address in addresses.items():
        name, port = address.split(":")
        assert key == f"FARISTOL_PEER_{name.upper()}"
        assert int(port) in {found["port"] for found in services[name]["spec"]["ports"]}


def test_every_reference_to_settings_is_answered(development: tuple[Object, ...]) -> None:
    existing = set(of_kind(development, "ConfigMap")) | set(of_kind(development, "Secret"))
    for workload in workloads(development).values():
        for container in containers(workload):
            for source in container.get("envFrom", []):
                (reference,) = source.values()
                assert reference["name"] in existing


def test_the_base_holds_no_secret_and_says_which_one_it_needs(render: Render) -> None:
    base = render("base")
    assert of_kind(base, "Secret") == {}
    for name in SERVICES:
        sources = service_container(of_kind(base, "Deployment")[name])["envFrom"]
        knows_database = {"secretRef": {"name": "faristol-database"}} in sources
        assert knows_database == (name != "gateway")


def test_development_brings_a_bus_and_a_database_that_keep_their_data(development: tuple[Object, ...]) -> None:
    stateful = of_kind(development, "StatefulSet")
    assert set(stateful) == {"nats", "postgres"}
    for found in stateful.values():
        assert found["spec"]["volumeClaimTemplates"]
    (configuration,) = (
        found["data"]["nats.conf"] for name, found in of_kind(development, "ConfigMap").items() if "nats-" in name
    )
    assert "sync_interval: always" in configuration


def test_development_is_held_to_the_restricted_standard(development: tuple[Object, ...]) -> None:
    (namespace,) = of_kind(development, "Namespace").values()
    assert namespace["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "restricted"
    for found in development:
        if found["kind"] != "Namespace":
            assert found["metadata"]["namespace"] == namespace["metadata"]["name"]
