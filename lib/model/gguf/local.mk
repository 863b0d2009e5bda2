# GGUF files as checkpoints: their config.json, and the published names of their tensors.
# SPDX-License-Identifier: Apache-2.0
lib_model_libmodel_a_SOURCES += lib/model/gguf/architecture.h \
	lib/model/gguf/config.c lib/model/gguf/config.h \
	lib/model/gguf/names.c lib/model/gguf/names.h
