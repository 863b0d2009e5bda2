/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/case/header.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "conformance/hdf5/text.h"
#include "conformance/judge/noise.h"
#include "gguf/container.h"

assay_status conf_schema_check(const char *path, const char *schema, assay_error *err)
{
    static const char prefix[] = "assay/";
    char *end = NULL;
    errno = 0;
    unsigned long version = 0;
    if (strncmp(schema, prefix, sizeof prefix - 1) == 0 && schema[sizeof prefix - 1] >= '1' &&
        schema[sizeof prefix - 1] <= '9')
        version = strtoul(schema + sizeof prefix - 1, &end, 10);
    if (!end || *end)
        return assay_fail(err, ASSAY_EFORMAT, "%s: schema is \"%.40s\", expected \"assay/%d\"", path, schema,
                          CONF_SCHEMA_VERSION);
    if (errno == ERANGE || version > CONF_SCHEMA_VERSION)
        return assay_fail(err, ASSAY_EFORMAT,
                          "%s: schema is \"%.40s\": newer than \"assay/%d\", which this version reads", path,
                          schema, CONF_SCHEMA_VERSION);
    return ASSAY_OK;
}

/* Whether ".." components lead out of the directory that `path` is relative to. */
static bool path_leaves_case(const char *path)
{
    int depth = 0;
    while (*path) {
        size_t n = strcspn(path, "/");
        if (n == 2 && path[0] == '.' && path[1] == '.') depth--;
        else if (n > 0 && !(n == 1 && path[0] == '.')) depth++;
        if (depth < 0) return true;
        path += n + (path[n] == '/');
    }
    return false;
}

/* The directory of a file, with all symbolic links resolved. */
static char *resolve_directory(const char *file)
{
    const char *slash = strrchr(file, '/');
    char *dir = slash ? strndup(file, (size_t)(slash - file) + 1) : strdup(".");
    char *real = dir ? realpath(dir, NULL) : NULL;
    free(dir);
    return real;
}

/* Checks that `joined`, with all symbolic links resolved, lies below `dir`. A GGUF file may be a link itself,
 * as the files of a directory may. */
static assay_status check_below(const conf_case *c, const char *dir, const char *joined, const char *model,
                                assay_error *err)
{
    char *root = realpath(dir, NULL);
    const bool is_file = gguf_is_file(joined);
    char *real = !root ? NULL : is_file ? resolve_directory(joined) : realpath(joined, NULL);
    int reason = errno;
    assay_status rc = ASSAY_OK;
    if (!real) {
        rc = assay_fail(err, ASSAY_EIO, "%s: model \"%s\": %s: %s", c->path, model, root ? joined : dir,
                        strerror(reason));
    } else {
        size_t n = strlen(root);
        if (strncmp(real, root, n) != 0 || (real[n] != '/' && (real[n] || !is_file)))
            rc = assay_fail(err, ASSAY_EFORMAT, "%s: model \"%s\" lies outside the case's directory, at %s",
                            c->path, model, real);
    }
    free(root);
    free(real);
    return rc;
}

/* Cases are untrusted: a case must not make an engine open a directory outside its own. */
assay_status conf_case_find_model(conf_case *c, const char *model, assay_error *err)
{
    if (model[0] == '\0') return assay_fail(err, ASSAY_EFORMAT, "%s: model is empty", c->path);
    if (model[0] == '/' || path_leaves_case(model))
        return assay_fail(
            err, ASSAY_EFORMAT,
            "%s: model \"%s\" must be a path relative to the case that stays below its directory", c->path,
            model);
    const char *slash = strrchr(c->path, '/');
    char *dir = slash ? strndup(c->path, (size_t)(slash - c->path) + 1) : strdup("./");
    char *joined = NULL;
    assay_status rc = ASSAY_OK;
    if (!dir || asprintf(&joined, "%s%s", slash ? dir : "", model) < 0) {
        joined = NULL;
        rc = assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", c->path);
    }
    if (rc == ASSAY_OK) rc = check_below(c, dir, joined, model, err);
    if (rc == ASSAY_OK) c->model = joined;
    else free(joined);
    free(dir);
    return rc;
}

static assay_status optional_text(const conf_h5 *file, const char *name, char **out, assay_error *err)
{
    bool has;
    assay_status rc = conf_h5_has_attribute(file, name, &has, err);
    return rc == ASSAY_OK && has ? conf_h5_attribute_text(file, name, out, err) : rc;
}

/* A case with a looser float64 bound must give its reason. The bound of float32 engines is not
 * affected. */
