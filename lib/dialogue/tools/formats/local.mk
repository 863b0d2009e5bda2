# SPDX-License-Identifier: Apache-2.0
# Rows of a table, without headers of their own: *.c
lib_dialogue_libdialogue_a_SOURCES += \
	lib/dialogue/tools/formats/auto.c \
	lib/dialogue/tools/formats/auto_passes.c lib/dialogue/tools/formats/auto_passes.h \
	lib/dialogue/tools/formats/deepseek.c \
	lib/dialogue/tools/formats/deepseek_v4.c \
	lib/dialogue/tools/formats/functionary.c \
	lib/dialogue/tools/formats/gemma4.c \
	lib/dialogue/tools/formats/glm47.c \
	lib/dialogue/tools/formats/granite.c \
	lib/dialogue/tools/formats/harmony.c \
	lib/dialogue/tools/formats/hermes.c \
	lib/dialogue/tools/formats/kimi.c \
	lib/dialogue/tools/formats/llama.c \
	lib/dialogue/tools/formats/minimax.c \
	lib/dialogue/tools/formats/mistral.c \
	lib/dialogue/tools/formats/nemotron.c \
	lib/dialogue/tools/formats/qwen.c \
	lib/dialogue/tools/formats/qwen3_xml.c \
	lib/dialogue/tools/formats/xlam.c
