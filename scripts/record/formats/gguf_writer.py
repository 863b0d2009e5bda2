"""GGUF files of llama.cpp's own tools, of the build that ASSAY_LLAMA_CPP names: src/vendor/llama.cpp (convert_hf_to_gguf.py) and
build/bin/llama-quantize."""

from __future__ import annotations

import json
import multiprocessing
import os
import runpy
import subprocess
import sys
import tempfile
from pathlib import Path

from .packed import Config

TEXT = "the quick brown fox jumps over a lazy dog; pack my box with five dozen liquor jugs, 0123456789 times! "

def place() -> Path:
    if "ASSAY_LLAMA_CPP" not in os.environ:
        raise RuntimeError("ASSAY_LLAMA_CPP does not name a build of llama.cpp: name other variants")
    return Path(os.environ["ASSAY_LLAMA_CPP"])


def run(*command: str | Path) -> None:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{command[0]} ended with status {done.returncode}: {(done.stderr or done.stdout)[-600:]}")


def convert(source: Path, pre: str, arguments: list[str]) -> None:
    """Runs convert_hf_to_gguf.py in this process. pre: the pre-tokenizer, which it knows by a hash for published models."""
    sys.argv = ["convert_hf_to_gguf.py", *arguments]
    sys.path[:0] = [str(source / "gguf-py"), str(source)]
    from conversion.base import TextModel
    TextModel.get_vocab_base_pre = lambda self, tokenizer: pre
    runpy.run_path(str(source / "convert_hf_to_gguf.py"), run_name="__main__")


def run_convert(source: Path, pre: str, *arguments: str | Path) -> None:
    """The same in a process of its own that has its packages from the start."""
    child = multiprocessing.get_context("fork").Process(target=convert, args=(source, pre, [str(word) for word in arguments]))
    child.start()
    child.join()
    if child.exitcode:
        raise RuntimeError(f"convert_hf_to_gguf.py ended with status {child.exitcode}")


def write_tokenizer(directory: Path, vocab_size: int) -> None:
    """A tokenizer of bytes and a few merges. The converter fills its ids up to those of the model; some families' classes add a few."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    made = Tokenizer(models.BPE())
    made.pre_tokenizer, made.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    made.train_from_iterator([TEXT], trainers.BpeTrainer(vocab_size=vocab_size - 8, show_progress=False))
    made.add_special_tokens(["<s>", "</s>"])
    made.save(str(directory / "tokenizer.json"))
    said = {"tokenizer_class": "PreTrainedTokenizerFast", "bos_token": "<s>"}  # the end is that of config.json
    (directory / "tokenizer_config.json").write_text(json.dumps(said))


def write_fallback(directory: Path, vocab_size: int) -> None:
    """A tokenizer like Gemma 4's: merges of characters, and bytes for others; it has exactly as many ids as the model."""
    from tokenizers import Tokenizer, decoders, models, normalizers, trainers
    made = Tokenizer(models.BPE(byte_fallback=True, fuse_unk=True, unk_token="<unk>"))
    made.normalizer = normalizers.Replace(" ", "\u2581")
    made.decoder = decoders.Sequence([decoders.Replace("\u2581", " "), decoders.ByteFallback(), decoders.Fuse()])
    special = ["<pad>", "<eos>", "<bos>", "<unk>"]
    made.train_from_iterator([TEXT], trainers.BpeTrainer(vocab_size=vocab_size, special_tokens=special, show_progress=False))
    made.save(str(directory / "tokenizer.json"))
    said = {"tokenizer_class": "PreTrainedTokenizerFast", "bos_token": "<bos>", "unk_token": "<unk>", "pad_token": "<pad>"}
    (directory / "tokenizer_config.json").write_text(json.dumps(said))


def write_pieces(directory: Path, vocab_size: int) -> None:
    """tokenizer.model of as many pieces as the model has ids."""
    import sentencepiece
    with open(directory / "tokenizer.model", "wb") as file:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter([TEXT] * 4), model_writer=file, vocab_size=vocab_size, model_type="bpe", hard_vocab_limit=False,
            minloglevel=2, pad_id=-1)


TOKENIZERS = {"bytes": write_tokenizer, "pieces": write_pieces, "fallback": write_fallback}


def write(plain: Path, directory: Path, how: Config) -> None:
    """Converts a checkpoint to `how["gguf"]`: the type of llama-quantize; "" leaves that of the converter (`outtype`). tokenizer: one of
    TOKENIZERS. parts: the converter divides the file after so many tensors. convert, quantize: further arguments of the two."""
    source = place() / "src" / "vendor" / "llama.cpp"
    config = json.loads((plain / "config.json").read_text())
    TOKENIZERS[how.get("tokenizer", "bytes")](plain, config["vocab_size"])
    directory.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        out, named = Path(scratch) / "model.gguf", Path(scratch) / "tiny"  # the file has its name
        named.symlink_to(plain.resolve(), target_is_directory=True)
        run_convert(source, how.get("pre", "llama-bpe"), named, "--outfile", out, "--outtype", how.get("outtype", "f32"),
                    *(["--split-max-tensors", str(how["parts"])] if how.get("parts") else []), *how.get("convert", ()))
        if how["gguf"]:
            wide, out = out, Path(scratch) / "quantised.gguf"
            run(place() / "build" / "bin" / "llama-quantize", *how.get("quantize", ()), wide, out, how["gguf"], "1")
        for file in sorted(out.parent.glob(f"{out.stem}*.gguf")):
            kept = directory / file.name.replace("quantised", "model")
            kept.write_bytes(file.read_bytes())
