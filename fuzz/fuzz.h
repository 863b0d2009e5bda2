/* Functions for the fuzz targets. A target is one file with LLVMFuzzerTestOneInput: it passes the bytes
 * to one reader, checks the reader's guarantees, and aborts if one is broken. libFuzzer calls it from
 * scripts/fuzz, replay.c calls it from `make check` with the seeds.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <assay/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Always returns 0. data: [size], borrowed. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Whether replay.c calls the target: with seeds, not with what libFuzzer makes of them. */
extern bool fuzz_is_replay;

/* The source tree: $top_srcdir, or the one that was configured. */
const char *fuzz_top(void);

/* Aborts with `property` on stderr unless it holds. */
void fuzz_require(bool holds, const char *property);

/* Checks the guarantees of a refusal: out-parameter untouched, status and a text of one line set. */
void fuzz_require_refusal(assay_status status, const assay_error *err, bool out_untouched);

/* The process's own directory, below $TMPDIR or /tmp, removed at exit; lives as long as the process. */
const char *fuzz_directory(void);

/* Makes a directory of that name in fuzz_directory, if it does not exist. */
void fuzz_make_directory(const char *name);

/* Writes a file of that name into fuzz_directory. The path is overwritten by the next call. */
const char *fuzz_write(const char *name, const uint8_t *data, size_t size);

#endif
