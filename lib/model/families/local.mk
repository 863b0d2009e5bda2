# SPDX-License-Identifier: Apache-2.0
# Rows of a table, without headers of their own: *.c cohere/*.c qwen/*.c ernie/*.c gemma/*.c glm/*.c hunyuan/*.c mistral/*.c olmo/*.c
# The readers, a line for each family; list.c is made of them.
FAMILY_READERS = \
	lib/model/families/cohere/cohere.c \
	lib/model/families/ernie/ernie4_5.c \
	lib/model/families/ernie/ernie4_5_moe.c \
	lib/model/families/ernie/ernie4_5_vl_moe.c \
	lib/model/families/exaone4.c \
	lib/model/families/falcon_ocr.c \
	lib/model/families/gemma/gemma.c \
	lib/model/families/gemma/gemma2.c \
	lib/model/families/gemma/gemma3_text.c \
	lib/model/families/gemma/gemma3n.c \
	lib/model/families/gemma/gemma4.c \
	lib/model/families/glm/glm4.c \
	lib/model/families/glm/glm4_moe.c \
	lib/model/families/glm/glm4v.c \
	lib/model/families/glm/glm4v_moe.c \
	lib/model/families/glm/glm_ocr.c \
	lib/model/families/gpt_oss.c \
	lib/model/families/granite.c \
	lib/model/families/hunyuan/hunyuan_v1_dense.c \
	lib/model/families/hunyuan/hunyuan_v1_moe.c \
	lib/model/families/hunyuan/hunyuan_vl.c \
	lib/model/families/llama.c \
	lib/model/families/minimax_m2.c \
	lib/model/families/mistral/ministral.c \
	lib/model/families/mistral/ministral3.c \
	lib/model/families/mistral/mistral.c \
	lib/model/families/mistral/mixtral.c \
	lib/model/families/mllama.c \
	lib/model/families/moondream3.c \
	lib/model/families/olmo/olmo2.c \
	lib/model/families/olmo/olmo3.c \
	lib/model/families/paddleocr_vl.c \
	lib/model/families/phi.c \
	lib/model/families/phi3.c \
	lib/model/families/qwen/qwen2.c \
	lib/model/families/qwen/qwen2_5_vl.c \
	lib/model/families/qwen/qwen2_vl.c \
	lib/model/families/qwen/qwen3.c \
	lib/model/families/qwen/qwen3_5.c \
	lib/model/families/qwen/qwen3_moe.c \
	lib/model/families/qwen/qwen3_next.c \
	lib/model/families/qwen/qwen3_omni_moe.c \
	lib/model/families/qwen/qwen3_vl.c \
	lib/model/families/qwen/qwen3_vl_moe.c \
	lib/model/families/stablelm.c \
	lib/model/families/seed_oss.c \
	lib/model/families/smollm3.c \
	lib/model/families/starcoder2.c
lib_model_libmodel_a_SOURCES += $(FAMILY_READERS) lib/model/families/families.c lib/model/families/families.h
nodist_lib_model_libmodel_a_SOURCES = lib/model/families/list.c
CLEANFILES += lib/model/families/list.c
lib/model/families/list.c: Makefile
	$(AM_V_GEN)$(MKDIR_P) $(@D) && names=$$(for f in $(FAMILY_READERS); do basename $$f .c; done) && { \
	echo '/* Made from FAMILY_READERS in local.mk. SPDX-License-Identifier: Apache-2.0 */' && \
	echo '#include "model/families/families.h"' && \
	printf 'extern const family_reader family_%s;\n' $$names && \
	echo 'const family_reader *const family_readers[] = {' && \
	printf '    &family_%s,\n' $$names && \
	echo '    NULL,' && echo '};'; } >$@.new && mv $@.new $@

include lib/model/families/parts/local.mk

MODEL_FAMILIES_TESTS = \
	lib/model/families/tests/check_configs \
	lib/model/families/tests/check_decoder \
	lib/model/families/tests/check_ernie \
	lib/model/families/tests/check_families \
	lib/model/families/tests/check_glm4v_moe \
	lib/model/families/tests/check_hunyuan \
	lib/model/families/tests/check_layer_norms \
	lib/model/families/tests/check_omni \
	lib/model/families/tests/check_falcon \
	lib/model/families/tests/check_mobilenet \
	lib/model/families/tests/check_moondream \
	lib/model/families/tests/check_siglip \
	lib/model/families/tests/check_vision \
	lib/model/families/tests/check_vision_refused
check_PROGRAMS += $(MODEL_FAMILIES_TESTS)
TESTS += $(MODEL_FAMILIES_TESTS)
lib_model_families_tests_check_configs_CFLAGS = $(TEST_CFLAGS)
lib_model_families_tests_check_configs_LDADD = $(TEST_LIBS)
EXTRA_DIST += lib/model/families/tests/vectors
lib_model_families_tests_check_decoder_CFLAGS = $(TEST_CFLAGS)
lib_model_families_tests_check_decoder_LDADD = $(TEST_LIBS)
lib_model_families_tests_check_ernie_CFLAGS = $(TEST_CFLAGS)
lib_model_families_tests_check_ernie_LDADD = $(TEST_LIBS)
lib_model_families_tests_check_families_CFLAGS = $(TEST_CFLAGS)
lib_model_families_tests_check_families_LDADD = $(TEST_LIBS)
lib_model_families_tests_check_glm4v_moe_CFLAGS = $(TEST_CFLAGS)
lib_model_families_tests_check_glm4v_moe_LDADD = $(TEST_LIBS)
lib_model_families_tests_check_hunyuan_CFLAGS = $(TEST_CFLAGS)
lib_model_families_tests_check_hunyuan_LDADD = $(TEST_LIBS)
lib_model_families_tests_check_falcon_CFLAGS = $(TEST_CFLAGS)
lib_model_families_tests_check_falcon_LDADD = $(TEST_LIBS)
lib_model_families_tests_check_mobilenet_CFLAGS = $(TEST_CFLAGS)
lib_model_families_tests_check_mobilenet_LDADD = $(TEST_LIBS)
lib_model_families_tests_check_moondream_CFLAGS = $(TEST_CFLAGS)
lib_model_families_tests_check_moondream_LDADD = $(TEST_LIBS)
lib_model_families_tests_check_siglip_CFLAGS = $(TEST_CFLAGS)
lib_model_families_tests_check_siglip_LDADD = $(TEST_LIBS)
lib_model_families_tests_check_vision_CFLAGS = $(TEST_CFLAGS)
lib_model_families_tests_check_vision_LDADD = $(TEST_LIBS)
lib_model_families_tests_check_vision_refused_CFLAGS = $(TEST_CFLAGS)
lib_model_families_tests_check_vision_refused_LDADD = $(TEST_LIBS)
lib_model_families_tests_check_layer_norms_CFLAGS = $(TEST_CFLAGS)
lib_model_families_tests_check_layer_norms_LDADD = $(TEST_LIBS)
lib_model_families_tests_check_omni_CFLAGS = $(TEST_CFLAGS)
lib_model_families_tests_check_omni_LDADD = $(TEST_LIBS)
