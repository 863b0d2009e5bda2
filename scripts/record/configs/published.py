"""Members of the config.json of published repositories that the configs of bundled checkpoints do not have. The sizes are those of the
checkpoints."""

from __future__ import annotations

import copy
from typing import Any

from . import sources

QWEN_VL = {"vision_token_id": 151654, "max_window_layers": 28, "sliding_window": 32768, "use_sliding_window": False}
GLM_IDS = {"image_start_token_id": 41, "image_end_token_id": 42, "video_start_token_id": 39, "video_end_token_id": 40}

# Repository: the checkpoint whose config is spelled as it is, and the further members, by the object that has them ("" is the document).
PUBLISHED: dict[str, tuple[str, dict[str, dict[str, Any]]]] = {
    "meta-llama/Llama-3.1-8B": ("llama/llama3-old", {"": {"transformers_version": "4.43.0.dev0", "bos_token_id": 128000, "pretraining_tp": 1}}),
    "TinyLlama/TinyLlama-1.1B-Chat-v1.0": ("llama/old", {"": {"transformers_version": "4.35.0", "rope_scaling": None, "pretraining_tp": 1}}),
    "google/gemma-2b": ("gemma/old", {"": {"transformers_version": "4.38.0.dev0", "attention_dropout": 0.0, "rope_scaling": None}}),
    "google/gemma-2-2b": ("gemma2/old", {"": {
        "transformers_version": "4.42.0.dev0", "cache_implementation": "hybrid", "hidden_act": "gelu_pytorch_tanh", "sliding_window_size": 6}}),
    "google/gemma-3n-E2B-it": ("gemma3n/images", {"": {
        "transformers_version": "4.53.0.dev0", "audio_soft_tokens_per_image": 188, "boa_token_id": 256000, "boi_token_id": 255999,
        "eoa_token_id": 262272, "eoi_token_id": 262144, "initializer_range": 0.02},
        "text_config": {"altup_lr_multiplier": 1.0, "query_pre_attn_scalar": 256}}),
    "google/gemma-4-E2B-it": ("gemma4/multimodal-old", {"": {"transformers_version": "5.5.0.dev0", "vision_soft_tokens_per_image": 280},
        "text_config": {"dtype": "bfloat16"},
        "vision_config": {"default_output_length": 280, "dtype": "bfloat16", "global_head_dim": 8}}),
    "ibm-granite/granite-3.1-2b-base": ("granite/old", {"": {"transformers_version": "4.46.0.dev0", "attention_dropout": 0.1, "rope_scaling": None}}),
    "allenai/OLMo-2-1124-7B": ("olmo2/old", {"": {"transformers_version": "4.47.0.dev0", "attention_dropout": 0.0, "rope_scaling": None}}),
    "microsoft/Phi-3-mini-128k-instruct": ("phi3/partial-old", {"": {
        "transformers_version": "4.40.2", "auto_map": {"AutoConfig": "configuration_phi3.Phi3Config"}, "embd_pdrop": 0.0,
        "original_max_position_embeddings": 512, "resid_pdrop": 0.0}}),
    "microsoft/Phi-4-mini-instruct": ("phi3/partial-old", {"": {
        "transformers_version": "4.45.0", "full_attn_mod": 1, "interpolate_factor": 1, "lm_head_bias": False, "mlp_bias": False,
        "resid_pdrop": 0.0}}),
    "Qwen/Qwen2.5-7B": ("qwen2/window-old", {"": {"transformers_version": "4.40.1", "use_mrope": False}}),
    "Qwen/Qwen3-0.6B": ("qwen3/old", {"": {
        "transformers_version": "4.51.0", "max_window_layers": 28, "rope_scaling": None, "sliding_window": None, "use_sliding_window": False}}),
    "Qwen/Qwen3-30B-A3B": ("qwen3_moe/fused-old", {"": {
        "transformers_version": "4.51.0", "max_window_layers": 48, "rope_scaling": None, "sliding_window": None, "use_sliding_window": False,
        "output_router_logits": False, "router_aux_loss_coef": 0.001}}),
    "Qwen/Qwen2-VL-2B-Instruct": ("qwen2_vl/base", {"": {"transformers_version": "4.41.2", **QWEN_VL}}),
    "Qwen/Qwen2.5-VL-3B-Instruct": ("qwen2_5_vl/base", {"": {"transformers_version": "4.41.2", **QWEN_VL}}),
    "Qwen/Qwen3-VL-2B-Instruct": ("qwen3_vl/base", {"": {"transformers_version": "4.57.0.dev0"}}),
    "Qwen/Qwen3-VL-30B-A3B-Instruct": ("qwen3_vl_moe/base", {"": {"transformers_version": "4.57.0.dev0"}}),
    "Qwen/Qwen3-Omni-30B-A3B-Instruct": ("qwen3_omni_moe/base", {"": {
        "transformers_version": "4.57.0.dev0", "assistant_token_id": 77091, "im_end_token_id": 151645, "im_start_token_id": 151644,
        "system_token_id": 8948, "tts_bos_token_id": 151672, "tts_eos_token_id": 151673, "tts_pad_token_id": 151671, "user_token_id": 872},
        "thinker_config": {"seconds_per_chunk": 2},
        "thinker_config.vision_config": {
            "apply_vit_abs_pos_embed": True, "image_size": 768, "in_chans": 3, "spatial_patch_size": 4, "tokens_per_second": 2,
            "tie_word_embeddings": True, "torch_dtype": "float32"},
        "thinker_config.audio_config": {"encoder_layerdrop": 0.0, "num_hidden_layers": 2, "tie_word_embeddings": True, "torch_dtype": "float32"},
        "thinker_config.text_config": {
            "shared_expert_intermediate_size": 0, "tie_word_embeddings": False, "use_qk_norm": True, "use_sliding_window": False}}),
    "Qwen/Qwen3.5-27B": ("qwen3_5/tower-old", {"": {"transformers_version": "4.57.0.dev0"}, "text_config": {
        "attn_output_gate": True, "mamba_ssm_dtype": "float32", "mlp_only_layers": [], "mtp_num_hidden_layers": 1,
        "mtp_use_dedicated_embeddings": False}}),
    "Qwen/Qwen3.5-35B-A3B": ("qwen3_5_moe/tower-old", {"": {"transformers_version": "4.57.0.dev0"}, "text_config": {
        "attn_output_gate": True, "mamba_ssm_dtype": "float32", "mlp_only_layers": [], "mtp_num_hidden_layers": 1,
        "mtp_use_dedicated_embeddings": False}}),
    "zai-org/GLM-4.1V-9B-Thinking": ("glm4v/old", {"": {"transformers_version": "4.57.1", **GLM_IDS}}),
    "zai-org/GLM-4.5V": ("glm4v_moe/base", {"": {"transformers_version": "4.57.1"}, "text_config": {
        "num_nextn_predict_layers": 1, "scoring_func": "sigmoid", "topk_method": "noaux_tc", "use_qk_norm": False}}),
    "zai-org/GLM-OCR": ("glm_ocr/old", {"": {"transformers_version": "5.0.1dev0"}, "text_config": {"num_nextn_predict_layers": 1}}),
    "PaddlePaddle/PaddleOCR-VL": ("paddleocr_vl/base", {"": {
        "transformers_version": "4.55.0", "attention_probs_dropout_prob": 0.0, "hidden_dropout_prob": 0.0, "max_sequence_length": None,
        "use_flash_attention": False, "auto_map": {"AutoConfig": "configuration_paddleocr_vl.PaddleOCRVLConfig"}}, "vision_config": {
        "architectures": ["SiglipVisionModel"], "auto_map": {"AutoConfig": "configuration_paddleocr_vl.PaddleOCRVLConfig"},
        "pad_token_id": 0, "torch_dtype": "bfloat16"}}),
    "tencent/HunyuanOCR": ("hunyuan_vl/base", {"": {
        "transformers_version": "4.49.0", "image_start_token_id": 55, "image_end_token_id": 56, "image_newline_token_id": 58, "pad_id": 2,
        "routed_scaling_factor": 1.0, "text_start_id": 7, "text_end_id": 8}}),
    "baidu/ERNIE-4.5-VL-28B-A3B-PT": ("ernie4_5_vl_moe/base", {"": {
        "transformers_version": "4.51.0.dev0", "moe_layer_end_index": [29, 28], "moe_multimodal_dispatch_use_allgather": "v2-alltoall-unpad-text",
        "auto_map": {"AutoConfig": "configuration_ernie4_5_vl.Ernie4_5_VLMoEConfig"}, "hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0,
        "num_nextn_predict_layers": 0, "use_flash_attention": True}}),
    "unsloth/Llama-3.2-11B-Vision-Instruct": ("mllama/old", {"": {"transformers_version": "4.45.0.dev0"}}),
    "mlx-community/moondream3-preview": ("moondream3/base", {"": {
        "config": {}, "region_config": {"hidden_size": 22}, "transformers_version": "4.56.0"}, "vision_config": {"max_crops": 12}}),
    "tiiuae/Falcon-OCR": ("falcon_ocr/base", {"": {"transformers_version": "4.57.1", "auto_map": {"AutoConfig": "configuration_falcon_ocr.FalconOCRConfig"}, "eos_id": 11}}),
}

# mlx-vlm, or the repository itself, has the class that reads these: the bundled checkpoints have its spelling, so that the row is read as they
# are.
WITHOUT_CLASS = ("moondream3", "falcon_ocr", "ernie4_5_vl_moe/base")


def config(repository: str) -> tuple[str, dict[str, Any]]:
    """The checkpoint of a repository's row, and its config."""
    checkpoint, members = PUBLISHED[repository]
    document = copy.deepcopy(sources.config(checkpoint))
    for path, further in members.items():
        place = document
        for name in filter(None, path.split(".")):
            place = place[name]
        place |= further
    return checkpoint, document
