# SPDX-License-Identifier: Apache-2.0
lib_server_libserver_a_SOURCES += \
	lib/server/job/clock.h \
	lib/server/job/exchange.c lib/server/job/exchange.h \
	lib/server/job/job.c lib/server/job/job.h \
	lib/server/job/metrics.c lib/server/job/metrics.h \
	lib/server/job/model.c lib/server/job/model.h