static assay_status read_float64_bound(const conf_h5 *file, conf_case *c, assay_error *err)
{
    bool loosened, has_reason = false;
    c->float64_bound = CONF_FLOAT64_BOUND;
    assay_status rc = conf_h5_attribute_number(file, "/", "float64_bound", &loosened, &c->float64_bound, err);
    if (rc == ASSAY_OK) rc = conf_h5_has_attribute(file, "float64_reason", &has_reason, err);
    if (rc == ASSAY_OK && !loosened && !has_reason) return ASSAY_OK;
    if (rc == ASSAY_OK && !loosened)
        rc = assay_fail(err, ASSAY_EFORMAT, "%s: the attribute float64_bound of / is missing", c->path);
    if (rc == ASSAY_OK) rc = conf_h5_attribute_text(file, "float64_reason", &c->float64_reason, err);
    if (rc != ASSAY_OK) return rc;
    if (!(c->float64_bound > 0 && c->float64_bound <= CONF_FLOAT64_BOUND_MAX))
        return assay_fail(err, ASSAY_EFORMAT,
                          "%s: float64_bound is %g, expected a number above 0 and at most %g", c->path,
                          c->float64_bound, CONF_FLOAT64_BOUND_MAX);
    if (!c->float64_reason[0]) return assay_fail(err, ASSAY_EFORMAT, "%s: float64_reason is empty", c->path);
    return ASSAY_OK;
}

assay_status conf_attributes_note(const conf_h5 *file, conf_case *c, assay_error *err)
{
    static const char *const known[] = {"cache_kept", "cache_limit", "catches",       "checkpoint",
                                        "config",     "flags",       "float64_bound", "float64_reason",
                                        "kind",       "model",       "more_ids",      "recorder",
                                        "reduced",    "schema",      "source",        NULL};
    conf_strings names;
    assay_status rc = conf_h5_attributes(file, &names, err);
    if (rc != ASSAY_OK) return rc;
    rc = conf_strings_note(&names, "attribute ", known, &c->unknown, err);
    conf_strings_free(&names);
    return rc;
}

assay_status conf_attributes_read(const conf_h5 *file, conf_case *c, assay_error *err)
{
    bool has_flags = false;
    assay_status rc = optional_text(file, "source", &c->source, err);
    if (rc == ASSAY_OK) rc = optional_text(file, "recorder", &c->recorder, err);
    if (rc == ASSAY_OK) rc = optional_text(file, "catches", &c->catches, err);
    if (rc == ASSAY_OK) rc = optional_text(file, "reduced", &c->reduced, err);
    if (rc == ASSAY_OK) rc = conf_h5_has_attribute(file, "flags", &has_flags, err);
    if (rc == ASSAY_OK && has_flags) rc = conf_h5_attribute_texts(file, "flags", &c->flags, err);
    return rc == ASSAY_OK ? read_float64_bound(file, c, err) : rc;
}

/* Reads a required attribute: a whole number from `least` to `most`. */
static assay_status read_count(const conf_h5 *file, const char *name, size_t least, size_t most, size_t *out,
                               assay_error *err)
{
    bool found;
    double value;
    assay_status rc = conf_h5_attribute_number(file, "/", name, &found, &value, err);
    if (rc != ASSAY_OK) return rc;
    if (!found)
        return assay_fail(err, ASSAY_EFORMAT, "%s: the attribute %s of / is missing", conf_h5_path(file),
                          name);
    if (!(value >= (double)least && value <= (double)most && value == floor(value)))
        return assay_fail(err, ASSAY_EFORMAT, "%s: %s is %g, expected a whole number from %zu to %zu",
                          conf_h5_path(file), name, value, least, most);
    *out = (size_t)value;
    return ASSAY_OK;
}

assay_status conf_more_ids_read(const conf_h5 *file, size_t *out, assay_error *err)
{
    bool has;
    const assay_status rc = conf_h5_has_attribute(file, "more_ids", &has, err);
    return rc == ASSAY_OK && has ? read_count(file, "more_ids", 1, INT32_MAX, out, err) : rc;
}

/* A case has both attributes, or neither: then *out is unchanged. */
assay_status conf_cache_limit_read(const conf_h5 *file, conf_cache_limit *out, assay_error *err)
{
    bool has_limit, has_kept;
    assay_status rc = conf_h5_has_attribute(file, "cache_limit", &has_limit, err);
    if (rc == ASSAY_OK) rc = conf_h5_has_attribute(file, "cache_kept", &has_kept, err);
    if (rc != ASSAY_OK || (!has_limit && !has_kept)) return rc;
    rc = read_count(file, "cache_limit", 1, INT32_MAX, &out->limit, err);
    return rc == ASSAY_OK ? read_count(file, "cache_kept", 0, out->limit - 1, &out->sink_tokens, err) : rc;
}
