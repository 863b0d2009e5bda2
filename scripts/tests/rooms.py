"""Checks the rules of ARCHITECTURE.md that a compiler does not check, prints TAP: which folder may include which, no include
cycles, one header for each source, a maximum number of sources per folder; and that documents name files that exist.

A module is a source with its header. Tests, fuzzers and examples may include anything.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from pathlib import Path, PurePosixPath

import documents
import rooms_python
import tap

# Folders of the top and of lib/ in include order: a folder may include itself, and folders of its own and of earlier layers. Sources
# are named here as includes name them, without lib/.
LAYERS = [["include"], ["base"], ["gguf"], ["runtime", "tokenizer", "template", "image", "audio"], ["model"], ["dialogue", "ref", "fastpath"],
          ["server"], ["conformance"]]

# Folders of the harness in include order.
HARNESS = ["support", "picture", "page", "hdf5", "judge", "exec", "process", "abi", "options", "problems", "case", "generate", "textual", "kinds", "info", "replay",
           "evaluate", "report", "expected", "compare", "bundle", "diff", "rates", "locate", "reduce", "schedule", "bench", "sweep", "probe", "weights",
           "faults", "cli"]

# Libraries that only some folders may include.
LIBRARIES = {
    "pcre2.h": ["model/formats", "tokenizer"], "utf8proc.h": ["base", "template", "tokenizer"], "gmp.h": ["template"], "cblas.h": ["ref"], "hdf5.h": ["conformance/replay"],
    "png.h": ["image"], "jpeglib.h": ["image"], "sndfile.h": ["audio"], "curl/curl.h": ["conformance/probe"],
    "libdeflate.h": ["conformance/hdf5", "conformance/support"],
    "json-c/json.h": ["audio", "base", "gguf", "image", "model", "template", "tokenizer", "dialogue", "server", "conformance"],
    "microhttpd.h": ["server/http"],
}

# A line of a local.mk: the sources of its folder, or below it, that define rows of a table, which another header declares.
ROWS = re.compile(r"^# Rows of a table, without headers of their own: (.+)$", re.M)

SOURCES_MOST = 25  # per folder


def sources(top: Path) -> dict[str, Path]:
    """The sources by the names that includes have for them."""
    found = {str(p.relative_to(root)): p for root in (top, top / "lib") for layer in LAYERS for folder in layer
             for p in (root / folder).rglob("*.[ch]")}
    return {f: found[f] for f in sorted(found) if "/tests/" not in f}


def rows_of_tables(top: Path) -> list[str]:
    """Patterns of sources that need no header of their own, as the local.mk of their folders state them."""
    files = [(file, root) for root in (top, top / "lib") for layer in LAYERS for folder in layer
             for file in (root / folder).rglob("local.mk")]
    return [f"{file.parent.relative_to(root)}/{pattern}" for file, root in files
            for line in ROWS.findall(file.read_text(encoding="utf-8")) for pattern in line.split()]


def headerless(files: dict[str, str], rows: list[str]) -> list[str]:
    """Sources without a header that no pattern names, and patterns that name none."""
    found = [f for f in files if f.endswith(".c") and f[:-2] + ".h" not in files]
    return [f for f in found if not any(PurePosixPath(f).match(row) for row in rows)] + [
        f"{row}: no source without a header has that name" for row in rows if not any(PurePosixPath(f).match(row) for f in found)]


def cycles(edges: dict[str, set[str]]) -> list[list[str]]:
    """Strongly connected components of more than one node (Tarjan 1972)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(edges.get(node, ())):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            members = stack[stack.index(node):]
            del stack[stack.index(node):]
            if len(members) > 1:
                found.append(sorted(members))

    for node in sorted(edges):
        if node not in index:
            visit(node)
    return found


def layer_of(path: str) -> int:
    folder = path.split("/")[0]
    return next(i for i, layer in enumerate(LAYERS) if folder in layer)


def upward(source: str, header: str) -> bool:
    """Whether the source may not include the header. The faults may include fastpath: they are linked with an engine, not with
    the harness."""
    if source.startswith("conformance/faults/") and header.startswith("fastpath/"):
        return False
    if header.startswith(("ref/", "fastpath/")) and header.split("/")[0] != source.split("/")[0]:
        return True
    if source.startswith("conformance/") and header.startswith("conformance/"):
        return HARNESS.index(header.split("/")[1]) > HARNESS.index(source.split("/")[1])
    return layer_of(header) > layer_of(source)


def check(top: Path) -> list[tuple[str, list[str]]]:
    """(rule, violations) of each rule."""
    files = sources(top)
    text = {f: path.read_text(encoding="utf-8") for f, path in files.items()}
    includes = {f: re.findall(r'^#include "([^"]+)"', text[f], re.M) for f in files}
    modules, folders = defaultdict(set), defaultdict(set)
    for f in files:
        for header in includes[f]:
            if header not in text:
                continue
            one, other = f.rsplit(".", 1)[0], header.rsplit(".", 1)[0]
            if one != other:
                modules[one].add(other)
            one, other = f.rsplit("/", 1)[0], header.rsplit("/", 1)[0]
            if one != other:
                folders[one].add(other)
    in_folder = defaultdict(int)
    for f in files:
        in_folder[f.rsplit("/", 1)[0]] += f.endswith(".c")
    return [
        ("no cycle of includes between modules", [" ".join(c) for c in cycles(modules)]),
        ("no cycle of includes between folders", [" ".join(c) for c in cycles(folders)]),
        ("includes go one way between folders",
         [f"{f} includes {h}" for f in files for h in includes[f] if h in text and upward(f, h)]),
        ("libraries are used where they belong",
         [f"{f} includes {lib}" for f in files for lib, where in LIBRARIES.items()
          if re.search(rf"^#include <{re.escape(lib)}>", text[f], re.M) and not f.startswith(tuple(w + "/" for w in where))]),
        ("every source has a header of its own",
         headerless(text, rows_of_tables(top))),
        (f"no folder has more than {SOURCES_MOST} sources",
         [f"{folder}: {n}" for folder, n in in_folder.items() if n > SOURCES_MOST]),
    ]


def main() -> int:
    top = Path(sys.argv[1])
    results = check(top) + rooms_python.check(top, cycles) + [("documents name what exists", documents.missing(top))]
    tap.rules(results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
