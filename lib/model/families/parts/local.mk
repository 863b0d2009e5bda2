# SPDX-License-Identifier: Apache-2.0
lib_model_libmodel_a_SOURCES += \
	lib/model/families/parts/common.c lib/model/families/parts/common.h \
	lib/model/families/parts/decoder.c lib/model/families/parts/decoder.h \
	lib/model/families/parts/deepseek_experts.c lib/model/families/parts/deepseek_experts.h \
	lib/model/families/parts/mixtral_experts.c lib/model/families/parts/mixtral_experts.h \
	lib/model/families/parts/ernie_decoder.c lib/model/families/parts/ernie_decoder.h \
	lib/model/families/parts/ernie_experts.c lib/model/families/parts/ernie_experts.h \
	lib/model/families/parts/family.h \
	lib/model/families/parts/harmless.c lib/model/families/parts/harmless.h \
	lib/model/families/parts/gemma3n_vision.c lib/model/families/parts/gemma3n_vision.h \
	lib/model/families/parts/gemma4_gguf.c lib/model/families/parts/gemma4_gguf.h \
	lib/model/families/parts/gemma4_vision.c lib/model/families/parts/gemma4_vision.h \
	lib/model/families/parts/gemma_parts.c lib/model/families/parts/gemma_parts.h \
	lib/model/families/parts/glm_parts.c lib/model/families/parts/glm_parts.h \
	lib/model/families/parts/hunyuan_decoder.c lib/model/families/parts/hunyuan_decoder.h \
	lib/model/families/parts/qwen_audio.c lib/model/families/parts/qwen_audio.h \
	lib/model/families/parts/mobilenet.c lib/model/families/parts/mobilenet.h \
	lib/model/families/parts/mobilenet_blocks.c lib/model/families/parts/mobilenet_blocks.h \
	lib/model/families/parts/qwen_decoder.c lib/model/families/parts/qwen_decoder.h \
	lib/model/families/parts/qwen_delta.c lib/model/families/parts/qwen_delta.h \
	lib/model/families/parts/qwen_experts.c lib/model/families/parts/qwen_experts.h \
	lib/model/families/parts/qwen_tower.c lib/model/families/parts/qwen_tower.h \
	lib/model/families/parts/siglip_parts.c lib/model/families/parts/siglip_parts.h \
	lib/model/families/parts/tiles_parts.c lib/model/families/parts/tiles_parts.h \
	lib/model/families/parts/vision.c lib/model/families/parts/vision.h
