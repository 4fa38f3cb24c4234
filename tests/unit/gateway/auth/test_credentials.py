"""Every item on the page of credentials has a name."""

from __future__ import annotations

from http import HTTPStatus

from faristol.access_control.roles import PUBLIC, ROLE_NAMES
from faristol.gateway.auth.credentials import FORM_NAMES, format_refusal
from faristol.gateway.http.errors import Problem
from faristol.pb.access.v1 import events_pb2 as events
from faristol.presentation.labels import ROLES


def test_every_form_and_every_role_that_somebody_holds_has_a_name() -> None:
    assert set(FORM_NAMES) == set(events.Form.values()) - {events.FORM_UNSPECIFIED}
    assert set(ROLES) == set(ROLE_NAMES) - {PUBLIC}


def test_a_refused_form_is_told_by_its_labels_and_not_by_fields_of_the_contract() -> None:
    errors = [{"field": "scope.tables", "problem": "calia una taula"}, {"field": "form", "problem": "calia una forma"}]
    refused = Problem(HTTPStatus.BAD_REQUEST, "scope.tables: calia una taula", {"errors": errors})
    assert format_refusal(refused, "ca") == "Taules: calia una taula; calia una forma"
    assert format_refusal(Problem(HTTPStatus.FORBIDDEN, "No podeu fer-ho."), "ca") == "No podeu fer-ho."
