/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/reduce/make.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "conformance/abi/engine.h"
#include "conformance/reduce/compute.h"
#include "conformance/reduce/cut/write.h"

const char *conf_making_origin(const conf_whole *whole, bool computed)
{
    if (!computed && whole->c->reduced) return whole->c->reduced;
    return computed ? "assay reduce: expected values computed by " CONF_ENGINE_REFERENCE
                      ", which agrees with the whole recorded case; noise recorded with the whole case"
                    : "assay reduce: expected values recorded with the whole case";
}

bool conf_making_has_tensors(const conf_making *making)
{
    return !making->reference && !making->without_tensors && conf_cut_has_tensors(making->whole, making->cut);
}

void conf_make(const void *context, conf_verdict *v)
{
    const conf_making *m = context;
    const conf_rows *rows = &m->whole->c->decoder.rows;
    const size_t n_bytes = rows->n_rows * rows->n_cols * sizeof(double);
    conf_values values = {.reduced = conf_making_origin(m->whole, m->reference != NULL),
                          .has_tensors = conf_making_has_tensors(m)};
    double *truth = m->reference ? malloc(n_bytes + 1) : NULL;
    assay_error err = {0};
    assay_status rc = ASSAY_OK;
    if (m->reference && !truth) rc = assay_fail(&err, ASSAY_ENOMEM, "out of memory");
    if (rc == ASSAY_OK && truth) {
        memcpy(truth, rows->truth, n_bytes);
        rc = conf_cut_compute(m->whole, m->cut, m->reference, m->model, truth, &err);
    }
    values.truth = truth;
    if (rc == ASSAY_OK) rc = conf_cut_write(m->whole, m->cut, &values, m->path, &err);
    free(truth);
    if (rc != ASSAY_OK) conf_verdict_set(v, CONF_BROKEN, "%s", err.text);
}
