"""Runs llama.cpp on what its own converter makes of a checkpoint: observations to compare, never goldens. ASSAY_LLAMA_CPP names the build
(`scripts/record/formats/gguf_writer.py`), whose sources are those of llama-cpp-python. The file has weights in F32 and a tokenizer drawn for it, which
the cases do not use; the cache is float32."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from scripts.record.formats import gguf_writer
from scripts.record.support import h5

from . import llama_cpp
from .formats import method_of
from .mlx_lm import distance, refusal

SYSTEM = "llama-cpp-converted"
WAY = llama_cpp.Way(SYSTEM, False, True, "converted by convert_hf_to_gguf.py to F32, a cache of float32")


def convert(model: Path, scratch: Path) -> Path:
    """The file that the converter writes of a checkpoint without a tokenizer."""
    plain = Path(shutil.copytree(model, scratch / "plain"))
    gguf_writer.write(plain, scratch / "out", {"gguf": "", "tokenizer": "pieces"})
    return scratch / "out" / "model.gguf"


def observe(case: Path) -> str:
    """Writes observed/<case>.llama-cpp-converted.h5 beside a case, or .txt with the error message. Returns text for the log."""
    golden, attributes = h5.read(case)
    if method_of(case) is not None:
        raise SystemExit(f"{case}: found a quantised checkpoint, expected one in plain numbers")
    release = llama_cpp.start()[0]
    place = case.parent / "observed" / f"{case.stem}.{SYSTEM}"
    place.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        try:
            datasets = llama_cpp.run(convert(case.parent / str(attributes["model"]), Path(scratch)), WAY, golden)
        except Exception as error:  # any error of llama.cpp is its result
            place.with_name(place.name + ".txt").write_text(f"{release}: {refusal(error, case)}\n")
            return f"{SYSTEM} cannot: {refusal(error, case)[:90]}"
    h5.write(place.with_name(place.name + ".h5"), {
        "kind": "observation", "case": f"../{case.name}", "recorder": attributes["recorder"],
        "source": f"{release}; {WAY.words}; no flash attention; each sample alone, cached decode"}, datasets)
    return f"{SYSTEM} {distance(golden, datasets, '/observed') / distance(golden, golden, '/expect/float32'):.3g} x noise"
