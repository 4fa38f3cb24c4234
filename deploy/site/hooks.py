"""Pages that join those of docs on the site: the help of the product, references of its interfaces, other files.

Each page has one source. Pages of help are those of ``/help``, in the language of the build; references are read off
the contract, as ``/docs`` is. A build in another language than English has the pages of help alone. Links to files
outside the site lead to the repository, if ``FARISTOL_REPOSITORY_URL`` gives its address, and are text otherwise.

MkDocs calls the functions ``on_…`` of this file.
"""

from __future__ import annotations

import posixpath
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from faristol.event_store.event import utc_now
from faristol.gateway.api.openapi.commands import commands_document
from faristol.gateway.api.openapi.documentation import (
    SERVICES,
    DocumentedField,
    format_code,
    models_of,
    parts_of,
)
from faristol.gateway.app import app
from faristol.gateway.pages.help_pages import HELP_NAMES, load_help_page, read_help_text
from faristol.host import Runtime, Settings
from faristol.text import LANGUAGE_NAMES, say

ROOT = Path(__file__).parents[2]

ENGLISH = "en"

OTHER_FILES: Sequence[str] = (
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "deploy/README.md",
    "examples/README.md",
    "libs/faristol/fanout/README.md",
)
"""Pages of the repository outside docs; the site has them at the same paths."""

PICTURES: Mapping[str, str] = {"director": "console", "judge": "judge", "player": "public"}
"""Picture of each page of help that has one."""

STYLE = "site.css"

EXAMPLE_ADDRESS = "https://results.example"

NO_SERVICE = "127.0.0.1:1"
"""Address of services, which no reference asks."""

_LINK = re.compile(r"(?<!!)\[(?P<text>[^\]]*)\]\((?P<path>[^)\s#]*)(?P<part>#[^)\s]*)?\)")
_SEARCH_FIELD = re.compile(r'class="md-search__input"[^>]* aria-label="([^"]+)"')
_NAMELESS: Sequence[str] = ('data-md-component="search" role="dialog"', 'data-md-toggle="search" type="checkbox"')
_PICTURE_SIZE = '{ loading="lazy" }'


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Set the navigation of another language than English, and the links to the same page in other languages."""
    language = _language_of(config)
    config.extra["alternate"] = [
        {"name": name, "link": f"../../{other}/{_version()}/", "lang": other} for other, name in LANGUAGE_NAMES.items()
    ]
    if language != ENGLISH:
        config.nav = ["index.md", *(f"help/{name}.md" for name in HELP_NAMES)]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages from outside docs; in another language than English replace all others by those of help."""
    language = _language_of(config)
    kept = Files([file for file in files if _is_of_language(file.src_uri, language)])
    kept.append(File.generated(config, STYLE, abs_src_path=str(Path(__file__).with_name(STYLE))))
    for name in HELP_NAMES:
        kept.append(_page(config, f"help/{name}.md", _help_text(name, language)))
    if language != ENGLISH:
        kept.append(_page(config, "index.md", _list_help(language)))
        return kept
    for path in OTHER_FILES:
        kept.append(File.generated(config, path, abs_src_path=str(ROOT / path)))
    for path, text in _list_references():
        kept.append(_page(config, path, text))
    return kept


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Replace links to files of the repository by links to pages of the site."""
    uri = page.file.src_uri
    return _LINK.sub(lambda link: _to_site_link(link, uri, config, files), markdown)


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Give the dialog of the search and its switch a name for screen readers: that of its field."""
    if name := _SEARCH_FIELD.search(output):
        for part in _NAMELESS:
            output = output.replace(part, f'{part} aria-label="{name[1]}"')
    return output


def _language_of(config: MkDocsConfig) -> str:
    return str(config.theme["language"])


