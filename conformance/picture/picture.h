/* Pictures of numbers as inline SVG, for pages of HTML and for files of their own. A picture has no colours:
 * its elements have the classes axis, grid, mark, other, over and limit, and draw in currentColor, so that a
 * page's style, dark mode and paper decide. No meaning is in a colour alone: a mark beyond the limit is
 * outlined with dashes, and its number has a "!".
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PICTURE_PICTURE_H
#define CONFORMANCE_PICTURE_PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef enum picture_kind {
    PICTURE_BARS, /* a horizontal bar for each value, one below the other, with its label and its number */
    PICTURE_LINE, /* a point for each value, from left to right, joined by a line */
} picture_kind;

/* Texts and arrays are borrowed; texts are UTF-8, and shown as base/shown.h says. */
typedef struct picture {
    picture_kind kind;
    const char *title;
    const char *name,
        *unit; /* what the labels are, and what the values are: heads of the table, names of the axes */
    const char *const *labels; /* [n] */
    const char *const
        *links;           /* [n]: of bars, where the label leads, or NULL; NULL: no label leads anywhere */
    const double *values; /* [n]; any number, infinities and NaN too */
    size_t n;
    const double *others; /* [n]: of bars, a second value to compare each with, outlined; NULL: none */
    const char *values_name, *others_name; /* of the two, for the legend; only with others */
    bool is_log;                           /* of the values */
    double limit;                          /* the largest value that is allowed; NaN: none */
    const char *limit_name;                /* NULL without a limit */
} picture;

/* Bars of errors in multiples of their bound: on a logarithmic scale, with the bound at 1. The arguments are
 * members of the picture, to which the caller may add others. */
picture picture_of_errors(const char *title, const char *name, const char *unit, const char *const *labels,
                          const double *values, size_t n);

/* Writes one svg element, well-formed XML with a title. */
void picture_print_svg(FILE *out, const picture *p);

/* The same for a file of its own: with a background, and the colours of a page in light mode. */
void picture_print_file(FILE *out, const picture *p);

/* Writes a figure: the picture, and below it its numbers as a table. */
void picture_print(FILE *out, const picture *p);

#endif
