# SPDX-License-Identifier: Apache-2.0
server_libserver_la_SOURCES += \
	server/http/call.c server/http/call.h \
	server/http/http.c server/http/http.h \
	server/http/key.c server/http/key.h \
	server/http/listen.c server/http/listen.h \
	server/http/origin.c server/http/origin.h \
	server/http/routes.c server/http/routes.h \
	server/http/service.h \
	server/http/watch.c server/http/watch.h
