/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/picture/picture.h"

#include <math.h>
#include <string.h>

#include "conformance/picture/scale.h"
#include "conformance/support/xml.h"

/* Units of the view box; a page shows about one pixel for each. */
enum {
    WIDTH = 360,
    MARGIN = 8,
    TOP = 22,    /* the name of the limit, or the legend */
    LEGEND = 16, /* of the legend, above the name of the limit */
    BOTTOM = 40, /* labels of ticks, and the name of the axis */
    ROW = 18,
    BAR = 10,
    PAIRED = 6, /* height of a bar above another one */
    LABELS = 120,
    LABEL_CHARACTERS = 18,
    NUMBERS = 76,
    LINE_HEIGHT = 150,
    LINE_LEFT = 52,
    X_LABELS = 4, /* about */
};

/* The rectangle of the marks, and the scale of the values. */
typedef struct frame {
    double left, top, width, height;
    picture_scale scale;
} frame;

static const char HOLLOW[] = " fill=\"none\" stroke=\"currentColor\"";
static const char OVER[] = " stroke=\"currentColor\" stroke-dasharray=\"2 2\"";

static bool is_over(const picture *p, double value)
{
    return isnan(value) || (!isnan(p->limit) && value > p->limit);
}

/* anchor: "start", "middle" or "end". */
static void print_text(FILE *out, double x, double y, const char *anchor, const char *text)
{
    (void)fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    conf_xml_text(out, text);
    (void)fputs("</text>\n", out);
}

static void print_line(FILE *out, const char *class, double x1, double y1, double x2, double y2)
{
    (void)fprintf(
        out,
        "<line class=\"%s\" stroke=\"currentColor\"%s x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
        class, strcmp(class, "limit") == 0 ? " stroke-dasharray=\"5 3\"" : "", x1, y1, x2, y2);
}

/* Adds the ends of a scale of values to ends[*n], unless no value has a place on it. */
static void add_ends(const picture *p, const double *values, double *ends, size_t *n)
{
    bool any = false;
    for (size_t i = 0; values && i < p->n; i++)
        any = any || (isfinite(values[i]) && (!p->is_log || values[i] > 0));
    if (!any) return;
    const picture_scale scale = picture_scale_fit(values, p->n, p->is_log);
    ends[(*n)++] = scale.low;
    ends[(*n)++] = scale.high;
}

/* Fits the scale to the values and to the limit, which is always visible. */
static picture_scale fit(const picture *p)
{
    double ends[5];
    size_t n = 0;
    add_ends(p, p->values, ends, &n);
    add_ends(p, p->others, ends, &n);
    ends[n++] = p->limit;
    return picture_scale_fit(ends, n, p->is_log);
}

static void print_grid(FILE *out, const frame *f, bool across)
{
    (void)fputs("<path class=\"grid\" stroke=\"currentColor\" opacity=\"0.15\" d=\"", out);
    for (size_t i = 0; i < f->scale.n_ticks; i++) {
        const double place = picture_scale_place(&f->scale, f->scale.ticks[i]);
        if (across) (void)fprintf(out, "M%.1f %.1fv%.1f", f->left + place * f->width, f->top, f->height);
        else (void)fprintf(out, "M%.1f %.1fh%.1f", f->left, f->top + (1 - place) * f->height, f->width);
    }
    (void)fputs("\"/>\n", out);
}

/* A tick's label is left out if it would touch the last one. */
static void print_ticks(FILE *out, const frame *f, bool across)
{
    print_grid(out, f, across);
    double last = -INFINITY;
    for (size_t i = 0; i < f->scale.n_ticks; i++) {
        char text[PICTURE_NUMBER_MAX];
        const double place = picture_scale_place(&f->scale, f->scale.ticks[i]);
        picture_number(text, f->scale.ticks[i]);
        if (across) {
            const double x = f->left + place * f->width;
            if (x - last < 40) continue;
            print_text(out, x, f->top + f->height + 14, "middle", text);
            last = x;
        } else {
            const double y = f->top + (1 - place) * f->height;
            print_text(out, f->left - 5, y + 4, "end", text);
        }
    }
}

static void print_limit(FILE *out, const picture *p, const frame *f, bool across)
{
    if (isnan(p->limit)) return;
    const double place = picture_scale_place(&f->scale, p->limit);
    const double x = f->left + place * f->width, y = f->top + (1 - place) * f->height;
    if (across) print_line(out, "limit", x, f->top - 4, x, f->top + f->height);
    else print_line(out, "limit", f->left, y, f->left + f->width, y);
    if (!p->limit_name) return;
    if (across)
        print_text(out, x, f->top - 8, place < 0.2 ? "start" : place > 0.8 ? "end" : "middle", p->limit_name);
    else print_text(out, f->left + f->width, f->top - 8, "end", p->limit_name);
}

