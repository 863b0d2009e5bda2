# SPDX-License-Identifier: Apache-2.0
# Rows of a table, without headers of their own: config_harmless_members.c
lib_model_libmodel_a_SOURCES += \
	lib/model/checkpoint/config.c lib/model/checkpoint/config.h \
	lib/model/checkpoint/config_harmless.c lib/model/checkpoint/config_harmless.h \
	lib/model/checkpoint/config_harmless_members.c \
	lib/model/checkpoint/config_rope.c lib/model/checkpoint/config_rope.h \
	lib/model/checkpoint/config_rope_types.c lib/model/checkpoint/config_rope_types.h \
	lib/model/checkpoint/config_sections.c lib/model/checkpoint/config_sections.h \
	lib/model/checkpoint/config_value.c lib/model/checkpoint/config_value.h \
	lib/model/checkpoint/rope_request.c lib/model/checkpoint/rope_request.h \
	lib/model/checkpoint/safetensors.c lib/model/checkpoint/safetensors.h \
	lib/model/checkpoint/safetensors_header.c lib/model/checkpoint/safetensors_header.h \
	lib/model/checkpoint/stop.c lib/model/checkpoint/stop.h \
	lib/model/checkpoint/stop_tokenizer.c lib/model/checkpoint/stop_tokenizer.h \
	lib/model/checkpoint/token_ids.c lib/model/checkpoint/token_ids.h \
	lib/model/checkpoint/weights.c lib/model/checkpoint/weights.h

MODEL_CHECKPOINT_TESTS = \
	lib/model/checkpoint/tests/check_broken \
	lib/model/checkpoint/tests/check_config \
	lib/model/checkpoint/tests/check_config_harmless \
	lib/model/checkpoint/tests/check_config_heads \
	lib/model/checkpoint/tests/check_config_linear \
	lib/model/checkpoint/tests/check_config_rope \
	lib/model/checkpoint/tests/check_rope_alone \
	lib/model/checkpoint/tests/check_rope_spellings \
	lib/model/checkpoint/tests/check_safetensors \
	lib/model/checkpoint/tests/check_safetensors_size \
	lib/model/checkpoint/tests/check_safetensors_header \
	lib/model/checkpoint/tests/check_stop \
	lib/model/checkpoint/tests/check_stop_linear \
	lib/model/checkpoint/tests/check_weights
check_PROGRAMS += $(MODEL_CHECKPOINT_TESTS)
TESTS += $(MODEL_CHECKPOINT_TESTS)
lib_model_checkpoint_tests_check_broken_CFLAGS = $(TEST_CFLAGS)
lib_model_checkpoint_tests_check_broken_LDADD = $(TEST_LIBS)
EXTRA_DIST += lib/model/checkpoint/tests/broken.json
lib_model_checkpoint_tests_check_config_LDFLAGS = $(AM_LDFLAGS) $(DENY_LINK)
lib_model_checkpoint_tests_check_config_CFLAGS = $(TEST_CFLAGS)
lib_model_checkpoint_tests_check_config_LDADD = $(TEST_LIBS)
lib_model_checkpoint_tests_check_config_harmless_CFLAGS = $(TEST_CFLAGS)
lib_model_checkpoint_tests_check_config_harmless_LDADD = $(TEST_LIBS)
lib_model_checkpoint_tests_check_config_heads_CFLAGS = $(TEST_CFLAGS)
lib_model_checkpoint_tests_check_config_heads_LDADD = $(TEST_LIBS)
lib_model_checkpoint_tests_check_config_linear_CFLAGS = $(TEST_CFLAGS)
lib_model_checkpoint_tests_check_config_linear_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=json_object_object_get_ex,--wrap=json_object_new_object
lib_model_checkpoint_tests_check_config_linear_LDADD = $(TEST_LIBS)
lib_model_checkpoint_tests_check_config_rope_CFLAGS = $(TEST_CFLAGS)
lib_model_checkpoint_tests_check_config_rope_LDADD = $(TEST_LIBS)
lib_model_checkpoint_tests_check_rope_spellings_CFLAGS = $(TEST_CFLAGS)
lib_model_checkpoint_tests_check_rope_spellings_LDADD = $(TEST_LIBS)
lib_model_checkpoint_tests_check_rope_alone_CFLAGS = $(TEST_CFLAGS)
lib_model_checkpoint_tests_check_rope_alone_LDADD = $(TEST_LIBS)
lib_model_checkpoint_tests_check_safetensors_CFLAGS = $(TEST_CFLAGS)
lib_model_checkpoint_tests_check_safetensors_LDADD = $(TEST_LIBS)
lib_model_checkpoint_tests_check_safetensors_header_CFLAGS = $(TEST_CFLAGS)
lib_model_checkpoint_tests_check_safetensors_header_LDADD = $(TEST_LIBS)
lib_model_checkpoint_tests_check_safetensors_size_CFLAGS = $(TEST_CFLAGS)
lib_model_checkpoint_tests_check_safetensors_size_LDADD = $(TEST_LIBS)
lib_model_checkpoint_tests_check_stop_CFLAGS = $(TEST_CFLAGS)
lib_model_checkpoint_tests_check_stop_LDADD = $(TEST_LIBS)
lib_model_checkpoint_tests_check_stop_linear_CFLAGS = $(TEST_CFLAGS)
lib_model_checkpoint_tests_check_stop_linear_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=memmove,--wrap=realloc
lib_model_checkpoint_tests_check_stop_linear_LDADD = $(TEST_LIBS)
lib_model_checkpoint_tests_check_weights_CFLAGS = $(TEST_CFLAGS)
lib_model_checkpoint_tests_check_weights_LDADD = $(TEST_LIBS)
