# Fuzz targets. scripts/fuzz builds them with libFuzzer (`make fuzz`); `make check` replays their seeds.
# SPDX-License-Identifier: Apache-2.0
FUZZ_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS)
FUZZ_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_TOP='"$(abs_top_srcdir)"'
FUZZ_REPLAY_CPPFLAGS = $(FUZZ_CPPFLAGS) -DFUZZ_REPLAY
LIBFUZZER_FLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer

FUZZ_REPLAYS = \
	fuzz/replay_case \
	fuzz/replay_config \
	fuzz/replay_events \
	fuzz/replay_exchanges \
	fuzz/replay_image \
	fuzz/replay_json \
	fuzz/replay_observation \
	fuzz/replay_preprocessor \
	fuzz/replay_protocol \
	fuzz/replay_reasoning \
	fuzz/replay_requests \
	fuzz/replay_results \
	fuzz/replay_safetensors \
	fuzz/replay_schedule \
	fuzz/replay_audio \
	fuzz/replay_template \
	fuzz/replay_textual \
	fuzz/replay_tokenizer \
	fuzz/replay_tokenizer_text \
	fuzz/replay_tools
FUZZ_TARGETS = \
	fuzz/fuzz_case \
	fuzz/fuzz_config \
	fuzz/fuzz_events \
	fuzz/fuzz_exchanges \
	fuzz/fuzz_image \
	fuzz/fuzz_json \
	fuzz/fuzz_observation \
	fuzz/fuzz_preprocessor \
	fuzz/fuzz_protocol \
	fuzz/fuzz_reasoning \
	fuzz/fuzz_requests \
	fuzz/fuzz_results \
	fuzz/fuzz_safetensors \
	fuzz/fuzz_schedule \
	fuzz/fuzz_audio \
	fuzz/fuzz_template \
	fuzz/fuzz_textual \
	fuzz/fuzz_tokenizer \
	fuzz/fuzz_tokenizer_text \
	fuzz/fuzz_tools
check_PROGRAMS += $(FUZZ_REPLAYS) fuzz/corpus fuzz/mutate
TESTS += $(FUZZ_REPLAYS) fuzz/tests/corpus.test
EXTRA_PROGRAMS += $(FUZZ_TARGETS)
EXTRA_DIST += fuzz/seeds fuzz/tests/corpus.test
CLEANFILES += $(FUZZ_TARGETS)

.PHONY: fuzz
fuzz: $(FUZZ_TARGETS) fuzz/corpus

check_LIBRARIES += fuzz/libfuzz.a
fuzz_libfuzz_a_SOURCES = fuzz/fuzz.c fuzz/fuzz.h fuzz/seeds.c fuzz/seeds.h fuzz/tokenizing.c fuzz/tokenizing.h
fuzz_libfuzz_a_CPPFLAGS = $(FUZZ_CPPFLAGS)
fuzz_libfuzz_a_CFLAGS = $(FUZZ_CFLAGS)
check_LIBRARIES += fuzz/libreplay.a
fuzz_libreplay_a_SOURCES = fuzz/replay.c
fuzz_libreplay_a_CFLAGS = $(FUZZ_CFLAGS)

fuzz_mutate_SOURCES = fuzz/mutate.c
fuzz_corpus_SOURCES = fuzz/corpus.c
fuzz_corpus_CPPFLAGS = $(FUZZ_CPPFLAGS)
fuzz_corpus_CFLAGS = $(FUZZ_CFLAGS)
fuzz_corpus_LDADD = fuzz/libfuzz.a $(LIB_BASE)

