# SPDX-License-Identifier: Apache-2.0
server_libserver_la_SOURCES += \
	server/evaluate/answer.c server/evaluate/answer.h \
	server/evaluate/batch.c server/evaluate/batch.h \
	server/evaluate/chunk.c server/evaluate/chunk.h \
	server/evaluate/logprobs.c server/evaluate/logprobs.h \
	server/evaluate/prefix.c server/evaluate/prefix.h \
	server/evaluate/round.c server/evaluate/round.h \
	server/evaluate/runs.c server/evaluate/runs.h \
	server/evaluate/sample.c server/evaluate/sample.h \
	server/evaluate/scheduler.c server/evaluate/scheduler.h \
	server/evaluate/seats.c server/evaluate/seats.h \
	server/evaluate/task.c server/evaluate/task.h \
	server/evaluate/token_text.c server/evaluate/token_text.h
