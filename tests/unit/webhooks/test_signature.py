"""The signature of messages is the one that every library of Standard Webhooks verifies."""

from __future__ import annotations

import base64

import pytest

from faristol.webhooks.message import headers_of, new_secret, signature

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
MESSAGE, AT, BODY = "msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, b'{"test": 2432232314}'
SIGNED = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
"""The example that the libraries of Standard Webhooks are tested with."""


def test_the_published_example_is_signed_as_it_was() -> None:
    assert signature([SECRET], MESSAGE, AT, BODY) == SIGNED


def test_during_a_rotation_each_secret_signs() -> None:
    other = new_secret()
    both = headers_of(MESSAGE, AT, BODY, [other, SECRET])["webhook-signature"]
    assert both == f"{signature([other], MESSAGE, AT, BODY)} {SIGNED}"


def test_a_secret_has_32_bytes_that_nobody_had_before() -> None:
    secrets = {new_secret() for _ in range(100)}
    assert len(secrets) == 100
    assert {len(base64.b64decode(secret.removeprefix("whsec_"))) for secret in secrets} == {32}


def test_what_is_no_secret_signs_nothing() -> None:
    with pytest.raises(ValueError, match="Base64"):
        signature(["whsec_ñ"], MESSAGE, AT, BODY)
