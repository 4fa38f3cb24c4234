"""The checks of a real cluster: objects of other projects against the schemas of its API server.

``make crds`` fetches the definitions of CloudNativePG, its plugin, cert-manager, the Gateway API, KEDA and the
Prometheus operator; those of a cluster also work (``kubectl get crd -o yaml > var/crds/cluster.yaml``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator  # type: ignore[import-untyped] # comes with kubernetes-validate
from tests.deploy.conftest import LOADER, OVERLAYS, ROOT, Object
from tests.deploy.test_manifests import OF_OTHERS, Render

FOLDER = ROOT / "var" / "crds"


CustomResourceLoader: Any = type("CustomResourceLoader", (LOADER,), {})
"""A loader that reads a single ``=`` as a text, as Kubernetes does: definitions name operators of comparison."""
CustomResourceLoader.add_constructor("tag:yaml.org,2002:value", LOADER.construct_yaml_str)

Schema = dict[str, Any]
Kind = tuple[str, str]
"""Group and version, and kind."""


def strict(schema: Schema) -> Schema:
    """Make a schema of a definition reject unknown fields too, as the API server does for kubectl."""
    found = {name: value for name, value in schema.items() if not name.startswith("x-") and name != "default"}
    if schema.get("x-kubernetes-int-or-string"):
        found = {name: value for name, value in found.items() if name not in {"type", "anyOf"}}
        found["type"] = ["integer", "string"]
    if "properties" in found:
        found["properties"] = {name: strict(each) for name, each in found["properties"].items()}
        keeps = schema.get("x-kubernetes-preserve-unknown-fields") or schema.get("x-kubernetes-embedded-resource")
        found.setdefault("additionalProperties", bool(keeps))
    for name in ("items", "additionalProperties"):
        if isinstance(found.get(name), dict):
            found[name] = strict(found[name])
    if found.pop("nullable", False) and isinstance(found.get("type"), str):
        found["type"] = [found["type"], "null"]
    return found


def _definitions() -> Iterator[Object]:
    for file in sorted(FOLDER.glob("*.yaml")):
        for each in yaml.load_all(file.read_text(encoding="utf-8"), CustomResourceLoader):
            if each and each["kind"] in {"CustomResourceDefinition", "List", "CustomResourceDefinitionList"}:
                yield from each.get("items", [each])


@cache
def validators() -> Mapping[Kind, Draft202012Validator]:
    """Return the validator of each kind in each served version."""
    found = {}
    for each in _definitions():
        spec = each["spec"]
        for version in spec["versions"]:
            if version["served"]:
                schema = strict(version["schema"]["openAPIV3Schema"])
                schema.setdefault("properties", {})["metadata"] = {"type": "object"}
                kind = (f"{spec['group']}/{version['name']}", spec["names"]["kind"])
                found[kind] = Draft202012Validator(schema)
    return found


@pytest.fixture(scope="module")
def known_kinds() -> Mapping[Kind, Draft202012Validator]:
    if not validators():
        pytest.skip("there are no definitions of other projects here: `make crds`")
    return validators()


def wrong_in(objects: tuple[Object, ...], known: Mapping[Kind, Draft202012Validator]) -> list[str]:
    """Return the errors in the objects of other projects."""
    found = []
    for each in objects:
        kind = (each["apiVersion"], each["kind"])
        if each["apiVersion"].startswith(OF_OTHERS):
            name = f"{each['kind']}/{each['metadata']['name']}"
            if kind not in known:
                found.append(f"{name}: no cluster serves {kind[0]}")
                continue
            found += [f"{name}: {error.json_path}: {error.message:.200}" for error in known[kind].iter_errors(each)]
    return found


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_a_cluster_takes_every_object_of_other_projects(
    overlay: str, render: Render, known_kinds: Mapping[Kind, Draft202012Validator]
) -> None:
    assert wrong_in(render(overlay), known_kinds) == []


@pytest.mark.parametrize("field", ["instance", "managed.role", "postgresql.parameter"])
def test_a_field_that_is_misspelt_is_found(
    field: str, production: tuple[Object, ...], known_kinds: Mapping[Kind, Draft202012Validator]
) -> None:
    (cluster,) = (each for each in production if each["kind"] == "Cluster")
    wrong = yaml.safe_load(yaml.safe_dump(cluster))
    *path, name = field.split(".")
    place = wrong["spec"]
    for part in path:
        place = place[part]
    place[name] = "x"
    assert wrong_in((wrong,), known_kinds)
