/* Comparing results of several files: shards of one run, and attempts of one shard.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPORT_ATTEMPTS_H
#define CONFORMANCE_REPORT_ATTEMPTS_H

#include "conformance/report/results.h"

/* The results of a file. */
typedef struct conf_attempt {
    const char *path; /* borrowed */
    conf_results results;
} conf_attempt;

/* Fails with ASSAY_EFORMAT, naming both files, unless both can belong to one run: with the same number of
 * shards, cases, options and engines. A shard without cases has no engines. */
assay_status conf_attempts_match(const conf_attempt *a, const conf_attempt *b, assay_error *err);

/* Fails with ASSAY_EFORMAT, naming both files, unless two attempts of one shard agree in everything but
 * times. Of an interrupted one, only the cases that were run are compared. */
assay_status conf_attempts_agree(const conf_attempt *a, const conf_attempt *b, assay_error *err);

#endif