def _version() -> str:
    return str(tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"])


def _is_of_language(uri: str, language: str) -> bool:
    """Check whether a file of docs belongs to the site in a language: pages are English, pictures are of all."""
    return uri.startswith(f"pictures/{language}/") if uri.startswith("pictures/") else language == ENGLISH


def _page(config: MkDocsConfig, uri: str, text: str) -> File:
    return File.generated(config, uri, content=text)


def _help_text(name: str, language: str) -> str:
    """Return a page of help with its picture after the first paragraph, and links to pages of help as files."""
    text = re.sub(r"\]\(/help/(\w+)\)", r"](\1.md)", read_help_text(name, language))
    if picture := PICTURES.get(name):
        title, lead, rest = text.split("\n\n", 2)
        shown = f"![{load_help_page(name, language).title}](../pictures/{language}/{picture}.png){_PICTURE_SIZE}"
        text = "\n\n".join((title, lead, shown, rest))
    return text


def _list_help(language: str) -> str:
    """Return the first page of a language: the pages of help with their descriptions."""
    pages = [load_help_page(name, language) for name in HELP_NAMES]
    listed = [f"- **[{page.title}](help/{page.name}.md)**  \n  {page.about}" for page in pages]
    return "\n".join((f"# Faristol: {say('Help', {}, language)}", "", *listed, ""))


def _to_site_link(link: re.Match[str], uri: str, config: MkDocsConfig, files: Files) -> str:
    text, path, part = link["text"], link["path"], link["part"] or ""
    if not path or ":" in path or path.startswith("/"):
        return link[0]
    source = uri if uri in OTHER_FILES else f"docs/{uri}"
    target = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
    for found in (target.removeprefix("docs/") if target.startswith("docs/") else "", target):
        if found in OTHER_FILES or (found and found != target and files.get_file_from_path(found)):
            return f"[{text}]({posixpath.relpath(found, posixpath.dirname(uri) or '.')}{part})"
    if not (ROOT / target).exists():
        return link[0]  # MkDocs reports it
    return f"[{text}]({config.repo_url}/blob/v{_version()}/{target}{part})" if config.repo_url else text


def _list_references() -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each reference: of the results as JSON, and of the commands of each service."""
    peers = {f"peer_{name}": NO_SERVICE for name in ("results", "rating", "lexicon", "game")}
    results = app(Runtime(Settings.model_validate(peers), None, utc_now, None)).openapi()
    yield "reference/results.md", _render_document("Which results can a program read?", results)
    for service in SERVICES:
        document = commands_document(service)
        yield f"reference/commands/{service}.md", _render_document(f"Commands of the service {service}", document)


def _render_document(title: str, document: Mapping[str, Any]) -> str:
    """Return an OpenAPI document as a page: operations by tag, then the schemas."""
    lines = [f"# {title}", "", format_code(document["info"]["description"]), ""]
    for part in parts_of(document, EXAMPLE_ADDRESS):
        lines += [f"## {part.tag}", ""]
        for entry in part.entries:
            lines += [f"### {entry.name}", "", f"`{entry.method} {entry.path}`", "", entry.about, ""]
            lines += _render_fields("Parameter", entry.parameters)
            if entry.body:
                lines += [f"Request: {entry.body}", ""]
            lines += ["| Status | Answer |", "|---|---|"]
            lines += [f"| {status} | {_to_cell(about)} {_to_cell(kind)} |" for status, about, kind in entry.answers]
            lines += ["", "```sh", entry.example, "```", ""]
    lines += ["## Schemas", ""]
    for model in models_of(document):
        lines += [f'### {model.name} {{ id="schema-{model.name}" }}', "", model.about, ""]
        lines += _render_fields("Field", model.fields)
    return "\n".join(map(str, lines))


def _render_fields(kind: str, fields: Iterable[DocumentedField]) -> list[str]:
    rows = [f"| `{each.name}` {each.where} | {_to_cell(each.kind)} | {_to_cell(each.about)} |" for each in fields]
    return [f"| {kind} | Type | Meaning |", "|---|---|---|", *rows, ""] if rows else []


def _to_cell(text: Markup) -> str:
    """Return a text as a cell of a table, in which a bar would begin the next one."""
    return str(text).replace("|", "&#124;").replace("\n", " ")
