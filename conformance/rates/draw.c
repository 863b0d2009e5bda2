/* draw KIND TITLE NAME UNIT LIMIT: reads lines "LABEL<tab>VALUE" and prints a picture of them as an SVG file.
 * KIND: bars or line, "log-" before it for a logarithmic scale of the values. LIMIT: a value that is marked,
 * as "NUMBER NAME"; "" for none.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/picture/picture.h"

enum { MOST = 1000 };

/* Returns the number of lines; MOST + 1 for a line without a value, or if there are too many. */
static size_t read_values(char *labels[MOST], double values[MOST])
{
    char *line = NULL;
    size_t size = 0, n = 0;
    while (getline(&line, &size, stdin) > 0) {
        char *tab = strchr(line, '\t');
        if (!tab || n == MOST) {
            n = MOST + 1;
            break;
        }
        *tab = '\0';
        values[n] = strtod(tab + 1, NULL);
        labels[n++] = strdup(line);
    }
    free(line);
    return n;
}

int main(int argc, char **argv)
{
    static char *labels[MOST];
    static double values[MOST];
    if (argc != 6) {
        (void)fprintf(stderr, "usage: draw KIND TITLE NAME UNIT LIMIT\n");
        return 2;
    }
    const bool is_log = strncmp(argv[1], "log-", 4) == 0;
    const size_t n = read_values(labels, values);
    if (n > MOST) return 1;
    char *limit_name = argv[5];
    const double limit = *limit_name ? strtod(limit_name, &limit_name) : (double)NAN;
    const picture p = {.kind = strcmp(argv[1] + (is_log ? 4 : 0), "bars") == 0 ? PICTURE_BARS : PICTURE_LINE,
                       .title = argv[2],
                       .name = argv[3],
                       .unit = argv[4],
                       .labels = (const char *const *)labels,
                       .values = values,
                       .n = n,
                       .is_log = is_log,
                       .limit = limit,
                       .limit_name = *argv[5] ? limit_name + strspn(limit_name, " ") : NULL};
    picture_print_file(stdout, &p);
    for (size_t i = 0; i < n; i++) free(labels[i]);
    return fflush(stdout) == 0 ? 0 : 1;
}
