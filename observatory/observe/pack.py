"""Packs of observations: observatory/observations/FAMILY.h5 has the observation of fixtures/FAMILY/VARIANT/CASE.h5 in the group
VARIANT/CASE.SYSTEM. A group of a system that gave no answer has the attribute `error`, with the system's words.

    python -m observatory.observe.pack PACK             # lists the groups of a pack
    python -m observatory.observe.pack PACK GROUP OUT   # copies one into a file of its own
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import h5py

from scripts.record.support import h5

PACKS = Path("observatory/observations")
Source = h5py.Group | str  # an observation, or the words of a system that gave no answer


def names(pack: Mapping[str, Any]) -> list[str]:
    return [f"{variant}/{name}" for variant in sorted(pack) for name in sorted(pack[variant])]


def error_of(group: h5py.Group) -> str | None:
    error = group.attrs.get("error")
    return error.decode() if isinstance(error, bytes) else error


def add_group(to: h5py.Group, name: str) -> h5py.Group:
    """A group without the time of its making."""
    created = h5py.h5p.create(h5py.h5p.GROUP_CREATE)
    created.set_obj_track_times(False)
    return h5py.Group(h5py.h5g.create(to.id, name.encode(), gcpl=created))


def copy_members(source: h5py.Group, to: h5py.Group) -> None:
    """Copies attributes and members of a group without the times of groups; datasets have none, and stay as they are stored."""
    for key, value in source.attrs.items():
        to.attrs.create(key, value, dtype=source.attrs.get_id(key).dtype)
    for name in sorted(source):
        if isinstance(source[name], h5py.Group):
            copy_members(source[name], add_group(to, name))
        else:
            source.copy(name, to)


def create(path: Path) -> h5py.File:
    """A file whose root group has no time of its making either, which HDF5 1.10 gives it."""
    created, access = h5py.h5p.create(h5py.h5p.FILE_CREATE), h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    created.set_obj_track_times(False)
    access.set_libver_bounds(h5py.h5f.LIBVER_V110, h5py.h5f.LIBVER_V110)
    return h5py.File(h5py.h5f.create(os.fsencode(path), h5py.h5f.ACC_TRUNC, fcpl=created, fapl=access))


def write(pack: Path, sources: dict[str, Source]) -> None:
    """Writes a pack whose bytes depend only on its content."""
    unfinished = pack.with_name(f".{pack.name}.{os.getpid()}")
    pack.parent.mkdir(parents=True, exist_ok=True)
    with create(unfinished) as file:
        h5.set_attribute(file, "schema", h5.SCHEMA)
        h5.set_attribute(file, "kind", "observation")
        for variant in sorted({name.split("/")[0] for name in sources}):
            add_group(file, variant)
        for name, source in sorted(sources.items()):
            if isinstance(source, str):
                h5.set_attribute(add_group(file, name), "error", source)
            else:
                copy_members(source, add_group(file, name))
    unfinished.replace(pack)


@contextlib.contextmanager
def held(folder: Path) -> Iterator[None]:
    """Another process may observe other cases of the family."""
    folder.mkdir(parents=True, exist_ok=True)
    lock = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def place_of(case: Path, packs: Path) -> tuple[Path, str]:
    """The pack of a case, and how the names of its groups start."""
    return packs / f"{case.parts[-3]}.h5", f"{case.parts[-2]}/{case.stem}."


def store(case: Path, system: str, packs: Path) -> None:
    """Moves what an observer wrote to the folder `observed` beside a case to its pack, instead of the earlier observations of the system:
    CASE.SYSTEM.h5, or CASE.SYSTEM.txt with the system's words."""
    pack, start = place_of(case, packs)
    folder = case.parent / "observed"
    with held(packs), contextlib.ExitStack() as opened:
        old = opened.enter_context(h5py.File(pack)) if pack.exists() else {}
        sources: dict[str, Source] = {name: old[name] for name in names(old) if not name.startswith(start + system)}
        for file in sorted(folder.glob(f"{case.stem}.{system}*")):
            sources[f"{case.parts[-2]}/{file.stem}"] = file.read_text(encoding="utf-8").strip() if file.suffix == ".txt" else \
                opened.enter_context(h5py.File(file))["/"]
        if sources:
            write(pack, sources)
    shutil.rmtree(folder, ignore_errors=True)


def stored(case: Path, packs: Path) -> dict[str, Any]:
    """The contents of the observations of a case, by group."""
    pack, start = place_of(case, packs)
    if not pack.exists():
        return {}
    with h5py.File(pack) as file:
        return {name: contents(file[name]) for name in names(file) if name.startswith(start)}


def contents(group: h5py.Group) -> dict[str, Any]:
    """All that a group holds, by path: attributes with their types, and datasets with how they are stored."""
    found: dict[str, Any] = {}

    def keep(name: str, member: h5py.HLObject) -> None:
        found[name] = [(key, member.attrs.get_id(key).dtype.str, member.attrs[key]) for key in sorted(member.attrs)]
        if isinstance(member, h5py.Dataset):
            found[name] += [member.dtype.str, member.shape, member.chunks, member.compression, member.shuffle, member[()].tobytes()]

    keep("", group)
    group.visititems(keep)
    return found


def main(arguments: list[str]) -> None:
    with h5py.File(arguments[0]) as pack:
        if len(arguments) == 1:
            print("\n".join(names(pack)))
            return
        with create(Path(arguments[2])) as out:
            copy_members(pack[arguments[1]], out)


if __name__ == "__main__":
    main(sys.argv[1:])
