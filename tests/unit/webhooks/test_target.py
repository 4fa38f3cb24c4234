"""Called addresses are public, or in a network that the operator allows."""

from __future__ import annotations

from ipaddress import ip_address

import pytest

from faristol.kernel.errors import Invalid
from faristol.webhooks.target import check_callable, may_call, networks_of, target_of

ANYWHERE = target_of("https://app.example/hook")


@pytest.mark.parametrize(
    ("url", "host", "port", "path", "authority"),
    [
        ("https://app.example", "app.example", 443, "/", "app.example"),
        ("https://App.Example:443/a/b?c=d%20e", "app.example", 443, "/a/b?c=d%20e", "app.example"),
        ("https://app.example:8443/?x", "app.example", 8443, "/?x", "app.example:8443"),
        ("https://[2001:4860::1]:8443/x", "2001:4860::1", 8443, "/x", "[2001:4860::1]:8443"),
        ("https://xn--caf-dma.example/", "xn--caf-dma.example", 443, "/", "xn--caf-dma.example"),
    ],
)
def test_a_url_is_taken_apart(url: str, host: str, port: int, path: str, authority: str) -> None:
    target = target_of(url)
    assert (target.host, target.port, target.path, target.authority) == (host, port, path, authority)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "app.example/hook",
        "ftp://app.example/",
        "https://",
        "https:///hook",
        "https://app.example:0/",
        "https://app.example:99999/",
        "https://app.example:x/",
        "https://cafè.example/",
        "https://app.example/a b",
        "https://app.example\\@127.0.0.1/",
        "https://app.example/\r\nx: y",
        "https://[::1/",
        "https://[app]/",
        "https://app..example/",
        "https://app.example/#part",
        "https://anna@app.example/",
        "https://anna:pin@app.example/",
        "https://app.example/" + "a" * 1_000,
    ],
)
def test_what_is_no_url_that_is_called_is_refused(url: str) -> None:
    with pytest.raises(Invalid) as refused:
        target_of(url)
    assert refused.value.field == "url"


REFUSED = [
    "127.0.0.1",
    "127.9.9.9",
    "0.0.0.0",
    "10.1.2.3",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "192.0.0.8",
    "198.18.0.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "64:ff9b::10.0.0.1",
    "64:ff9b:1::1",
    "2002:a00:1::1",
    "2001::1",
    "2001:db8::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
]


@pytest.mark.parametrize("address", REFUSED)
def test_no_address_but_public_ones_is_called(address: str) -> None:
    assert not may_call(ANYWHERE, ip_address(address), ())
    with pytest.raises(Invalid, match="not a public address"):
        check_callable(ANYWHERE, [ip_address(address)], ())


@pytest.mark.parametrize("address", ["93.184.215.14", "2606:4700::1111", "::ffff:93.184.215.14", "64:ff9b::1.1.1.1"])
def test_a_public_address_is_called_by_tls_alone(address: str) -> None:
    assert may_call(ANYWHERE, ip_address(address), ())
    for networks in ((), networks_of("0.0.0.0/0, ::/0")):
        assert not may_call(target_of("http://app.example/"), ip_address(address), networks)


def test_an_allowed_network_is_called_and_no_other_and_without_tls_loopback_alone() -> None:
    networks = networks_of("10.20.0.0/16, 127.0.0.1/32, fd12::/64")
    plain = target_of("http://app.example/")
    called = ("10.20.3.4", "127.0.0.1", "::ffff:10.20.3.4", "fd12::7")
    assert [each for each in (*REFUSED, *called) if may_call(ANYWHERE, ip_address(each), networks)] == [
        "127.0.0.1",
        "::ffff:127.0.0.1",
        *called,
    ]
    assert [each for each in called if may_call(plain, ip_address(each), networks)] == ["127.0.0.1"]
    assert not may_call(plain, ip_address("127.0.0.1"), ())


def test_one_public_address_of_a_name_is_enough_and_a_name_without_any_may_get_one() -> None:
    check_callable(ANYWHERE, [ip_address("10.0.0.1"), ip_address("93.184.215.14")], ())
    check_callable(ANYWHERE, [], ())


@pytest.mark.parametrize("url", ["http://not.there.yet/hook", "http://not.there.yet:8080/"])
def test_a_name_that_leads_nowhere_yet_is_not_taken_without_tls(url: str) -> None:
    with pytest.raises(Invalid, match="expected https"):
        check_callable(target_of(url), [], networks_of("127.0.0.0/8"))


@pytest.mark.parametrize("setting", ["10.0.0.1/8", "private", "10.0.0.0/8;fd00::/8"])
def test_a_setting_that_names_no_network_is_refused(setting: str) -> None:
    with pytest.raises(ValueError, match=r"network|host bits"):
        networks_of(setting)
