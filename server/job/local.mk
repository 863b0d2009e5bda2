# SPDX-License-Identifier: Apache-2.0
server_libserver_la_SOURCES += \
	server/job/clock.h \
	server/job/exchange.c server/job/exchange.h \
	server/job/job.c server/job/job.h \
	server/job/metrics.c server/job/metrics.h \
	server/job/model.c server/job/model.h