/* The label, cut to the width that it has; the table has all of it. */
static void print_label(FILE *out, double x, double y, const char *label)
{
    char cut[4 * LABEL_CHARACTERS + 4];
    size_t bytes = 0, characters = 0;
    for (; bytes < sizeof cut - 4 && label[bytes]; bytes++) {
        if (((unsigned char)label[bytes] & 0xC0) != 0x80 && characters++ == LABEL_CHARACTERS) break;
        cut[bytes] = label[bytes];
    }
    (void)snprintf(cut + bytes, sizeof cut - bytes, "%s", label[bytes] ? "…" : "");
    print_text(out, x, y, "end", cut);
}

static void print_linked(FILE *out, double x, double y, const char *label, const char *link)
{
    if (link) {
        (void)fputs("<a", out);
        conf_xml_attribute(out, "href", link);
        (void)fputc('>', out);
    }
    print_label(out, x, y, label);
    if (link) (void)fputs("</a>\n", out);
}

/* From zero to the value; nothing for NaN. */
static void print_bar(FILE *out, const frame *f, const char *class, double value, double y, int height,
                      const char *more)
{
    const double zero = picture_scale_place(&f->scale, 0),
                 place = isnan(value) ? zero : picture_scale_place(&f->scale, value);
    (void)fprintf(out, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"%s/>\n", class,
                  f->left + fmin(zero, place) * f->width, y,
                  fmax(fabs(place - zero) * f->width, isnan(value) || value == 0 ? 0 : 1), height, more);
}

static void print_bars(FILE *out, const picture *p, const frame *f)
{
    for (size_t i = 0; i < p->n; i++) {
        const double value = p->values[i], y = f->top + (double)(i * ROW) + (ROW - BAR) / 2.0;
        const bool over = is_over(p, value);
        char text[PICTURE_NUMBER_MAX + 2];
        picture_number(text, value);
        print_linked(out, f->left - 6, y + BAR - 1, p->labels[i], p->links ? p->links[i] : NULL);
        print_bar(out, f, over ? "mark over" : "mark", value, y, p->others ? PAIRED : BAR, over ? OVER : "");
        if (p->others) print_bar(out, f, "other", p->others[i], y + PAIRED, BAR - PAIRED, HOLLOW);
        (void)fprintf(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s%s</text>\n", WIDTH - MARGIN,
                      y + BAR - 1, over ? "! " : "", text);
    }
}

static double point_x(const picture *p, const frame *f, size_t i)
{
    return f->left + (p->n > 1 ? (double)i / (double)(p->n - 1) : 0.5) * f->width;
}

/* NaN interrupts the line, and is a cross on the axis. */
static void print_points(FILE *out, const picture *p, const frame *f)
{
    (void)fputs("<path class=\"line\" fill=\"none\" stroke=\"currentColor\" d=\"", out);
    bool open = false;
    for (size_t i = 0; i < p->n; i++) {
        const double place = picture_scale_place(&f->scale, p->values[i]);
        if (!isnan(place))
            (void)fprintf(out, "%c%.1f %.1f", open ? 'L' : 'M', point_x(p, f, i),
                          f->top + (1 - place) * f->height);
        open = !isnan(place);
    }
    (void)fputs("\"/>\n", out);
    for (size_t i = 0; i < p->n; i++) {
        const double value = p->values[i], x = point_x(p, f, i),
                     place = picture_scale_place(&f->scale, value);
        if (isnan(value)) print_text(out, x, f->top + f->height + 1, "middle", "×");
        else if (is_over(p, value))
            (void)fprintf(out, "<circle class=\"mark over\" cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\"/>\n", x,
                          f->top + (1 - place) * f->height);
    }
    const size_t step = p->n > X_LABELS ? (p->n + X_LABELS - 1) / X_LABELS : 1;
    for (size_t i = 0; i < p->n; i += step)
        print_text(out, point_x(p, f, i), f->top + f->height + 14, "middle", p->labels[i]);
}

