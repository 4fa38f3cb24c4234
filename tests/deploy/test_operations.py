"""docs/operations.md against the manifests: its commands create every object and secret."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.deploy.conftest import DEPLOY, OVERLAYS, ROOT, Object
from tests.deploy.test_manifests import Render, containers, of_kind

PAGE = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
RUNBOOKS = (ROOT / "docs" / "runbooks.md").read_text(encoding="utf-8")
OF_CLOUDNATIVEPG = {"faristol-record-app", "faristol-record-ca"}
BY_HAND = [each for each in OVERLAYS if not each.endswith("dev")]


def list_required(found: Any, kind: str) -> set[str]:
    """Return the names of the Secrets or ConfigMaps that an object requires."""
    if isinstance(found, list):
        return {name for each in found for name in list_required(each, kind)}
    if not isinstance(found, dict):
        return set()
    names = set()
    reference = found.get("secret" if kind == "Secret" else "configMap")
    reference = reference or found.get("secretRef" if kind == "Secret" else "configMapRef")
    if isinstance(reference, dict) and not reference.get("optional"):
        names.add(reference.get("secretName") or reference["name"])
    return names | {name for each in found.values() for name in list_required(each, kind)}


def made_elsewhere(objects: tuple[Object, ...], kind: str) -> set[str]:
    """Return the objects that the overlay, cert-manager or CloudNativePG creates."""
    names = set(of_kind(objects, kind))
    if kind == "Secret":
        names |= {each["spec"]["secretName"] for each in of_kind(objects, "Certificate").values()}
        names |= OF_CLOUDNATIVEPG if of_kind(objects, "Cluster") else set()
    return names


@pytest.mark.parametrize("overlay", BY_HAND)
@pytest.mark.parametrize(("kind", "verb"), [("Secret", "secret (?:generic|tls)"), ("ConfigMap", "configmap")])
def test_the_page_makes_every_secret_that_a_cell_does_not_bring(
    overlay: str, kind: str, verb: str, render: Render
) -> None:
    objects = render(overlay)
    wanted = list_required(list(objects), kind) - made_elsewhere(objects, kind)
    if stores := of_kind(objects, "ObjectStore"):
        credentials = stores["faristol-record"]["spec"]["configuration"]["s3Credentials"]
        wanted |= {each["name"] for each in credentials.values() if kind == "Secret"}
    if pages := of_kind(objects, "Ingress"):
        wanted |= {each["secretName"] for each in pages["pages"]["spec"]["tls"] if kind == "Secret"}
    assert wanted
    page = "\n".join(PAGE.replace("$role", role) for role in ("writer", "reader"))  # the loop that makes them
    assert wanted <= set(re.findall(rf"kubectl -n faristol create {verb} ([\w-]+)", page))


def test_jobs_and_their_containers_have_the_names_that_the_page_says(production: tuple[Object, ...]) -> None:
    jobs = of_kind(production, "CronJob")
    assert set(re.findall(r"cronjob/([a-z-]+)", PAGE + RUNBOOKS)) == set(jobs)
    for name, container in re.findall(r"job/([a-z]+-[a-z]+)-… -c (\w+)", RUNBOOKS):
        assert container in {each["name"] for each in containers(jobs[name]["spec"]["jobTemplate"])}
    written = set(re.search(r"scale deployment ([a-z ]+?) --replicas=0", RUNBOOKS)[1].split())  # type: ignore[index]
    assert written == set(of_kind(production, "Deployment")) - {"gateway"}, "whoever may make a record is stopped"


def test_visitors_keep_their_address_at_every_entrance_that_the_page_describes() -> None:
    asked = re.findall(r"externalTrafficPolicy\W+Local", PAGE)
    assert len(asked) >= 2, "by a patch of the entrance's Service, and by the configuration of Traefik"
    (chart,) = re.findall(r"<<'TRAEFIK'\n(.*?)\nTRAEFIK\n", PAGE, re.DOTALL)
    values = yaml.safe_load(yaml.safe_load(chart)["spec"]["valuesContent"])
    assert values == {"service": {"spec": {"externalTrafficPolicy": "Local"}}}
    (patch,) = re.findall(r"patch service NAME -p '(.*?)'", PAGE)
    assert json.loads(patch) == {"spec": {"externalTrafficPolicy": "Local"}}


def test_every_version_of_postgresql_that_the_documents_name_is_tested() -> None:
    record = (ROOT / "docs" / "record.md").read_text(encoding="utf-8")
    oldest, named = re.findall(
        r"PostgreSQL must be (\d+) or newer: `make databases` tests the record on ([\d, and]+)", record
    )[0]
    versions = re.findall(r"\d+", named)
    packages = json.loads((ROOT / "tests" / "postgres" / "package.json").read_text(encoding="utf-8"))["dependencies"]
    assert [f"postgres-{version}" for version in versions] == list(packages)
    assert f"VERSIONS ?= {' '.join(versions)}\n" in (ROOT / "Makefile").read_text(encoding="utf-8")
    assert oldest == versions[0]
    assert f"PostgreSQL must be {oldest} or newer" in PAGE


def test_the_page_is_of_this_version(version: str) -> None:
    assert f"faristol-{version}-py3-none-any.whl" in PAGE
    assert f"faristol-deploy-v{version}.tar.gz" in PAGE


def copy_manifests(tmp_path: Path) -> Path:
    """Return the manifests with a copy of the overlay `production` named `mine`, as the page makes it."""
    shutil.copytree(DEPLOY, tmp_path / "deploy")
    mine = tmp_path / "deploy" / "overlays" / "mine"
    shutil.copytree(mine.with_name("production"), mine)
    return mine


def test_one_substitution_over_a_copied_overlay_puts_every_host_right(tmp_path: Path, render: Render) -> None:
    mine = copy_manifests(tmp_path)
    assert "sed -i 's/example\\.org/YOUR.DOMAIN/'" in PAGE
    for file in mine.rglob("*"):
        if file.is_file():
            lines = file.read_text(encoding="utf-8").split("\n")
            file.write_text("\n".join(line.replace("example.org", "chess.test", 1) for line in lines), "utf-8")
    objects = render(str(mine))
    assert "example.org" not in yaml.safe_dump_all(objects)
    for name, route in of_kind(objects, "TLSRoute").items():
        (host,) = route["spec"]["hostnames"]
        assert host == f"{name}.officials.chess.test"
        assert host in of_kind(objects, "Certificate")[name]["spec"]["dnsNames"], "TLS goes through to the service"


def test_a_terminal_of_officials_gets_a_certificate_that_services_take(production: tuple[Object, ...]) -> None:
    (said,) = re.findall(r"apply -f - <<'END'\n(.*?)\nEND\n", PAGE, re.DOTALL)
    spec = yaml.safe_load(said)["spec"]
    services = of_kind(production, "Certificate")
    assert spec["issuerRef"] == services["pairing"]["spec"]["issuerRef"], "services take callers of their own authority"
    assert "client auth" in spec["usages"]
    assert "server auth" not in spec["usages"], "nobody can serve by what lies on an official's machine"
    hosts = {route["spec"]["hostnames"][0] for route in of_kind(production, "TLSRoute").values()}
    (named,) = re.findall(r"for service in ([a-z ]+); do\n  export FARISTOL_CLIENT_\$\{service\^\^\}_ADDRESS", PAGE)
    assert {f"{service}.officials.example.org" for service in named.split()} == hosts
    (listener,) = [
        each
        for each in of_kind(production, "Gateway")["faristol"]["spec"]["listeners"]
        if "officials" in each.get("hostname", "")
    ]
    assert f"$service.officials.YOUR.DOMAIN:{listener['port']}" in PAGE


def test_a_database_from_its_backup_archives_to_another_place_than_it_came_from(tmp_path: Path, render: Render) -> None:
    mine = copy_manifests(tmp_path)
    assert "add `from-backup` to the components of `mine`" in RUNBOOKS
    said = yaml.safe_load((mine / "kustomization.yaml").read_text(encoding="utf-8"))
    said["components"].append("from-backup")
    (mine / "kustomization.yaml").write_text(yaml.safe_dump(said), encoding="utf-8")
    (cluster,) = of_kind(render(str(mine)), "Cluster").values()
    (source,) = cluster["spec"]["externalClusters"]
    assert set(cluster["spec"]["bootstrap"]) == {"recovery"}
    assert cluster["spec"]["bootstrap"]["recovery"]["source"] == source["name"]
    (archiver,) = cluster["spec"]["plugins"]
    assert archiver["parameters"]["serverName"] != source["plugin"]["parameters"]["serverName"]
    assert source["plugin"]["parameters"]["serverName"] == cluster["metadata"]["name"]


@pytest.mark.parametrize("overlay", BY_HAND)
def test_the_record_is_checked_by_the_public_half_of_the_key_that_seals(overlay: str, render: Render) -> None:
    objects = render(overlay)
    relay = of_kind(objects, "Deployment")["relay"]["spec"]["template"]["spec"]
    (key,) = (each["secret"]["secretName"] for each in relay["volumes"] if each["name"] == "seal")
    assert key == "faristol-seal"
    for name in ("record-verify", "record-restore"):
        job = of_kind(objects, "CronJob")[name]["spec"]["jobTemplate"]
        (volume,) = (each for each in job["spec"]["template"]["spec"]["volumes"] if each["name"] == "seal")
        assert volume["configMap"]["name"] == f"{key}-public", "it has no use for the private half"
        (container,) = job["spec"]["template"]["spec"]["containers"]
        assert {"name": "seal", "mountPath": "/seal", "readOnly": True} in container["volumeMounts"]
        (script,) = container["args"]
        assert 'for key in /seal/*.pub; do if [ -e "$key" ]; then set -- "$@" --public-key "$key"' in script
    assert f"create configmap {key}-public --from-file=seal.key.pub" in PAGE


def test_lexicons_of_a_federation_are_where_services_look_for_them(tmp_path: Path, render: Render) -> None:
    mine = copy_manifests(tmp_path)
    said = yaml.safe_load((mine / "kustomization.yaml").read_text(encoding="utf-8"))
    said["components"].append("../../components/lexicons")
    said["images"] = [{"name": "faristol-lexicons", "newName": "registry.test/words", "digest": f"sha256:{'0' * 64}"}]
    (mine / "kustomization.yaml").write_text(yaml.safe_dump(said), encoding="utf-8")
    for name, each in of_kind(render(str(mine)), "Deployment").items():
        pod = each["spec"]["template"]["spec"]
        (container,) = pod["containers"]
        given = {variable["name"]: variable.get("value") for variable in container.get("env", ())}
        assert ("FARISTOL_LEXICONS" in given) == (name in {"lexicon", "game", "results"})
        if name in {"lexicon", "game", "results"}:
            (copy,) = pod["initContainers"]
            assert copy["image"].startswith("registry.test/words@sha256:")
            places = {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]}
            assert given["FARISTOL_LEXICONS"] == places["lexicons"]
            assert {mount["name"]: mount["mountPath"] for mount in copy["volumeMounts"]} == {"lexicons": "/installed"}
