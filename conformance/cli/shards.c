/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/cli/shards.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "conformance/cli/value.h"

static const char total_name[] = "TEST_TOTAL_SHARDS", index_name[] = "TEST_SHARD_INDEX",
                  file_name[] = "TEST_SHARD_STATUS_FILE";

/* The value of a variable; NULL if it is not set, or empty. */
static const char *read_variable(const conf_context *context, const char *name)
{
    const char *value = context->variable ? context->variable(name) : NULL;
    return value && *value ? value : NULL;
}

/* Whole decimal digits alone. */
static bool parse_whole(const char *text, unsigned long long *out)
{
    if (!text || strspn(text, "0123456789") != strlen(text)) return false;
    errno = 0;
    *out = strtoull(text, NULL, 10);
    return errno == 0;
}

static assay_status touch(const char *path, assay_error *err)
{
    FILE *file = fopen(path, "a");
    if (file && fclose(file) == 0) return ASSAY_OK;
    return assay_fail(err, ASSAY_EIO, "variable %s: %s: %s", file_name, path, strerror(errno));
}

assay_status conf_shards_read(const conf_context *context, size_t *index, size_t *total, assay_error *err)
{
    const char *totals = read_variable(context, total_name), *indices = read_variable(context, index_name);
    const char *file = read_variable(context, file_name);
    unsigned long long n, i;
    *total = 0;
    if (!totals) return ASSAY_OK;
    if (!parse_whole(totals, &n) || n < 1 || n > CONF_SHARDS_MAX)
        return assay_fail(err, ASSAY_EINVAL, "variable %s: found %s, expected a whole number from 1 to %d",
                          total_name, totals, CONF_SHARDS_MAX);
    if (!parse_whole(indices, &i) || i >= n)
        return assay_fail(err, ASSAY_EINVAL, "variable %s: found %s, expected a whole number from 0 to %llu",
                          index_name, indices ? indices : "nothing", n - 1);
    *index = (size_t)i + 1;
    *total = (size_t)n;
    return file ? touch(file, err) : ASSAY_OK;
}
