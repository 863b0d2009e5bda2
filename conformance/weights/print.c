/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/weights/print.h"

#include "conformance/support/text.h"

const char *conf_weight_state_name(conf_weight_state state)
{
    static const char *const NAMES[] = {[CONF_WEIGHT_SOUND] = "ok",
                                        [CONF_WEIGHT_WRONG] = "wrong",
                                        [CONF_WEIGHT_MISSING] = "missing",
                                        [CONF_WEIGHT_ADDED] = "added",
                                        [CONF_WEIGHT_SHAPE] = "shape"};
    return NAMES[state];
}

const char *conf_weight_name(const conf_weight_pair *p)
{
    const plan_weight *w = p->stored.is->data ? p->stored.is : p->original.is;
    return w->name ? w->name : p->original.place;
}

static void print_pair(FILE *out, const conf_weight_pair *p)
{
    const plan_weight *a = p->original.is, *b = p->stored.is;
    (void)fprintf(out, "%-7s  %s  ", conf_weight_state_name(p->state), p->original.place);
    conf_text_print_clean(out, conf_weight_name(p));
    if (b->data) (void)fprintf(out, "  %s", b->stored.format);
    if (p->state == CONF_WEIGHT_MISSING) (void)fputs(": the original has it, this checkpoint does not", out);
    else if (p->state == CONF_WEIGHT_ADDED) (void)fputs(": the original does not have it", out);
    else if (p->state == CONF_WEIGHT_SHAPE)
        (void)fprintf(out, ": found shape [%zu, %zu], expected [%zu, %zu]", b->rows, b->cols, a->rows,
                      a->cols);
    else
        (void)fprintf(out, ": error %.3g, at best %.3g; worst group %.3g times its best", p->error.rmse,
                      p->error.best, p->error.group_multiple);
    if (*p->scaled_with) (void)fprintf(out, "; scales are moved between it and %s", p->scaled_with);
    if (*p->fault) {
        (void)fputs("; ", out);
        conf_text_print_clean(out, p->fault);
    }
    (void)fputc('\n', out);
}

void conf_weights_print(FILE *out, const conf_weight_comparison *c, bool all)
{
    const size_t n = all ? c->n : c->n_wrong;
    for (size_t i = 0; i < n; i++) print_pair(out, &c->pairs[i]);
    (void)fprintf(out, "%s%-24s %8s %8s %10s %10s %8s\n", n ? "\n" : "", "format", "weights", "wrong",
                  "error", "at best", "multiple");
    for (size_t i = 0; i < c->n_formats; i++) {
        const conf_weight_format *f = &c->formats[i];
        conf_text_print_fitted(out, f->name, 24);
        (void)fprintf(out, " %8zu %8zu %10.3g %10.3g %8.3g\n", f->n, f->n_wrong, f->rmse, f->best,
                      f->multiple);
    }
    (void)fprintf(out, "\n%zu weight%s, %zu wrong\n", c->n, c->n == 1 ? "" : "s", c->n_wrong);
}

void conf_weights_print_cost(FILE *out, const conf_weights_cost *cost)
{
    const double share = 100 * (double)cost->n_changed / (double)(cost->n_positions ? cost->n_positions : 1);
    conf_text_print_clean(out, cost->path);
    (void)fprintf(out,
                  ": KL %.3g nats, at most %.3g (sample %zu, token %zu); another best token at %zu of %zu "
                  "positions (%.3g %%)\n",
                  cost->kl, cost->largest_kl, cost->sample, cost->token, cost->n_changed, cost->n_positions,
                  share);
}
