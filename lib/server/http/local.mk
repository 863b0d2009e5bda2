# SPDX-License-Identifier: Apache-2.0
lib_server_libserver_a_SOURCES += \
	lib/server/http/call.c lib/server/http/call.h \
	lib/server/http/http.c lib/server/http/http.h \
	lib/server/http/key.c lib/server/http/key.h \
	lib/server/http/listen.c lib/server/http/listen.h \
	lib/server/http/origin.c lib/server/http/origin.h \
	lib/server/http/routes.c lib/server/http/routes.h \
	lib/server/http/service.h \
	lib/server/http/watch.c lib/server/http/watch.h
