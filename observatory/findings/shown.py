"""The command line of programs that reproduce entries of observatory/FINDINGS.md."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping


def choose(program: str, shown: Mapping[str, Callable[[], object]], arguments: list[str]) -> list[str]:
    """The requested names: with --all every name, in the order of `shown`. Empty if --list was given, which is
    handled here."""
    parser = argparse.ArgumentParser(prog=f"python -m observatory.{program}",
                                     description="Shows an entry of observatory/FINDINGS.md.")
    parser.add_argument("name", nargs="*", help="what to show")
    parser.add_argument("--all", action="store_true", help="show everything")
    parser.add_argument("--list", action="store_true", help="name what can be shown")
    options = parser.parse_args(arguments)
    unknown = set(options.name) - set(shown)
    if unknown or not (options.name or options.all or options.list):
        parser.error(f"name one of {', '.join(shown)}")
    if options.list:
        for name, function in shown.items():
            print(f"{name:32s}{function.__doc__}")
        return []
    return list(shown) if options.all else options.name
