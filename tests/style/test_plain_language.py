"""The rules of docs/style.md that a program can check, in code written by hand, tests, the contract and documents."""

from __future__ import annotations

import ast
import gc
import re
import subprocess
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]

STYLE = ROOT / "docs" / "style.md"

CODE_FOLDERS = ("libs", "services", "apps")

ALL_FOLDERS = (*CODE_FOLDERS, "tests", "deploy", "proto", "examples")

DOCUMENTS_LEFT_OUT = ("tests/", "docs/style.md")
"""Documents of tests, and the page that quotes the phrases to avoid."""

MAX_MODULES_PER_NAME = 3

MAX_MODULES_PER_FOLDER = 20

LARGER_FOLDERS: dict[str, int] = {}

IRREGULAR_PARTICIPLES = """
begun bent bound bought bred broken brought built caught chosen dealt done drawn driven eaten fallen fed felt forbidden
forgotten fought found given gone grown had heard held hidden hung kept known laid lain led left lent lost made meant
met overridden overtaken overwritten paid proven rebuilt redone redrawn remade resent rewritten ridden risen rung
said seen sent shot shown shrunk sold sought spent spoken stolen stood struck stuck sung sunk sworn taken taught thought
thrown told torn understood undone upheld withdrawn withheld woken won worn wound woven written
"""
"""Not those that are the imperative too, such as ``put`` and ``read``."""

VERBS_IN_ED = frozenset(("need", "feed", "seed", "proceed", "exceed", "embed", "speed"))

NOT_VERBS = """
a an the all any both each either every everybody everyone everything few he her his i it its many most much neither no
nobody none nothing one others our same several she some somebody someone something such that their them these they this
those we you your

about above after against along also although among and around as at because before behind below beneath beside besides
between beyond but by during except for from if in inside into like near not of off on only onto or out outside over per
since so than though through till to toward towards under unless until up upon via while with within without

how what whatever when whenever where wherever whether which whichever who whoever whom whose why
"""
"""Articles and pronouns, prepositions and conjunctions, and the words of a question."""


class Place(NamedTuple):
    """A line of a file, with its faulty name or text."""

    path: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line} {self.text}"


class Module(NamedTuple):
    """A module written by hand."""

    path: str
    source: str
    tree: ast.Module
    nodes: tuple[ast.AST, ...]


@cache
def list_tracked() -> tuple[str, ...]:
    """Return the files that Git tracks, and new ones that it does not ignore."""
    listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    found = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    return tuple(sorted(path for path in set(found) if (ROOT / path).is_file()))


@cache
def load_folder(folder: str) -> tuple[Module, ...]:
    """Return the modules of a folder, without the generated code of the contract."""
    paths = [path for path in list_tracked() if path.endswith(".py") and "/pb/" not in path]
    sources = {path: (ROOT / path).read_text(encoding="utf-8") for path in paths if path.split("/")[0] == folder}
    trees = [(path, source, ast.parse(source)) for path, source in sources.items()]
    return tuple(Module(path, source, tree, tuple(ast.walk(tree))) for path, source, tree in trees)


def load_modules(folders: tuple[str, ...] = CODE_FOLDERS) -> Iterator[Module]:
    """Yield the modules of the folders."""
    for folder in folders:
        yield from load_folder(folder)


@pytest.fixture(scope="module", autouse=True)
def trees() -> Iterator[None]:
    """Release the trees of all modules after the last test. Until then each collection would look through them."""
    gc.disable()
    yield
    for cached in (load_folder, load_texts):
        cached.cache_clear()
    gc.enable()


def report(places: list[Place], expectation: str) -> None:
    """Fail with every place found."""
    if places:
        pytest.fail("\n".join((expectation, *map(str, places))), pytrace=False)


# ------------------------------------------------------------------------------------------------ functions


