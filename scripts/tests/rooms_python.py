"""The rules of ARCHITECTURE.md for Python, which rooms.py checks beside those for C: no import cycles, one subject a folder, the wall.

A module is a source. Scripts and tests may import anything.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

ROOTS = ["scripts", "adapters", "observatory"]
PATHS = ("adapters/python/", "observatory/adapters/")  # folders in which packages of their own are found
OBSERVATORY = ("observatory", "assay.adapters")  # packages that sources outside observatory/ never import
SOURCES_MOST = 25  # per folder
ROWS = "Rows of a table: one a source, as many as there are."  # a line of a folder's __init__.py, to which SOURCES_MOST does not apply


def module_of(file: str) -> str:
    path = next((path for path in PATHS if file.startswith(path)), "")
    return file[len(path):-len(".py")].removesuffix("/__init__").replace("/", ".")


def sources(top: Path) -> dict[str, ast.Module]:
    """The sources outside tests, by their paths."""
    found = [p for root in ROOTS for p in (top / root).rglob("*.py")]
    return {str(p.relative_to(top)): ast.parse(p.read_text(encoding="utf-8")) for p in sorted(found) if "tests" not in p.relative_to(top).parts}


def imported(file: str, tree: ast.Module) -> set[str]:
    """The names that a source imports, in full; of `from X import Y` both X.Y and X, since Y may be a module."""
    package, found = module_of(file).split("."), set()
    if not file.endswith("__init__.py"):
        package = package[:-1]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            parent = [] if not node.level else package[:len(package) - node.level + 1]
            base = ".".join([*parent, *([node.module] if node.module else [])])
            found |= {f"{base}.{alias.name}" for alias in node.names} | {base}
    return found


def edges_of(files: dict[str, ast.Module]) -> dict[str, set[str]]:
    """By source: the sources that it imports. A package counts only if no module of it is named."""
    by_module = {module_of(file): file for file in files}
    edges: dict[str, set[str]] = {}
    for file, tree in files.items():
        names = imported(file, tree)
        used = {name for name in names if name in by_module}
        used -= {name for name in used if by_module[name].endswith("__init__.py") and any(other.startswith(name + ".") for other in used)}
        edges[file] = {by_module[name] for name in used} - {file}
    return edges


def folders_of(edges: dict[str, set[str]]) -> dict[str, set[str]]:
    found = defaultdict(set)
    for file, used in edges.items():
        folder = file.rsplit("/", 1)[0]
        found[folder] |= {other.rsplit("/", 1)[0] for other in used} - {folder}
    return dict(found)


def crowded(files: dict[str, ast.Module]) -> list[str]:
    count = defaultdict(int)
    for file in files:
        count[file.rsplit("/", 1)[0]] += 1
    return [f"{folder}: {n}" for folder, n in count.items() if n > SOURCES_MOST and
            ROWS not in (ast.get_docstring(files.get(f"{folder}/__init__.py", ast.Module([], []))) or "")]


def through_the_wall(files: dict[str, ast.Module]) -> list[str]:
    """Sources outside the observatory that name a module of the observatory, also in a text that may be imported later."""
    found = []
    for file, tree in files.items():
        if file.startswith("observatory/"):
            continue
        names = imported(file, tree) | {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
        found += [f"{file} imports {name}" for name in sorted(names)
                  if any(name == one or (name.startswith(one + ".") and " " not in name) for one in OBSERVATORY)]
    return found


def check(top: Path, cycles) -> list[tuple[str, list[str]]]:
    """(rule, violations) of each rule. cycles: rooms.cycles."""
    files = sources(top)
    edges = edges_of(files)
    return [
        ("no cycle of imports between modules of Python", [" ".join(c) for c in cycles(edges)]),
        ("no cycle of imports between folders of Python", [" ".join(c) for c in cycles(folders_of(edges))]),
        ("nothing outside the observatory imports it", through_the_wall(files)),
        (f"no folder of Python has more than {SOURCES_MOST} sources", crowded(files)),
    ]
