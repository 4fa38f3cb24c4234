"""Witnesses: places outside the record that store its seals, so that a rewritten record is detected.

Each seal has the digest of the previous one, so a witness has one chain. ``faristol record verify --witness`` compares
it with the record: rewritten events need new seals, and even with the right key those differ from the witness's.
"""

from __future__ import annotations

from faristol.event_store.witness.delivery import deliver_to_all
from faristol.event_store.witness.kinds import open_witness
from faristol.event_store.witness.witness import Fork, Witness, WitnessUnavailable, gap
