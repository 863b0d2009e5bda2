/* SPDX-License-Identifier: Apache-2.0 */

#include "conformance/diff/members.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/choices.h"
#include "base/dtype.h"
#include "conformance/diff/state.h"
#include "conformance/evaluate/fail.h"
#include "conformance/hdf5/text.h"

assay_status conf_diff_member_compare(const conf_diff_state *d, const char *name, conf_h5_types types,
                                      const char *shape, char mismatch[CONF_TEXT_MAX], assay_error *err)
{
    const char *path = conf_h5_path(d->observed);
    mismatch[0] = '\0';
    conf_signature found;
    assay_status rc = conf_h5_signature(d->observed, name, &found, err);
    if (rc != ASSAY_OK) return rc;
    char expected[64];
    choices_of_types(expected, sizeof expected, types);
    if (!(types & CONF_H5_TYPE(found.dtype)))
        (void)snprintf(mismatch, CONF_TEXT_MAX, "%s: %s has type %s, expected %s", path, name, found.type,
                       expected);
    else if (strcmp(found.shape, shape) != 0)
        (void)snprintf(mismatch, CONF_TEXT_MAX, "%s: %s has shape %s, expected %s", path, name, found.shape,
                       shape);
    return ASSAY_OK;
}

assay_status conf_diff_member_check(const conf_diff_state *d, const char *name, conf_h5_types types,
                                    const char *shape, bool *fits, assay_error *err)
{
    char mismatch[CONF_TEXT_MAX];
    assay_status rc = conf_diff_member_compare(d, name, types, shape, mismatch, err);
    *fits = rc == ASSAY_OK && !mismatch[0];
    if (rc == ASSAY_OK && !*fits) (void)conf_evaluate_fail(d->v, CONF_CLASS_SHAPE, "%s", mismatch);
    return rc;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

size_t conf_diff_names_lacking(char text[CONF_DIFF_NAMES_MAX], const conf_strings *a, const conf_strings *b)
{
    enum { N_SHOWN = 4 };
    size_t n = 0, end = 0;
    text[0] = '\0';
    for (size_t i = 0; i < a->n; i++) {
        if (b->n > 0 && bsearch(&a->at[i], b->at, b->n, sizeof *b->at, compare_names)) continue;
        if (n < N_SHOWN)
            end +=
                (size_t)snprintf(text + end, CONF_DIFF_NAMES_MAX - end, "%s%.48s", n ? ", " : "", a->at[i]);
        n++;
    }
    if (n > N_SHOWN) (void)snprintf(text + end, CONF_DIFF_NAMES_MAX - end, " and %zu more", n - N_SHOWN);
    return n;
}
