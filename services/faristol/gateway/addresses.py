"""What counts as one address."""

from faristol.host.visitor import counted

__all__ = ["counted"]
