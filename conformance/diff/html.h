/* A comparison on a page.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_DIFF_HTML_H
#define CONFORMANCE_DIFF_HTML_H

#include "conformance/diff/diff.h"
#include "conformance/evaluate/profile.h"

/* What a page shows of a comparison beside its verdict. Plain data without pointers: the process that
 * compares fills it in memory that it shares. sources: what the attribute `source` of the golden and of the
 * observation says, cut if it is longer; empty without one. */
typedef struct conf_diff_shown {
    conf_profile profile;
    char sources[2][CONF_TEXT_MAX];
} conf_diff_shown;

/* Zeroed; NULL if there is no memory. */
conf_diff_shown *conf_diff_shown_share(void);
void conf_diff_shown_unshare(conf_diff_shown *shown);

/* conf_diff, of which *shown keeps what a page shows. task->watch is not used. */
assay_status conf_diff_show(const conf_diff_task *task, conf_diff_shown *shown, conf_verdict *v,
                            conf_strings *unknown, assay_error *err);

/* Writes where the first difference is, the pictures, and the two files with their digests. */
void conf_diff_html(FILE *out, const conf_diff_task *task, conf_diff_shown *shown, const conf_verdict *v);

#endif
