"""Words that more than one section uses."""

from __future__ import annotations

from typing import Literal

TurnWord = Literal["play", "exchange", "pass", "withdrawn", "cannot-play", "lost"]
"""What a turn came to, see ``faristol.rules.turns.TurnKind``."""
