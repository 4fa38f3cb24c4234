"""The files for one server: their settings hold together, and their commands run against real servers."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from sqlalchemy import make_url
from tests.component.processes import free_port

from faristol.host.settings import Addresses, Settings

ROOT = Path(__file__).parents[2]
SERVER = ROOT / "deploy" / "server"
PAGE = ROOT / "docs" / "server.md"
BIN = Path(sys.executable).parent
START_TIMEOUT_SECONDS = 120.0


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    parsed: dict[str, Any] = yaml.safe_load((SERVER / "compose.yaml").read_text(encoding="utf-8"))
    return parsed


def test_every_named_part_of_the_file_exists(compose: Mapping[str, Any]) -> None:
    services = compose["services"]
    for name, service in services.items():
        assert set(service.get("depends_on", ())) <= set(services), name
        assert set(service["networks"]) <= set(compose["networks"]), name
        assert set(service.get("secrets", ())) <= set(compose["secrets"]), name
        for volume in service.get("volumes", ()):
            source = re.split(r":(?=/)", volume)[0]
            is_file = source.startswith("./") and (SERVER / source).is_file()
            assert is_file or source in compose["volumes"] or source.startswith("${FARISTOL_BACKUPS"), name
    page = PAGE.read_text(encoding="utf-8")
    wanted = set(re.findall(r"\$\{(FARISTOL_\w+)", (SERVER / "compose.yaml").read_text(encoding="utf-8")))
    assert wanted == set(re.findall(r"(FARISTOL_\w+)=%s", page))


def test_the_page_names_services_volumes_and_files_that_exist(compose: Mapping[str, Any]) -> None:
    page = PAGE.read_text(encoding="utf-8")
    ten = page.partition("## Ten commands")[2].split("```")[1].replace("\\\n", "")
    assert len(ten.strip().splitlines()) == 10
    called = re.findall(r"^docker compose (?:exec|stop|rm|run|up|pull|logs)((?: [\w-]+| --\w+)*)", page, re.MULTILINE)
    named = {word for words in called for word in words.split() if not word.startswith("-")}
    assert named & {"faristol", "backup"}
    assert named - {"sh"} <= {*compose["services"], "faristol", "access", "grant", "director"}
    volumes = re.findall(r"docker volume rm (\w+)", page)
    assert volumes == [f"{compose['name']}_database"]
    assert set(re.findall(r"secrets/(\w+)", page)) == set(compose["secrets"])


def test_commands_in_the_container_find_the_services(compose: Mapping[str, Any]) -> None:
    """gRPC has a free port unless one is given, and a command asks at the address of the settings."""
    given = compose["services"]["faristol"]["environment"]
    assert given["FARISTOL_CLIENT_ADDRESS"] == f"127.0.0.1:{given['FARISTOL_GRPC_PORT']}"
    assert "FARISTOL_GRPC_HOST" not in given


def test_only_the_proxy_is_reached_from_outside_and_only_it_sets_addresses(compose: Mapping[str, Any]) -> None:
    services = compose["services"]
    assert [name for name, service in services.items() if "ports" in service] == ["proxy"]
    address = services["proxy"]["networks"]["pages"]["ipv4_address"]
    assert services["faristol"]["environment"]["FARISTOL_HTTP_PROXIES"] == f"{address}/32"
    assert compose["networks"]["inside"] == {"internal": True}
    on_pages = {
        name: service["networks"]["pages"] for name, service in services.items() if "pages" in service["networks"]
    }
    assert set(on_pages) == {"proxy", "faristol"}
    addresses = {each["ipv4_address"] for each in on_pages.values()}
    assert len(addresses) == len(on_pages), "a dynamic address could be that of the proxy"


def test_every_setting_exists(compose: Mapping[str, Any]) -> None:
    known = {f"FARISTOL_{name.upper()}" for name in (*Settings.model_fields, *Addresses.model_fields)}
    for name, service in compose["services"].items():
        given = {key for key in service.get("environment", ()) if key.startswith("FARISTOL_")}
        assert given - {"FARISTOL_HOST"} <= known, name


def _local(value: str, places: Mapping[str, str]) -> str:
    for name, place in places.items():
        value = value.replace(name, place)
    return value.replace("$$", "$")


@contextmanager
def _serve(command: list[str], environment: Mapping[str, str], folder: Path) -> Iterator[None]:
    with subprocess.Popen(command, env=dict(environment), cwd=folder) as process:
        try:
            yield
        finally:
            process.terminate()
            assert process.wait(60) == 0


@pytest.mark.nightly
@pytest.mark.usefixtures("lexicons")
def test_the_commands_of_the_file_serve_pages_and_make_backups_that_can_be_restored(
    compose: Mapping[str, Any], new_database: str, shared_nats: str, tmp_path: Path
) -> None:
    services, port, grpc_port, backups = compose["services"], free_port(), free_port(), tmp_path / "backups"
    backups.mkdir()
    (tmp_path / "password").write_text(str(make_url(new_database).password or ""), encoding="utf-8")
    places = {
        "postgresql://faristol@postgres/faristol": new_database,
        "/run/secrets/database": str(tmp_path / "password"),
        "nats://nats:4222": shared_nats,
        "/data": str(tmp_path / "data"),
        "/backups": str(backups),
        "${FARISTOL_HOST:?the public name of this server}": "scrabble.example.org",
        "172.29.53.2/32": "127.0.0.1/32",
        "0.0.0.0": "127.0.0.1",
        "50051": str(grpc_port),
    }
    base = {key: value for key, value in os.environ.items() if not key.startswith(("FARISTOL_", "OTEL_"))}
    base |= {"PATH": f"{BIN}:{base['PATH']}", "FARISTOL_LEXICONS": os.environ.get("FARISTOL_LEXICONS", "")}

    def environment(service: str) -> dict[str, str]:
        given = services[service]["environment"]
        return base | {key: _local(str(value), places) for key, value in given.items()}

    def run(service: str, script: str) -> str:
        """Run a command of a service, and return its output."""
        shell = ["sh", "-ec", script]
        done = subprocess.run(
            shell, env=environment(service), cwd=tmp_path, check=True, timeout=300, stdout=subprocess.PIPE, text=True
        )
        return done.stdout

    run("prepare", _local(services["prepare"]["command"][0], places))
    command = [str(BIN / "faristol"), *services["faristol"]["command"]]
    with _serve(command, environment("faristol") | {"FARISTOL_HTTP_PORT": str(port)}, tmp_path):
        until, address = time.monotonic() + START_TIMEOUT_SECONDS, f"http://127.0.0.1:{port}"
        while True:
            try:
                if httpx.get(f"{address}/readyz", timeout=5).status_code == httpx.codes.OK:
                    break
            except httpx.HTTPError:
                assert time.monotonic() < until
            time.sleep(0.2)
        forwarded = {"Host": "scrabble.example.org", "X-Forwarded-For": "203.0.113.7", "X-Forwarded-Proto": "https"}
        assert httpx.get(f"{address}/", headers=forwarded, timeout=30).status_code == httpx.codes.OK
        (granting,) = re.findall(r"^docker compose exec faristol (faristol access .*)$", PAGE.read_text(), re.MULTILINE)
        granted = run("faristol", granting)
        assert "https://scrabble.example.org/sign-in#" in granted
        loop = _local(services["backup"]["command"][0], places)
        run("backup", loop.replace("while true; do", "").replace("sleep 21600 & wait $!; done", ""))
    (archive,) = backups.glob("record-*.archive")
    copy = ["record", "restore", str(archive), "--erased", str(backups / "erasures.json"), "--data", "copy"]
    subprocess.run([str(BIN / "faristol"), *copy], env=base, cwd=tmp_path, check=True, timeout=300)
    verify = [str(BIN / "faristol"), "record", "verify", "--data", "copy"]
    subprocess.run(verify, env=base, cwd=tmp_path, check=True, timeout=300)
