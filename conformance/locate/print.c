/* Prints the report of locate.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/locate/print.h"

#include <math.h>
#include <string.h>

#include "conformance/locate/location.h"
#include "conformance/report/bar.h"
#include "conformance/report/report.h"
#include "conformance/report/results.h"
#include "conformance/support/text.h"

#define NAME_MIN    16
#define NAME_MOST   48
#define CELL_WIDTH  11
#define FIRST_WIDTH 12 /* of "   <- first", and a column that stays free */

/* NaN and multiples just above 1 exceed the bound, however they are rounded for printing. */
static bool is_out(double multiple)
{
    return !(multiple <= 1);
}

const conf_walk_row *conf_walk_first(const conf_walk *walk)
{
    for (size_t i = 0; i < walk->n_rows; i++)
        if (is_out(walk->rows[i].computed)) return &walk->rows[i];
    return NULL;
}

static void print_cell(FILE *out, double multiple)
{
    char number[32] = "-";
    if (!isnan(multiple)) conf_multiple_print(number, sizeof number, multiple);
    (void)fprintf(out, "  %*s", CELL_WIDTH, number);
}

/* Of the tensors as they were computed. */
static double largest_of(const conf_walk *walk)
{
    double largest = 0;
    for (size_t i = 0; i < walk->n_rows; i++)
        if (isfinite(walk->rows[i].computed)) largest = fmax(largest, walk->rows[i].computed);
    return largest;
}

static void print_table(const conf_context *context, const conf_walk *walk, const conf_walk_row *first)
{
    FILE *out = context->out;
    size_t width = NAME_MIN;
    for (size_t i = 0; i < walk->n_rows; i++) {
        size_t n = conf_text_width(walk->rows[i].name);
        if (n > width) width = n < NAME_MOST ? n : NAME_MOST;
    }
    const size_t used = width + 2 * (2 + CELL_WIDTH) + 2 + FIRST_WIDTH;
    const size_t bars = context->terminal && context->columns > used ? context->columns - used : 0;
    const double largest = largest_of(walk);
    (void)fprintf(out, "%*s  %*s  %*s\n", (int)width, "", CELL_WIDTH, "as", CELL_WIDTH,
                  walk->by_reference ? "by ref64" : "from golden");
    conf_text_print_fitted(out, "tensor", width);
    (void)fprintf(out, "  %*s  %*s   x bound <= 1\n", CELL_WIDTH, "computed", CELL_WIDTH,
                  walk->by_reference ? "from its own" : "inputs");
    for (size_t i = 0; i < walk->n_rows; i++) {
        const conf_walk_row *row = &walk->rows[i];
        if (row == first) (void)fputs(conf_color_on(context, CONF_FAILED), out);
        conf_text_print_fitted(out, row->name, width);
        print_cell(out, row->computed);
        print_cell(out, row->local_error);
        if (bars >= CONF_BAR_LEAST) {
            (void)fputs("  ", out);
            conf_bar_print(out, row->computed, largest, bars);
        }
        if (row == first) (void)fprintf(out, "   <- first%s", conf_color_off(context));
        (void)fputc('\n', out);
    }
}

/* "1.7e+04 times its bound" */
static const char *format_multiple(double multiple)
{
    static char text[64];
    if (isinf(multiple)) (void)snprintf(text, sizeof text, "not even of its type, shape or mask");
    else (void)snprintf(text, sizeof text, "%.2g times its bound", multiple);
    return text;
}

/* The first row whose own error exceeds its bound, else the row with the largest own error; NULL if
 * none is known. */
static const conf_walk_row *find_own(const conf_walk *walk)
{
    const conf_walk_row *most = NULL;
    for (size_t i = 0; i < walk->n_rows; i++) {
        const conf_walk_row *row = &walk->rows[i];
        if (isnan(row->local_error)) continue;
        if (row->local_error > 1) return row;
        if (!most || row->local_error > most->local_error) most = row;
    }
    return most;
}

/* Whether an earlier error may have come through an inactive stream: golden inputs replace only the
 * active one; before the end of the first layer there is no difference. */
static bool may_come_by_stream(const conf_walk *walk, const conf_walk_row *row)
{
    for (const conf_walk_row *before = walk->rows; walk->n_streams > 1 && before < row; before++) {
        size_t n = strlen(before->name);
        if (n > 4 && strcmp(before->name + n - 4, ".out") == 0) return true;
    }
    return false;
}

static void print_stream(FILE *out, const conf_walk *walk, const conf_walk_row *row)
{
    if (!may_come_by_stream(walk, row)) return;
    (void)fprintf(out,
                  "  or carried there: of the model's %zu parallel streams only the active one is traced and "
                  "replaced, so\n  that an earlier error in the others would show here first, too\n",
                  walk->n_streams);
}

static void print_inherited(FILE *out, const conf_walk *walk, const conf_walk_row *first, const char *from)
{
    (void)fprintf(out, "inherited: from %s it is %s; ", from, format_multiple(first->local_error));
    const conf_walk_row *own = find_own(walk);
    if (own->local_error > 1)
        (void)fprintf(out, "the first tensor with an error of its own is %s, %s\n", own->name,
                      format_multiple(own->local_error));
    else
        (void)fprintf(out,
                      "no tensor has an error of its own that is out of bounds: it grows on the way; the "
                      "largest is made in %s, %s\n",
                      own->name, format_multiple(own->local_error));
    print_stream(out, walk, own);
}

static void print_origin(FILE *out, const conf_walk *walk, const conf_walk_row *first)
{
    const char *from = walk->by_reference ? "the tensors before it, by ref64," : "golden inputs";
    if (isnan(first->local_error)) {
        (void)fprintf(out, "whether it arises there is unknown%s%s\n", walk->reference[0] ? ": " : "",
                      walk->reference);
        return;
    }
    if (first->local_error > 1) {
        (void)fprintf(
            out, "made there: from %s it is still %s; %s\n", from, format_multiple(first->local_error),
            first == walk->rows ? "it is the first that there is" : "every tensor before it agrees");
        print_stream(out, walk, first);
    } else {
        print_inherited(out, walk, first, from);
    }
    if (walk->reference[0])
        (void)fprintf(out, "but %s: where the error arises is doubtful\n", walk->reference);
}

bool conf_walk_print(const conf_context *context, const conf_walk *walk, const char *title)
{
    const conf_walk_row *first = conf_walk_first(walk);
    if (title) (void)fprintf(context->out, "\n%s:\n", title);
    if (walk->n_rows) print_table(context, walk, first);
    if (walk->ignored[0]) (void)fprintf(context->out, "\nnot recorded, and ignored: %s\n", walk->ignored);
    if (walk->refusal[0] && !title)
        (void)fprintf(context->out, "\nthe engine refuses a traced step: %s\n", walk->refusal);
    if (!first) return false;
    (void)fprintf(context->out, "\nfirst out of bounds: %s%s", first->name, first->what);
    if (isfinite(first->computed)) (void)fprintf(context->out, ", %s", format_multiple(first->computed));
    (void)fputc('\n', context->out);
    print_origin(context->out, walk, first);
    return true;
}

void conf_walk_print_needs(FILE *out, const conf_walk *walk)
{
    if (walk->refusal[0]) return;
    if (walk->lacks_tap)
        (void)fputs(
            "to learn more: the engine gives no tensors on the way; with tap in its table, the first wrong "
            "one\nwould be named here\n",
            out);
    else if (walk->cannot_write)
        (void)fputs(
            "to learn more: the engine's taps cannot write; with taps_can_write, it would be run from "
            "golden\ninputs itself\n",
            out);
}
