from __future__ import annotations

import pytest

from faristol.kernel.errors import Invalid
from faristol.pb.results.v1 import results_pb2 as results
from faristol.read_models.api.queries.tournaments import days_between


def _build_request(first: str, last: str) -> results.ListTournamentsRequest:
    request = results.ListTournamentsRequest(until=last)
    setattr(request, "from", first)  # a keyword of Python
    return request


def test_the_last_day_of_a_list_is_not_before_the_first() -> None:
    assert days_between(_build_request("2026-03-07", "2026-03-07")) == ("2026-03-07", "2026-03-07")
    with pytest.raises(Invalid, match="until: is before from: expected 2026-03-08 or later, got 2026-03-07"):
        days_between(_build_request("2026-03-08", "2026-03-07"))
