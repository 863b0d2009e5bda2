# SPDX-License-Identifier: Apache-2.0
model_libmodel_la_SOURCES += \
	model/checkpoint/config.c model/checkpoint/config.h \
	model/checkpoint/config_harmless.c model/checkpoint/config_harmless.h model/checkpoint/config_harmless_families.c \
	model/checkpoint/config_harmless_members.c \
	model/checkpoint/config_quantization.c model/checkpoint/config_quantization.h \
	model/checkpoint/config_rope.c model/checkpoint/config_rope.h \
	model/checkpoint/config_rope_types.c model/checkpoint/config_rope_types.h \
	model/checkpoint/config_sections.c model/checkpoint/config_sections.h \
	model/checkpoint/config_value.c model/checkpoint/config_value.h \
	model/checkpoint/rope_request.c model/checkpoint/rope_request.h \
	model/checkpoint/safetensors.c model/checkpoint/safetensors.h \
	model/checkpoint/safetensors_header.c model/checkpoint/safetensors_header.h \
	model/checkpoint/stop.c model/checkpoint/stop.h \
	model/checkpoint/stop_tokenizer.c model/checkpoint/stop_tokenizer.h \
	model/checkpoint/token_ids.c model/checkpoint/token_ids.h \
	model/checkpoint/weights.c model/checkpoint/weights.h

MODEL_CHECKPOINT_TESTS = \
	model/checkpoint/tests/check_broken \
	model/checkpoint/tests/check_config \
	model/checkpoint/tests/check_config_harmless \
	model/checkpoint/tests/check_config_heads \
	model/checkpoint/tests/check_config_linear \
	model/checkpoint/tests/check_config_rope \
	model/checkpoint/tests/check_rope_alone \
	model/checkpoint/tests/check_rope_spellings \
	model/checkpoint/tests/check_safetensors \
	model/checkpoint/tests/check_safetensors_size \
	model/checkpoint/tests/check_safetensors_header \
	model/checkpoint/tests/check_stop \
	model/checkpoint/tests/check_stop_linear \
	model/checkpoint/tests/check_weights
check_PROGRAMS += $(MODEL_CHECKPOINT_TESTS)
TESTS += $(MODEL_CHECKPOINT_TESTS)
model_checkpoint_tests_check_broken_CFLAGS = $(TEST_CFLAGS)
model_checkpoint_tests_check_broken_LDADD = $(TEST_LIBS)
EXTRA_DIST += model/checkpoint/tests/broken.json
model_checkpoint_tests_check_config_SOURCES = model/checkpoint/tests/check_config.c $(DENY)
model_checkpoint_tests_check_config_LDFLAGS = $(AM_LDFLAGS) $(DENY_LINK)
model_checkpoint_tests_check_config_CFLAGS = $(TEST_CFLAGS)
model_checkpoint_tests_check_config_LDADD = $(TEST_LIBS)
model_checkpoint_tests_check_config_harmless_CFLAGS = $(TEST_CFLAGS)
model_checkpoint_tests_check_config_harmless_LDADD = $(TEST_LIBS)
model_checkpoint_tests_check_config_heads_CFLAGS = $(TEST_CFLAGS)
model_checkpoint_tests_check_config_heads_LDADD = $(TEST_LIBS)
model_checkpoint_tests_check_config_linear_CFLAGS = $(TEST_CFLAGS)
model_checkpoint_tests_check_config_linear_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=json_object_object_get_ex,--wrap=json_object_new_object
model_checkpoint_tests_check_config_linear_LDADD = $(TEST_LIBS)
model_checkpoint_tests_check_config_rope_CFLAGS = $(TEST_CFLAGS)
model_checkpoint_tests_check_config_rope_LDADD = $(TEST_LIBS)
model_checkpoint_tests_check_rope_spellings_CFLAGS = $(TEST_CFLAGS)
model_checkpoint_tests_check_rope_spellings_LDADD = $(TEST_LIBS)
model_checkpoint_tests_check_rope_alone_CFLAGS = $(TEST_CFLAGS)
model_checkpoint_tests_check_rope_alone_LDADD = $(TEST_LIBS)
model_checkpoint_tests_check_safetensors_CFLAGS = $(TEST_CFLAGS)
model_checkpoint_tests_check_safetensors_LDADD = $(TEST_LIBS)
model_checkpoint_tests_check_safetensors_header_CFLAGS = $(TEST_CFLAGS)
model_checkpoint_tests_check_safetensors_header_LDADD = $(TEST_LIBS)
model_checkpoint_tests_check_safetensors_size_CFLAGS = $(TEST_CFLAGS)
model_checkpoint_tests_check_safetensors_size_LDADD = $(TEST_LIBS)
model_checkpoint_tests_check_stop_CFLAGS = $(TEST_CFLAGS)
model_checkpoint_tests_check_stop_LDADD = $(TEST_LIBS)
model_checkpoint_tests_check_stop_linear_CFLAGS = $(TEST_CFLAGS)
model_checkpoint_tests_check_stop_linear_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=memmove,--wrap=realloc
model_checkpoint_tests_check_stop_linear_LDADD = $(TEST_LIBS)
model_checkpoint_tests_check_weights_CFLAGS = $(TEST_CFLAGS)
model_checkpoint_tests_check_weights_LDADD = $(TEST_LIBS)
