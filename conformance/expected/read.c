/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/expected/read.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "conformance/report/read_result.h"
#include "conformance/support/json_strict.h"

#define ROWS_MOST   100000
#define REASON_MOST 500 /* bytes; a verdict has class, date and reason in one text */

/* The text of a date has the order of the dates. */
static bool is_date(const char *text)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (strlen(text) != CONF_DATE - 1 || text[4] != '-' || text[7] != '-') return false;
    for (size_t i = 0; i < CONF_DATE - 1; i++)
        if (i != 4 && i != 7 && (text[i] < '0' || text[i] > '9')) return false;
    const int year = atoi(text), month = atoi(text + 5), day = atoi(text + 8);
    const bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return month >= 1 && month <= 12 && day >= 1 && day <= days[month - 1] + (month == 2 && is_leap);
}

static assay_status read_class(const conf_json_at *row, conf_class *out, assay_error *err)
{
    const char *names[CONF_N_CLASSES];
    size_t n = 0, chosen;
    conf_json_at at;
    for (conf_class c = CONF_CLASS_NONE + 1; c < CONF_N_CLASSES; c++)
        if (c != CONF_CLASS_FIXED) names[n++] = conf_class_name(c);
    assay_status rc = conf_json_member(row, "class", json_type_string, &at, err);
    if (rc == ASSAY_OK) rc = conf_json_choose(&at, names, n, &chosen, err);
    if (rc == ASSAY_OK) *out = conf_class_of(names[chosen]);
    return rc;
}

/* A text of 1 to `most` bytes. */
static assay_status read_text(const conf_json_at *row, const char *name, size_t most, const char **out,
                              assay_error *err)
{
    conf_json_at at;
    assay_status rc = conf_json_member(row, name, json_type_string, &at, err);
    if (rc == ASSAY_OK) rc = conf_json_clean_text(&at, out, err);
    if (rc != ASSAY_OK) return rc;
    const size_t n = strlen(*out);
    if (n >= 1 && n <= most) return ASSAY_OK;
    return conf_json_fail(&at, err, "found %zu bytes, expected 1 to %zu", n, most);
}

static assay_status read_until(const conf_json_at *row, const char **out, assay_error *err)
{
    const conf_json_at at = {.above = row, .name = "until"};
    const assay_status rc = conf_json_member_text(row, "until", out, err);
    if (rc != ASSAY_OK || is_date(*out)) return rc;
    return conf_json_fail(&at, err, "found \"%.60s\", expected a date such as 2026-11-28", *out);
}

static bool is_same(const conf_expected_row *a, const conf_expected_row *b)
{
    return strcmp(a->id, b->id) == 0 &&
           (a->engine && b->engine ? strcmp(a->engine, b->engine) == 0 : a->engine == b->engine);
}

static assay_status check_once(const conf_json_at *at, const conf_expected *all, const conf_expected_row *row,
                               assay_error *err)
{
    for (size_t i = 0; i < all->n; i++)
        if (is_same(&all->rows[i], row))
            return conf_json_fail(
                at, err, "found case %.200s%s%.60s again, expected each case once: see failures[%zu]",
                row->id, row->engine ? " with engine " : "", row->engine ? row->engine : "", i);
    return ASSAY_OK;
}

static assay_status read_row(const conf_json_at *at, conf_expected *out, assay_error *err)
{
    static const char *const known[] = {"case", "digest", "engine", "class", "reason", "until", NULL};
    conf_expected_row row = {0};
    conf_json_at optional;
    assay_status rc = conf_json_expect(at, json_type_object, err);
    if (rc == ASSAY_OK) rc = conf_json_only(at, known, err);
    if (rc == ASSAY_OK) rc = read_text(at, "case", 4096, &row.id, err);
    if (rc == ASSAY_OK && conf_json_find(at, "digest", &optional))
        rc = conf_read_digest(at, "digest", false, row.digest, err);
    if (rc == ASSAY_OK && conf_json_find(at, "engine", &optional))
        rc = read_text(at, "engine", 4096, &row.engine, err);
    if (rc == ASSAY_OK) rc = read_class(at, &row.class, err);
    if (rc == ASSAY_OK) rc = read_text(at, "reason", REASON_MOST, &row.reason, err);
    if (rc == ASSAY_OK) rc = read_until(at, &row.until, err);
    if (rc == ASSAY_OK) rc = check_once(at, out, &row, err);
    if (rc == ASSAY_OK) out->rows[out->n++] = row;
    return rc;
}

static assay_status read_rows(const conf_json_at *document, conf_expected *out, assay_error *err)
{
    static const char *const known[] = {"schema", "failures", NULL}, *const schemas[] = {
                                                                         CONF_EXPECTED_SCHEMA};
    conf_json_at schema, all;
    size_t chosen;
    assay_status rc = conf_json_expect(document, json_type_object, err);
    if (rc == ASSAY_OK) rc = conf_json_member(document, "schema", json_type_string, &schema, err);
    if (rc == ASSAY_OK) rc = conf_json_choose(&schema, schemas, 1, &chosen, err);
    if (rc == ASSAY_OK) rc = conf_json_only(document, known, err);
    if (rc == ASSAY_OK) rc = conf_json_member(document, "failures", json_type_array, &all, err);
    if (rc != ASSAY_OK) return rc;
    const size_t n = json_object_array_length(all.value);
    if (n > ROWS_MOST)
        return conf_json_fail(&all, err, "found %zu elements, expected at most %d", n, ROWS_MOST);
    out->rows = calloc(n + 1, sizeof *out->rows);
    if (!out->rows) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", document->name);
    for (size_t i = 0; i < n && rc == ASSAY_OK; i++) {
        const conf_json_at row = conf_json_element(&all, i);
        rc = read_row(&row, out, err);
    }
    return rc;
}

assay_status conf_expected_take(const char *path, json_object *document, conf_expected *out, assay_error *err)
{
    char now[CONF_STAMP];
    const conf_json_at at = {.name = path, .value = document};
    conf_expected read = {.path = path, .document = document};
    conf_stamp(now);
    (void)snprintf(read.today, sizeof read.today, "%.10s", now);
    const assay_status rc = read_rows(&at, &read, err);
    if (rc == ASSAY_OK) *out = read;
    else conf_expected_free(&read);
    return rc;
}

assay_status conf_expected_read(const char *path, conf_expected *out, assay_error *err)
{
    json_object *document;
    char digest[CONF_DIGEST_MAX];
    if (!path) return ASSAY_OK;
    assay_status rc = conf_digest_file(path, digest, err);
    if (rc == ASSAY_OK) rc = json_read(path, &document, err);
    if (rc == ASSAY_OK) rc = conf_expected_take(path, document, out, err);
    if (rc == ASSAY_OK) memcpy(out->digest, digest, sizeof digest);
    return rc;
}
