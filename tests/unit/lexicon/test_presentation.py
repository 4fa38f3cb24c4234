"""The duration of cases, as shown to officials."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from tests.unit.adjudication.cases import at

from faristol.adjudication.cases.model import Case
from faristol.kernel.times import to_timestamp
from faristol.lexicon.adjudication.cases.presentation import percentile, times
from faristol.pb.lexicon.v1 import events_pb2 as events

OPENED = Case(case_id="c", opened_at=to_timestamp(at(0)), queued_at=to_timestamp(at(0)))
MODES = [events.MODE_AUTOMATIC, events.MODE_JUDGE, events.MODE_PANEL]


@given(st.lists(st.integers(0, 1_000), min_size=1).map(sorted), st.integers(1, 100))
def test_a_percentile_is_the_least_that_so_many_of_100_do_not_exceed(values: list[int], percent: int) -> None:
    found = percentile(values, percent)
    reach = [value for value in values if 100 * sum(each <= value for each in values) >= percent * len(values)]
    assert found == min(reach)


def test_a_median_and_a_95th_of_100_are_the_50th_and_the_95th() -> None:
    assert (percentile(range(1, 101), 50), percentile(range(1, 101), 95)) == (50, 95)
    assert (percentile([7], 50), percentile([7], 95)) == (7, 7)


@given(
    st.lists(
        st.tuples(st.sampled_from(MODES), st.none() | st.integers(0, 10_000), st.booleans(), st.integers(0, 3)),
        max_size=30,
    )
)
def test_every_ruling_counts_once_for_its_mode_and_what_waits_for_none(
    found: list[tuple[events.Mode.ValueType, int | None, bool, int]],
) -> None:
    cases = [
        replace(
            OPENED,
            mode=mode,
            ruled_at=None if waited is None else to_timestamp(at(waited / 1000)),
            escalated=escalated,
            returned=returned,
        )
        for mode, waited, escalated, returned in found
    ]
    told = times(cases)
    ruled = [each for each in found if each[1] is not None]
    assert {each.mode: each.rulings for each in told} == Counter(mode for mode, *_ in ruled)
    for each in told:
        of_mode = [(waited, escalated, returned) for mode, waited, escalated, returned in ruled if mode == each.mode]
        waited = sorted(ms for ms, *_ in of_mode if ms is not None)
        assert each.longest_ms == waited[-1]
        assert (each.median_ms, each.p95_ms) == (percentile(waited, 50), percentile(waited, 95))
        assert each.escalated == sum(escalated for _, escalated, _ in of_mode)
        assert each.returned == sum(returned for *_, returned in of_mode)
