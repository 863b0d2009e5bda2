/* Reading cases of kind rope.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/case/rope.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "conformance/case/members.h"
#include "conformance/hdf5/text.h"

static assay_status read_config(const conf_h5 *file, conf_rope *r, assay_error *err)
{
    assay_status rc = conf_h5_attribute_text(file, "config", &r->config, err);
    if (rc != ASSAY_OK) return rc;
    assay_error reason;
    rc = json_check("config", r->config, strlen(r->config), &reason);
    if (rc == ASSAY_OK) return rc;
    return assay_fail(err, rc == ASSAY_ENOMEM ? rc : ASSAY_EFORMAT, "%s: the attribute %.800s",
                      conf_h5_path(file), reason.text);
}

static assay_status read_positions(const conf_h5 *file, conf_rope *r, assay_error *err)
{
    assay_status rc = conf_h5_shape(file, "/input/position", &r->position, err);
    if (rc != ASSAY_OK) return rc;
    size_t rank = r->position.rank;
    r->n_axes = rank == 2 ? r->position.shape[0] : 1;
    if (rank < 1 || rank > 2 || (r->n_axes != 1 && r->n_axes != 3) || r->position.n == 0)
        return assay_fail(err, ASSAY_EFORMAT, "%s: /input/position has neither shape [P] nor [3,P]",
                          conf_h5_path(file));
    r->n_positions = r->position.shape[rank - 1];
    return conf_array_read(file, "/input/position", ASSAY_I32, rank,
                           (size_t[]){r->position.shape[0], r->n_positions}, &r->position, err);
}

static assay_status check_finite(const conf_h5 *file, const char *name, const conf_array *a, assay_error *err)
{
    const double *value = a->data;
    for (size_t i = 0; i < a->n; i++)
        if (!isfinite(value[i]))
            return assay_fail(err, ASSAY_EFORMAT, "%s: %s: element %zu is %g", conf_h5_path(file), name, i,
                              value[i]);
    return ASSAY_OK;
}

/* Reads x and its truth, both [P, head_dim] or [P, H, head_dim]. */
static assay_status read_rotated(const conf_h5 *file, conf_rope *r, assay_error *err)
{
    conf_array a;
    assay_status rc = conf_h5_shape(file, "/input/x", &a, err);
    if (rc != ASSAY_OK) return rc;
    if (a.rank < 2 || a.rank > 3 || a.shape[0] != r->n_positions || a.n == 0)
        return assay_fail(err, ASSAY_EFORMAT,
                          "%s: /input/x has neither shape [%zu,head] nor [%zu,heads,head]",
                          conf_h5_path(file), r->n_positions, r->n_positions);
    r->n_heads = a.rank == 3 ? a.shape[1] : 1;
    r->head_dim = a.shape[a.rank - 1];
    rc = conf_array_read_wide(file, "/input/x", a.rank, a.shape, &r->x, err);
    if (rc == ASSAY_OK) rc = check_finite(file, "/input/x", &r->x, err);
    if (rc == ASSAY_OK)
        rc = conf_array_read(file, "/expect/truth/x", ASSAY_F64, a.rank, a.shape, &r->truth, err);
    if (rc == ASSAY_OK) rc = check_finite(file, "/expect/truth/x", &r->truth, err);
    return rc;
}

static assay_status read_tables(const conf_h5 *file, conf_rope *r, assay_error *err)
{
    assay_status rc = conf_array_read(file, "/expect/truth/cos", ASSAY_F64, 2,
                                      (size_t[]){r->n_positions, SIZE_MAX}, &r->cos, err);
    if (rc != ASSAY_OK) return rc;
    r->table_dim = r->cos.shape[1];
    if (r->table_dim == 0 || r->table_dim > r->head_dim)
        return assay_fail(err, ASSAY_EFORMAT, "%s: /expect/truth/cos has %zu columns, expected 1..%zu",
                          conf_h5_path(file), r->table_dim, r->head_dim);
    rc = conf_array_read(file, "/expect/truth/sin", ASSAY_F64, 2, r->cos.shape, &r->sin, err);
    if (rc == ASSAY_OK) rc = check_finite(file, "/expect/truth/cos", &r->cos, err);
    if (rc == ASSAY_OK) rc = check_finite(file, "/expect/truth/sin", &r->sin, err);
    return rc;
}

static assay_status note_members(const conf_h5 *file, conf_case *c, assay_error *err)
{
    static const char *const root[] = {"input", "expect", NULL};
    static const char *const input[] = {"position", "x", NULL};
    static const char *const expect[] = {"truth", "float32", NULL};
    static const char *const run[] = {"x", "cos", "sin", NULL};
    assay_status rc = conf_members_note(file, "/", root, &c->unknown, err);
    if (rc == ASSAY_OK) rc = conf_members_note(file, "/input", input, &c->unknown, err);
    if (rc == ASSAY_OK) rc = conf_members_note(file, "/expect", expect, &c->unknown, err);
    if (rc == ASSAY_OK) rc = conf_members_note(file, "/expect/truth", run, &c->unknown, err);
    if (rc == ASSAY_OK) rc = conf_members_note(file, "/expect/float32", run, &c->unknown, err);
    return rc;
}

assay_status conf_rope_read(const conf_h5 *file, conf_case *c, assay_error *err)
{
    conf_rope *r = &c->rope;
    assay_status rc = note_members(file, c, err);
    if (rc == ASSAY_OK) rc = read_config(file, r, err);
    if (rc == ASSAY_OK) rc = read_positions(file, r, err);
    if (rc == ASSAY_OK) rc = read_rotated(file, r, err);
    if (rc == ASSAY_OK) rc = read_tables(file, r, err);
    return rc;
}

void conf_rope_free(conf_rope *r)
{
    free(r->config);
    conf_array_free(&r->position);
    conf_array_free(&r->x);
    conf_array_free(&r->truth);
    conf_array_free(&r->cos);
    conf_array_free(&r->sin);
}
