"""Imports of the product: no circle, not even for a type, and modules of one system only where the system is known."""

from __future__ import annotations

import re
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import grimp

ROOT = Path(__file__).parents[2]
PARTS = tuple(ROOT / folder / "faristol" for folder in ("libs", "services", "apps"))
OF_ONE_SYSTEM = re.compile(
    r"^ *(?:import|from) (fcntl|grp|msvcrt|pty|pwd|readline|resource|termios|tty|winreg)\b", re.MULTILINE
)
"""Import of a module that Python has on POSIX or on Windows only."""
WHERE_SYSTEMS_DIFFER = {
    "libs/faristol/host/system.py",
    "apps/faristol/table_terminal/shared/keyboard.py",
}
"""Modules that look which system it is."""
ROOMS = sorted(
    {f"faristol.{room.name}" for part in PARTS for room in part.iterdir() if (room / "__init__.py").exists()}
    - {"faristol.pb"}
)


def test_no_imports_go_round_in_a_circle() -> None:
    graph = grimp.build_graph(*ROOMS, cache_dir=None)
    imports = {name: graph.find_modules_directly_imported_by(name) for name in graph.modules}
    assert imports.keys() >= set(ROOMS)
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as found:
        raise AssertionError(" is imported by ".join(found.args[1])) from None


def test_a_module_of_one_system_is_imported_only_where_systems_differ() -> None:
    sources = {path.relative_to(ROOT).as_posix(): path for part in PARTS for path in part.rglob("*.py")}
    found = {name: OF_ONE_SYSTEM.findall(path.read_text(encoding="utf-8")) for name, path in sources.items()}
    assert {name for name, modules in found.items() if modules} == WHERE_SYSTEMS_DIFFER
