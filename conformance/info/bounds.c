/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/info/bounds.h"

#include "conformance/case/run_noise.h"
#include "conformance/info/member.h"
#include "conformance/judge/compute.h"
#include "conformance/judge/noise.h"
#include "conformance/kinds/kinds.h"

/* The bounds of a type, and what they follow from. row, col: where the run has its largest error,
 * if its logits are recorded. */
typedef struct type_bounds {
    const char *type, *run; /* run: below /expect */
    conf_distance noise;
    conf_bounds bounds;
    bool judges, has_rows;
    size_t row, col;
} type_bounds;

static double largest_of(const conf_rows *rows)
{
    return conf_max_abs(rows->truth, rows->n_rows * rows->n_cols);
}

static void derive(const conf_rows *rows, const conf_run *run, type_bounds *out)
{
    const conf_compute type = run->compute;
    *out = (type_bounds){.type = conf_compute_name(type),
                         .run = conf_compute_run(type),
                         .has_rows = run->rows != NULL,
                         .noise = conf_run_noise(rows, run)};
    out->bounds = conf_bounds_of_noise(&out->noise, largest_of(rows));
    out->judges = !conf_compute_is_narrow(type) || conf_bounds_refuse_zeros(&out->bounds, largest_of(rows));
    for (size_t r = 0; run->rows && r < rows->n_rows; r++) {
        const size_t at = r * rows->n_cols;
        const conf_row truth = conf_row_of_double(rows->truth + at),
                       found = conf_row_of_double(run->rows + at);
        const conf_distance d = conf_row_distance_but_kl(&truth, &found, rows->n_cols);
        if (d.max_abs < out->noise.max_abs) continue;
        out->row = r;
        out->col = d.worst;
        break;
    }
}

static void print_measure(FILE *out, const char *name, double noise, double unit, double limit)
{
    (void)fprintf(out, "  %-14s %10.4g %10.4g %10.4g  %s\n", name, noise, unit, limit * unit,
                  noise < unit ? "floor" : "noise");
}

static void print_type(FILE *out, const conf_rows *rows, const type_bounds *b)
{
    const conf_place *place = &rows->place[b->row];
    (void)fprintf(out, "\n%-10s %g times the unit; the unit is the noise, or the floor if that is larger\n",
                  b->type, b->bounds.limit);
    (void)fprintf(out, "  noise: the largest distance of /expect/%s from /expect/truth in %zu rows of %zu\n",
                  b->run, rows->n_rows, rows->n_cols);
    if (b->has_rows && b->noise.max_abs > 0)
        (void)fprintf(out, "  its largest error: sample %zu, %s, %s %zu, id %zu\n", place->sample,
                      place->decode ? "decode" : "prefill", place->decode ? "step" : "position", place->pos,
                      b->col);
    if (!b->judges) (void)fputs("  does not judge: within its bound logits of all zeros would pass\n", out);
    (void)fprintf(out, "  %-14s %10s %10s %10s  %s\n", "", "noise", "unit", "bound", "unit from");
    print_measure(out, "largest error", b->noise.max_abs, b->bounds.max_abs, b->bounds.limit);
    print_measure(out, "RMSE", b->noise.rmse, b->bounds.rmse, b->bounds.limit);
    print_measure(out, "KL", b->noise.kl, b->bounds.kl, b->bounds.limit);
}

static void print_logits(FILE *out, const conf_case *c)
{
    const conf_rows *rows = &c->decoder.rows;
    const double largest = largest_of(rows);
    (void)fprintf(out, "%-10s %zu rows of %zu, largest %.6g\n", "logits", rows->n_rows, rows->n_cols,
                  largest);
    (void)fprintf(out, "%-10s %.4g: %g float32 ulps at the largest logit\n", "floor",
                  conf_noise_floor(largest), CONF_FLOOR_ULPS);
    for (size_t i = 0; i < rows->n_runs; i++) {
        type_bounds b;
        derive(rows, &rows->runs[i], &b);
        print_type(out, rows, &b);
    }
    (void)fprintf(out, "\n%-10s %.4g for each measure: %g of the largest logit", "f64",
                  conf_bounds_relative(c->float64_bound, largest).max_abs, c->float64_bound);
    (void)fprintf(out, "%s%s\n", c->float64_reason ? ", since " : "",
                  c->float64_reason ? c->float64_reason : "");
}

static double largest_of_tensor(const conf_trace *t)
{
    return conf_max_abs(t->value.data, t->value.n);
}

static void print_tensors(FILE *out, const conf_decoder *d)
{
    bool first = true;
    for (size_t i = 0; i < d->n_traces; i++) {
        const conf_trace *t = &d->traces[i];
        if (!t->has_noise) continue;
        if (first)
            (void)fprintf(out,
                          "\n%-10s f32: the same formula, with the noise of each\n  %-22s %10s %10s %10s\n",
                          "tensors", "", "noise", "floor", "bound");
        first = false;
        const double largest = largest_of_tensor(t);
        (void)fprintf(out, "  %-22s %10.4g %10.4g %10.4g\n", t->name, t->noise, conf_noise_floor(largest),
                      CONF_NOISE_MULTIPLE * conf_unit_float32(t->noise, largest));
    }
}

