# Fuzz targets. `make check` replays their seeds; scripts/fuzz builds them with libFuzzer in place of the replay.
# SPDX-License-Identifier: Apache-2.0
FUZZ_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS)
FUZZ_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_TOP='"$(abs_top_srcdir)"'
FUZZ_DRIVER = fuzz/libreplay.a
FUZZ_LIBS = $(FUZZ_DRIVER) fuzz/libfuzz.a

FUZZ_TARGETS = \
	fuzz/fuzz_audio \
	fuzz/fuzz_case \
	fuzz/fuzz_config \
	fuzz/fuzz_events \
	fuzz/fuzz_exchanges \
	fuzz/fuzz_expected \
	fuzz/fuzz_gguf \
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
	fuzz/fuzz_stored \
	fuzz/fuzz_template \
	fuzz/fuzz_textual \
	fuzz/fuzz_tokenizer \
	fuzz/fuzz_tokenizer_text \
	fuzz/fuzz_tools
check_PROGRAMS += $(FUZZ_TARGETS) fuzz/corpus fuzz/mutate
TESTS += $(FUZZ_TARGETS) fuzz/tests/corpus.test
EXTRA_DIST += fuzz/seeds fuzz/tests/corpus.test

.PHONY: fuzz
fuzz: $(FUZZ_TARGETS) unpacked-fixtures

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

fuzz_fuzz_audio_CFLAGS = $(FUZZ_CFLAGS)
fuzz_fuzz_audio_LDADD = $(FUZZ_LIBS) $(LIB_AUDIO)
fuzz_fuzz_case_CFLAGS = $(FUZZ_CFLAGS) $(HDF5_CFLAGS)
fuzz_fuzz_case_LDADD = $(FUZZ_LIBS) $(LIB_CONFORMANCE)
fuzz_fuzz_config_CFLAGS = $(FUZZ_CFLAGS)
fuzz_fuzz_config_LDADD = $(FUZZ_LIBS) $(LIB_MODEL)
fuzz_fuzz_events_CFLAGS = $(FUZZ_CFLAGS)
fuzz_fuzz_events_LDADD = $(FUZZ_LIBS) $(LIB_DIALOGUE)
fuzz_fuzz_exchanges_CFLAGS = $(FUZZ_CFLAGS) $(HDF5_CFLAGS)
fuzz_fuzz_exchanges_LDADD = $(FUZZ_LIBS) $(LIB_CONFORMANCE)
fuzz_fuzz_expected_CFLAGS = $(FUZZ_CFLAGS) $(HDF5_CFLAGS)
fuzz_fuzz_expected_LDADD = $(FUZZ_LIBS) $(LIB_CONFORMANCE)
fuzz_fuzz_gguf_CFLAGS = $(FUZZ_CFLAGS)
fuzz_fuzz_gguf_LDADD = $(FUZZ_LIBS) $(LIB_GGUF)
fuzz_fuzz_image_CFLAGS = $(FUZZ_CFLAGS)
fuzz_fuzz_image_LDADD = $(FUZZ_LIBS) $(LIB_IMAGE)
fuzz_fuzz_json_CFLAGS = $(FUZZ_CFLAGS)
fuzz_fuzz_json_LDADD = $(FUZZ_LIBS) $(LIB_MODEL)
fuzz_fuzz_observation_CFLAGS = $(FUZZ_CFLAGS) $(HDF5_CFLAGS)
fuzz_fuzz_observation_LDADD = $(FUZZ_LIBS) $(LIB_CONFORMANCE)
fuzz_fuzz_preprocessor_CFLAGS = $(FUZZ_CFLAGS)
fuzz_fuzz_preprocessor_LDADD = $(FUZZ_LIBS) $(LIB_IMAGE)
fuzz_fuzz_protocol_CFLAGS = $(FUZZ_CFLAGS)
fuzz_fuzz_protocol_LDADD = $(FUZZ_LIBS) $(LIB_CONFORMANCE)
fuzz_fuzz_reasoning_CFLAGS = $(FUZZ_CFLAGS)
fuzz_fuzz_reasoning_LDADD = $(FUZZ_LIBS) $(LIB_DIALOGUE)
fuzz_fuzz_requests_CFLAGS = $(FUZZ_CFLAGS)
fuzz_fuzz_requests_LDADD = $(FUZZ_LIBS) $(LIB_REQUEST)
fuzz_fuzz_results_CFLAGS = $(FUZZ_CFLAGS) $(HDF5_CFLAGS)
fuzz_fuzz_results_LDADD = $(FUZZ_LIBS) $(LIB_CONFORMANCE)
fuzz_fuzz_safetensors_CFLAGS = $(FUZZ_CFLAGS)
fuzz_fuzz_safetensors_LDADD = $(FUZZ_LIBS) $(LIB_MODEL)
fuzz_fuzz_stored_CFLAGS = $(FUZZ_CFLAGS)
fuzz_fuzz_stored_LDADD = $(FUZZ_LIBS) $(LIB_MODEL)
fuzz_fuzz_schedule_CFLAGS = $(FUZZ_CFLAGS) $(HDF5_CFLAGS)
fuzz_fuzz_schedule_LDADD = $(FUZZ_LIBS) $(LIB_CONFORMANCE)
fuzz_fuzz_template_CFLAGS = $(FUZZ_CFLAGS)
fuzz_fuzz_template_LDADD = $(FUZZ_LIBS) $(LIB_TEMPLATE)
fuzz_fuzz_textual_CFLAGS = $(FUZZ_CFLAGS) $(HDF5_CFLAGS)
fuzz_fuzz_textual_LDADD = $(FUZZ_LIBS) $(LIB_CONFORMANCE)
fuzz_fuzz_tokenizer_CFLAGS = $(FUZZ_CFLAGS)
fuzz_fuzz_tokenizer_LDADD = $(FUZZ_LIBS) $(LIB_MODEL)
fuzz_fuzz_tokenizer_text_CFLAGS = $(FUZZ_CFLAGS)
fuzz_fuzz_tokenizer_text_LDADD = $(FUZZ_LIBS) $(LIB_MODEL)
fuzz_fuzz_tools_CFLAGS = $(FUZZ_CFLAGS)
fuzz_fuzz_tools_LDADD = $(FUZZ_LIBS) $(LIB_DIALOGUE)
