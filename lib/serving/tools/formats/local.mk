# SPDX-License-Identifier: Apache-2.0
lib_serving_libserving_a_SOURCES += \
	lib/serving/tools/formats/auto.c \
	lib/serving/tools/formats/auto_passes.c lib/serving/tools/formats/auto_passes.h \
	lib/serving/tools/formats/deepseek.c \
	lib/serving/tools/formats/deepseek_v4.c \
	lib/serving/tools/formats/functionary.c \
	lib/serving/tools/formats/gemma4.c \
	lib/serving/tools/formats/glm47.c \
	lib/serving/tools/formats/granite.c \
	lib/serving/tools/formats/harmony.c \
	lib/serving/tools/formats/hermes.c \
	lib/serving/tools/formats/kimi.c \
	lib/serving/tools/formats/llama.c \
	lib/serving/tools/formats/minimax.c \
	lib/serving/tools/formats/mistral.c \
	lib/serving/tools/formats/nemotron.c \
	lib/serving/tools/formats/qwen.c \
	lib/serving/tools/formats/qwen3_xml.c \
	lib/serving/tools/formats/xlam.c
