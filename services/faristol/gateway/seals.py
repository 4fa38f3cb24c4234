"""The JSON of seals."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, Field

from faristol.gateway.answers import Answer, moment
from faristol.pb.results.v1 import results_pb2 as pb


class Seal(BaseModel):
    """A signed statement about the events from one position to another: these and no others, in this order."""

    from_position: int = Field(description="The first event under it.")
    to_position: int = Field(description="The last event under it.")
    root: str = Field(
        description="Over the Merkle tree (RFC 6962, SHA-256) of the hashes of the events, and the number of events of "
        "each tournament, in hex."
    )
    previous: str = Field(description="SHA-256 of the statement of the seal before, in hex; zeros for the first.")
    key_id: str = Field(description="First 16 hexadecimal digits of SHA-256 over the 32 bytes of the public key.")
    signature: str = Field(description="Ed25519, in hex, over `statement`.")
    statement: str = Field(description="What is signed, byte for byte.")
    sealed_at: datetime

    @classmethod
    def of(cls, seal: pb.Seal) -> Seal:
        """From the contract's message."""
        root, previous = seal.root.hex(), seal.previous.hex()
        statement = (
            f"faristol seal 1\npositions {seal.from_position} {seal.to_position}\nroot {root}\n"
            f"previous {previous}\nkey {seal.key_id}\nat {seal.sealed_at.ToMicroseconds()}\n"
        )
        return cls(
            from_position=seal.from_position,
            to_position=seal.to_position,
            root=root,
            previous=previous,
            key_id=seal.key_id,
            signature=seal.signature.hex(),
            statement=statement,
            sealed_at=moment(seal.sealed_at),
        )


class Seals(Answer):
    """Seals of the record, in the order of their positions."""

    seals: list[Seal]

    @classmethod
    def of(cls, answer: pb.ListSealsResponse) -> Seals:
        """From the contract's message."""
        return cls(position=answer.position, seals=[Seal.of(seal) for seal in answer.seals])
