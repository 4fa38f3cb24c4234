"""The transparency log: one Merkle tree over the whole record, its checkpoints, its witnesses and its proofs."""
