"""Read the notes of a release from the tree, and write its image and addresses into it.

``python deploy/release.py notes v0.2.0`` prints the section of that version in CHANGELOG.md, and ends with an error if
the tree has another version or the section is missing. ``python deploy/release.py pin IMAGE@sha256:…`` writes that
image into the manifests. ``python deploy/release.py link https://HOST/OWNER/faristol/blob/v0.2.0`` links each alert to
its runbook there. ``python deploy/release.py urls https://HOST/OWNER/faristol`` writes the links of the package into
its metadata.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
REFERENCE = re.compile(r"(?P<name>[\w./-]+(?::\d+/[\w./-]+)?)@(?P<digest>sha256:[0-9a-f]{64})")
OWN = re.compile(r'^  - name: faristol\n    newTag: "[\w.-]+"\n', re.MULTILINE)
LINK = re.compile(r"^( *runbook_url: )\S*docs/runbooks\.md#", re.MULTILINE)
SAYING = ("base", "components/backups")
"""Parts of the manifests that name Faristol's own image."""


def notes(tag: str, root: Path = ROOT) -> str:
    """Return the section of a version in the changelog, without its heading. Raises ``SystemExit``."""
    version = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    if tag != f"v{version}":
        raise SystemExit(f"the tag {tag!r} differs from the version in pyproject.toml, {version!r}")
    changes = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    found = re.search(rf"^## {re.escape(version)}(?: [^\n]*)?\n(.*?)(?=^## |\Z)", changes, re.MULTILINE | re.DOTALL)
    if not found or not found[1].strip():
        raise SystemExit(f"CHANGELOG.md has no section {version}, or an empty one")
    return found[1].strip()


def pin(reference: str, root: Path = ROOT) -> None:
    """Write an image with its digest into the manifests. Raises ``SystemExit``."""
    found = REFERENCE.fullmatch(reference)
    if not found:
        raise SystemExit(f"{reference!r} is no image with a digest: expected NAME@sha256:…")
    own = f"  - name: faristol\n    newName: {found['name']}\n    digest: {found['digest']}\n"
    for part in SAYING:
        file = root / "deploy" / part / "kustomization.yaml"
        written, count = OWN.subn(own, file.read_text(encoding="utf-8"))
        if count != 1:
            raise SystemExit(f"{file} does not name Faristol's own image, or a release has pinned it already")
        file.write_text(written, encoding="utf-8")


def link(address: str, root: Path = ROOT) -> None:
    """Link each alert to its runbook below an address. Raises ``SystemExit`` for an invalid address."""
    if not re.fullmatch(r"https?://[^\s#]+", address):
        raise SystemExit(f"{address!r} is no address: expected https://HOST/OWNER/faristol/blob/TAG")
    file = root / "deploy" / "components" / "monitoring" / "alerts.yaml"
    text = file.read_text(encoding="utf-8")
    file.write_text(LINK.sub(rf"\g<1>{address.rstrip('/')}/docs/runbooks.md#", text), encoding="utf-8")


def urls(repository: str, root: Path = ROOT) -> None:
    """Write the links of the package into its metadata. Raises ``SystemExit`` for an invalid address."""
    if not re.fullmatch(r"https?://[^\s#\"]+", repository):
        raise SystemExit(f"{repository!r} is no address: expected https://HOST/OWNER/faristol")
    pages = {
        "Repository": repository,
        "Documentation": f"{repository}/blob/main/docs/README.md",
        "Changelog": f"{repository}/blob/main/CHANGELOG.md",
        "Issues": f"{repository}/issues",
    }
    links = "".join(f'{name} = "{address}"\n' for name, address in pages.items())
    file = root / "pyproject.toml"
    text = file.read_text(encoding="utf-8")
    written = text.replace("[project.scripts]\n", f"[project.urls]\n{links}\n[project.scripts]\n", 1)
    file.write_text(written, encoding="utf-8")


def main(*arguments: str) -> None:
    """Run one of the four commands. Raises ``SystemExit`` with the usage for any other."""
    match arguments:
        case ("notes", tag):
            print(notes(tag))
        case ("pin", reference):
            pin(reference)
        case ("link", address):
            link(address)
        case ("urls", address):
            urls(address)
        case _:
            raise SystemExit(__doc__)


if __name__ == "__main__":
    main(*sys.argv[1:])
