/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/kinds/read.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "conformance/case/decoder.h"
#include "conformance/case/positions.h"
#include "conformance/case/rope.h"
#include "conformance/kinds/numeric.h"
#include "conformance/kinds/textual.h"

static assay_status read_numeric(conf_case *c, assay_error *err)
{
    conf_h5 *file;
    assay_status rc = conf_h5_open(c->path, &file, err);
    if (rc != ASSAY_OK) return rc;
    rc = conf_numeric_read(file, c, false, err);
    conf_h5_close(file);
    return rc;
}

static assay_status read_case(const char *path, bool outline, conf_case **out, assay_error *err)
{
    conf_case *c = calloc(1, sizeof *c);
    if (c) *c = (conf_case){.path = strdup(path), .outline = outline};
    if (!c || !c->path) {
        free(c);
        return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", path);
    }
    const char *dot = strrchr(path, '.');
    bool textual = dot && (strcmp(dot, ".json") == 0 || strcmp(dot, ".gz") == 0);
    assay_status rc = textual ? conf_textual_read(c, err) : read_numeric(c, err);
    if (rc != ASSAY_OK) conf_case_free(c);
    else *out = c;
    return rc;
}

assay_status conf_case_read(const char *path, conf_case **out, assay_error *err)
{
    return read_case(path, false, out, err);
}

assay_status conf_case_read_outline(const char *path, conf_case **out, assay_error *err)
{
    return read_case(path, true, out, err);
}

assay_status conf_case_read_frame(const conf_h5 *file, conf_case **out, assay_error *err)
{
    const char *path = conf_h5_path(file);
    conf_case *c = calloc(1, sizeof *c);
    if (c) c->path = strdup(path);
    if (!c || !c->path) {
        free(c);
        return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", path);
    }
    assay_status rc = conf_numeric_read(file, c, true, err);
    if (rc != ASSAY_OK) conf_case_free(c);
    else *out = c;
    return rc;
}

void conf_case_free(conf_case *c)
{
    if (!c) return;
    conf_decoder_free(&c->decoder);
    conf_rope_free(&c->rope);
    conf_positions_free(&c->positions);
    conf_vectors_free(&c->vectors);
    conf_strings_free(&c->flags);
    conf_strings_free(&c->unknown);
    free(c->path);
    free(c->model);
    free(c->checksums);
    free(c->source);
    free(c->recorder);
    free(c->catches);
    free(c->reduced);
    free(c->float64_reason);
    free(c);
}
