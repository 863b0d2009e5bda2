# The style and the script of every HTML page, also of the scoreboard's; C has them as texts.
# SPDX-License-Identifier: Apache-2.0
conformance_libconformance_a_SOURCES += conformance/page/page.c conformance/page/page.h
nodist_conformance_libconformance_a_SOURCES = conformance/page/page_text.c
EXTRA_DIST += conformance/page/page.css conformance/page/page.js
CLEANFILES += conformance/page/page_text.c
TESTS += conformance/page/tests/commands.test conformance/page/tests/pages.test
EXTRA_DIST += conformance/page/tests/browser.py conformance/page/tests/commands.test conformance/page/tests/pages.py \
	conformance/page/tests/pages.test conformance/page/tests/well_formed.py

# Characters, since a string has at most 4095.
conformance/page/page_text.c: conformance/page/page.css conformance/page/page.js
	$(AM_V_GEN)$(MKDIR_P) conformance/page && { \
	echo '#include "conformance/page/page.h"'; \
	for kind in css js; do \
	    echo "const char conf_page_$$kind[] = {"; \
	    od -An -v -to1 $(srcdir)/conformance/page/page.$$kind | sed "s/  *\([0-7]*\)/'\\\\\1',/g" && echo '0};' || exit 1; \
	done; } >$@.tmp && mv $@.tmp $@

CONFORMANCE_PAGE_TESTS = conformance/page/tests/check_page
check_PROGRAMS += $(CONFORMANCE_PAGE_TESTS)
TESTS += $(CONFORMANCE_PAGE_TESTS)
conformance_page_tests_check_page_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_page_tests_check_page_LDADD = $(CONFORMANCE_TEST_LIBS)
