# SPDX-License-Identifier: Apache-2.0
serving_libserving_la_SOURCES += \
	serving/tools/formats/auto.c \
	serving/tools/formats/auto_passes.c serving/tools/formats/auto_passes.h \
	serving/tools/formats/deepseek.c \
	serving/tools/formats/deepseek_v4.c \
	serving/tools/formats/functionary.c \
	serving/tools/formats/gemma4.c \
	serving/tools/formats/glm47.c \
	serving/tools/formats/granite.c \
	serving/tools/formats/harmony.c \
	serving/tools/formats/hermes.c \
	serving/tools/formats/kimi.c \
	serving/tools/formats/llama.c \
	serving/tools/formats/minimax.c \
	serving/tools/formats/mistral.c \
	serving/tools/formats/nemotron.c \
	serving/tools/formats/qwen.c \
	serving/tools/formats/qwen3_xml.c \
	serving/tools/formats/xlam.c
