"""The number of examples that a property test tries, by the profile of the run."""

from __future__ import annotations

from hypothesis import settings

DAY_EXAMPLE_COUNT = 20
"""Examples of a property whose test sets no number, in a run of `make test`."""
NIGHT_EXAMPLE_COUNT = 1_000
"""The same in a run of `make properties`."""
MIN_EXAMPLE_COUNT = 10


def scale_examples(count: int) -> int:
    """Return ``count`` in a run of `make properties`, and a quarter of it in any other run."""
    is_night = settings.get_current_profile_name() == "night"
    return count if is_night else max(MIN_EXAMPLE_COUNT, count // 4)