fuzz_replay_case_SOURCES = fuzz/fuzz_case.c
fuzz_replay_case_CPPFLAGS = $(FUZZ_REPLAY_CPPFLAGS)
fuzz_replay_case_CFLAGS = $(FUZZ_CFLAGS) $(HDF5_CFLAGS)
fuzz_replay_case_LDADD = fuzz/libreplay.a fuzz/libfuzz.a $(LIB_CONFORMANCE)
fuzz_fuzz_case_CPPFLAGS = $(FUZZ_CPPFLAGS)
fuzz_fuzz_case_CFLAGS = $(FUZZ_CFLAGS) $(HDF5_CFLAGS)
fuzz_fuzz_case_LDFLAGS = $(LIBFUZZER_FLAGS)
fuzz_fuzz_case_LDADD = fuzz/libfuzz.a $(LIB_CONFORMANCE)
fuzz_replay_config_SOURCES = fuzz/fuzz_config.c
fuzz_replay_config_CPPFLAGS = $(FUZZ_REPLAY_CPPFLAGS)
fuzz_replay_config_CFLAGS = $(FUZZ_CFLAGS)
fuzz_replay_config_LDADD = fuzz/libreplay.a fuzz/libfuzz.a $(LIB_MODEL)
fuzz_fuzz_config_CPPFLAGS = $(FUZZ_CPPFLAGS)
fuzz_fuzz_config_CFLAGS = $(FUZZ_CFLAGS)
fuzz_fuzz_config_LDFLAGS = $(LIBFUZZER_FLAGS)
fuzz_fuzz_config_LDADD = fuzz/libfuzz.a $(LIB_MODEL)
fuzz_replay_events_SOURCES = fuzz/fuzz_events.c
fuzz_replay_events_CPPFLAGS = $(FUZZ_REPLAY_CPPFLAGS)
fuzz_replay_events_CFLAGS = $(FUZZ_CFLAGS)
fuzz_replay_events_LDADD = fuzz/libreplay.a fuzz/libfuzz.a $(LIB_DIALOGUE)
fuzz_fuzz_events_CPPFLAGS = $(FUZZ_CPPFLAGS)
fuzz_fuzz_events_CFLAGS = $(FUZZ_CFLAGS)
fuzz_fuzz_events_LDFLAGS = $(LIBFUZZER_FLAGS)
fuzz_fuzz_events_LDADD = fuzz/libfuzz.a $(LIB_DIALOGUE)
fuzz_replay_exchanges_SOURCES = fuzz/fuzz_exchanges.c
fuzz_replay_exchanges_CPPFLAGS = $(FUZZ_REPLAY_CPPFLAGS)
fuzz_replay_exchanges_CFLAGS = $(FUZZ_CFLAGS) $(HDF5_CFLAGS)
fuzz_replay_exchanges_LDADD = fuzz/libreplay.a fuzz/libfuzz.a $(LIB_CONFORMANCE)
fuzz_fuzz_exchanges_CPPFLAGS = $(FUZZ_CPPFLAGS)
fuzz_fuzz_exchanges_CFLAGS = $(FUZZ_CFLAGS) $(HDF5_CFLAGS)
fuzz_fuzz_exchanges_LDFLAGS = $(LIBFUZZER_FLAGS)
fuzz_fuzz_exchanges_LDADD = fuzz/libfuzz.a $(LIB_CONFORMANCE)
fuzz_replay_image_SOURCES = fuzz/fuzz_image.c
fuzz_replay_image_CPPFLAGS = $(FUZZ_REPLAY_CPPFLAGS)
fuzz_replay_image_CFLAGS = $(FUZZ_CFLAGS)
fuzz_replay_image_LDADD = fuzz/libreplay.a fuzz/libfuzz.a $(LIB_IMAGE)
fuzz_fuzz_image_CPPFLAGS = $(FUZZ_CPPFLAGS)
fuzz_fuzz_image_CFLAGS = $(FUZZ_CFLAGS)
fuzz_fuzz_image_LDFLAGS = $(LIBFUZZER_FLAGS)
fuzz_fuzz_image_LDADD = fuzz/libfuzz.a $(LIB_IMAGE)
fuzz_replay_json_SOURCES = fuzz/fuzz_json.c
fuzz_replay_json_CPPFLAGS = $(FUZZ_REPLAY_CPPFLAGS)
fuzz_replay_json_CFLAGS = $(FUZZ_CFLAGS)
fuzz_replay_json_LDADD = fuzz/libreplay.a fuzz/libfuzz.a $(LIB_MODEL)
fuzz_fuzz_json_CPPFLAGS = $(FUZZ_CPPFLAGS)
fuzz_fuzz_json_CFLAGS = $(FUZZ_CFLAGS)
fuzz_fuzz_json_LDFLAGS = $(LIBFUZZER_FLAGS)
fuzz_fuzz_json_LDADD = fuzz/libfuzz.a $(LIB_MODEL)
fuzz_replay_observation_SOURCES = fuzz/fuzz_observation.c
fuzz_replay_observation_CPPFLAGS = $(FUZZ_REPLAY_CPPFLAGS)
fuzz_replay_observation_CFLAGS = $(FUZZ_CFLAGS) $(HDF5_CFLAGS)
fuzz_replay_observation_LDADD = fuzz/libreplay.a fuzz/libfuzz.a $(LIB_CONFORMANCE)
fuzz_fuzz_observation_CPPFLAGS = $(FUZZ_CPPFLAGS)
fuzz_fuzz_observation_CFLAGS = $(FUZZ_CFLAGS) $(HDF5_CFLAGS)
fuzz_fuzz_observation_LDFLAGS = $(LIBFUZZER_FLAGS)
fuzz_fuzz_observation_LDADD = fuzz/libfuzz.a $(LIB_CONFORMANCE)
fuzz_replay_preprocessor_SOURCES = fuzz/fuzz_preprocessor.c
fuzz_replay_preprocessor_CPPFLAGS = $(FUZZ_REPLAY_CPPFLAGS)
fuzz_replay_preprocessor_CFLAGS = $(FUZZ_CFLAGS)
fuzz_replay_preprocessor_LDADD = fuzz/libreplay.a fuzz/libfuzz.a $(LIB_IMAGE)
fuzz_fuzz_preprocessor_CPPFLAGS = $(FUZZ_CPPFLAGS)
fuzz_fuzz_preprocessor_CFLAGS = $(FUZZ_CFLAGS)
fuzz_fuzz_preprocessor_LDFLAGS = $(LIBFUZZER_FLAGS)
fuzz_fuzz_preprocessor_LDADD = fuzz/libfuzz.a $(LIB_IMAGE)
fuzz_replay_protocol_SOURCES = fuzz/fuzz_protocol.c
fuzz_replay_protocol_CPPFLAGS = $(FUZZ_REPLAY_CPPFLAGS)
fuzz_replay_protocol_CFLAGS = $(FUZZ_CFLAGS)
fuzz_replay_protocol_LDADD = fuzz/libreplay.a fuzz/libfuzz.a $(LIB_CONFORMANCE)
fuzz_fuzz_protocol_CPPFLAGS = $(FUZZ_CPPFLAGS)
fuzz_fuzz_protocol_CFLAGS = $(FUZZ_CFLAGS)
fuzz_fuzz_protocol_LDFLAGS = $(LIBFUZZER_FLAGS)
fuzz_fuzz_protocol_LDADD = fuzz/libfuzz.a $(LIB_CONFORMANCE)
fuzz_replay_reasoning_SOURCES = fuzz/fuzz_reasoning.c
fuzz_replay_reasoning_CPPFLAGS = $(FUZZ_REPLAY_CPPFLAGS)
fuzz_replay_reasoning_CFLAGS = $(FUZZ_CFLAGS)
fuzz_replay_reasoning_LDADD = fuzz/libreplay.a fuzz/libfuzz.a $(LIB_DIALOGUE)
fuzz_fuzz_reasoning_CPPFLAGS = $(FUZZ_CPPFLAGS)
fuzz_fuzz_reasoning_CFLAGS = $(FUZZ_CFLAGS)
fuzz_fuzz_reasoning_LDFLAGS = $(LIBFUZZER_FLAGS)
fuzz_fuzz_reasoning_LDADD = fuzz/libfuzz.a $(LIB_DIALOGUE)
fuzz_replay_requests_SOURCES = fuzz/fuzz_requests.c
fuzz_replay_requests_CPPFLAGS = $(FUZZ_REPLAY_CPPFLAGS)
fuzz_replay_requests_CFLAGS = $(FUZZ_CFLAGS)
fuzz_replay_requests_LDADD = fuzz/libreplay.a fuzz/libfuzz.a $(LIB_REQUEST)
fuzz_fuzz_requests_CPPFLAGS = $(FUZZ_CPPFLAGS)
fuzz_fuzz_requests_CFLAGS = $(FUZZ_CFLAGS)
fuzz_fuzz_requests_LDFLAGS = $(LIBFUZZER_FLAGS)
fuzz_fuzz_requests_LDADD = fuzz/libfuzz.a $(LIB_REQUEST)
fuzz_replay_results_SOURCES = fuzz/fuzz_results.c
fuzz_replay_results_CPPFLAGS = $(FUZZ_REPLAY_CPPFLAGS)
fuzz_replay_results_CFLAGS = $(FUZZ_CFLAGS) $(HDF5_CFLAGS)
fuzz_replay_results_LDADD = fuzz/libreplay.a fuzz/libfuzz.a $(LIB_CONFORMANCE)
fuzz_fuzz_results_CPPFLAGS = $(FUZZ_CPPFLAGS)
fuzz_fuzz_results_CFLAGS = $(FUZZ_CFLAGS) $(HDF5_CFLAGS)
fuzz_fuzz_results_LDFLAGS = $(LIBFUZZER_FLAGS)
fuzz_fuzz_results_LDADD = fuzz/libfuzz.a $(LIB_CONFORMANCE)
fuzz_replay_safetensors_SOURCES = fuzz/fuzz_safetensors.c
fuzz_replay_safetensors_CPPFLAGS = $(FUZZ_REPLAY_CPPFLAGS)
fuzz_replay_safetensors_CFLAGS = $(FUZZ_CFLAGS)
fuzz_replay_safetensors_LDADD = fuzz/libreplay.a fuzz/libfuzz.a $(LIB_MODEL)
fuzz_fuzz_safetensors_CPPFLAGS = $(FUZZ_CPPFLAGS)
fuzz_fuzz_safetensors_CFLAGS = $(FUZZ_CFLAGS)
fuzz_fuzz_safetensors_LDFLAGS = $(LIBFUZZER_FLAGS)
fuzz_fuzz_safetensors_LDADD = fuzz/libfuzz.a $(LIB_MODEL)
fuzz_replay_schedule_SOURCES = fuzz/fuzz_schedule.c
fuzz_replay_schedule_CPPFLAGS = $(FUZZ_REPLAY_CPPFLAGS)
fuzz_replay_schedule_CFLAGS = $(FUZZ_CFLAGS) $(HDF5_CFLAGS)
fuzz_replay_schedule_LDADD = fuzz/libreplay.a fuzz/libfuzz.a $(LIB_CONFORMANCE)
fuzz_fuzz_schedule_CPPFLAGS = $(FUZZ_CPPFLAGS)
fuzz_fuzz_schedule_CFLAGS = $(FUZZ_CFLAGS) $(HDF5_CFLAGS)
fuzz_fuzz_schedule_LDFLAGS = $(LIBFUZZER_FLAGS)
fuzz_fuzz_schedule_LDADD = fuzz/libfuzz.a $(LIB_CONFORMANCE)
fuzz_replay_audio_SOURCES = fuzz/fuzz_audio.c
fuzz_replay_audio_CPPFLAGS = $(FUZZ_REPLAY_CPPFLAGS)
fuzz_replay_audio_CFLAGS = $(FUZZ_CFLAGS)
fuzz_replay_audio_LDADD = fuzz/libreplay.a fuzz/libfuzz.a $(LIB_AUDIO)
fuzz_fuzz_audio_CPPFLAGS = $(FUZZ_CPPFLAGS)
fuzz_fuzz_audio_CFLAGS = $(FUZZ_CFLAGS)
fuzz_fuzz_audio_LDFLAGS = $(LIBFUZZER_FLAGS)
fuzz_fuzz_audio_LDADD = fuzz/libfuzz.a $(LIB_AUDIO)
fuzz_replay_template_SOURCES = fuzz/fuzz_template.c
fuzz_replay_template_CPPFLAGS = $(FUZZ_REPLAY_CPPFLAGS)
fuzz_replay_template_CFLAGS = $(FUZZ_CFLAGS)
fuzz_replay_template_LDADD = fuzz/libreplay.a fuzz/libfuzz.a $(LIB_TEMPLATE)
fuzz_fuzz_template_CPPFLAGS = $(FUZZ_CPPFLAGS)
fuzz_fuzz_template_CFLAGS = $(FUZZ_CFLAGS)
fuzz_fuzz_template_LDFLAGS = $(LIBFUZZER_FLAGS)
fuzz_fuzz_template_LDADD = fuzz/libfuzz.a $(LIB_TEMPLATE)
fuzz_replay_textual_SOURCES = fuzz/fuzz_textual.c
fuzz_replay_textual_CPPFLAGS = $(FUZZ_REPLAY_CPPFLAGS)
fuzz_replay_textual_CFLAGS = $(FUZZ_CFLAGS) $(HDF5_CFLAGS)
fuzz_replay_textual_LDADD = fuzz/libreplay.a fuzz/libfuzz.a $(LIB_CONFORMANCE)
fuzz_fuzz_textual_CPPFLAGS = $(FUZZ_CPPFLAGS)
fuzz_fuzz_textual_CFLAGS = $(FUZZ_CFLAGS) $(HDF5_CFLAGS)
fuzz_fuzz_textual_LDFLAGS = $(LIBFUZZER_FLAGS)
fuzz_fuzz_textual_LDADD = fuzz/libfuzz.a $(LIB_CONFORMANCE)
fuzz_replay_tokenizer_SOURCES = fuzz/fuzz_tokenizer.c
fuzz_replay_tokenizer_CPPFLAGS = $(FUZZ_REPLAY_CPPFLAGS)
fuzz_replay_tokenizer_CFLAGS = $(FUZZ_CFLAGS)
fuzz_replay_tokenizer_LDADD = fuzz/libreplay.a fuzz/libfuzz.a $(LIB_MODEL)
fuzz_fuzz_tokenizer_CPPFLAGS = $(FUZZ_CPPFLAGS)
fuzz_fuzz_tokenizer_CFLAGS = $(FUZZ_CFLAGS)
fuzz_fuzz_tokenizer_LDFLAGS = $(LIBFUZZER_FLAGS)
fuzz_fuzz_tokenizer_LDADD = fuzz/libfuzz.a $(LIB_MODEL)
fuzz_replay_tokenizer_text_SOURCES = fuzz/fuzz_tokenizer_text.c
fuzz_replay_tokenizer_text_CPPFLAGS = $(FUZZ_REPLAY_CPPFLAGS)
fuzz_replay_tokenizer_text_CFLAGS = $(FUZZ_CFLAGS)
fuzz_replay_tokenizer_text_LDADD = fuzz/libreplay.a fuzz/libfuzz.a $(LIB_MODEL)
fuzz_fuzz_tokenizer_text_CPPFLAGS = $(FUZZ_CPPFLAGS)
fuzz_fuzz_tokenizer_text_CFLAGS = $(FUZZ_CFLAGS)
fuzz_fuzz_tokenizer_text_LDFLAGS = $(LIBFUZZER_FLAGS)
fuzz_fuzz_tokenizer_text_LDADD = fuzz/libfuzz.a $(LIB_MODEL)
fuzz_replay_tools_SOURCES = fuzz/fuzz_tools.c
fuzz_replay_tools_CPPFLAGS = $(FUZZ_REPLAY_CPPFLAGS)
fuzz_replay_tools_CFLAGS = $(FUZZ_CFLAGS)
fuzz_replay_tools_LDADD = fuzz/libreplay.a fuzz/libfuzz.a $(LIB_DIALOGUE)
fuzz_fuzz_tools_CPPFLAGS = $(FUZZ_CPPFLAGS)
fuzz_fuzz_tools_CFLAGS = $(FUZZ_CFLAGS)
fuzz_fuzz_tools_LDFLAGS = $(LIBFUZZER_FLAGS)
fuzz_fuzz_tools_LDADD = fuzz/libfuzz.a $(LIB_DIALOGUE)
