"""A form belongs to this site only, and does not redirect elsewhere."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from starlette.requests import Request

from faristol.gateway.http.forms import is_from_here, local


def request(address: str = "", scheme: str = "http", **headers: str) -> Request:
    told = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope: dict[str, Any] = {
        "type": "http",
        "method": "POST",
        "scheme": scheme,
        "path": "/sign-in",
        "query_string": b"",
        "headers": [(b"host", b"hall.example:8080"), *told],
        "app": SimpleNamespace(state=SimpleNamespace(address=address)),
    }
    return Request(scope)


@pytest.mark.parametrize(
    ("asked", "is_taken"),
    [
        (request(sec_fetch_site="same-origin"), True),
        (request(sec_fetch_site="same-origin", origin="https://public.example"), True),  # a proxy names another host
        (request(sec_fetch_site="same-site"), False),
        (request(sec_fetch_site="cross-site"), False),
        (request(sec_fetch_site="cross-site", origin="http://hall.example:8080"), False),
        (request(sec_fetch_site="none"), False),
        (request(origin="http://hall.example:8080"), True),
        (request(origin="http://hall.example"), False),
        (request(origin="https://hall.example:8080"), False),
        (request(origin="http://evil.example"), False),
        (request(origin="null"), False),
        (request(), False),
        (request("https://results.example/", origin="https://results.example"), True),
        (request("https://results.example", origin="https://results.example.evil.example"), False),
        (request("", origin=""), False),
    ],
)
def test_a_form_is_taken_from_a_page_of_this_site_alone(asked: Request, is_taken: bool) -> None:
    assert is_from_here(asked) is is_taken


@pytest.mark.parametrize(
    "address", ["/", "/account", "/tournaments/open?round=2", "/tournaments/open/access#new", "/sign-in?a=b"]
)
def test_who_signed_in_is_led_to_a_path_of_this_site(address: str) -> None:
    assert local(address, "/account") == address


@pytest.mark.parametrize(
    "address",
    [
        *("", "account", "https://evil.example/", "//evil.example", "///evil.example", "/\\evil.example", "\\\\evil"),
        *("/\t/evil.example", "/\n/evil.example", "/ /evil.example", "javascript:alert(1)", "/à", "/\u2028", "/\x00"),
    ],
)
def test_nobody_is_led_elsewhere(address: str) -> None:
    assert local(address, "/account") == "/account"
