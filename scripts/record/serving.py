"""Records the answers of the published server's parsers and endpoints: `python -m scripts.record.serving`.

One module for each kind of vector, `serving_<kind>.py`, with

    TITLE, CATCHES                  title of its section in docs/FINDINGS.md; bugs that its vectors catch
    published() -> groups           inputs of upstream's own tests and documents; may be empty
    groups(seed, n) -> groups       n goldens per group, drawn from the seed
    written() -> groups             optional: texts written by hand
    sequences(seed, n) -> groups    optional: up to n sequences of marker-like tokens of each length
                                    (marker_sequences.py) on which upstream agrees with itself
    findings(seed, n) -> lines      optional: the section below its heading: where upstream disagrees with itself,
                                    in n draws for each parser

groups is a list of {"name": ..., "vectors": [...]}. fixtures/serving/<kind>/ receives published.json.gz,
written.json.gz, random.json.gz and sequences.json.gz, those that have groups.
"""

from __future__ import annotations

import argparse
import importlib
import re
import sys
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

from . import serving_package
from .threads import write

KINDS = ("eos", "reasoning", "tools", "events")

N_GOLDENS = 250  # per group
N_SEQUENCES = 400  # tried for each parser and length
N_DRAWS = 4000  # per group, for findings
FINDINGS = Path("docs/FINDINGS.md")


def document(kind: str, module: ModuleType, recorder: str, groups: list[Any]) -> dict[str, Any]:
    return {"schema": "assay/1", "kind": kind, "source": serving_package.wanted(),
            "recorder": f"scripts/record/serving_{kind}.py, {recorder}", "catches": module.CATCHES,
            "groups": groups}


def count(groups: list[Any]) -> int:
    return sum(len(group["vectors"]) for group in groups)


def record(kind: str, module: ModuleType, seed: int, n: int, n_sequences: int, out: Path) -> list[Path]:
    """Writes the files of one kind; returns their paths relative to `out`."""
    made = []
    written = module.written() if hasattr(module, "written") else []
    sequences = module.sequences(seed, n_sequences) if hasattr(module, "sequences") else []
    for name, recorder, groups in (
            ("published.json.gz", "upstream's tests", module.published()),
            ("written.json.gz", "texts of its own", written),
            ("random.json.gz", f"seed {seed}", module.groups(seed, n)),
            ("sequences.json.gz", f"seed {seed}, --sequences {n_sequences}", sequences)):
        if groups:
            write(out / kind / name, document(kind, module, recorder, groups))
            made.append(Path(kind) / name)
            print(f"serving/{kind}/{name}: {count(groups)} vectors", flush=True)
    return made


def section(text: str, title: str) -> re.Match[str] | None:
    """The section of a Markdown text with this title: its heading and everything up to the next heading of the same
    level."""
    return re.search(rf"^## {re.escape(title)}\n.*?(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)


def with_section(text: str, title: str, lines: list[str]) -> str:
    """The text with the section replaced; a new section is inserted before the section Sound."""
    made = f"## {title}\n\n" + "\n".join(lines) + "\n\n"
    found = section(text, title) or re.search(r"^(?=## Sound$)", text, re.MULTILINE)
    if not found:
        raise RuntimeError(f"{FINDINGS}: no section {title}, nor one called Sound to put it before")
    return text[:found.start()] + made + text[found.end():]


def with_commands(lines: list[str], kind: str) -> list[str]:
    """The section with a command after each entry that reproduces it."""
    command = ["", f"    python -m scripts.record.serving --only {kind} --findings"]
    made: list[str] = []
    for line in lines:
        if line.startswith("### ") and any(before.startswith("### ") for before in made):
            while not made[-1]:
                made.pop()
            made += [*command, ""]
        made.append(line)
    return made + command


def kept(kind: str, module: ModuleType) -> str:
    """The text of FINDINGS with this kind's section up to date."""
    text = FINDINGS.read_text()
    if not hasattr(module, "findings"):
        return text
    return with_section(text, module.TITLE, with_commands(module.findings(0, N_DRAWS), kind))


def check(kind: str, module: ModuleType, out: Path) -> list[str]:
    """The files and sections that differ from a new recording with seed 0."""
    differing = []
    with tempfile.TemporaryDirectory() as scratch:
        for file in record(kind, module, 0, N_GOLDENS, N_SEQUENCES, Path(scratch)):
            if not (out / file).is_file():
                differing.append(f"{out / file}: missing")
            elif (out / file).read_bytes() != (Path(scratch) / file).read_bytes():
                differing.append(f"{out / file}: bytes differ")
    if kept(kind, module) != FINDINGS.read_text():
        differing.append(f"{FINDINGS}: {module.TITLE}")
    return differing


def run(options: argparse.Namespace) -> int:
    serving_package.load()
    differing: list[str] = []
    for kind in options.only or KINDS:
        module = importlib.import_module(f".serving_{kind}", __package__)
        if options.findings:
            FINDINGS.write_text(kept(kind, module))
        elif options.check:
            differing += check(kind, module, options.out)
        else:
            record(kind, module, options.seed, options.goldens, options.sequences, options.out)
    if options.check:
        print("\n".join(differing) or "recorded again, nothing differs")
    return 1 if differing else 0


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m scripts.record.serving",
        description="Records what the published server's parsers and endpoints make of text.")
    parser.add_argument("--seed", type=int, default=0, help="of what is drawn (default: 0)")
    parser.add_argument("--goldens", type=int, metavar="N", default=N_GOLDENS,
                        help=f"how many goldens of each group (default: {N_GOLDENS})")
    parser.add_argument("--sequences", type=int, metavar="N", default=N_SEQUENCES,
                        help="how many sequences of marker-like tokens to ask of each parser and length, one to five tokens; "
                             f"all of a length that has no more (default: {N_SEQUENCES})")
    parser.add_argument("--only", action="append", choices=KINDS, metavar="KIND",
                        help=f"{', '.join(KINDS)} (repeatable; default all)")
    parser.add_argument("--out", type=Path, default=Path("fixtures/serving"),
                        help="directory that receives <kind>/*.json.gz (default: fixtures/serving)")
    parser.add_argument("--check", action="store_true",
                        help="write nothing: record seed 0 again and compare every byte with --out, "
                             f"and the sections of {FINDINGS}; exit 1 where they differ")
    parser.add_argument("--findings", action="store_true",
                        help=f"write nothing but the sections of {FINDINGS}")
    options = parser.parse_args(arguments)
    if options.goldens < 1 or options.sequences < 1:
        parser.error("--goldens and --sequences take a positive number")
    try:
        return run(options)
    except (RuntimeError, OSError) as error:
        print(f"record: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
