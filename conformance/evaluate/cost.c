/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/evaluate/cost.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/saturate.h"
#include "conformance/case/prompt.h"
#include "conformance/kinds/kinds.h"
#include "conformance/kinds/read.h"
#include "conformance/process/contain.h"
#include "model/loader.h"
#include "model/plan/cost.h"

static uint64_t size_of(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISREG(s.st_mode) ? (uint64_t)s.st_size : 0;
}

/* Bytes of the safetensors files of a checkpoint. */
static uint64_t count_weight_bytes(const char *dir)
{
    static const char extension[] = ".safetensors";
    const size_t n = sizeof extension - 1;
    uint64_t sum = 0;
    DIR *directory = opendir(dir);
    if (!directory) return 0;
    for (struct dirent *entry; (entry = readdir(directory));) {
        const size_t length = strlen(entry->d_name);
        char *path;
        if (length <= n || strcmp(entry->d_name + length - n, extension) != 0) continue;
        if (asprintf(&path, "%s/%s", dir, entry->d_name) < 0) continue;
        sum = add_saturating(sum, size_of(path));
        free(path);
    }
    (void)closedir(directory);
    return sum;
}

/* What tokens and rows cost in a checkpoint. `known`: its plan has been read into cost; otherwise each token
 * costs `token`. */
typedef struct rate {
    bool known;
    plan_cost cost;
    uint64_t token;
} rate;

static void read_rate(const char *dir, rate *out)
{
    plan *p = NULL;
    assay_error err;
    *out = (rate){.known = false};
    if (plan_open(dir, &p, &err) == ASSAY_OK) out->known = plan_cost_read(p, &out->cost, &err) == ASSAY_OK;
    plan_free(p);
    if (!out->known) out->token = count_weight_bytes(dir) / 2;
}

static uint64_t cost_of_tokens(const rate *r, size_t first, size_t n_tokens, size_t n_rows)
{
    return r->known ? plan_cost_count(&r->cost, first, n_tokens, n_rows)
                    : multiply_saturating(r->token, n_tokens);
}

/* Every sample's prompt, forced steps and greedy steps, and the rows of logits. */
static uint64_t cost_of_decoder(const conf_decoder *d, const rate *r)
{
    uint64_t sum = cost_of_tokens(r, 0, 0, d->rows.n_rows);
    for (size_t b = 0; b < d->n_samples; b++) {
        const size_t n = conf_prompt_length(d, b);
        sum = add_saturating(sum, cost_of_tokens(r, 0, n + d->n_decode, 0));
        sum = add_saturating(sum, cost_of_tokens(r, n, d->n_greedy, d->n_greedy));
        sum = add_saturating(sum, multiply_saturating(CONF_COST_TOKEN, n + d->n_decode + d->n_greedy));
    }
    return sum;
}

static assay_status read_numeric(const char *path, bool scanned, uint64_t *cost, assay_error *err)
{
    conf_h5 *file = NULL;
    conf_case *c = NULL;
    assay_status rc = conf_h5_open(path, &file, err);
    if (rc == ASSAY_OK) rc = conf_case_read_frame(file, &c, err);
    if (rc == ASSAY_OK && scanned && conf_kind_of(c->kind)->auxiliary) *cost = CONF_COST_NO_CASE;
    if (rc == ASSAY_OK && conf_kind_of(c->kind)->has_decoder && c->decoder.length.data) {
        rate r;
        read_rate(c->model, &r);
        *cost = add_saturating(*cost, cost_of_decoder(&c->decoder, &r));
        plan_cost_free(&r.cost);
    }
    conf_case_free(c);
    conf_h5_close(file);
    return rc;
}

/* In the child: a line with the cost. */
static assay_status print_cost(const void *context, FILE *out, assay_error *err)
{
    const conf_found *found = context;
    const char *path = found->path;
    uint64_t cost = CONF_COST_CASE;
    const size_t n = strlen(path);
    assay_status rc = ASSAY_OK;
    if (n > 3 && strcmp(path + n - 3, ".h5") == 0) rc = read_numeric(path, found->scanned, &cost, err);
    else cost = add_saturating(cost, multiply_saturating(size_of(path), CONF_COST_TEXT_BYTE));
    if (rc == ASSAY_OK) (void)fprintf(out, "%" PRIu64 "\n", cost);
    return rc;
}

static assay_status read_cost(conf_found *found, const conf_limits *limits, uint64_t *cost, assay_error *err)
{
    const char *path = found->path;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", path);
    const assay_status rc = conf_contain(print_cost, found, limits, path, out, err);
    const bool read = fclose(out) == 0 && rc == ASSAY_OK && sscanf(text, "%" SCNu64, cost) == 1;
    if (!read) *cost = CONF_COST_CASE;
    found->no_case = *cost == CONF_COST_NO_CASE;
    free(text);
    return rc == ASSAY_EINTERNAL ? rc : ASSAY_OK;
}

assay_status conf_costs_read(conf_found_list *list, const conf_limits *limits, uint64_t *cost,
                             assay_error *err)
{
    assay_status rc = ASSAY_OK;
    for (size_t i = 0; i < list->n && rc == ASSAY_OK; i++)
        rc = read_cost(&list->at[i], limits, &cost[i], err);
    return rc;
}
