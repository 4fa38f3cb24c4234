"""Witnesses: places outside the record that keep its seals, so that nobody can make the record anew unseen.

A seal holds the digest of the one before, so what a witness has is one chain. It is compared with the record by
``faristol record verify --witness``: whoever rewrites events has to seal them again, even with the right key, and those
seals are not the ones that the witness has.
"""

from __future__ import annotations

from faristol.record.witness.delivery import deliver_to_all
from faristol.record.witness.kinds import open_witness
from faristol.record.witness.witness import Fork, Witness, WitnessAway, gap

__all__ = ["Fork", "Witness", "WitnessAway", "deliver_to_all", "gap", "open_witness"]
