/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/schedule/timeline.h"

#include "conformance/page/page.h"
#include "conformance/support/xml.h"

enum { WIDTH = 360, LEFT = 70, RIGHT = 8, TOP = 14, LINE = 18, MARK = 10, BOTTOM = 34 };

static bool is_step(const conf_step *step)
{
    return step->op < CONF_N_OPS && step->thread < CONF_SCHEDULE_THREADS_MAX;
}

/* The thread with the largest number, and one more. */
static size_t count_threads(const conf_schedule *s, size_t n)
{
    size_t n_threads = 0;
    for (size_t i = 0; i < n; i++)
        if (is_step(&s->steps[i]) && s->steps[i].thread >= n_threads) n_threads = s->steps[i].thread + 1;
    return n_threads;
}

/* wrong: the number of the step that is outlined and has a "!"; 0: none. */
static void print_svg(FILE *out, const char *title, const conf_schedule *s, size_t n, size_t wrong)
{
    const size_t n_threads = count_threads(s, n), height = TOP + n_threads * LINE;
    const double step = (double)(WIDTH - LEFT - RIGHT) / (double)n;
    (void)fprintf(out, "<svg class=\"picture\" viewBox=\"0 0 %d %zu\" role=\"img\"", WIDTH, height + BOTTOM);
    conf_xml_attribute(out, "aria-label", title);
    (void)fputs(" font-size=\"11\" font-family=\"system-ui, sans-serif\" fill=\"currentColor\">\n", out);
    for (size_t t = 0; t < n_threads; t++)
        (void)fprintf(
            out,
            "<text x=\"%d\" y=\"%zu\" text-anchor=\"end\">thread %zu</text><line class=\"grid\" "
            "stroke=\"currentColor\" opacity=\"0.15\" x1=\"%d\" x2=\"%d\" y1=\"%zu\" y2=\"%zu\"/>\n",
            LEFT - 6, TOP + t * LINE + MARK, t, LEFT, WIDTH - RIGHT, TOP + t * LINE + MARK / 2,
            TOP + t * LINE + MARK / 2);
    for (size_t i = 0; i < n; i++) {
        if (!is_step(&s->steps[i])) continue;
        const double x = LEFT + (double)i * step;
        const size_t y = TOP + s->steps[i].thread * LINE;
        const bool is_wrong = i + 1 == wrong;
        if (is_wrong)
            (void)fprintf(out, "<text x=\"%.1f\" y=\"%zu\" text-anchor=\"middle\">!</text>\n",
                          x + step * 0.425, y - 2);
        (void)fprintf(
            out, "<rect class=\"mark%s\"%s x=\"%.1f\" y=\"%zu\" width=\"%.1f\" height=\"%d\"><title>",
            is_wrong ? " over" : "", is_wrong ? " stroke=\"currentColor\" stroke-dasharray=\"2 2\"" : "", x,
            y, step * 0.85, MARK);
        (void)fprintf(out, "%zu: %s</title></rect>\n", i + 1, conf_op_names[s->steps[i].op]);
    }
    (void)fprintf(out,
                  "<text x=\"%d\" y=\"%zu\">1</text><text x=\"%d\" y=\"%zu\" text-anchor=\"end\">%zu</text>"
                  "<text x=\"%d\" y=\"%zu\" text-anchor=\"middle\">step</text></svg>\n",
                  LEFT, height + 12, WIDTH - RIGHT, height + 12, n, (LEFT + WIDTH - RIGHT) / 2, height + 26);
}

void conf_timeline_print(FILE *out, const char *title, const conf_schedule *s, size_t wrong)
{
    static const char *const heads[] = {"step", "thread", "call"};
    const size_t n = s->n_steps <= CONF_SCHEDULE_STEPS_MAX ? s->n_steps : 0;
    if (count_threads(s, n) == 0) return;
    (void)fputs("<figure class=\"picture\"><figcaption>", out);
    conf_xml_text(out, title);
    (void)fputs("</figcaption>\n", out);
    print_svg(out, title, s, n, wrong);
    conf_page_fold_begin(out, false, "steps");
    conf_page_table_begin(out, NULL, NULL, heads, sizeof heads / sizeof *heads);
    for (size_t i = 0; i < n; i++) {
        char text[32];
        if (!is_step(&s->steps[i])) continue;
        (void)snprintf(text, sizeof text, "%zu", i + 1);
        conf_page_row_begin(out, text);
        (void)snprintf(text, sizeof text, "%zu", s->steps[i].thread);
        conf_page_cell(out, NULL, text);
        (void)snprintf(text, sizeof text, "%s%s", conf_op_names[s->steps[i].op],
                       i + 1 == wrong ? " ! differs" : "");
        conf_page_cell(out, NULL, text);
        conf_page_row_end(out);
    }
    conf_page_table_end(out);
    conf_page_fold_end(out);
    (void)fputs("</figure>\n", out);
}
