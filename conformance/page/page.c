/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/page/page.h"

#include <stdlib.h>
#include <string.h>

#include "conformance/support/xml.h"

static void print_element(FILE *out, const char *name, const char *attribute, const char *text)
{
    (void)fprintf(out, "<%s%s>", name, attribute);
    conf_xml_text(out, text);
    (void)fprintf(out, "</%s>", name);
}

void conf_page_begin(FILE *out, const char *title)
{
    (void)fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
                out);
    print_element(out, "title", "", title);
    (void)fprintf(out, "\n<style>\n%s</style>\n</head>\n<body>\n", conf_page_css);
    print_element(out, "h1", "", title);
    (void)fputc('\n', out);
}

void conf_page_end(FILE *out)
{
    (void)fprintf(out, "<script>\n%s</script>\n</body>\n</html>\n", conf_page_js);
}

void conf_page_heading(FILE *out, const char *text)
{
    print_element(out, "h2", "", text);
    (void)fputc('\n', out);
}

void conf_page_paragraph(FILE *out, const char *text)
{
    print_element(out, "p", "", text);
    (void)fputc('\n', out);
}

void conf_page_text(FILE *out, const char *text)
{
    (void)fputs("<pre>", out);
    for (const char *end; *text;
         text = end) { /* a control character, as which a line's end counts, is shown */
        end = text + strcspn(text, "\n");
        char *line = strndup(text, (size_t)(end - text));
        if (line) conf_xml_text(out, line);
        free(line);
        if (*end) (void)fputc(*end++, out);
    }
    (void)fputs("</pre>\n", out);
}

void conf_page_search(FILE *out, const char *label)
{
    (void)fputs("<p id=\"search\" hidden><label>", out);
    conf_xml_text(out, label);
    (void)fputs(": <input type=\"search\"></label> <output></output></p>\n"
                "<p id=\"filter\" hidden>Only <span></span>. <a href=\"#\">Show all</a></p>\n",
                out);
}

void conf_page_table_begin(FILE *out, const char *class, const char *caption, const char *const *heads,
                           size_t n)
{
    (void)fputs("<div class=\"scroll\"><table", out);
    if (class) conf_xml_attribute(out, "class", class);
    (void)fputc('>', out);
    if (caption) print_element(out, "caption", "", caption);
    (void)fputs("<thead><tr>", out);
    for (size_t i = 0; i < n; i++) print_element(out, "th", " scope=\"col\"", heads[i]);
    (void)fputs("</tr></thead><tbody>\n", out);
}

void conf_page_table_end(FILE *out)
{
    (void)fputs("</tbody></table></div>\n", out);
}

void conf_page_row_begin(FILE *out, const char *head)
{
    (void)fputs("<tr>", out);
    print_element(out, "th", " scope=\"row\"", head);
}

void conf_page_row_end(FILE *out)
{
    (void)fputs("</tr>\n", out);
}

void conf_page_cell(FILE *out, const char *class, const char *text)
{
    (void)fputs("<td", out);
    if (class) conf_xml_attribute(out, "class", class);
    (void)fputc('>', out);
    conf_xml_text(out, text);
    (void)fputs("</td>", out);
}

void conf_page_fold_begin(FILE *out, bool open, const char *summary)
{
    (void)fprintf(out, "<details%s>", open ? " open" : "");
    print_element(out, "summary", "", summary);
    (void)fputc('\n', out);
}

void conf_page_fold_end(FILE *out)
{
    (void)fputs("</details>\n", out);
}

void conf_page_facts_begin(FILE *out, const char *heading)
{
    conf_page_heading(out, heading);
    (void)fputs("<dl>\n", out);
}

void conf_page_fact(FILE *out, const char *name, const char *value)
{
    if (!value || !value[0]) return;
    print_element(out, "dt", "", name);
    print_element(out, "dd", "", value);
    (void)fputc('\n', out);
}

void conf_page_facts_end(FILE *out)
{
    (void)fputs("</dl>\n", out);
}
