# SPDX-License-Identifier: Apache-2.0
dist_man1_MANS = docs/assay.1

completiondir = $(datadir)/bash-completion/completions
install-data-hook:
	$(MKDIR_P) '$(DESTDIR)$(completiondir)'
	$(INSTALL_DATA) '$(top_srcdir)/docs/assay.bash' '$(DESTDIR)$(completiondir)/assay'
uninstall-hook:
	rm -f '$(DESTDIR)$(completiondir)/assay'

pkgconfigdir = $(libdir)/pkgconfig
pkgconfig_DATA = assay.pc

dist_check_SCRIPTS = docs/completion.test docs/manual.test docs/sample.test
EXTRA_DIST += docs/sample.html docs/sample.svg docs/BENCHMARKS.md docs/dumps.md docs/e2e.md docs/engines.md docs/families.md docs/fields.md docs/formats.md docs/guide.md docs/images.md docs/judging.jsonl docs/judging.md docs/judging-errors.svg docs/judging-planted.svg docs/kernels.md docs/own.md \
	docs/performance.md docs/protocol.md docs/scale.md docs/audio.md docs/threads.md docs/assay.bash
TESTS += docs/completion.test docs/manual.test docs/sample.test
