"""Texts about the cells of halls. Pure."""

from __future__ import annotations

from faristol.pb.hall.v1 import hall_pb2 as pb
from faristol.text import say


def describe_refusal(kept: pb.KeptCommand, language: str) -> str:
    """Return why the championship refused a command that a hall had kept; empty if it did not."""
    return say(kept.text, {each.name: each.value for each in kept.parameters}, language) if kept.text else ""
