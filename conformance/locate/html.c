/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/locate/html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/page/page.h"
#include "conformance/picture/picture.h"
#include "conformance/picture/scale.h"

enum { BARS_MAX = 120 }; /* of a picture; the table has all rows */

static void print_picture(FILE *out, const conf_walk *walk, const char *title)
{
    const char *labels[BARS_MAX] = {NULL};
    double values[BARS_MAX] = {0}, own[BARS_MAX];
    const size_t n = walk->n_rows < BARS_MAX ? walk->n_rows : BARS_MAX;
    bool any_own = false;
    for (size_t i = 0; i < n; i++) {
        labels[i] = walk->rows[i].name;
        values[i] = walk->rows[i].computed;
        own[i] = walk->rows[i].local_error;
        any_own = any_own || !isnan(own[i]);
    }
    picture p = picture_of_errors(title, "tensor", "error, times the bound", labels, values, n);
    if (any_own) p.others = own;
    p.values_name = "as computed";
    p.others_name = walk->by_reference ? "of its own (ref64)" : "of its own";
    picture_print(out, &p);
}

static void print_number(FILE *out, double value)
{
    char text[PICTURE_NUMBER_MAX + 2] = "-";
    if (!isnan(value)) {
        picture_number(text, value);
        if (!(value <= 1)) (void)snprintf(text + strlen(text), sizeof text - strlen(text), " !");
        conf_page_cell(out, value <= 1 ? CONF_PAGE_PASSED : CONF_PAGE_FAILED, text);
    } else {
        conf_page_cell(out, NULL, text);
    }
}

void conf_walk_html(FILE *out, const conf_walk *walk, const char *title)
{
    static const char *const heads[] = {"tensor", "as computed, times the bound",
                                        "of its own, times the bound", "what differs"};
    if (walk->n_rows == 0) return;
    (void)fputs("<div class=\"pictures\">\n", out);
    print_picture(out, walk, title ? title : "Error by tensor, in the order of computation");
    (void)fputs("</div>\n", out);
    conf_page_table_begin(out, NULL, title, heads, sizeof heads / sizeof *heads);
    for (size_t i = 0; i < walk->n_rows; i++) {
        conf_page_row_begin(out, walk->rows[i].name);
        print_number(out, walk->rows[i].computed);
        print_number(out, walk->rows[i].local_error);
        conf_page_cell(out, NULL, walk->rows[i].what);
        conf_page_row_end(out);
    }
    conf_page_table_end(out);
}
