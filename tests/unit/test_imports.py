"""No file of the product imports itself through others, not even for a type."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import grimp

ROOT = Path(__file__).parents[2]
PARTS = tuple(ROOT / folder / "faristol" for folder in ("libs", "services", "apps"))
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
