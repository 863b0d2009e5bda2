# Sounds: from a preprocessor_config.json and a sound file to the input of a model. libmodel holds libbase.
# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += sound/libsound.la
sound_libsound_la_SOURCES = \
	sound/config.c sound/config.h \
	sound/config_file.c sound/config_file.h \
	sound/fourier.c sound/fourier.h \
	sound/mel.c sound/mel.h \
	sound/samples.c sound/samples.h \
	sound/settings.h \
	sound/spectrogram.c sound/spectrogram.h
sound_libsound_la_CFLAGS = $(NUMERIC_CFLAGS) $(JSONC_CFLAGS) $(SNDFILE_CFLAGS) -ffp-contract=off
sound_libsound_la_LIBADD = $(SNDFILE_LIBS)

SOUND_TESTS = \
	sound/tests/check_config \
	sound/tests/check_fourier \
	sound/tests/check_memory \
	sound/tests/check_samples \
	sound/tests/check_spectrogram
check_PROGRAMS += $(SOUND_TESTS)
TESTS += $(SOUND_TESTS)
SOUND_RECORDED = base/tests/recorded.c base/tests/recorded.h
EXTRA_DIST += sound/tests/vectors
SOUND_TEST_LIBS = sound/libsound.la $(TEST_LIBS)
sound_tests_check_config_CFLAGS = $(TEST_CFLAGS)
sound_tests_check_config_LDADD = $(SOUND_TEST_LIBS)
sound_tests_check_fourier_CFLAGS = $(TEST_CFLAGS)
sound_tests_check_fourier_LDADD = $(SOUND_TEST_LIBS)
sound_tests_check_memory_SOURCES = sound/tests/check_memory.c $(DENY)
sound_tests_check_memory_CFLAGS = $(TEST_CFLAGS)
sound_tests_check_memory_LDFLAGS = $(AM_LDFLAGS) $(DENY_LINK)
sound_tests_check_memory_LDADD = $(SOUND_TEST_LIBS)
sound_tests_check_samples_SOURCES = sound/tests/check_samples.c $(SOUND_RECORDED)
sound_tests_check_samples_CFLAGS = $(TEST_CFLAGS)
sound_tests_check_samples_LDADD = $(SOUND_TEST_LIBS)
sound_tests_check_spectrogram_SOURCES = sound/tests/check_spectrogram.c sound/tests/direct.c sound/tests/direct.h $(SOUND_RECORDED)
sound_tests_check_spectrogram_CFLAGS = $(TEST_CFLAGS)
sound_tests_check_spectrogram_LDADD = $(SOUND_TEST_LIBS)
