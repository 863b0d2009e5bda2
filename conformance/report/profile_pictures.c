/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/report/profile_pictures.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "conformance/evaluate/tensors.h"
#include "conformance/picture/picture.h"

enum {
    BARS_MAX = 24,                     /* more of them are joined by layer, or drawn as a line */
    LABEL_MAX = CONF_PROFILE_NAME_MAX, /* bytes */
    POINTS_MAX = CONF_PROFILE_ROWS_MAX,
};

/* What the pictures say. parts NULL: see print_tensors; elements NULL: errors of elements are not counted. */
static const struct {
    const char *parts, *part, *samples, *positions, *position, *elements;
} WORDS[CONF_N_PROFILED] = {
    [CONF_PROFILE_LOGITS] = {NULL, "tensor", "Error by sample", "Error by position",
                             "position in the prompt, or step of decode", "logits"},
    [CONF_PROFILE_ROPE] = {"Error by head of the rotated vectors, and of the tables", "part",
                           "Error by sample", "Error by position", "position, the largest over the axes",
                           "values"},
    [CONF_PROFILE_POSITIONS] = {"Difference by axis, and of the delta", "axis", "Difference by sample",
                                "Difference by token, the largest over the axes", "token of the prompt",
                                NULL},
};

/* Labels and values of a picture in the making. */
typedef struct series {
    char texts[POINTS_MAX][LABEL_MAX];
    const char *labels[POINTS_MAX];
    double values[POINTS_MAX];
    size_t n;
} series;

static void add(series *s, double value, const char *format, const char *text)
{
    if (s->n == POINTS_MAX) return;
    (void)snprintf(s->texts[s->n], LABEL_MAX, format, text);
    s->labels[s->n] = s->texts[s->n];
    s->values[s->n++] = value;
}

static void print(FILE *out, const conf_profile *p, const series *s, const char *title, const char *name)
{
    if (s->n == 0) return;
    picture errors = picture_of_errors(title, name, "error, times the bound", s->labels, s->values, s->n);
    if (s->n > BARS_MAX) errors.kind = PICTURE_LINE;
    if (p->is_relative) {
        errors.unit = "error, times the largest value";
        errors.limit = (double)NAN;
        errors.limit_name = NULL;
    } else if (p->of == CONF_PROFILE_POSITIONS) {
        errors.unit = "difference";
        errors.is_log = false;
        errors.limit = 0;
        errors.limit_name = "equal";
    }
    picture_print(out, &errors);
}

static void print_tensors(FILE *out, const conf_profile *p)
{
    series s = {.n = 0};
    const bool by_layer = !WORDS[p->of].parts && p->n_tensors > BARS_MAX;
    size_t n_last = 0;
    for (size_t i = 0; i < p->n_tensors; i++) {
        const char *name = p->tensors[i].name;
        const double value = p->tensors[i].multiple;
        const size_t n = conf_tensor_layer_length(name);
        if (by_layer && s.n && n == n_last && strncmp(name, s.texts[s.n - 1], n) == 0) {
            s.values[s.n - 1] = fmax(s.values[s.n - 1], value);
            continue;
        }
        char text[LABEL_MAX];
        (void)snprintf(text, sizeof text, "%.*s", by_layer ? (int)n : LABEL_MAX - 1, name);
        add(&s, value, "%s", text);
        n_last = n;
    }
    if (WORDS[p->of].parts) {
        print(out, p, &s, WORDS[p->of].parts, WORDS[p->of].part);
        return;
    }
    print(out, p, &s,
          by_layer         ? "Error by layer, its largest tensor (prompt of sample 0)"
          : p->is_observed ? "Error by tensor, in the order of names (prompt of sample 0)"
                           : "Error by tensor, in the order of computation (prompt of sample 0)",
          by_layer ? "layer" : WORDS[p->of].part);
}

/* The sample with the largest error. */
static uint32_t worst_sample(const conf_profile *p)
{
    size_t worst = 0;
    for (size_t i = 1; i < p->n_rows; i++)
        if (p->rows[i].multiple > p->rows[worst].multiple) worst = i;
    return p->rows[worst].sample;
}