def list_functions() -> Iterator[tuple[Module, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Yield every function and method, without tests, properties and those that Python calls itself."""
    for module in load_modules(ALL_FOLDERS):
        for node in module.nodes:
            if (
                isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
                and not node.name.startswith(("__", "test_"))
                and not any(is_property(decorator) for decorator in node.decorator_list)
            ):
                yield module, node


def is_property(decorator: ast.expr) -> bool:
    """Return whether a decorator makes a property or a part of one."""
    name = decorator.attr if isinstance(decorator, ast.Attribute) else getattr(decorator, "id", "")
    return name in {"property", "cached_property", "hybrid_property", "setter", "deleter"}


def is_participle(name: str) -> bool:
    """Return whether a function's name is one word, and that word a participle."""
    word = name.strip("_")
    if "_" in word or word in VERBS_IN_ED:
        return False
    return word in IRREGULAR_PARTICIPLES.split() or bool(re.fullmatch(r"[a-z]{2,}ed", word))


def test_a_function_is_not_named_by_a_participle() -> None:
    named = ((module.path, node.lineno, node.name) for module, node in list_functions())
    report(
        [Place(*each) for each in named if is_participle(each[-1])],
        "expected a verb (load_, parse_, find_ …), or a property:",
    )


def test_the_docstring_of_a_function_begins_with_a_verb() -> None:
    not_verbs = frozenset(NOT_VERBS.split())
    found: list[Place] = []
    for module, node in list_functions():
        text = ast.get_docstring(node) or ""
        first = re.match(r"[A-Za-z]+(?:['’][a-z]+)?", text)
        if text and (not first or first[0].lower() in not_verbs):
            found.append(Place(module.path, node.lineno, text.splitlines()[0]))
    report(found, "expected a verb in the imperative first: Return, Parse, Raise …:")


def test_the_docstring_of_a_module_is_no_question() -> None:
    found = [
        Place(module.path, 1, text.splitlines()[0])
        for module in load_modules(ALL_FOLDERS)
        if re.match(r"(?:[Ww]h(?:at|o|ose|ere|en|ich|y)|[Hh]ow)\b", text := ast.get_docstring(module.tree) or "")
    ]
    report(found, "expected a noun, or a verb in the imperative:")


# ------------------------------------------------------------------------------------------------ constants and classes


def list_constants(module: Module) -> Iterator[tuple[str, int, ast.expr | None]]:
    """Yield the name, the line and the value of each constant of a module."""
    for statement in module.tree.body:
        targets: list[ast.expr]
        value: ast.expr | None
        match statement:
            case ast.Assign(targets=targets, value=value):
                pass
            case ast.AnnAssign(target=target, value=value):
                targets = [target]
            case _:
                continue
        for each in targets:
            if isinstance(each, ast.Name) and re.fullmatch(r"_?[A-Z][A-Z0-9_]*", each.id):
                yield each.id, statement.lineno, value


def is_number(value: ast.expr | None) -> bool:
    """Return whether an expression is a positive number, or computed from numbers such as ``8 * 1024``."""
    match value:
        case ast.Constant(value=int() | float() as number):
            return not isinstance(number, bool)
        case ast.BinOp(left=left, right=right):
            return is_number(left) and is_number(right)
    return False


def read_words(heading: str) -> frozenset[str]:
    """Return the code words of the paragraph of docs/style.md that begins with ``heading``."""
    _, found, after = STYLE.read_text(encoding="utf-8").partition(f"\n{heading}")
    assert found, f"docs/style.md has no paragraph {heading!r}"
    return frozenset(re.findall(r"`([A-Z_]+)`", after.partition("\n\n")[0]))


def test_a_numeric_constant_ends_in_its_unit_or_noun() -> None:
    suffixes, prefixes = read_words("Suffixes of numeric constants: "), read_words("Prefixes of numeric constants: ")
    found = [
        Place(module.path, line, f"{name} = {ast.unparse(value) if value else ''}")
        for module in load_modules(ALL_FOLDERS)
        for name, line, value in list_constants(module)
        if is_number(value) and not name.lstrip("_").startswith(tuple(prefixes)) and not name.endswith(tuple(suffixes))
    ]
    report(found, "expected a suffix or a prefix that docs/style.md lists:")


def find_shared(names: dict[str, set[str]]) -> list[Place]:
    """Return the names of more than ``MAX_MODULES_PER_NAME`` modules that are not a convention of docs/style.md."""
    conventions = read_words("Names of a convention: ") | read_conventional_classes()
    return [
        Place(min(paths), 1, f"{name}: {len(paths)} modules: {', '.join(sorted(paths))}")
        for name, paths in sorted(names.items())
        if len(paths) > MAX_MODULES_PER_NAME and name not in conventions
    ]


def read_conventional_classes() -> frozenset[str]:
    """Return the class names of the paragraph of conventions in docs/style.md."""
    _, _, after = STYLE.read_text(encoding="utf-8").partition("\nNames of a convention: ")
    return frozenset(re.findall(r"`([A-Z][A-Za-z]*)`", after.partition("\n\n")[0]))


def test_a_class_name_has_one_meaning() -> None:
    names = defaultdict[str, set[str]](set)
    for module in load_modules():
        for node in module.nodes:
            if isinstance(node, ast.ClassDef):
                names[node.name].add(module.path)
    report(find_shared(names), "expected a prefix, or a convention in docs/style.md:")


def test_a_constant_name_has_one_meaning() -> None:
    names = defaultdict[str, set[str]](set)
    for module in load_modules():
        for name, _, _ in list_constants(module):
            names[name.lstrip("_")].add(module.path)
    report(find_shared(names), "expected a prefix, or a convention in docs/style.md:")


# ------------------------------------------------------------------------------------------------ folders


def test_a_folder_has_few_modules() -> None:
    folders = Counter(
        module.path.rpartition("/")[0] for module in load_modules() if not module.path.endswith("/__init__.py")
    )
    found = [
        Place(folder, 1, f"{count} modules, expected at most {LARGER_FOLDERS.get(folder, MAX_MODULES_PER_FOLDER)}")
        for folder, count in sorted(folders.items())
        if count > LARGER_FOLDERS.get(folder, MAX_MODULES_PER_FOLDER)
    ]
    report(found, "expected a subpackage:")


# ------------------------------------------------------------------------------------------------ phrases

PHRASES = {
    "who, whoever, whom, whose": (
        r"\b(?:[Ww]ho|whom)ever\b"
        r"|(?:^|[.;:,(] )[Ww]ho (?:is|was|has|had|does|did|[a-z]+s)\b"
        r"|\b(?:of|by|to|for|with|from|and|or|than|as|on|at) (?:who|whom|whose)\b",
        24,
    ),
    "nobody, nothing, somebody, everybody": (r"\b(?:[Nn]obody|[Nn]othing|[Ss]omebody|[Ee]verybody)\b", 9),
    "is none, that there is not": (r"\b(?:is|are|was|were) none\b|\bthat there (?:is|are) (?:not|none)\b", 1),
    "any more, anew, for ever, meanwhile": (r"\b(?:any more|anew|for ever|[Mm]eanwhile)\b", 0),
    "is another, are others": (r"\b(?:is|be|are) (?:another|others)\b(?! [a-z]+['’])", 0),
    "alone": (r"\b[a-z]+s? alone\b", 0),
}
"""Phrases of docs/style.md, and how often each may stand. A number may only go down, as the texts are rewritten."""


VALUE_IN_QUOTES = re.compile(r'"[^" ]*"')
"""A value of one word, such as that of an option, and no sentence."""

TEXT_OF_TEMPLATE = re.compile(
    r"""\{#-?(.*?)#\}|gettext\(\s*"((?:[^"\\]|\\.)*)"|\b_\(\s*"((?:[^"\\]|\\.)*)\"""", re.DOTALL
)
"""A comment or a message."""


def list_texts() -> Iterator[tuple[str, int, str]]:
    """Yield path, line and text of docstrings, comments, messages, rule books, documents and the contract."""
    for module in load_modules():
        yield from ((module.path, line, text) for line, text in list_texts_of_module(module))
    for path in list_tracked():
        if path.endswith(".md") and not path.startswith(DOCUMENTS_LEFT_OUT):
            lines = (ROOT / path).read_text(encoding="utf-8").splitlines()
            yield from ((path, number, line) for number, line in enumerate(lines, 1))
        elif path.endswith(".proto"):
            lines = (ROOT / path).read_text(encoding="utf-8").splitlines()
            yield from ((path, number, line) for number, line in enumerate(lines, 1) if line.lstrip().startswith("//"))
        elif path.endswith(".toml") and path.split("/")[0] in CODE_FOLDERS:
            lines = (ROOT / path).read_text(encoding="utf-8").splitlines()
            yield from ((path, number, VALUE_IN_QUOTES.sub("", line)) for number, line in enumerate(lines, 1))
        elif path.endswith(".html") and path.split("/")[0] in CODE_FOLDERS:
            source = (ROOT / path).read_text(encoding="utf-8")
            for found in TEXT_OF_TEMPLATE.finditer(source):
                yield path, 1 + source.count("\n", 0, found.start()), found[1] or found[2] or found[3] or ""


def list_texts_of_module(module: Module) -> Iterator[tuple[int, str]]:
    """Yield the literal texts and the comments of a module with their lines."""
    for node in module.nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.lineno, node.value
    for number, line in enumerate(module.source.splitlines(), 1):
        before, found, comment = line.partition("# ")
        if found and before.count('"') % 2 == 0:
            yield number, comment


def find_phrase(pattern: str) -> list[Place]:
    """Return the places of a phrase, with the words around it."""
    compiled = re.compile(pattern, re.MULTILINE)
    found = []
    for path, line, text in load_texts():
        for match in compiled.finditer(text):
            around = text[max(0, match.start() - 30) : match.end() + 30].replace("\n", " ")
            found.append(Place(path, line + text.count("\n", 0, match.start()), around))
    return found


@cache
def load_texts() -> tuple[tuple[str, int, str], ...]:
    """Return the texts of ``list_texts``."""
    return tuple(list_texts())


@pytest.mark.parametrize("phrase", PHRASES)
def test_a_phrase_of_the_style_page_becomes_rarer(phrase: str) -> None:
    pattern, most = PHRASES[phrase]
    found = find_phrase(pattern)
    report(found if len(found) > most else [], f"{phrase!r} stands {len(found)} times, expected at most {most}:")
