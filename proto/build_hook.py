"""The step of a build that makes `libs/faristol/pb` from the contract: of a wheel, an image, an editable install."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class GeneratedCode(BuildHookInterface[Any]):
    """Generates the code of messages and services before anything is packed."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Generate the code before files are collected; ``version`` is the kind of build (`standard`, `editable`)."""
        script = runpy.run_path(str(Path(__file__).with_name("generate.py")))
        script["generate"](script["OUT"])