static void print_samples(FILE *out, const conf_profile *p)
{
    series s = {.n = 0};
    for (size_t i = 0; i < p->n_rows; i++)
        if (p->rows[i].sample >= p->n_rows) return; /* not every sample has a row of its own here */
    for (uint32_t sample = 0; sample < p->n_rows; sample++) {
        double largest = -1;
        for (size_t i = 0; i < p->n_rows; i++)
            if (p->rows[i].sample == sample) largest = fmax(largest, p->rows[i].multiple);
        char text[16];
        (void)snprintf(text, sizeof text, "%u", sample);
        if (largest >= 0) add(&s, largest, "%s", text);
    }
    if (s.n > 1) print(out, p, &s, WORDS[p->of].samples, "sample");
}

static void print_positions(FILE *out, const conf_profile *p)
{
    series s = {.n = 0};
    const uint32_t sample = worst_sample(p);
    char title[160], joined[64] = "", of[32] = "";
    for (size_t i = 0; i < p->n_rows; i++) {
        char text[16];
        if (p->rows[i].sample != sample) continue;
        (void)snprintf(text, sizeof text, "%u", p->rows[i].pos);
        add(&s, p->rows[i].multiple, p->rows[i].decode ? "step %s" : "%s", text);
    }
    if (p->n_joined > 1) (void)snprintf(joined, sizeof joined, ", the largest of each %zu rows", p->n_joined);
    const bool has_manner = p->of == CONF_PROFILE_LOGITS && !p->is_observed;
    if (p->of != CONF_PROFILE_ROPE) (void)snprintf(of, sizeof of, ", sample %u", sample);
    (void)snprintf(title, sizeof title, "%s%s%s%s%s", WORDS[p->of].positions, of,
                   has_manner ? ", evaluated " : "", has_manner ? conf_manner_of(p->manner)->label : "",
                   joined);
    print(out, p, &s, title, WORDS[p->of].position);
}

static void print_manners(FILE *out, const conf_profile *p)
{
    series s = {.n = 0};
    for (size_t i = 0; i < p->n_manners; i++) add(&s, p->manners[i].multiple, "%s", p->manners[i].name);
    print(out, p, &s, "Error by manner of evaluation", "manner");
}

/* Counts as shares in percent. */
static void share(const size_t counts[CONF_PROFILE_SIZES], double values[CONF_PROFILE_SIZES])
{
    double sum = 0;
    for (size_t i = 0; i < CONF_PROFILE_SIZES; i++) sum += (double)counts[i];
    for (size_t i = 0; i < CONF_PROFILE_SIZES; i++) values[i] = sum > 0 ? 100 * (double)counts[i] / sum : 0;
}

static void print_sizes(FILE *out, const conf_profile *p)
{
    double found[CONF_PROFILE_SIZES], recorded[CONF_PROFILE_SIZES];
    const char *labels[CONF_PROFILE_SIZES];
    char texts[CONF_PROFILE_SIZES][LABEL_MAX];
    const char *elements = WORDS[p->of].elements;
    char title[64], unit[32];
    (void)snprintf(title, sizeof title, "%c%s by their error%s", toupper((unsigned char)elements[0]),
                   elements + 1, p->has_recorded ? ", against the noise" : "");
    (void)snprintf(unit, sizeof unit, "%% of the %s", elements);
    share(p->found, found);
    share(p->recorded, recorded);
    for (size_t i = 0; i < CONF_PROFILE_SIZES; i++) {
        conf_profile_size_print(texts[i], sizeof texts[i], i);
        labels[i] = texts[i];
    }
    picture_print(out, &(picture){.kind = PICTURE_BARS,
                                  .title = title,
                                  .name = "error, times the bound",
                                  .unit = unit,
                                  .labels = labels,
                                  .values = found,
                                  .n = CONF_PROFILE_SIZES,
                                  .others = p->has_recorded ? recorded : NULL,
                                  .values_name = p->is_observed ? "these outputs, %" : "this engine, %",
                                  .others_name = "recorded run (noise), %",
                                  .limit = (double)NAN});
}

void conf_profile_print(FILE *out, const conf_profile *p)
{
    if (p->n_tensors + p->n_rows == 0) return;
    (void)fputs("<div class=\"pictures\">\n", out);
    print_tensors(out, p);
    if (p->n_rows) {
        print_samples(out, p);
        print_positions(out, p);
        print_manners(out, p);
        if (!p->is_relative && WORDS[p->of].elements) print_sizes(out, p);
    }
    (void)fputs("</div>\n", out);
}
