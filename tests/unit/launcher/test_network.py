"""`faristol up --network`: the pages are served to the network of this computer, at the address that cards print."""

from __future__ import annotations

import socket

import pytest

from faristol.host import Settings, StartError
from faristol.launcher.network import ALL_ADDRESSES, find_network_address, serve_to_network
from faristol.launcher.processes import _check_open


@pytest.fixture
def settings(monkeypatch: pytest.MonkeyPatch) -> Settings:
    for name in ("FARISTOL_HTTP_HOST", "FARISTOL_HTTP_ADDRESS", "FARISTOL_HTTP_PORT"):
        monkeypatch.delenv(name, raising=False)
    return Settings()


def test_pages_are_served_to_the_network_at_the_address_of_this_computer(settings: Settings) -> None:
    assert serve_to_network(settings, "192.168.1.10")
    assert settings.http_host == ALL_ADDRESSES
    assert settings.http_address == "http://192.168.1.10:8080"


def test_given_addresses_stay() -> None:
    settings = Settings(http_host="192.168.1.10", http_address="https://cup.example", http_port=0)
    assert serve_to_network(settings, "10.0.0.3")
    assert (settings.http_host, settings.http_address) == ("192.168.1.10", "https://cup.example")


def test_without_a_network_the_pages_are_those_of_this_computer(settings: Settings) -> None:
    assert not serve_to_network(settings, "")
    assert settings.http_host == "127.0.0.1"
    assert not settings.http_address


def test_a_port_that_changes_with_each_start_is_refused(settings: Settings) -> None:
    settings.http_port = 0
    with pytest.raises(StartError, match="--network requires a port of the pages"):
        serve_to_network(settings, "192.168.1.10")


def test_services_without_credentials_are_not_served_to_a_network(settings: Settings) -> None:
    settings.open = True
    serve_to_network(settings, "192.168.1.10")
    with pytest.raises(StartError, match="is reachable from other machines"):
        _check_open(settings)


def test_the_address_found_is_one_of_this_computer() -> None:
    if found := find_network_address():
        socket.create_server((found, 0)).close()
