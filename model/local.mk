# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += model/libmodel.la
model_libmodel_la_SOURCES = \
	model/affine.c model/affine.h \
	model/array.c model/array.h \
	model/array_eval.c model/array_node.h \
	model/array_list.c model/array_list.h \
	model/array_order.c \
	model/bind.c model/bind.h \
	model/bind_matrix.c model/bind_tensor.h \
	model/buffer.c model/buffer.h \
	model/cache_limit.c model/cache_limit.h \
	model/config.c model/config.h \
	model/config_harmless.c model/config_harmless.h \
	model/config_quantization.c \
	model/config_rope.c \
	model/config_value.c \
	model/detokenizer.c model/detokenizer.h \
	model/dtype.c model/dtype.h \
	model/error.c model/error.h \
	model/executor.c model/executor.h \
	model/families/common.c model/families/decoder.c model/families/families.h \
	model/families/gemma.c \
	model/families/gemma3n.c \
	model/families/gemma4.c \
	model/families/llama.c \
	model/families/phi3.c \
	model/families/qwen2.c \
	model/families/qwen3.c \
	model/families/qwen3_moe.c \
	model/file.c model/file.h \
	model/json.c model/json.h \
	model/json_scan.c model/json_scan.h \
	model/json_text.c model/json_text.h \
	model/loading.c model/loading.h \
	model/options.c model/options.h \
	model/plan.c model/plan.h \
	model/plan_arrays.c model/plan_arrays.h \
	model/plan_cost.c model/plan_cost.h \
	model/plan_print.c \
	model/processor.c model/processor.h \
	model/queue.c model/queue.h \
	model/rope.c model/rope.h \
	model/rope_request.c model/rope_request.h \
	model/safetensors.c model/safetensors.h \
	model/safetensors_header.c model/safetensors_header.h \
	model/stop.c model/stop.h \
	model/stop_tokenizer.c model/stop_tokenizer.h \
	model/stream.c model/stream.h \
	model/stream_table.c model/stream_table.h \
	model/tokenizer.c model/tokenizer.h model/tokenizer/parts.h \
	model/tokenizer/added.c model/tokenizer/added.h \
	model/tokenizer/bpe.c model/tokenizer/bpe.h model/tokenizer/bpe_parts.h \
	model/tokenizer/bpe_merge.c model/tokenizer/bpe_merge.h \
	model/tokenizer/bpe_open.c \
	model/tokenizer/bytes.c model/tokenizer/bytes.h \
	model/tokenizer/cache.c model/tokenizer/cache.h \
	model/tokenizer/chars.c model/tokenizer/chars.h \
	model/tokenizer/chars_table.c model/tokenizer/chars_table.h \
	model/tokenizer/charsmap.c model/tokenizer/charsmap.h \
	model/tokenizer/decoder.c model/tokenizer/decoder.h \
	model/tokenizer/encode.c \
	model/tokenizer/file.c model/tokenizer/file.h \
	model/tokenizer/ids.c model/tokenizer/ids.h \
	model/tokenizer/model.c model/tokenizer/model.h \
	model/tokenizer/normal_form.c model/tokenizer/normal_form.h \
	model/tokenizer/normal_step.c model/tokenizer/normal_step.h \
	model/tokenizer/normalizer.c model/tokenizer/normalizer.h \
	model/tokenizer/pairs.c model/tokenizer/pairs.h \
	model/tokenizer/pattern.c model/tokenizer/pattern.h \
	model/tokenizer/place.c model/tokenizer/place.h \
	model/tokenizer/post.c model/tokenizer/post.h \
	model/tokenizer/pretokenizer.c model/tokenizer/pretokenizer.h \
	model/tokenizer/property.c model/tokenizer/property.h \
	model/tokenizer/ruby.c model/tokenizer/ruby.h model/tokenizer/ruby_parts.h \
	model/tokenizer/ruby_chars.c \
	model/tokenizer/stage.c model/tokenizer/stage.h \
	model/tokenizer/step.c model/tokenizer/step.h \
	model/tokenizer/trie.c model/tokenizer/trie.h \
	model/tokenizer/unigram.c model/tokenizer/unigram.h \
	model/tokenizer/vocab.c model/tokenizer/vocab.h \
	model/tokenizer/wordpiece.c model/tokenizer/wordpiece.h \
	model/tokenizer/writer.c model/tokenizer/writer.h \
	model/utf8.c model/utf8.h \
	model/weights.c model/weights.h
model_libmodel_la_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS) $(PCRE2_CFLAGS) $(UTF8PROC_CFLAGS)
model_libmodel_la_LIBADD = $(JSONC_LIBS) $(PCRE2_LIBS) $(UTF8PROC_LIBS)

