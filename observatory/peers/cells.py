"""The cells of the tables: measurements, systems and types."""

from __future__ import annotations

from typing import NamedTuple

from .pictures import Pictures, Tower, n_tokens

FIRST_PROMPT = 16  # as in assay bench
GROUPS = {  # group -> the checkpoint that Assay and readers of Hugging Face's format open
    "f32": "float32",
    "bf16": "bfloat16",
    "8-bit": "affine8",
    "4-bit": "affine4",
    "f64": "bfloat16",
}
REFERENCE = "f64"  # the group of the reference engine, on one thread; only measured if it is named, and alone
COMPUTE = {  # group -> compute type for fastpath, if neither --engine nor --bench-option is given
    "f32": "f32",
    "bf16": "bf16",
    "8-bit": "int8",  # like the peers with such weights
    "4-bit": "int8",
}

IMAGE_GROUPS = ("f32", "bf16")  # of prompts with images


class Point(NamedTuple):
    measure: str  # "first token", "prefill" or "decode"
    prompt: int
    batch: int = 1
    pictures: Pictures | None = None  # in the prompt, whose tokens include their placeholders

    def __str__(self) -> str:
        if self.pictures:
            p = self.pictures
            return (f"prefill {p.n} image{'s' if p.n > 1 else ''} of {p.width} x {p.height}, "
                    f"{self.prompt} tokens")
        name = {"first token": "first token of", "prefill": "prefill", "decode": "decode after"}
        many = f", {self.batch} x" if self.batch > 1 else ""
        return f"{name[self.measure]} {self.prompt}{many}"


class Time(NamedTuple):
    """speed: tokens per second; for the first token 1 / seconds. warm: the first token's speed without the start
    of the interpreter and the loading of libraries. peak: bytes of memory."""
    speed: float
    peak: float
    warm: float = 0.0


class System(NamedTuple):
    """A peer in one group. model: the file or directory that it opens, relative to the models' directory.
    stored, computed: types, for the table. exact: its logits must agree with ours in float32.
    how: a further setting for its backend."""
    group: str
    peer: str
    name: str
    model: str
    stored: str
    computed: str
    exact: bool = False
    how: str = ""


class Peer(NamedTuple):
    """How a peer is installed, besides its requirements. no_deps: packages that are installed without their
    dependencies. left_out: the reason why it is not measured by default."""
    environment: tuple[tuple[str, str], ...] = ()
    no_deps: tuple[str, ...] = ()
    torch: str = ""
    left_out: str = ""


# llama.cpp: builds only the libraries, for this processor. OpenVINO's exporter depends on torchvision, which it needs
# only for images.
PEERS: dict[str, Peer] = {
    "torch": Peer(torch="2.13.0"),
    "llama.cpp": Peer(environment=(
        ("CMAKE_ARGS", "-DGGML_NATIVE=ON -DLLAVA_BUILD=OFF -DLLAMA_BUILD_TOOLS=OFF "
         "-DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_SERVER=OFF "
         "-DLLAMA_OPENSSL=OFF"),)),
    "openvino": Peer(torch="2.13.0", no_deps=("optimum==2.3.0", "optimum-intel==2.2.0")),
    # Another transformers: the exporter of Qwen2-VL refuses those from 5.1 on.
    "openvino-images": Peer(torch="2.13.0",
                            no_deps=("optimum==2.3.0", "optimum-intel==2.2.0")),
    "mlx-lm": Peer(left_out="made for the graphics of Apple; --peer mlx-lm has it measured"),
}

SYSTEMS = (
    System("f32", "torch", "torch", "float32", "f32", "f32; cache f32", True),
    System("f32", "llama.cpp", "llama.cpp", "float32.gguf", "f32",
           "f32; cache and attention f16"),
    System("f32", "llama.cpp", "llama.cpp strict", "float32.gguf", "f32",
           "f32; cache f32, without its fused attention, which would round it to f16", True,
           "strict"),
    System("f32", "openvino", "OpenVINO", "float32.openvino", "f32", "f32; cache f32", True),
    System("f32", "mlx-lm", "mlx-lm", "float32", "f32", "f32; cache f32", True),
    System("bf16", "torch", "torch", "bfloat16", "bf16", "bf16; cache bf16"),
    System("bf16", "llama.cpp", "llama.cpp", "bfloat16.gguf", "bf16; norms f32",
           "products of bf16, all else f32; cache f16"),
    System("bf16", "openvino", "OpenVINO", "bfloat16.openvino", "bf16", "bf16; cache f16"),
    System("bf16", "mlx-lm", "mlx-lm", "bfloat16", "bf16", "bf16; cache bf16"),
    System("8-bit", "llama.cpp", "llama.cpp Q8_0", "q8_0.gguf", "Q8_0: 8.5 bits",
           "products of 8-bit activations; cache f16"),
    System("8-bit", "openvino", "OpenVINO int8", "int8.openvino", "int8, scales of rows",
           "products of 8-bit activations in groups of 32, all else bf16; cache f16"),
    System("8-bit", "mlx-lm", "mlx-lm", "affine8", "8-bit groups of 64", "bf16; cache bf16"),
    System("4-bit", "llama.cpp", "llama.cpp Q4_0", "q4_0.gguf", "Q4_0: 4.5 bits; embedding Q6_K",
           "products of 8-bit activations; cache f16"),
    System("4-bit", "llama.cpp", "llama.cpp Q4_K_M", "q4_k_m.gguf",
           "Q4_K and Q6_K; embedding Q6_K", "products of 8-bit activations; cache f16"),
    System("4-bit", "openvino", "OpenVINO int4", "int4.openvino",
           "int4 groups of 128; embedding int8",
           "products of 8-bit activations in groups of 32, all else bf16; cache f16"),
    System("4-bit", "mlx-lm", "mlx-lm", "affine4", "4-bit groups of 64", "bf16; cache bf16"),
)

REFERENCE_SYSTEMS = (
    System(REFERENCE, "torch", "torch", "bfloat16", "bf16", "f64, weights widened when opened", False,
           "float64"),
)

# Of prompts with images.
IMAGE_SYSTEMS = (
    System("f32", "torch", "torch", "float32", "f32", "f32; cache f32", True),
    System("f32", "openvino-images", "OpenVINO", "float32.openvino", "f32", "f32; cache f32", True),
    System("bf16", "torch", "torch", "bfloat16", "bf16", "bf16; cache bf16"),
    System("bf16", "openvino-images", "OpenVINO", "bfloat16.openvino", "bf16", "bf16; cache f16"),
)


def image_points(pictures: list[Pictures], tower: Tower) -> list[Point]:
    return [Point("prefill", n_tokens(p, tower), 1, p) for p in pictures]


def points(prompts: list[int], contexts: list[int], batches: list[int]) -> list[Point]:
    return [Point("first token", FIRST_PROMPT), *(Point("prefill", n) for n in prompts),
            *(Point("decode", n, b) for b in batches for n in contexts)]
