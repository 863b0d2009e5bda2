/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/kinds/numeric.h"

#include <stdlib.h>

#include "base/error.h"
#include "conformance/case/decoder.h"
#include "conformance/case/header.h"
#include "conformance/case/positions.h"
#include "conformance/case/root.h"
#include "conformance/case/rope.h"
#include "conformance/hdf5/text.h"
#include "conformance/kinds/kinds.h"

static assay_status read_header(const conf_h5 *file, conf_case *c, assay_error *err)
{
    char *schema = NULL, *kind = NULL;
    assay_status rc = conf_h5_attribute_text(file, "schema", &schema, err);
    if (rc == ASSAY_OK) rc = conf_schema_check(c->path, schema, err);
    if (rc == ASSAY_OK) rc = conf_h5_attribute_text(file, "kind", &kind, err);
    if (rc == ASSAY_OK) rc = conf_kind_find(c->path, kind, false, &c->kind, err);
    free(schema);
    free(kind);
    return rc == ASSAY_OK ? conf_attributes_read(file, c, err) : rc;
}

/* Finds the checkpoint: `model` is below the directory of the case, `checkpoint` below the checkpoint root.
 */
static assay_status find_checkpoint(const conf_h5 *file, conf_case *c, assay_error *err)
{
    char *path = NULL;
    bool rooted, has_model = false;
    assay_status rc = conf_h5_has_attribute(file, "checkpoint", &rooted, err);
    if (rc == ASSAY_OK && rooted) rc = conf_h5_has_attribute(file, "model", &has_model, err);
    if (rc == ASSAY_OK && has_model)
        rc = assay_fail(err, ASSAY_EFORMAT,
                        "%s: found the attributes model and checkpoint, expected one of them", c->path);
    if (rc == ASSAY_OK) rc = conf_h5_attribute_text(file, rooted ? "checkpoint" : "model", &path, err);
    if (rc == ASSAY_OK) rc = rooted ? conf_root_find(c, path, err) : conf_case_find_model(c, path, err);
    free(path);
    return rc;
}

/* frame: read only the frame (conf_case_read_frame). */
static assay_status read_body(const conf_h5 *file, conf_case *c, bool frame, assay_error *err)
{
    assay_status rc = conf_attributes_note(file, c, err);
    if (rc != ASSAY_OK) return rc;
    if (c->kind == CONF_ROPE) return frame ? ASSAY_OK : conf_rope_read(file, c, err);
    rc = find_checkpoint(file, c, err);
    if (c->kind == CONF_POSITIONS) return rc == ASSAY_OK && !frame ? conf_positions_read(file, c, err) : rc;
    if (rc == ASSAY_OK) rc = conf_cache_limit_read(file, &c->decoder.caches, err);
    if (rc == ASSAY_OK) rc = conf_more_ids_read(file, &c->decoder.n_more_ids, err);
    return rc == ASSAY_OK ? conf_decoder_read(file, c, frame, err) : rc;
}

bool conf_case_is_observation(const conf_h5 *file)
{
    return conf_h5_has(file, "/observed") && !conf_h5_has(file, "/expect");
}

assay_status conf_numeric_read(const conf_h5 *file, conf_case *c, bool frame, assay_error *err)
{
    assay_status rc = ASSAY_OK;
    if (conf_case_is_observation(file)) c->kind = CONF_OBSERVATION;
    else rc = read_header(file, c, err);
    return rc == ASSAY_OK && !conf_kind_of(c->kind)->refusal ? read_body(file, c, frame, err) : rc;
}
