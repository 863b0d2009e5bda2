/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/report/profile_json.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "conformance/report/profiles.h"
#include "conformance/report/report.h"
#include "conformance/support/json_add.h"
#include "conformance/support/json_strict.h"

static bool add_errors(json_object *to, const char *member, const conf_profile_error *errors, size_t n)
{
    json_object *array = conf_json_add_array(to, member);
    bool ok = array != NULL;
    for (size_t i = 0; ok && i < n; i++) {
        json_object *one = conf_json_append_object(array);
        ok = conf_json_add_text(one, "name", errors[i].name) &&
             conf_json_add_real(one, "multiple", errors[i].multiple);
    }
    return ok;
}

static bool add_rows(json_object *to, const conf_profile *p)
{
    json_object *array = conf_json_add_array(to, "rows");
    bool ok = array != NULL;
    for (size_t i = 0; ok && i < p->n_rows; i++) {
        json_object *one = conf_json_append_object(array);
        ok = conf_json_add_count(one, "sample", p->rows[i].sample) &&
             conf_json_add_count(one, "pos", p->rows[i].pos) &&
             conf_json_add(one, "decode", json_object_new_boolean(p->rows[i].decode)) &&
             conf_json_add_real(one, "multiple", p->rows[i].multiple);
    }
    return ok;
}

static bool add_sizes(json_object *to, const char *member, const size_t counts[CONF_PROFILE_SIZES])
{
    json_object *array = conf_json_add_array(to, member);
    bool ok = array != NULL;
    for (size_t i = 0; ok && i < CONF_PROFILE_SIZES; i++)
        ok = conf_json_append(array, json_object_new_int64((int64_t)counts[i]));
    return ok;
}

bool conf_json_add_profile(json_object *to, const conf_profile *p)
{
    if (!p || p->n_tensors + p->n_rows == 0) return true;
    json_object *profile = conf_json_add_object(to, "profile");
    return conf_json_add_text(profile, "of", conf_profiled_names[p->of]) &&
           add_errors(profile, "tensors", p->tensors, p->n_tensors) && add_rows(profile, p) &&
           add_errors(profile, "manners", p->manners, p->n_manners) &&
           add_sizes(profile, "found", p->found) &&
           (p->has_recorded ? add_sizes(profile, "recorded", p->recorded)
                            : conf_json_add_null(profile, "recorded"));
}

/* An array of at most `most` elements. */
static assay_status read_array(const conf_json_at *object, const char *name, size_t most, conf_json_at *out,
                               assay_error *err)
{
    const assay_status rc = conf_json_member(object, name, json_type_array, out, err);
    const size_t n = rc == ASSAY_OK ? json_object_array_length(out->value) : 0;
    if (n > most) return conf_json_fail(out, err, "found %zu elements, expected at most %zu", n, most);
    return rc;
}

/* null: it is infinite. */
static assay_status read_multiple(const conf_json_at *one, double *out, assay_error *err)
{
    conf_json_at at = {.above = one, .name = "multiple"};
    if (!conf_json_find(one, "multiple", &at))
        return conf_json_fail(&at, err, "is missing, expected a number or null");
    *out = (double)INFINITY;
    if (!at.value) return ASSAY_OK;
    const assay_status rc = conf_json_expect(&at, json_type_double, err);
    if (rc != ASSAY_OK) return rc;
    *out = json_object_get_double(at.value);
    return *out >= 0 ? ASSAY_OK : conf_json_fail(&at, err, "found %g, expected 0 or more", *out);
}

static assay_status read_errors(const conf_json_at *profile, const char *member, size_t most,
                                conf_profile_error *out, size_t *n, assay_error *err)
{
    static const char *const known[] = {"name", "multiple", NULL};
    conf_json_at all;
    assay_status rc = read_array(profile, member, most, &all, err);
    for (size_t i = 0; rc == ASSAY_OK && i < json_object_array_length(all.value); i++) {
        const conf_json_at one = conf_json_element(&all, i);
        rc = conf_json_copy_text(&one, "name", out[i].name, sizeof out[i].name, err);
        if (rc == ASSAY_OK) rc = conf_json_only(&one, known, err);
        if (rc == ASSAY_OK) rc = read_multiple(&one, &out[i].multiple, err);
        if (rc == ASSAY_OK) ++*n;
    }
    return rc;
}

