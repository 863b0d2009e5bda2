/* The bundles of a run: a folder for each failure.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_BUNDLE_FAILURES_H
#define CONFORMANCE_BUNDLE_FAILURES_H

#include <stdio.h>

#include "conformance/bundle/bundle.h"

/* All members are borrowed. */
typedef struct conf_bundles {
    const char *dir; /* for the folders */
    bool is_dry;     /* nothing is written there: the bundles are made in a temporary directory, listed
                      * and removed */
    const conf_context *context;
    const char *reference; /* see conf_assignment; NULL */
} conf_bundles;

/* Fails with ASSAY_EINVAL unless there is nothing at `dir`, which the option names, or an empty directory. */
assay_status conf_bundle_check(const char *option, const char *dir, assay_error *err);

/* The same for --bundle, and if dir is NULL for a dry run; dir NULL: not given. */
assay_status conf_bundles_check(const char *dir, bool is_dry, assay_error *err);

/* The name of a case for others: its id among the bundled cases, otherwise the name of its file, since the
 * directories above it are the user's. The caller frees it; NULL if out of memory. */
char *conf_bundle_case_name(const char *path, const char *fixtures);

/* Prints what was written, and what to look at. shown: the name of the bundle. lists: with its files. */
void conf_bundle_print(const conf_bundle *b, const char *shown, bool lists, FILE *out, const char *prefix);

/* Writes a bundle for each CONF_FAILED verdict, and a line for each to `out`, which begins with `prefix`; of
 * a dry run the files, too. Cases that are broken have none. Fails as conf_bundle_write does. */
assay_status conf_bundles_write(const conf_bundles *bundles, const conf_results *results, FILE *out,
                                const char *prefix, assay_error *err);

#endif
