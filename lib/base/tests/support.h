/* What tests share: a temporary directory, files in it, and expectations on error texts.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_TESTS_SUPPORT_H
#define BASE_TESTS_SUPPORT_H

#include <assay/engine.h>

#include <check.h>
#include <stddef.h>

/* Check calls _mark_point for each assertion that holds, and writes its place to a file, so that a crash is
 * reported with the last one. support_mark does so only if the place differs from the thread's last one: rows
 * and elements that a loop compares are thousands. */
void support_mark(const char *file, int line);
#define _mark_point(file, line) support_mark(file, line)

/* Runs the suite as CK_ENV says and frees it. Returns main's exit status. The temporary directory is made
 * before the first test, so that tests in processes of their own share it, and removed after the last. */
int support_run(Suite *suite);

/* The table of an engine module, a path below $top_builddir. Stays loaded. A failure fails the test. */
const assay_engine *support_load_engine(const char *module);

/* An empty directory under $TMPDIR or /tmp, the same at every call, removed with all that is in it when the
 * process that made it exits. A main that does not use support_run calls this before it runs its tests. */
const char *support_tmpdir(void);

/* Makes (or finds) the directory dir/name and returns its path, which lives as long as the process. */
const char *support_mkdir(const char *dir, const char *name);

/* Writes bytes[0..n) to dir/name, replacing an existing file, and returns its path, which lives as long
 * as the process. A failure fails the test. */
const char *support_write(const char *dir, const char *name, const void *bytes, size_t n);

/* Fails the test unless err has this status and its text is one line that holds every fragment; the list of
 * fragments ends with NULL. */
void support_expect_error(const assay_error *err, assay_status status, const char *fragment, ...)
    __attribute__((sentinel));

#endif
