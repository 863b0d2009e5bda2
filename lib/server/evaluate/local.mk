# SPDX-License-Identifier: Apache-2.0
lib_server_libserver_a_SOURCES += \
	lib/server/evaluate/answer.c lib/server/evaluate/answer.h \
	lib/server/evaluate/batch.c lib/server/evaluate/batch.h \
	lib/server/evaluate/chunk.c lib/server/evaluate/chunk.h \
	lib/server/evaluate/logprobs.c lib/server/evaluate/logprobs.h \
	lib/server/evaluate/prefix.c lib/server/evaluate/prefix.h \
	lib/server/evaluate/round.c lib/server/evaluate/round.h \
	lib/server/evaluate/runs.c lib/server/evaluate/runs.h \
	lib/server/evaluate/sample.c lib/server/evaluate/sample.h \
	lib/server/evaluate/scheduler.c lib/server/evaluate/scheduler.h \
	lib/server/evaluate/seats.c lib/server/evaluate/seats.h \
	lib/server/evaluate/task.c lib/server/evaluate/task.h \
	lib/server/evaluate/token_text.c lib/server/evaluate/token_text.h
