"""Who may talk to whom in the cluster: each edge of the picture, and nothing else, read off the rendered policies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from ipaddress import ip_address, ip_network
from itertools import product
from typing import Any

import pytest
from tests.deploy.conftest import OVERLAYS, Object

from faristol.host import SERVICES
from faristol.host.services import RELAY

GRPC, HEALTH, METRICS, HTTP, NATS, ROUTES, POSTGRES = 50051, 50052, 9464, 8080, 4222, 6222, 5432
PROOF = 8089
SOLVER = "the pod of cert-manager that answers ACME"
HTTPS = 443
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
"""The namespace of what is in no cluster."""
ADDRESSES = {INTERNET: "93.184.215.14", "the metadata": "169.254.169.254"}
PORTS = (GRPC, HEALTH, METRICS, HTTP, NATS, ROUTES, POSTGRES, PROOF, 22)


def edges() -> Iterator[tuple[str, str, int]]:
    """From where to where, and at which port: the picture of docs/operations.md."""
    for name in STORED:
        yield name, "postgres", POSTGRES
        yield name, "nats", NATS
        if name != RELAY:
            yield "gateway", name, GRPC
            yield ENTRANCE, name, GRPC
        yield MONITORING, name, METRICS
    yield MONITORING, "gateway", METRICS
    yield "pairing", "lexicon", GRPC
    yield ENTRANCE, "gateway", HTTP
    yield "restore-drill", "gateway", HTTP
    yield ENTRANCE, SOLVER, PROOF
    for job in ("record-export", "record-verify", "record-restore", "record-migrate"):
        yield job, "postgres", POSTGRES
    yield "nats", "nats", ROUTES


def _pods(objects: tuple[Object, ...]) -> dict[str, Mapping[str, str]]:
    found: dict[str, Mapping[str, str]] = {SOLVER: {"acme.cert-manager.io/http01-solver": "true"}}
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
    """What the policies of a cell let through. A pod that no policy chose would let everything through."""

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
            return True  # another namespace's own business
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
        """Whether a connection to something outside the cell comes about, as far as the cell is concerned."""
        labels, own = self._of(source)
        chosen = [each for each in self._policies if _matches(each["podSelector"], labels)]
        rules = [rule for each in chosen if "Egress" in each["policyTypes"] for rule in each.get("egress", ())]
        return own[NAMESPACE] == OWN and _lets(rules, "to", port, {}, {NAMESPACE: namespace})

    def lets(self, source: str, target: str, port: int) -> bool:
        """Whether a connection comes about."""
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
    called = {name for name in network.pods for port in (80, HTTPS) if network.lets_out(name, INTERNET, port)}
    assert called & {*SERVICES, RELAY} == {"results", "access"}
    assert not network.lets_out("results", INTERNET, 80)
    assert not network.lets_out("results", "the metadata", HTTPS)
    assert not network.lets_out("results", STRANGER, HTTPS)


def test_a_policy_that_is_taken_away_is_missed(render: Any) -> None:
    objects = tuple(
        each for each in render("overlays/production") if each["metadata"]["name"] != "pairing-calls-lexicon"
    )
    assert not Network(objects).lets("pairing", "lexicon", GRPC)
