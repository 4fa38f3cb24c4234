"""Writes the users of NATS anew: python -m tests.deploy.nats_users."""

from __future__ import annotations

from pathlib import Path

from faristol.bus.permissions import authorization
from faristol.launcher.users import users

DEPLOY = Path(__file__).parents[2] / "deploy"
FILES = (DEPLOY / "stores" / "nats-users.conf", DEPLOY / "overlays" / "production" / "nats-users.conf")
HEAD = "# Made by tests/deploy/nats_users.py of what the services do: who may send what, and hear it.\n"


def content(cell: str) -> str:
    """The file for a cell whose consumers on NATS have names that begin with ``cell``."""
    return HEAD + authorization(users(cell), {})


if __name__ == "__main__":
    for file in FILES:
        file.write_text(content("cell"), encoding="utf-8")
