# Audio: from a preprocessor_config.json and an audio file to the input of a model.
# SPDX-License-Identifier: Apache-2.0
noinst_LIBRARIES += lib/audio/libaudio.a
LIB_AUDIO = lib/audio/libaudio.a $(SNDFILE_LIBS) $(LIB_BASE)
lib_audio_libaudio_a_SOURCES = \
	lib/audio/config.c lib/audio/config.h \
	lib/audio/config_file.c lib/audio/config_file.h \
	lib/audio/fourier.c lib/audio/fourier.h \
	lib/audio/mel.c lib/audio/mel.h \
	lib/audio/samples.c lib/audio/samples.h \
	lib/audio/settings.h \
	lib/audio/spectrogram.c lib/audio/spectrogram.h
lib_audio_libaudio_a_CFLAGS = $(NUMERIC_CFLAGS) $(JSONC_CFLAGS) $(SNDFILE_CFLAGS) -ffp-contract=off

SOUND_TESTS = \
	lib/audio/tests/check_config \
	lib/audio/tests/check_fourier \
	lib/audio/tests/check_memory \
	lib/audio/tests/check_samples \
	lib/audio/tests/check_spectrogram
check_PROGRAMS += $(SOUND_TESTS)
TESTS += $(SOUND_TESTS)
EXTRA_DIST += lib/audio/tests/vectors
AUDIO_TEST_LIBS = $(LIB_AUDIO) $(TEST_LIBS)
lib_audio_tests_check_config_CFLAGS = $(TEST_CFLAGS)
lib_audio_tests_check_config_LDADD = $(AUDIO_TEST_LIBS)
lib_audio_tests_check_fourier_CFLAGS = $(TEST_CFLAGS)
lib_audio_tests_check_fourier_LDADD = $(AUDIO_TEST_LIBS)
lib_audio_tests_check_memory_CFLAGS = $(TEST_CFLAGS)
lib_audio_tests_check_memory_LDFLAGS = $(AM_LDFLAGS) $(DENY_LINK)
lib_audio_tests_check_memory_LDADD = $(AUDIO_TEST_LIBS)
lib_audio_tests_check_samples_CFLAGS = $(TEST_CFLAGS)
lib_audio_tests_check_samples_LDADD = $(AUDIO_TEST_LIBS)
lib_audio_tests_check_spectrogram_SOURCES = lib/audio/tests/check_spectrogram.c lib/audio/tests/direct.c lib/audio/tests/direct.h
lib_audio_tests_check_spectrogram_CFLAGS = $(TEST_CFLAGS)
lib_audio_tests_check_spectrogram_LDADD = $(AUDIO_TEST_LIBS)
