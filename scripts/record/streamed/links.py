"""How cases name their checkpoint: by links next to them, or by its path below a root; with the checksums of its files."""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path

from ..support import checksums
from .coded import gguf_files
from .documents import Unsupported


def path_below(checkpoint: Path, root: Path) -> str:
    """The path of the checkpoint below the root, as it is written, or as it is without symbolic links."""
    if not root.is_dir():
        raise Unsupported(f"--checkpoint-root {root}: found no such directory")
    for inner, outer in ((Path(os.path.abspath(checkpoint)), Path(os.path.abspath(root))), (checkpoint.resolve(), root.resolve())):
        if inner != outer and inner.is_relative_to(outer):
            return inner.relative_to(outer).as_posix()
    raise Unsupported(f"--checkpoint {checkpoint}: found outside --checkpoint-root {root}, expected a directory below it")


def refer_to(checkpoint: Path, root: Path | None, out: Path) -> dict[str, str]:
    """The attribute by which cases in `out` name a checkpoint: its path below the root. Writes its checksums there, and links if there is no root."""
    if root is None and checkpoint.is_file():
        return {"model": link_file(checkpoint, out)}
    if root is None:
        link_checkpoint(checkpoint, out)
        return {"model": "model"}
    path = path_below(checkpoint, root)
    out.mkdir(parents=True, exist_ok=True)
    checksums.write_list(gguf_files(checkpoint) if checkpoint.is_file() else checksums.checkpoint_files(checkpoint), out / "model.crc32")
    return {"checkpoint": path}


def link_checkpoint(checkpoint: Path, out: Path) -> Path:
    """OUT/model: a directory of symbolic links to the files of the checkpoint, and their checksums beside it. A case may refer
    only to what lies below its own directory (conformance/case/header.c)."""
    files = checksums.checkpoint_files(checkpoint)
    model = out / "model"
    if model.is_symlink() or (model.exists() and not all(file.is_symlink() for file in model.iterdir())):
        raise Unsupported(f"{model}: found something else, expected to write links to a checkpoint there")
    wanted = {file.name: file.resolve() for file in files}
    if links_of(model) != wanted:
        made = out / f".model.{os.getpid()}"
        made.mkdir(parents=True)
        for name, target in wanted.items():
            (made / name).symlink_to(target)
        shutil.rmtree(model, ignore_errors=True)
        with contextlib.suppress(OSError):  # another shard was faster
            made.rename(model)
        shutil.rmtree(made, ignore_errors=True)
        if links_of(model) != wanted:
            raise Unsupported(f"{model}: found links to other files, expected those of {checkpoint}: is another checkpoint recorded there?")
    checksums.write(model)
    return model


def links_of(model: Path) -> dict[str, Path]:
    return {file.name: file.readlink() for file in model.iterdir()} if model.is_dir() else {}


def link_file(file: Path, out: Path) -> str:
    """Links a GGUF file and its other parts in `out`, with their checksums beside them; returns the name for cases."""
    out.mkdir(parents=True, exist_ok=True)
    for part in gguf_files(file):
        to = out / part.name
        if to.is_symlink() or not to.exists():
            to.unlink(missing_ok=True)
            to.symlink_to(part.resolve())
        elif not to.samefile(part):
            raise Unsupported(f"{to}: found another file, expected to write a link to {part} there")
    checksums.write(out / file.name)
    return file.name
