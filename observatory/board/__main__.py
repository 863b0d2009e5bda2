"""Runs every adapter over every case, and writes SCOREBOARD.md and scoreboard.html.

    python -m observatory.board --assay build/conformance/assay
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from ..findings import records
from . import cases, explain, markdown, page, results, running
from .systems import BUNDLED, System, chosen, found, packages
from .tally import Board

TOP = running.TOP
USUAL_CACHE = Path.home() / ".cache" / "assay-scoreboard"


def below_top(path: Path) -> str:
    """The path relative to the source tree, in which the program runs, if it lies there; else absolute."""
    path = path.absolute()
    return str(path.relative_to(TOP)) if path.is_relative_to(TOP) else str(path)


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/scoreboard", description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--assay", type=Path, help="the program (default: of the build directory)")
    add("--systems", default="", metavar="A,B", help="names of adapters and of engines that come with Assay (default: every adapter, and fastpath as a control)")
    add("--fixtures", action="append", metavar="DIR", help="the cases below it; may be repeated (default: fixtures)")
    add("--out", type=Path, default=TOP / "observatory", metavar="DIR", help="where SCOREBOARD.md and scoreboard.html are written (default: observatory)")
    add("--from", dest="earlier", action="append", default=[], type=Path, metavar="RESULTS",
        help="run nothing: render this directory of results, NAME.json of each system, or NAME/*.json of its shards; if repeated, cases of a later one replace "
             "those of earlier ones")
    add("--jobs", type=int, default=0, metavar="N", help="cases in parallel (default: the number of processors)")
    add("--timeout", type=float, default=180, metavar="SECONDS", help="of a case (default: 180)")
    add("--slurm", type=int, default=0, metavar="N", help="run each system as N shards with scripts/cluster/slurm")
    add("--sbatch", action="append", default=[], metavar="OPTION", help="of sbatch; may be repeated")
    add("--cache", type=Path, default=USUAL_CACHE, metavar="DIR",
        help="where venvs and results stay (default: $ASSAY_SCOREBOARD or ~/.cache/assay-scoreboard)")
    add("--adapters", type=Path, default=TOP / "observatory" / "adapters", metavar="DIR", help="the adapters with their requirements (default: observatory/adapters)")
    add("--python", type=Path, help="an interpreter that has the packages of all systems: nothing is installed")
    add("--offline", action="store_true", help="install nothing")
    options = parser.parse_args(arguments)
    options.fixtures = [below_top(Path(one)) for one in options.fixtures or [TOP / "fixtures"]]
    if not (options.assay and options.assay.is_file()):
        parser.error("--assay: there is no such program")
    options.named = [name for name in options.systems.split(",") if name]
    try:
        options.systems = chosen(options.adapters, options.named)
    except ValueError as error:
        parser.error(str(error))
    for name in ("assay", "out", "cache", "adapters"):
        setattr(options, name, getattr(options, name).absolute())
    return options


def plan_of(options: argparse.Namespace) -> running.Plan:
    python = options.python.absolute() if options.python else None
    return running.Plan(options.assay, options.adapters, options.fixtures, options.cache / "results", options.cache, python, options.offline,
                        options.jobs, options.timeout, options.slurm, options.sbatch)


def run_all(options: argparse.Namespace) -> dict[str, str]:
    """Runs each system; returns why the others have no result."""
    plan, troubles = plan_of(options), {}
    for system in options.systems:
        print(f"{system.title} …", file=sys.stderr, flush=True)
        try:
            running.run(system, plan)
        except running.Failed as error:
            troubles[system.name] = str(error)
            print(f"  no result: {error}", file=sys.stderr)
    return troubles


def earlier_systems(options: argparse.Namespace) -> list[System]:
    """Those that --systems names, else those that have a result in a directory."""
    if options.named:
        return list(options.systems)
    return [one for one in [*found(options.adapters), *BUNDLED] if any(results.files(directory, one.name) for directory in options.earlier)]


def read_all(options: argparse.Namespace, directories: list[Path], systems: list[System], troubles: dict[str, str]) -> Board:
    hidden = {str(options.cache): "CACHE", f"{TOP}/": ""}
    columns = []
    for system in systems:
        pins = {} if system.bundled else packages(system, options.adapters).pins()
        column = results.read(system, directories, options.assay, pins, ["fixtures", *options.fixtures], hidden)
        if system.name in troubles:
            column.trouble = results.shown(troubles[system.name], hidden)
        columns.append(column)
    names = {one.path: one.case for column in columns for one in column.results}
    observations = records.read_observations(TOP / records.OBSERVATIONS)
    findings = records.read(TOP / records.RECORDS, observations)
    explainer = explain.Explainer(findings, explain.read_rules(options.adapters / "findings.tsv", findings), {(one.system, one.case): one for one in observations})
    explainer.explain(columns)
    for line in explainer.stale():
        print(f"note: {line}", file=sys.stderr)
    return Board(columns, cases.describe(options.assay, names), findings)


def write(board: Board, out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    findings, adapters = (os.path.relpath(TOP / place, out) for place in ("observatory/FINDINGS.md", "observatory/adapters"))
    (out / "SCOREBOARD.md").write_text(markdown.markdown(board, findings, adapters))
    (out / "scoreboard.html").write_text(page.page(board, findings))


def summary(board: Board) -> None:
    for column in board.columns:
        counts = board.cell(column).counts()
        text = ", ".join(f"{n} {outcome}" for outcome, n in counts.items()) or "nothing"
        print(f"{column.title()}: {text}, {board.cell(column).n_unexplained()} without a finding" + (f"; {column.trouble}" if column.trouble else ""))


def main(arguments: list[str]) -> int:
    options = parse(arguments)
    troubles = {} if options.earlier else run_all(options)
    directories = options.earlier or [options.cache / "results"]
    systems = earlier_systems(options) if options.earlier else options.systems
    if options.earlier and (strangers := results.strangers(directories, [one.name for one in systems])) and not options.named:
        print(f"scripts/scoreboard: {strangers[0]}: found the result of an unknown system, expected one of {options.adapters}/requirements, "
              f"or of {', '.join(one.name for one in BUNDLED)}", file=sys.stderr)
        return 99
    if not systems:
        print(f"scripts/scoreboard: {', '.join(map(str, directories))}: found no result, expected NAME.json or NAME/*.json of a system", file=sys.stderr)
        return 99
    try:
        board = read_all(options, directories, systems, troubles)
    except records.Wrong as error:
        print(f"scripts/scoreboard: {error}", file=sys.stderr)
        return 99
    write(board, options.out)
    summary(board)
    return board.status()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
