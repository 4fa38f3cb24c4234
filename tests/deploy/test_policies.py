"""The network policies of the cluster: exactly the connections of the diagram are allowed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from ipaddress import ip_address, ip_network
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.deploy.conftest import DEPLOY, OVERLAYS, Object

from faristol.host import SERVICES
from faristol.host.services import RELAY

GRPC, HEALTH, METRICS, HTTP, NATS, ROUTES, POSTGRES = 50051, 50052, 9464, 8080, 4222, 6222, 5432
PROOF_PORT = 8089
PROXY = "a proxy of the Gateway in this namespace"
SOLVER = "the pod of cert-manager that answers ACME"
HTTPS_PORT = 443
NAME, NAMESPACE = "app.kubernetes.io/name", "kubernetes.io/metadata.name"
OWN = "faristol"
STORED = (*(name for name in SERVICES if name != "gateway"), RELAY)
"""Processes that have the record and the bus."""
ENTRANCE, MONITORING, STRANGER = "the entrance", "the monitoring", "a stranger"
OUTSIDE: Mapping[str, Mapping[str, str]] = {
    ENTRANCE: {NAMESPACE: "traefik", "faristol.dev/entrance": "true"},
    MONITORING: {NAMESPACE: "monitoring", "faristol.dev/monitoring": "true"},
    STRANGER: {NAMESPACE: "default"},
}
"""Pods of other namespaces, by the labels of those."""
INTERNET = "the internet"
"""The namespace of an external peer."""
NODE_DNS = "the resolver of the node"
ADDRESSES = {INTERNET: "93.184.215.14", "the metadata": "169.254.169.254", NODE_DNS: "169.254.20.10"}
PORTS = (GRPC, HEALTH, METRICS, HTTP, NATS, ROUTES, POSTGRES, PROOF_PORT, 22)


def edges() -> Iterator[tuple[str, str, int]]:
    """Yield source, destination and port of the connections in docs/operations.md."""
    for name in STORED:
        yield name, "postgres", POSTGRES
        yield name, "nats", NATS
        if name != RELAY:
            yield "gateway", name, GRPC
            yield ENTRANCE, name, GRPC
            yield PROXY, name, GRPC
        yield MONITORING, name, METRICS
    yield MONITORING, "gateway", METRICS
    yield "pairing", "lexicon", GRPC
    yield "access", "pairing", GRPC
    yield "restore-drill", "gateway", HTTP
    for entrance in (ENTRANCE, PROXY):
        yield entrance, "gateway", HTTP
        yield entrance, SOLVER, PROOF_PORT
    for job in ("record-export", "record-verify", "record-restore", "record-migrate"):
        yield job, "postgres", POSTGRES
    yield "nats", "nats", ROUTES


def _pods(objects: tuple[Object, ...]) -> dict[str, Mapping[str, str]]:
    found: dict[str, Mapping[str, str]] = {
        SOLVER: {"acme.cert-manager.io/http01-solver": "true"},
        PROXY: {"gateway.networking.k8s.io/gateway-name": "faristol"},
    }
    for each in objects:
        if each["kind"] in {"Deployment", "StatefulSet"}:
            found[each["metadata"]["name"]] = each["spec"]["template"]["metadata"]["labels"]
        elif each["kind"] == "Job":
            labels = each["spec"]["template"]["metadata"]["labels"]
            found[labels[NAME]] = labels
        elif each["kind"] == "CronJob":
            found[each["metadata"]["name"]] = each["spec"]["jobTemplate"]["spec"]["template"]["metadata"]["labels"]
        elif each["kind"] == "Cluster":
            found["postgres"] = {"cnpg.io/cluster": each["metadata"]["name"]}
    return found


def _matches(selector: Object, labels: Mapping[str, str]) -> bool:
    by_label = selector.get("matchLabels", {}).items() <= labels.items()
    return by_label and all(
        {"In": labels.get(rule["key"]) in rule.get("values", ())}[rule["operator"]]
        for rule in selector.get("matchExpressions", ())
    )


def _is_peer(peer: Object, labels: Mapping[str, str], namespace: Mapping[str, str]) -> bool:
    if block := peer.get("ipBlock"):
        address = ip_address(ADDRESSES.get(namespace[NAMESPACE], "10.1.2.3"))  # pods have private addresses
        cidr = ip_network(block["cidr"])
        held_back = any(address in ip_network(each) for each in block.get("except", ()))
        return address.version == cidr.version and address in cidr and not held_back
    spaces = peer.get("namespaceSelector")
    if not (_matches(spaces, namespace) if spaces is not None else namespace[NAMESPACE] == OWN):
        return False
    return "podSelector" not in peer or _matches(peer["podSelector"], labels)


def _lets(rules: list[Object], side: str, port: int, labels: Mapping[str, str], namespace: Mapping[str, str]) -> bool:
    return any(
        ("ports" not in rule or any(each["port"] == port for each in rule["ports"]))
        and (side not in rule or any(_is_peer(peer, labels, namespace) for peer in rule[side]))
        for rule in rules
    )


class Network:
    """The connections that the policies of a cell allow. A pod without a policy would allow all."""

    def __init__(self, objects: tuple[Object, ...]) -> None:
        self.pods = _pods(objects)
        self._policies = [each["spec"] for each in objects if each["kind"] == "NetworkPolicy"]

    def _of(self, name: str) -> tuple[Mapping[str, str], Mapping[str, str]]:
        if name in OUTSIDE:
            return {}, OUTSIDE[name]
        return self.pods[name], {NAMESPACE: OWN}

    def _one_way(self, direction: str, at: str, other: str, port: int) -> bool:
        labels, namespace = self._of(at)
        if namespace[NAMESPACE] != OWN:
            return True  # the policies of another namespace
        chosen = [
            each
            for each in self._policies
            if direction in each["policyTypes"] and _matches(each["podSelector"], labels)
        ]
        assert chosen, f"no policy chooses {at}"
        kind, side = ("egress", "to") if direction == "Egress" else ("ingress", "from")
        rules = [rule for each in chosen for rule in each.get(kind, ())]
        return _lets(rules, side, port, *self._of(other))

    def lets_out(self, source: str, namespace: str, port: int) -> bool:
        """Return whether the policies of the cell allow a connection to an address outside it."""
        labels, own = self._of(source)
        chosen = [each for each in self._policies if _matches(each["podSelector"], labels)]
        rules = [rule for each in chosen if "Egress" in each["policyTypes"] for rule in each.get("egress", ())]
        return own[NAMESPACE] == OWN and _lets(rules, "to", port, {}, {NAMESPACE: namespace})

    def reaches_entrance(self, source: str) -> bool:
        """Return whether a connection to the configuration of proxies is possible, at any port."""
        labels, _ = self._of(source)
        chosen = [each for each in self._policies if _matches(each["podSelector"], labels)]
        rules = [rule for each in chosen if "Egress" in each["policyTypes"] for rule in each.get("egress", ())]
        return _lets(rules, "to", 15_012, {}, OUTSIDE[ENTRANCE])

    def lets(self, source: str, target: str, port: int) -> bool:
        """Return whether a connection is allowed."""
        return self._one_way("Egress", source, target, port) and self._one_way("Ingress", target, source, port)


@pytest.mark.parametrize("overlay", [each for each in OVERLAYS if not each.endswith("dev")])
def test_each_edge_is_allowed_and_every_other_is_denied(overlay: str, render: Any) -> None:
    network = Network(render(overlay))
    wanted = {edge for edge in edges() if {edge[0], edge[1]} <= {*network.pods, *OUTSIDE}}
    assert {name for edge in wanted for name in edge[:2]} >= {*SERVICES, RELAY, "nats", "postgres"}
    places = [*network.pods, *OUTSIDE]
    allowed = {
        (source, target, port)
        for source, target, port in product(places, network.pods, PORTS)
        if network.lets(source, target, port)
    }
    of_postgres = {("postgres", "postgres", POSTGRES)}  # its instances follow each other
    assert allowed - of_postgres == wanted


@pytest.mark.parametrize("overlay", [each for each in OVERLAYS if not each.endswith("dev")])
def test_receivers_of_webhooks_and_the_provider_are_all_that_services_call_outside(overlay: str, render: Any) -> None:
    network = Network(render(overlay))
    called = {name for name in network.pods for port in (80, HTTPS_PORT) if network.lets_out(name, INTERNET, port)}
    assert called & {*SERVICES, RELAY} == {"results", "access"}
    assert not network.lets_out("results", INTERNET, 80)
    assert not network.lets_out("results", "the metadata", HTTPS_PORT)
    assert not network.lets_out("results", STRANGER, HTTPS_PORT)


def test_a_policy_that_is_taken_away_is_missed(render: Any) -> None:
    objects = tuple(
        each for each in render("overlays/production") if each["metadata"]["name"] != "pairing-calls-lexicon"
    )
    assert not Network(objects).lets("pairing", "lexicon", GRPC)


@pytest.mark.parametrize("overlay", [each for each in OVERLAYS if not each.endswith("dev")])
def test_names_are_looked_up_where_clusters_have_their_resolvers(overlay: str, render: Any) -> None:
    network = Network(render(overlay))
    for name in network.pods:
        assert network.lets_out(name, "kube-system", 53)
        assert network.lets_out(name, NODE_DNS, 53)
        assert network.lets_out(name, "openshift-dns", 5353)
        assert not network.lets_out(name, "default", 53)


def test_the_public_reaches_a_proxy_in_the_namespace_and_who_configures_it_is_reached(render: Any) -> None:
    network = Network(render("overlays/production"))
    for port in (80, 443, 8443):
        assert network.lets(STRANGER, PROXY, port)
    assert not network.lets(STRANGER, PROXY, 15_000)
    assert network.reaches_entrance(PROXY)
    assert not network.reaches_entrance("game")


def test_cilium_s_proxy_which_is_no_pod_reaches_what_proxies_reach(tmp_path: Path, render: Any) -> None:
    written = {"components": [os.path.relpath(DEPLOY / "components" / "cilium", tmp_path)]}
    (tmp_path / "kustomization.yaml").write_text(yaml.safe_dump(written), encoding="utf-8")
    reached = set()
    for each in render(str(tmp_path)):
        (rule,) = each["spec"]["ingress"]
        assert rule["fromEntities"] == ["ingress"]
        (ports,) = rule["toPorts"]
        pods = {
            name
            for name, labels in Network(render("overlays/production")).pods.items()
            if _matches(each["spec"]["endpointSelector"], labels)
        }
        reached |= {(name, int(port["port"])) for name in pods for port in ports["ports"]}
    assert reached == {edge[1:] for edge in edges() if edge[0] == PROXY}
