/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/tests/grid.h"

#include "base/tests/support.h"
#include "model/plan/mask.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static glob_t found;

int grid_find(void)
{
    char pattern[4096];
    const char *top = getenv("top_srcdir");
    (void)snprintf(pattern, sizeof pattern, "%s/fixtures/*/*/model/config.json", top ? top : ".");
    if (glob(pattern, 0, NULL, &found) != 0) return 0;
    for (size_t i = 0; i < found.gl_pathc; i++) *strrchr(found.gl_pathv[i], '/') = '\0';
    return (int)found.gl_pathc;
}

void grid_free(void)
{
    globfree(&found);
}

const char *grid_dir(int index)
{
    return found.gl_pathv[index];
}

fp_model *grid_open(int index, assay_dtype compute, size_t n_workers)
{
    fp_model *m;
    assay_error err;
    fp_options options = {.compute = compute, .isa = getenv("ASSAY_ISA"), .n_workers = n_workers, .grain = 0};
    ck_assert_msg(fp_model_open(grid_dir(index), &options, &m, &err) == ASSAY_OK, "%s", err.text);
    return m;
}

int32_t grid_token(const plan *p, size_t text, size_t pos)
{
    size_t token = (text * 7919 + pos * pos * 31 + pos * 17 + 3) % p->n_token_ids;
    while (plan_is_block_token(p, (int32_t)token)) token = (token + 1) % p->n_token_ids;
    return (int32_t)token;
}

float *grid_blank(size_t n)
{
    float *x = malloc(n * sizeof *x);
    ck_assert_ptr_nonnull(x);
    memset(x, 0xff, n * sizeof *x);
    return x;
}
