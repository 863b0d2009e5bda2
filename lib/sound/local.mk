# Sounds: from a preprocessor_config.json and a sound file to the input of a model. libmodel holds libbase.
# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += lib/sound/libsound.la
lib_sound_libsound_la_SOURCES = \
	lib/sound/config.c lib/sound/config.h \
	lib/sound/config_file.c lib/sound/config_file.h \
	lib/sound/fourier.c lib/sound/fourier.h \
	lib/sound/mel.c lib/sound/mel.h \
	lib/sound/samples.c lib/sound/samples.h \
	lib/sound/settings.h \
	lib/sound/spectrogram.c lib/sound/spectrogram.h
lib_sound_libsound_la_CFLAGS = $(NUMERIC_CFLAGS) $(JSONC_CFLAGS) $(SNDFILE_CFLAGS) -ffp-contract=off
lib_sound_libsound_la_LIBADD = $(SNDFILE_LIBS)

SOUND_TESTS = \
	lib/sound/tests/check_config \
	lib/sound/tests/check_fourier \
	lib/sound/tests/check_memory \
	lib/sound/tests/check_samples \
	lib/sound/tests/check_spectrogram
check_PROGRAMS += $(SOUND_TESTS)
TESTS += $(SOUND_TESTS)
SOUND_RECORDED = lib/base/tests/recorded.c lib/base/tests/recorded.h
EXTRA_DIST += lib/sound/tests/vectors
SOUND_TEST_LIBS = lib/sound/libsound.la $(TEST_LIBS)
lib_sound_tests_check_config_CFLAGS = $(TEST_CFLAGS)
lib_sound_tests_check_config_LDADD = $(SOUND_TEST_LIBS)
lib_sound_tests_check_fourier_CFLAGS = $(TEST_CFLAGS)
lib_sound_tests_check_fourier_LDADD = $(SOUND_TEST_LIBS)
lib_sound_tests_check_memory_SOURCES = lib/sound/tests/check_memory.c $(DENY)
lib_sound_tests_check_memory_CFLAGS = $(TEST_CFLAGS)
lib_sound_tests_check_memory_LDFLAGS = $(AM_LDFLAGS) $(DENY_LINK)
lib_sound_tests_check_memory_LDADD = $(SOUND_TEST_LIBS)
lib_sound_tests_check_samples_SOURCES = lib/sound/tests/check_samples.c $(SOUND_RECORDED)
lib_sound_tests_check_samples_CFLAGS = $(TEST_CFLAGS)
lib_sound_tests_check_samples_LDADD = $(SOUND_TEST_LIBS)
lib_sound_tests_check_spectrogram_SOURCES = lib/sound/tests/check_spectrogram.c lib/sound/tests/direct.c lib/sound/tests/direct.h $(SOUND_RECORDED)
lib_sound_tests_check_spectrogram_CFLAGS = $(TEST_CFLAGS)
lib_sound_tests_check_spectrogram_LDADD = $(SOUND_TEST_LIBS)