MODEL_TESTS = \
	model/tests/check_affine \
	model/tests/check_array \
	model/tests/check_array_list \
	model/tests/check_config \
	model/tests/check_config_harmless \
	model/tests/check_config_heads \
	model/tests/check_config_linear \
	model/tests/check_config_rope \
	model/tests/check_detokenizer \
	model/tests/check_dtype \
	model/tests/check_error \
	model/tests/check_json \
	model/tests/check_json_scan \
	model/tests/check_loading \
	model/tests/check_options \
	model/tests/check_plan \
	model/tests/check_plan_cost \
	model/tests/check_plan_refused \
	model/tests/check_quantized \
	model/tests/check_quantized_refused \
	model/tests/check_queue \
	model/tests/check_rope \
	model/tests/check_safetensors \
	model/tests/check_safetensors_header \
	model/tests/check_stop \
	model/tests/check_stop_linear \
	model/tests/check_stream \
	model/tests/check_stream_table \
	model/tests/check_tokenizer \
	model/tests/check_tokenizer_growth \
	model/tests/check_tokenizer_refused \
	model/tests/check_tokenizer_ruby \
	model/tests/check_utf8 \
	model/tests/check_weights
EXTRA_DIST += model/tests/vectors
check_PROGRAMS += $(MODEL_TESTS)
TESTS += $(MODEL_TESTS)

# For scripts/bench-streams.
EXTRA_PROGRAMS += model/tests/bench_streams
EXTRA_LTLIBRARIES += model/tests/yardstick.la
CLEANFILES += model/tests/bench_streams model/tests/yardstick.la
model_tests_bench_streams_CFLAGS = $(AM_CFLAGS)
model_tests_yardstick_la_SOURCES = model/tests/yardstick.c
model_tests_yardstick_la_LDFLAGS = $(TEST_ENGINE_LDFLAGS)

# For scripts/bench-tokenizer.
EXTRA_PROGRAMS += model/tests/bench_tokenizer
CLEANFILES += model/tests/bench_tokenizer
model_tests_bench_tokenizer_CFLAGS = $(AM_CFLAGS)
model_tests_bench_tokenizer_LDADD = model/libmodel.la

# What the tests of every folder share.
check_LTLIBRARIES += model/tests/libsupport.la
model_tests_libsupport_la_SOURCES = \
	model/tests/checkpoint.c model/tests/checkpoint.h \
	model/tests/reading.c model/tests/reading.h \
	model/tests/support.c model/tests/support.h
model_tests_libsupport_la_CFLAGS = $(TEST_CFLAGS)
model_tests_libsupport_la_LIBADD = model/libmodel.la

# Of programs whose requests for memory fail in turn.
DENY = model/tests/deny.c model/tests/deny.h
DENY_LINK = -Wl,--wrap=aligned_alloc,--wrap=calloc,--wrap=malloc,--wrap=realloc \
	-Wl,--wrap=strdup,--wrap=strndup,--wrap=asprintf,--wrap=vasprintf

TEST_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) $(JSONC_CFLAGS)
TEST_LIBS = model/tests/libsupport.la model/libmodel.la $(JSONC_LIBS) $(CHECK_LIBS)

