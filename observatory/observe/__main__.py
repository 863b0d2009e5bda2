"""Runs published systems on recorded cases: `python -m observatory.observe PLACE...`; --help lists the options."""

from __future__ import annotations

import argparse
import importlib
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from scripts.record import families
from scripts.record.record import family_variants
from scripts.record.support import h5

from . import pack

OBSERVERS = {"mlx-lm": "observatory.observe.mlx_lm", "mlx-vlm": "observatory.vlm.observation",
             "transformers": "observatory.observe.newer", "transformers-stored": "observatory.observe.stored",
             "compressed-tensors": "observatory.observe.compressed",
             "transformers-dequantized": "observatory.observe.dequantized",
             "onnxruntime-genai-stored": "observatory.observe.onnx",
             "openvino-gguf": "observatory.observe.openvino",
             "llama-cpp": "observatory.observe.llama_cpp", "llama-cpp-converted": "observatory.observe.llama_converted"}  # system -> module with observe(case)


def cases_at(place: Path) -> list[Path]:
    """The cases with logits at a place: the file itself, or all below a directory."""
    found = [place] if place.is_file() else sorted(place.rglob("*.h5"))
    return [case for case in found if "/expect/truth/decode" in h5.read(case)[0]]


def systems_of(case: Path) -> list[str]:
    """The systems that are run on a bundled case, fixtures/FAMILY/VARIANT/CASE.h5: mlx-vlm if the variant takes images, else mlx-lm; and the
    transformers of this environment if the family's truth is that of another version. A checkpoint that another tool than mlx-lm quantised:
    transformers, llama.cpp if it is a GGUF file, and compressed-tensors if it wrote it."""
    from scripts.record import pinned

    from .formats import method_of
    if (method := method_of(case)) is not None:
        return ["transformers-stored", *{"gguf": ["llama-cpp"], "compressed-tensors": ["compressed-tensors"]}.get(method, [])]
    name, variant = case.parts[-3], case.parts[-2]
    if name not in families.NAMES:
        return ["mlx-lm"]
    family = families.load(name)
    takes_images = any(family.pictures and "vision_config" in v.outer for v in family_variants(family, 0, [variant]))
    newer = pinned.is_elsewhere(family) and importlib.import_module(OBSERVERS["transformers"]).is_whole(case)
    return ["mlx-vlm" if takes_images else "mlx-lm", *(["transformers"] if newer else [])]


def observe(case: Path, systems: list[str], packs: Path) -> Iterator[str]:
    for name in systems:
        yield importlib.import_module(OBSERVERS[name]).observe(case)
        pack.store(case, name, packs)


def check(case: Path, systems: list[str], packs: Path) -> list[str]:
    """Observes a case again, elsewhere; the observations that differ, or that only one side has."""
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch) / Path(*case.parts[-3:-1])
        place.mkdir(parents=True)
        (place / "model").symlink_to((case.parent / "model").resolve())
        again = Path(shutil.copy(case, place))
        print(f"{case}: {'; '.join(observe(again, systems, Path(scratch)))}", flush=True)
        starts = tuple(f"{case.parts[-2]}/{case.stem}.{name}" for name in systems)
        ours, theirs = ({name: repr(found) for name, found in pack.stored(case, folder).items() if name.startswith(starts)}
                        for folder in (Path(scratch), packs))
        return [f"{case.parts[-3]}.h5/{name}: " + ("differs" if name in ours and name in theirs else "only one side has it")
                for name in sorted(set(ours) | set(theirs)) if ours.get(name) != theirs.get(name)]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m observatory.observe",
        description="Runs mlx-lm, mlx-vlm, transformers or llama.cpp on recorded cases, and writes what each gave, or its error, to "
                    "observatory/observations/FAMILY.h5. observatory/observations.tsv lists all: `python -m observatory.observe.table`.")
    parser.add_argument("place", nargs="+", type=Path, help="a case, or a directory with cases")
    parser.add_argument("--system", choices=OBSERVERS, help="run this one (default: by the family and variant of a bundled case)")
    parser.add_argument("--packs", type=Path, default=pack.PACKS, help="directory that receives FAMILY.h5 (default: %(default)s)")
    parser.add_argument("--check", action="store_true", help="write nothing: observe again and compare every array; exit 1 where they differ")
    options = parser.parse_args(arguments)
    differing: list[str] = []
    for case in [case for place in options.place for case in cases_at(place)]:
        systems = [options.system] if options.system else systems_of(case)
        if options.check:
            differing += check(case, systems, options.packs)
        else:
            print(f"{case}: {'; '.join(observe(case, systems, options.packs))}", flush=True)
    if options.check:
        print("\n".join(differing) or "observed again, nothing differs")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
