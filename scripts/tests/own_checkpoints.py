"""Small checkpoints with random weights for the tests of scripts/record/own, written by the published classes.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import tokenizers
import torch
import transformers

from scripts.record.runs.truth import array, precision
from scripts.record.streamed import skeleton

SMALL = {"vocab_size": 61, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 3, "num_attention_heads": 4,
         "num_key_value_heads": 2, "head_dim": 8, "max_position_embeddings": 128, "pad_token_id": 0, "bos_token_id": 1,
         "eos_token_id": 2}
# Families without a bundled checkpoint, some of them unknown to the loader: class of the config, further members.
DRAWN = {"gpt_oss": ("GptOssConfig", {"num_local_experts": 4, "num_experts_per_tok": 2, "sliding_window": 4,
                                      "layer_types": ["sliding_attention", "full_attention", "sliding_attention"]}),
         "gemma3": ("Gemma3TextConfig", {"sliding_window": 4, "query_pre_attn_scalar": 8,
                                         "layer_types": ["sliding_attention", "full_attention", "sliding_attention"]}),
         "mixtral": ("MixtralConfig", {"num_local_experts": 4, "num_experts_per_tok": 2}),
         "deepseek_v3": ("DeepseekV3Config", {
             "n_routed_experts": 4, "num_experts_per_tok": 2, "n_group": 2, "topk_group": 1, "first_k_dense_replace": 1,
             "moe_intermediate_size": 16, "q_lora_rank": 8, "kv_lora_rank": 8, "qk_rope_head_dim": 4, "qk_nope_head_dim": 4,
             "v_head_dim": 8, "head_dim": 4, "num_key_value_heads": 4}),
         "llama4": ("Llama4TextConfig", {"num_local_experts": 2, "intermediate_size_mlp": 48, "attention_chunk_size": 8}),
         "lfm2": ("Lfm2Config", {"layer_types": ["conv", "full_attention", "conv"]}),
         "opt": ("OPTConfig", {"ffn_dim": 48, "word_embed_proj_dim": 32}),
         "gpt2": ("GPT2Config", {"n_inner": 48}),
         "gpt_neox": ("GPTNeoXConfig", {})}
# Its layers share weights.
UNCUT = ("Zamba2Config", {
    "num_hidden_layers": 6, "layers_block_type": ["mamba", "mamba", "hybrid"] * 2, "mamba_d_state": 8, "n_mamba_heads": 8,
    "num_key_value_heads": 4, "head_dim": 16, "num_mem_blocks": 1, "use_mamba_kernels": False})


def draw_checkpoint(family: tuple[str, dict], directory: Path) -> None:
    """A checkpoint with random weights, written by the published save_pretrained."""
    kind, more = family
    torch.manual_seed(5)
    model = transformers.AutoModelForCausalLM.from_config(getattr(transformers, kind)(**(SMALL | more)), dtype=torch.float32)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.1 * torch.randn(parameter.shape)
    model.save_pretrained(directory)


def loaded_model(directory: Path, dtype: torch.dtype) -> transformers.PreTrainedModel:
    kind = skeleton.model_class(skeleton.read_config(directory), directory)
    return kind.from_pretrained(directory, dtype=dtype, attn_implementation="eager", experts_implementation="eager").eval()


def wide_model(directory: Path) -> transformers.PreTrainedModel:
    """The published model in float64, its buffers, too, with the weights that from_pretrained loads."""
    loaded = loaded_model(directory, torch.float64)
    state = {name: tensor.double() if tensor.is_floating_point() else tensor for name, tensor in loaded.state_dict().items()}
    with precision(torch.float64):
        model = type(loaded)(loaded.config).eval()
        model.load_state_dict(state)
    return model


def published_logits(directory: Path, tokens: list[int], dtype: torch.dtype = torch.float64) -> np.ndarray:
    model = wide_model(directory) if dtype is torch.float64 else loaded_model(directory, dtype)
    with precision(dtype):
        return array(model(input_ids=torch.tensor([tokens]), use_cache=False).logits[0]).copy()


def draw_images_checkpoint(directory: Path) -> None:
    """A Gemma 3 with a tower and random weights, whose images are seen in both directions; with tokenizer and processor."""
    names = {50: "<boi>", 51: "<eoi>", 52: "<img>", 53: "<end>"}
    vocabulary = {names.get(i, f"w{i}"): i for i in range(SMALL["vocab_size"])}
    words = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="w0"))
    words.pre_tokenizer = tokenizers.pre_tokenizers.Sequence([
        tokenizers.pre_tokenizers.Split(mark, "isolated") for mark in names.values()] + [
        tokenizers.pre_tokenizers.WhitespaceSplit()])
    marks = {"boi_token": "<boi>", "eoi_token": "<eoi>", "image_token": "<img>"}
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=words, unk_token="w0", extra_special_tokens=marks)
    pixels = transformers.AutoImageProcessor.from_pretrained
    (directory / "pixels").mkdir(parents=True)
    (directory / "pixels/preprocessor_config.json").write_text(json.dumps({
        "image_processor_type": "Gemma3ImageProcessor", "size": {"height": 28, "width": 28}}))
    transformers.Gemma3Processor(pixels(directory / "pixels"), tokenizer, image_seq_length=4).save_pretrained(directory)
    shutil.rmtree(directory / "pixels")
    vision = {"hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 2, "num_attention_heads": 2, "image_size": 28,
              "patch_size": 7}
    config = transformers.Gemma3Config(text_config=SMALL | DRAWN["gemma3"][1], vision_config=vision, mm_tokens_per_image=4,
                                       boi_token_index=50, eoi_token_index=51, image_token_index=52, image_token_id=52)
    torch.manual_seed(5)
    model = transformers.Gemma3ForConditionalGeneration(config)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.1 * torch.randn(parameter.shape)
    model.save_pretrained(directory)