model_tests_check_array_CFLAGS = $(TEST_CFLAGS)
model_tests_check_array_LDADD = $(TEST_LIBS)
model_tests_check_array_list_CFLAGS = $(TEST_CFLAGS)
model_tests_check_array_list_LDADD = $(TEST_LIBS)
model_tests_check_stream_table_CFLAGS = $(TEST_CFLAGS)
model_tests_check_stream_table_LDADD = $(TEST_LIBS)
model_tests_check_stream_CFLAGS = $(TEST_CFLAGS)
model_tests_check_stream_LDADD = $(TEST_LIBS)
model_tests_check_affine_CFLAGS = $(TEST_CFLAGS)
model_tests_check_affine_LDADD = $(TEST_LIBS)
model_tests_check_quantized_CFLAGS = $(TEST_CFLAGS)
model_tests_check_quantized_LDADD = $(TEST_LIBS)
model_tests_check_quantized_refused_CFLAGS = $(TEST_CFLAGS)
model_tests_check_quantized_refused_LDADD = $(TEST_LIBS)
model_tests_check_queue_CFLAGS = $(TEST_CFLAGS)
model_tests_check_queue_LDADD = $(TEST_LIBS)
model_tests_check_config_SOURCES = model/tests/check_config.c $(DENY)
model_tests_check_config_LDFLAGS = $(AM_LDFLAGS) $(DENY_LINK)
model_tests_check_config_CFLAGS = $(TEST_CFLAGS)
model_tests_check_config_LDADD = $(TEST_LIBS)
model_tests_check_config_harmless_CFLAGS = $(TEST_CFLAGS)
model_tests_check_config_harmless_LDADD = $(TEST_LIBS)
model_tests_check_config_heads_CFLAGS = $(TEST_CFLAGS)
model_tests_check_config_heads_LDADD = $(TEST_LIBS)
model_tests_check_config_linear_CFLAGS = $(TEST_CFLAGS)
model_tests_check_config_linear_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=json_object_object_get_ex
model_tests_check_config_linear_LDADD = $(TEST_LIBS)
model_tests_check_config_rope_CFLAGS = $(TEST_CFLAGS)
model_tests_check_config_rope_LDADD = $(TEST_LIBS)
model_tests_check_dtype_CFLAGS = $(TEST_CFLAGS)
model_tests_check_dtype_LDADD = $(TEST_LIBS)
model_tests_check_json_CFLAGS = $(TEST_CFLAGS)
model_tests_check_json_LDADD = $(TEST_LIBS)
model_tests_check_json_scan_CFLAGS = $(TEST_CFLAGS)
model_tests_check_json_scan_LDADD = $(TEST_LIBS)
model_tests_check_loading_CFLAGS = $(TEST_CFLAGS)
model_tests_check_loading_LDADD = $(TEST_LIBS)
model_tests_check_options_CFLAGS = $(TEST_CFLAGS)
model_tests_check_options_LDADD = $(TEST_LIBS)
model_tests_check_plan_refused_CFLAGS = $(TEST_CFLAGS)
model_tests_check_plan_refused_LDADD = $(TEST_LIBS)
model_tests_check_plan_cost_CFLAGS = $(TEST_CFLAGS)
model_tests_check_plan_cost_LDADD = $(TEST_LIBS)
model_tests_check_plan_CFLAGS = $(TEST_CFLAGS)
model_tests_check_plan_LDADD = $(TEST_LIBS)
model_tests_check_rope_CFLAGS = $(TEST_CFLAGS)
model_tests_check_rope_LDADD = $(TEST_LIBS)
model_tests_check_safetensors_CFLAGS = $(TEST_CFLAGS)
model_tests_check_safetensors_LDADD = $(TEST_LIBS)
model_tests_check_safetensors_header_CFLAGS = $(TEST_CFLAGS)
model_tests_check_safetensors_header_LDADD = $(TEST_LIBS)
model_tests_check_stop_linear_CFLAGS = $(TEST_CFLAGS)
model_tests_check_stop_linear_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=memmove,--wrap=realloc
model_tests_check_stop_linear_LDADD = $(TEST_LIBS)
model_tests_check_stop_CFLAGS = $(TEST_CFLAGS)
model_tests_check_stop_LDADD = $(TEST_LIBS)
model_tests_check_weights_CFLAGS = $(TEST_CFLAGS)
model_tests_check_weights_LDADD = $(TEST_LIBS)
model_tests_check_error_CFLAGS = $(TEST_CFLAGS)
model_tests_check_error_LDADD = $(TEST_LIBS)
TOKENIZER_FILE = model/tests/tokenizer_file.c model/tests/tokenizer_file.h
model_tests_check_detokenizer_SOURCES = model/tests/check_detokenizer.c $(TOKENIZER_FILE)
model_tests_check_detokenizer_CFLAGS = $(TEST_CFLAGS)
model_tests_check_detokenizer_LDADD = $(TEST_LIBS)
model_tests_check_tokenizer_growth_SOURCES = model/tests/check_tokenizer_growth.c $(TOKENIZER_FILE)
model_tests_check_tokenizer_growth_CFLAGS = $(TEST_CFLAGS)
model_tests_check_tokenizer_growth_LDADD = $(TEST_LIBS)
model_tests_check_tokenizer_refused_SOURCES = model/tests/check_tokenizer_refused.c $(TOKENIZER_FILE)
model_tests_check_tokenizer_refused_CFLAGS = $(TEST_CFLAGS)
model_tests_check_tokenizer_refused_LDADD = $(TEST_LIBS)
model_tests_check_tokenizer_SOURCES = model/tests/check_tokenizer.c $(TOKENIZER_FILE)
model_tests_check_tokenizer_CFLAGS = $(TEST_CFLAGS)
model_tests_check_tokenizer_LDADD = $(TEST_LIBS)
model_tests_check_tokenizer_ruby_CFLAGS = $(TEST_CFLAGS)
model_tests_check_tokenizer_ruby_LDADD = $(TEST_LIBS)
model_tests_check_utf8_CFLAGS = $(TEST_CFLAGS)
model_tests_check_utf8_LDADD = $(TEST_LIBS)