static assay_status read_rows(const conf_json_at *profile, conf_profile *out, assay_error *err)
{
    static const char *const known[] = {"sample", "pos", "decode", "multiple", NULL};
    conf_json_at all;
    assay_status rc = read_array(profile, "rows", CONF_PROFILE_ROWS_MAX, &all, err);
    for (size_t i = 0; rc == ASSAY_OK && i < json_object_array_length(all.value); i++) {
        const conf_json_at one = conf_json_element(&all, i);
        int64_t sample = 0, pos = 0;
        rc = conf_json_member_whole(&one, "sample", 0, UINT32_MAX, &sample, err);
        if (rc == ASSAY_OK) rc = conf_json_only(&one, known, err);
        if (rc == ASSAY_OK) rc = conf_json_member_whole(&one, "pos", 0, UINT32_MAX, &pos, err);
        if (rc == ASSAY_OK) rc = conf_json_boolean(&one, "decode", &out->rows[i].decode, err);
        if (rc == ASSAY_OK) rc = read_multiple(&one, &out->rows[i].multiple, err);
        if (rc != ASSAY_OK) return rc;
        out->rows[i].sample = (uint32_t)sample;
        out->rows[i].pos = (uint32_t)pos;
        out->n_rows++;
    }
    return rc;
}

static assay_status read_sizes(const conf_json_at *profile, const char *member,
                               size_t counts[CONF_PROFILE_SIZES], assay_error *err)
{
    conf_json_at all;
    assay_status rc = conf_json_member(profile, member, json_type_array, &all, err);
    if (rc != ASSAY_OK) return rc;
    const size_t n = json_object_array_length(all.value);
    if (n != CONF_PROFILE_SIZES)
        return conf_json_fail(&all, err, "found %zu elements, expected %d", n, CONF_PROFILE_SIZES);
    for (size_t i = 0; i < n && rc == ASSAY_OK; i++) {
        const conf_json_at one = conf_json_element(&all, i);
        int64_t count = 0;
        rc = conf_json_whole(&one, 0, INT64_MAX, &count, err);
        counts[i] = (size_t)count;
    }
    return rc;
}

static assay_status read_profile(const conf_json_at *at, conf_profile *out, assay_error *err)
{
    static const char *const known[] = {"of", "tensors", "rows", "manners", "found", "recorded", NULL};
    conf_json_at of, recorded;
    size_t profiled = 0;
    assay_status rc = conf_json_expect(at, json_type_object, err);
    if (rc == ASSAY_OK) rc = conf_json_only(at, known, err);
    if (rc == ASSAY_OK) rc = conf_json_member(at, "of", json_type_string, &of, err);
    if (rc == ASSAY_OK) rc = conf_json_choose(&of, conf_profiled_names, CONF_N_PROFILED, &profiled, err);
    out->of = (conf_profiled)profiled;
    if (rc == ASSAY_OK)
        rc = read_errors(at, "tensors", CONF_PROFILE_TENSORS_MAX, out->tensors, &out->n_tensors, err);
    if (rc == ASSAY_OK) rc = read_rows(at, out, err);
    if (rc == ASSAY_OK)
        rc = read_errors(at, "manners", CONF_PROFILE_MANNERS_MAX, out->manners, &out->n_manners, err);
    if (rc == ASSAY_OK) rc = read_sizes(at, "found", out->found, err);
    out->has_recorded = !conf_json_find(at, "recorded", &recorded) || recorded.value;
    if (rc == ASSAY_OK && out->has_recorded) rc = read_sizes(at, "recorded", out->recorded, err);
    return rc;
}

/* The number of these members, of which the file may have more than a run writes. */
static assay_status count_profiles(const conf_json_at *results, size_t *n, assay_error *err)
{
    *n = 0;
    for (size_t i = 0; i < json_object_array_length(results->value); i++) {
        const conf_json_at one = conf_json_element(results, i);
        conf_json_at profile;
        if (conf_json_find(&one, "profile", &profile) && ++*n > CONF_PROFILES_MAX)
            return conf_json_fail(&profile, err, "found profile %zu, expected at most %d in a document", *n,
                                  CONF_PROFILES_MAX);
    }
    return ASSAY_OK;
}

assay_status conf_profiles_read(const conf_json_at *document, conf_results *out, assay_error *err)
{
    size_t n = 0, k = 0;
    conf_json_at results;
    assay_status rc = conf_json_member(document, "results", json_type_array, &results, err);
    if (rc == ASSAY_OK) rc = count_profiles(&results, &n, err);
    if (rc != ASSAY_OK || n == 0) return rc;
    out->profiles = conf_profile_share(n);
    if (!out->profiles) return assay_fail(err, ASSAY_ENOMEM, "the profiles of failures: out of memory");
    out->n_profiles = n;
    for (size_t i = 0; k < n && rc == ASSAY_OK; i++) {
        const conf_json_at one = conf_json_element(&results, i);
        const size_t result = i / out->n_engines, engine = i % out->n_engines;
        const conf_verdict *v = &out->at[result].verdicts[engine];
        conf_json_at at;
        if (!conf_json_find(&one, "profile", &at)) continue;
        if (!conf_profile_applies(v))
            return conf_json_fail(&at, err, "found a member, expected none: outcome %s, class \"%s\"",
                                  conf_outcome_name(v->outcome), conf_class_name(v->class));
        rc = conf_profiles_add(out, result, engine, &out->profiles[k++], err);
        if (rc == ASSAY_OK) rc = read_profile(&at, &out->profiles[k - 1], err);
    }
    return rc;
}
