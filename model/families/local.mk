# SPDX-License-Identifier: Apache-2.0
model_libmodel_la_SOURCES += \
	model/families/ernie4_5_vl_moe.c \
	model/families/falcon_ocr.c \
	model/families/families.h \
	model/families/gemma.c \
	model/families/gemma2.c \
	model/families/gemma3n.c \
	model/families/gemma4.c \
	model/families/glm4v.c \
	model/families/glm4v_moe.c \
	model/families/glm_ocr.c \
	model/families/granite.c \
	model/families/hunyuan_vl.c \
	model/families/llama.c \
	model/families/mllama.c \
	model/families/moondream3.c \
	model/families/olmo2.c \
	model/families/paddleocr_vl.c \
	model/families/phi3.c \
	model/families/qwen/qwen2.c \
	model/families/qwen/qwen2_5_vl.c \
	model/families/qwen/qwen2_vl.c \
	model/families/qwen/qwen3.c \
	model/families/qwen/qwen3_5.c \
	model/families/qwen/qwen3_moe.c \
	model/families/qwen/qwen3_omni_moe.c \
	model/families/qwen/qwen3_vl.c \
	model/families/qwen/qwen3_vl_moe.c

include model/families/parts/local.mk

MODEL_FAMILIES_TESTS = \
	model/families/tests/check_configs \
	model/families/tests/check_decoder \
	model/families/tests/check_ernie \
	model/families/tests/check_glm4v_moe \
	model/families/tests/check_hunyuan \
	model/families/tests/check_omni \
	model/families/tests/check_falcon \
	model/families/tests/check_mobilenet \
	model/families/tests/check_moondream \
	model/families/tests/check_siglip \
	model/families/tests/check_vision \
	model/families/tests/check_vision_refused
check_PROGRAMS += $(MODEL_FAMILIES_TESTS)
TESTS += $(MODEL_FAMILIES_TESTS)
model_families_tests_check_configs_SOURCES = model/families/tests/check_configs.c \
	model/families/tests/facts.c model/families/tests/facts.h
model_families_tests_check_configs_CFLAGS = $(TEST_CFLAGS)
model_families_tests_check_configs_LDADD = $(TEST_LIBS)
EXTRA_DIST += model/families/tests/vectors
model_families_tests_check_decoder_CFLAGS = $(TEST_CFLAGS)
model_families_tests_check_decoder_LDADD = $(TEST_LIBS)
model_families_tests_check_ernie_CFLAGS = $(TEST_CFLAGS)
model_families_tests_check_ernie_LDADD = $(TEST_LIBS)
model_families_tests_check_glm4v_moe_CFLAGS = $(TEST_CFLAGS)
model_families_tests_check_glm4v_moe_LDADD = $(TEST_LIBS)
model_families_tests_check_hunyuan_CFLAGS = $(TEST_CFLAGS)
model_families_tests_check_hunyuan_LDADD = $(TEST_LIBS)
model_families_tests_check_falcon_CFLAGS = $(TEST_CFLAGS)
model_families_tests_check_falcon_LDADD = $(TEST_LIBS)
model_families_tests_check_mobilenet_CFLAGS = $(TEST_CFLAGS)
model_families_tests_check_mobilenet_LDADD = $(TEST_LIBS)
model_families_tests_check_moondream_CFLAGS = $(TEST_CFLAGS)
model_families_tests_check_moondream_LDADD = $(TEST_LIBS)
model_families_tests_check_siglip_CFLAGS = $(TEST_CFLAGS)
model_families_tests_check_siglip_LDADD = $(TEST_LIBS)
model_families_tests_check_vision_CFLAGS = $(TEST_CFLAGS)
model_families_tests_check_vision_LDADD = $(TEST_LIBS)
model_families_tests_check_vision_refused_CFLAGS = $(TEST_CFLAGS)
model_families_tests_check_vision_refused_LDADD = $(TEST_LIBS)
model_families_tests_check_omni_CFLAGS = $(TEST_CFLAGS)
model_families_tests_check_omni_LDADD = $(TEST_LIBS)
