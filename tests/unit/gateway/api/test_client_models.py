from __future__ import annotations

from tests.unit.gateway.api.client_models import MODULE, module


def test_the_types_of_the_client_are_those_of_the_contract() -> None:
    assert MODULE.read_text(encoding="utf-8") == module(), "run tests/unit/gateway/api/client_models.py"
