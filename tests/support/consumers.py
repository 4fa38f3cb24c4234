"""Names of consumers, with the version of their tables."""

from __future__ import annotations

from faristol.read_models.projections.projection import projection

RESULTS = projection().consumer
"""The projection of the read models in this release."""
