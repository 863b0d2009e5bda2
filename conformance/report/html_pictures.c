/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/report/html_pictures.h"

#include <math.h>
#include <stdlib.h>

#include "conformance/judge/noise.h"
#include "conformance/picture/picture.h"

enum { MOST = 12 };

typedef struct error {
    const char *id;
    double size;   /* in multiples of the bound */
    size_t result; /* its index; SIZE_MAX: the page has no row of it */
} error;

/* Largest first. */
static int compare_errors(const void *a, const void *b)
{
    const double x = ((const error *)a)->size, y = ((const error *)b)->size;
    return (x < y) - (x > y);
}

static void print_largest(FILE *out, const error *errors, size_t n, size_t engine)
{
    const char *labels[MOST], *links[MOST];
    char targets[MOST][64];
    double values[MOST];
    if (n > MOST) n = MOST;
    for (size_t i = 0; i < n; i++) {
        labels[i] = errors[i].id;
        values[i] = errors[i].size;
        links[i] = errors[i].result == SIZE_MAX ? NULL : targets[i];
        (void)snprintf(targets[i], sizeof targets[i], "#case-%zu-%zu", engine, errors[i].result);
    }
    picture p = picture_of_errors("Largest errors", "case", "times the bound", labels, values, n);
    p.links = links;
    picture_print(out, &p);
}

/* A bar for each range of errors, smallest first. */
static void print_histogram(FILE *out, const error *errors, size_t n)
{
    char texts[CONF_PROFILE_SIZES][32];
    const char *labels[CONF_PROFILE_SIZES];
    double counts[CONF_PROFILE_SIZES] = {0};
    for (size_t i = 0; i < CONF_PROFILE_SIZES; i++) {
        conf_profile_size_print(texts[i], sizeof texts[i], i);
        labels[i] = texts[i];
    }
    for (size_t i = 0; i < n; i++) counts[conf_profile_size_of(errors[i].size)]++;
    picture_print(out, &(picture){.kind = PICTURE_BARS,
                                  .title = "Cases by their error",
                                  .name = "error, times the bound",
                                  .unit = "cases",
                                  .labels = labels,
                                  .values = counts,
                                  .n = CONF_PROFILE_SIZES,
                                  .limit = (double)NAN});
}

bool conf_html_pictures(FILE *out, const conf_results *results, size_t engine)
{
    error *errors = malloc((results->n + 1) * sizeof *errors);
    size_t n = 0;
    if (!errors) return false;
    for (size_t i = 0; i < results->n; i++) {
        const conf_verdict *v = &results->at[i].verdicts[engine];
        if (v->measured)
            errors[n++] = (error){results->at[i].id, v->multiple / conf_noise_limit(v->float64),
                                  conf_outcome_fails(v->outcome) ? i : SIZE_MAX};
    }
    if (n > 0) {
        qsort(errors, n, sizeof *errors, compare_errors);
        (void)fputs("<div class=\"pictures\">\n", out);
        print_largest(out, errors, n, engine);
        print_histogram(out, errors, n);
        (void)fputs("</div>\n", out);
    }
    free(errors);
    return true;
}
