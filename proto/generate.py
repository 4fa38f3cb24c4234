"""Generate `libs/faristol/pb` from the contract. The build does it, and `make` whenever the contract has changed.

The generated packages live under `faristol.pb`, so that `faristol.game` can be the service; the names
that travel on the wire stay `faristol.game.v1`. Comments of the contract are generated too (`comments.py`), because
descriptors carry none when a program runs.
What refusals say is collected beside them (`refusals.py`), for the page on which programs look reasons up.
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import sys
import tempfile
from importlib import resources
from pathlib import Path

from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet
from grpc_tools import protoc

PROTO = Path(__file__).parent
OUT = PROTO.parent / "libs" / "faristol" / "pb"
IMPORTS = re.compile(r"\bfaristol\.(?=\w+\.v1\b)")
REFUSALS = ("Refusal", "Denied", "Unauthenticated")
GENERATED = ("*_pb2.py", "*_pb2.pyi", "*_pb2_grpc.py", "*_pb2_grpc.pyi")


def generate(out: Path) -> None:
    """Write the generated tree to ``out``, in place of the one there. Ends the program for a contract that is wrong."""
    if out.exists():
        shutil.rmtree(out)
    os.environ["PATH"] = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    files = sorted(str(path.relative_to(PROTO)) for path in PROTO.rglob("*.proto"))
    with tempfile.TemporaryDirectory() as scratch:
        options = [f"--{kind}_out={scratch}" for kind in ("python", "grpc_python", "mypy", "mypy_grpc")]
        well_known = resources.files("grpc_tools") / "_proto"
        if code := protoc.main(["protoc", f"-I{PROTO}", f"-I{well_known}", *options, *files]):
            raise SystemExit(code)
        described = Path(scratch) / "described"
        options = [f"--descriptor_set_out={described}", "--include_source_info"]
        if code := protoc.main(["protoc", f"-I{PROTO}", f"-I{well_known}", *options, *files]):
            raise SystemExit(code)
        out.mkdir(parents=True)
        (out / "comments.py").write_text(_comments(described.read_bytes()), encoding="utf-8")
        (out / "refusals.py").write_text(_refusals(), encoding="utf-8")
        tree = Path(scratch) / "faristol"
        for file in FileDescriptorSet.FromString(described.read_bytes()).file:
            stub = Path(scratch) / file.name.replace(".proto", "_pb2.pyi")
            if file.service:
                stub.write_text(_name_responses(stub.read_text(encoding="utf-8"), file), encoding="utf-8")
        for pattern in GENERATED:
            for path in tree.rglob(pattern):
                if path.name.startswith(
                    ("details_pb2_grpc", "event_pb2_grpc", "events_pb2_grpc", "needs_pb2_grpc", "text_pb2_grpc")
                ):
                    continue
                target = out / path.relative_to(tree)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(_move_imports(path.read_text(encoding="utf-8")), encoding="utf-8")
    for package in {path.parent for path in out.rglob("*_pb2.py")} | {p.parent.parent for p in out.rglob("*_pb2.py")}:
        (package / "__init__.py").touch()
    (out / "__init__.py").write_text('"""Generated from `proto/`; never edited by hand."""\n', encoding="utf-8")
    (out / "py.typed").touch()


def _name_responses(stub: str, file: FileDescriptorProto) -> str:
    """Give each request in a stub the type of its response, so that a call of any method is typed by its request."""
    for method in (method for service in file.service for method in service.method):
        request, response = (name.rpartition(".")[2] for name in (method.input_type, method.output_type))
        head = f"class {request}(_message.Message):\n"
        stub = stub.replace(head, f"{head}    @_builtins.property\n    def _response(self) -> {response}: ...\n")
    return stub


def _comments(described: bytes) -> str:
    """Make a module with the comments of the contract: by full name, and of methods by name too."""
    said: dict[str, str] = {}
    for file in FileDescriptorSet.FromString(described).file:
        names: dict[tuple[int, ...], str] = {}
        for number, message in enumerate(file.message_type):
            names[4, number] = f"{file.package}.{message.name}"
            for place, field in enumerate(message.field):
                names[4, number, 2, place] = f"{file.package}.{message.name}.{field.name}"
        for number, service in enumerate(file.service):
            for place, method in enumerate(service.method):
                names[6, number, 2, place] = f"{file.package}.{service.name}.{method.name}"
        for found in file.source_code_info.location:
            if name := names.get(tuple(found.path)):
                said[name] = " ".join(found.leading_comments.split())
    for name, text in sorted(said.items()):
        if "Service." in name:  # those of the pairing service go before those of the results
            said.setdefault(name.rpartition(".")[2], text)
    lines = "".join(f"    {name!r}: {text!r},\n" for name, text in sorted(said.items()))
    head = '"""Comments of the contract, of each method, message and field."""'
    return f"# Generated from `proto/`; never edited by hand.\n{head}\n\nCOMMENTS: dict[str, str] = {{\n{lines}}}\n"


def _refusals() -> str:
    """Make a module with the sentences of each reason for which something is refused, as they stand in the code."""
    said: dict[str, set[str]] = {}
    files = [path for folder in ("libs", "services", "apps") for path in (PROTO.parent / folder).rglob("*.py")]
    for path in sorted(path for path in files if not path.is_relative_to(OUT)):
        text = path.read_text(encoding="utf-8")
        if not any(f"{kind}(" in text for kind in REFUSALS):
            continue
        module = ast.parse(text)
        named = {
            target.id: _find_marked_text(line.value)
            for line in ast.walk(module)
            if isinstance(line, ast.Assign)
            for target in line.targets
            if isinstance(target, ast.Name)
        }
        for call in ast.walk(module):
            if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.func.id not in REFUSALS:
                continue
            match call.args:
                case [ast.Constant(value=str(reason)), *rest]:
                    sentences = said.setdefault(reason, set())
                    for part in rest:
                        sentences.add(named.get(part.id, "") if isinstance(part, ast.Name) else _find_marked_text(part))
    lines = "".join(f"    {reason!r}: {tuple(sorted(filter(None, said[reason])))!r},\n" for reason in sorted(said))
    head = '"""Sentences of refusals, by their reason, with places in braces."""'
    return f"# Generated; never edited by hand.\n{head}\n\nREFUSALS: dict[str, tuple[str, ...]] = {{\n{lines}}}\n"


def _find_marked_text(part: ast.expr) -> str:
    """Return the text that an expression marks for translation; empty for any other expression."""
    match part:
        case ast.Call(func=ast.Name(id="N_"), args=[ast.Constant(value=str(text))]):
            return text
    return ""


def _move_imports(source: str) -> str:
    """Point Python imports at `faristol.pb`, and leave wire names (in quotes or slashes) alone."""
    lines = []
    for line in source.splitlines(keepends=True):
        code = "DESCRIPTOR = " not in line and ("_pb2" in line or line.lstrip().startswith(("from ", "import ")))
        lines.append(IMPORTS.sub("faristol.pb.", line) if code else line)
    return "".join(lines)


if __name__ == "__main__":
    generate(OUT)
