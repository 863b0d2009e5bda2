/* Input: a case, in HDF5, or in JSON if it begins with a brace.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/case/case.h"
#include "conformance/kinds/read.h"
#include "fuzz/fuzz.h"

#include <string.h>

static void require_rows(const conf_decoder *d)
{
    volatile double touched;
    for (size_t r = 0; r < d->rows.n_rows; r++) {
        fuzz_require(d->rows.place[r].sample < d->n_samples, "a row belongs to a sample");
        touched = d->rows.truth[(r + 1) * d->rows.n_cols - 1];
        for (size_t i = 0; i < d->rows.n_runs; i++)
            if (d->rows.runs[i].rows) touched = d->rows.runs[i].rows[(r + 1) * d->rows.n_cols - 1];
        (void)touched;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_make_directory("model");
    const char *path = fuzz_write(size > 0 && data[0] == '{' ? "case.json" : "case.h5", data, size);

    conf_case *c = NULL;
    assay_error err = {0};
    assay_status rc = conf_case_read(path, &c, &err);
    if (rc != ASSAY_OK) {
        fuzz_require_refusal(rc, &err, c == NULL);
        return 0;
    }
    fuzz_require(c->kind < CONF_N_KINDS, "the kind is one that is known");
    if (c->model)
        fuzz_require(strncmp(c->model, fuzz_directory(), strlen(fuzz_directory())) == 0 &&
                         !strstr(c->model, "/../"),
                     "the checkpoint lies below the case's directory");
    require_rows(&c->decoder);
    conf_case_free(c);
    return 0;
}
