# SPDX-License-Identifier: Apache-2.0
model_libmodel_la_SOURCES += \
	model/families/parts/common.c model/families/parts/common.h \
	model/families/parts/decoder.c model/families/parts/decoder.h \
	model/families/parts/ernie_experts.c model/families/parts/ernie_experts.h \
	model/families/parts/family.h \
	model/families/parts/gemma3n_vision.c model/families/parts/gemma3n_vision.h \
	model/families/parts/gemma4_vision.c model/families/parts/gemma4_vision.h \
	model/families/parts/gemma_parts.c model/families/parts/gemma_parts.h \
	model/families/parts/glm_parts.c model/families/parts/glm_parts.h \
	model/families/parts/qwen_audio.c model/families/parts/qwen_audio.h \
	model/families/parts/mobilenet.c model/families/parts/mobilenet.h \
	model/families/parts/mobilenet_blocks.c model/families/parts/mobilenet_blocks.h \
	model/families/parts/qwen_decoder.c model/families/parts/qwen_decoder.h \
	model/families/parts/qwen_experts.c model/families/parts/qwen_experts.h \
	model/families/parts/qwen_tower.c model/families/parts/qwen_tower.h \
	model/families/parts/siglip_parts.c model/families/parts/siglip_parts.h \
	model/families/parts/tiles_parts.c model/families/parts/tiles_parts.h \
	model/families/parts/vision.c model/families/parts/vision.h