void conf_info_print_bounds(FILE *out, const conf_case *c)
{
    (void)fprintf(out, "%-10s %s\n%-10s %s\n", "case", c->path, "kind", conf_kind_of(c->kind)->name);
    if (conf_kind_of(c->kind)->has_decoder && c->decoder.has_truth) {
        print_logits(out, c);
        print_tensors(out, &c->decoder);
    } else if (c->kind == CONF_ROPE) {
        (void)fprintf(out,
                      "%-10s f32: %g (%g + |position|) 2^-24 of the largest value of a row; f64: %g + %g "
                      "|position| 2^-53 of it\n",
                      "bounds", CONF_NOISE_MULTIPLE, CONF_FLOOR_ULPS, c->float64_bound, CONF_NOISE_MULTIPLE);
    } else {
        (void)fprintf(out, "%-10s none: results must be equal\n", "bounds");
    }
}

static bool add_measure(json_object *to, const char *name, double noise, double unit, double limit)
{
    json_object *one = conf_json_add_object(to, name);
    return conf_json_add(one, "noise", json_object_new_double(noise)) &&
           conf_json_add_real(one, "unit", unit) && conf_json_add_real(one, "bound", limit * unit);
}

static bool add_place(json_object *to, const conf_rows *rows, const type_bounds *b)
{
    if (!b->has_rows || !(b->noise.max_abs > 0)) return conf_json_add_null(to, "noise_at");
    const conf_place *place = &rows->place[b->row];
    json_object *one = conf_json_add_object(to, "noise_at");
    return conf_json_add_count(one, "sample", place->sample) &&
           conf_info_add_flag(one, "decode", place->decode) &&
           conf_json_add_count(one, "position", place->pos) && conf_json_add_count(one, "id", b->col);
}

static bool add_type(json_object *list, const conf_rows *rows, const type_bounds *b)
{
    json_object *one = conf_json_append_object(list);
    char run[32];
    (void)snprintf(run, sizeof run, "/expect/%s", b->run);
    return conf_json_add_text(one, "type", b->type) && conf_json_add_text(one, "run", run) &&
           conf_info_add_flag(one, "judges", b->judges) && add_place(one, rows, b) &&
           add_measure(one, "max_abs", b->noise.max_abs, b->bounds.max_abs, b->bounds.limit) &&
           add_measure(one, "rmse", b->noise.rmse, b->bounds.rmse, b->bounds.limit) &&
           add_measure(one, "kl", b->noise.kl, b->bounds.kl, b->bounds.limit);
}

static bool add_tensors(json_object *to, const conf_decoder *d)
{
    json_object *list = conf_json_add_array(to, "tensors");
    bool ok = list;
    for (size_t i = 0; ok && i < d->n_traces; i++) {
        const conf_trace *t = &d->traces[i];
        if (!t->has_noise) continue;
        const double largest = largest_of_tensor(t);
        json_object *one = conf_json_append_object(list);
        ok = conf_json_add_text(one, "name", t->name) &&
             conf_json_add(one, "noise", json_object_new_double(t->noise)) &&
             conf_json_add_real(one, "floor", conf_noise_floor(largest)) &&
             conf_json_add_real(one, "bound", CONF_NOISE_MULTIPLE * conf_unit_float32(t->noise, largest));
    }
    return ok;
}

static bool add_float64(json_object *to, const conf_case *c, double largest)
{
    json_object *one = conf_json_add_object(to, "float64");
    return conf_json_add_real(one, "relative", c->float64_bound) &&
           conf_json_add_real(one, "bound", conf_bounds_relative(c->float64_bound, largest).max_abs) &&
           conf_info_add_text(one, "reason", c->float64_reason);
}

static bool add_nothing(json_object *to)
{
    static const char *const NAMES[] = {"largest", "floor", "types", "float64", "tensors"};
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof NAMES / sizeof *NAMES; i++) ok = conf_json_add_null(to, NAMES[i]);
    return ok;
}

bool conf_info_add_bounds(json_object *to, const conf_case *c)
{
    bool ok = conf_json_add_real(to, "multiple", CONF_NOISE_MULTIPLE);
    if (!conf_kind_of(c->kind)->has_decoder || !c->decoder.has_truth) return ok && add_nothing(to);
    const conf_rows *rows = &c->decoder.rows;
    const double largest = largest_of(rows);
    json_object *list;
    ok = ok && conf_json_add_real(to, "largest", largest) &&
         conf_json_add_real(to, "floor", conf_noise_floor(largest)) &&
         (list = conf_json_add_array(to, "types"));
    for (size_t i = 0; ok && i < rows->n_runs; i++) {
        type_bounds b;
        derive(rows, &rows->runs[i], &b);
        ok = add_type(list, rows, &b);
    }
    return ok && add_float64(to, c, largest) && add_tensors(to, &c->decoder);
}