static void print_legend(FILE *out, const picture *p)
{
    (void)fprintf(out, "<rect class=\"mark\" x=\"%d\" y=\"4\" width=\"10\" height=\"%d\"/>\n", MARGIN,
                  PAIRED);
    print_text(out, MARGIN + 16, 11, "start", p->values_name);
    (void)fprintf(out, "<rect class=\"other\" x=\"%d\" y=\"5\" width=\"10\" height=\"%d\"%s/>\n", WIDTH / 2,
                  BAR - PAIRED, HOLLOW);
    print_text(out, WIDTH / 2 + 16, 11, "start", p->others_name);
}

picture picture_of_errors(const char *title, const char *name, const char *unit, const char *const *labels,
                          const double *values, size_t n)
{
    return (picture){.kind = PICTURE_BARS,
                     .title = title,
                     .name = name,
                     .unit = unit,
                     .labels = labels,
                     .values = values,
                     .n = n,
                     .is_log = true,
                     .limit = 1,
                     .limit_name = "bound"};
}

/* style: an element, or "". */
static void print_svg(FILE *out, const picture *p, const char *style)
{
    const bool bars = p->kind == PICTURE_BARS;
    const frame f = {.left = bars ? LABELS + MARGIN : LINE_LEFT + MARGIN,
                     .top = p->others && p->limit_name ? TOP + LEGEND : TOP,
                     .width = bars ? WIDTH - LABELS - NUMBERS - 2 * MARGIN : WIDTH - LINE_LEFT - 4 * MARGIN,
                     .height = bars ? (double)(p->n * ROW) : LINE_HEIGHT,
                     .scale = fit(p)};
    (void)fprintf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"picture\" viewBox=\"0 0 %d %.0f\" role=\"img\"",
        WIDTH, f.top + f.height + BOTTOM);
    conf_xml_attribute(out, "aria-label", p->title);
    (void)fputs(" font-size=\"11\" font-family=\"system-ui, sans-serif\" fill=\"currentColor\" "
                "stroke-width=\"1\">\n",
                out);
    (void)fprintf(out, "%s<title>", style);
    conf_xml_text(out, p->title);
    (void)fputs("</title>\n", out);
    print_ticks(out, &f, bars);
    if (bars) print_bars(out, p, &f);
    else print_points(out, p, &f);
    print_limit(out, p, &f, bars);
    if (p->others) print_legend(out, p);
    print_line(out, "axis", f.left, f.top + f.height, f.left + f.width, f.top + f.height);
    print_text(out, f.left + f.width / 2, f.top + f.height + 32, "middle", bars ? p->unit : p->name);
    if (!bars) print_text(out, MARGIN, f.top - 8, "start", p->unit);
    (void)fputs("</svg>\n", out);
}

void picture_print_svg(FILE *out, const picture *p)
{
    print_svg(out, p, "");
}

void picture_print_file(FILE *out, const picture *p)
{
    print_svg(out, p,
              "<style>svg { background: #fff; color: #1b1f24 } .mark { color: #0a58c2; fill: currentColor } "
              ".over, .limit { color: #b3261e }</style>\n");
}

static void print_table(FILE *out, const picture *p)
{
    (void)fputs(
        "<details><summary>numbers</summary><div class=\"scroll\"><table><thead><tr><th scope=\"col\">", out);
    conf_xml_text(out, p->name);
    (void)fputs("</th><th scope=\"col\">", out);
    conf_xml_text(out, p->others ? p->values_name : p->unit);
    if (p->others) (void)fputs("</th><th scope=\"col\">", out);
    if (p->others) conf_xml_text(out, p->others_name);
    (void)fputs("</th></tr></thead><tbody>\n", out);
    for (size_t i = 0; i < p->n; i++) {
        char text[PICTURE_NUMBER_MAX];
        picture_number(text, p->values[i]);
        (void)fputs("<tr><th scope=\"row\">", out);
        conf_xml_text(out, p->labels[i]);
        (void)fprintf(out, "</th><td>%s%s</td>", text, is_over(p, p->values[i]) ? " !" : "");
        if (p->others) {
            picture_number(text, p->others[i]);
            (void)fprintf(out, "<td>%s</td>", text);
        }
        (void)fputs("</tr>\n", out);
    }
    (void)fputs("</tbody></table></div></details>\n", out);
}

void picture_print(FILE *out, const picture *p)
{
    (void)fputs("<figure class=\"picture\"><figcaption>", out);
    conf_xml_text(out, p->title);
    (void)fputs("</figcaption>\n", out);
    picture_print_svg(out, p);
    print_table(out, p);
    (void)fputs("</figure>\n", out);
}
