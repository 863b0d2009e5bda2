/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/tests/list_rows.h"
#include "conformance/case/rows.h"

#include <stdlib.h>

#include "conformance/case/row_list.h"
#include "conformance/kinds/read.h"
#include "conformance/tests/support.h"

static void reduce_run(const char *path, const char *name, const conf_decoder *d, const double *run,
                       const int32_t (*rows)[2], size_t n)
{
    const size_t v = d->rows.n_cols;
    double *wide = calloc(n * v + 1, sizeof *wide);
    float *narrow = calloc(n * v + 1, sizeof *narrow);
    ck_assert(wide && narrow);
    for (size_t i = 0; i < n * v; i++) {
        const int32_t *row = rows[i / v];
        wide[i] = run[conf_row_find(d, (size_t)row[0], false, (size_t)row[1]) * v + i % v];
        narrow[i] = (float)wide[i];
    }
    if (run == d->rows.truth) edit_f64(path, name, 2, (size_t[]){n, v}, wide);
    else edit_f32(path, name, 2, (size_t[]){n, v}, narrow);
    free(wide);
    free(narrow);
}

void list_rows(const char *path, const int32_t (*rows)[2], size_t n)
{
    conf_case *c;
    assay_error err = {0};
    ck_assert_msg(conf_case_read(path, &c, &err) == ASSAY_OK, "%s", err.text);
    const conf_decoder *d = &c->decoder;
    reduce_run(path, "/expect/truth/prefill", d, d->rows.truth, rows, n);
    reduce_run(path, "/expect/float32/prefill", d, conf_rows_noise(&d->rows, CONF_COMPUTE_F32), rows, n);
    const double *narrow = conf_rows_noise(&d->rows, CONF_COMPUTE_BF16);
    if (narrow) reduce_run(path, "/expect/bfloat16/prefill", d, narrow, rows, n);
    edit_i32(path, "/expect/rows", 2, (size_t[]){n, 2}, rows[0]);
    conf_case_free(c);
}
