/* The pieces of HTML pages: each command with --html writes its page of them. A page loads nothing: it has
 * the texts of page.css and page.js, which the build embeds. Texts are UTF-8, and never markup.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PAGE_PAGE_H
#define CONFORMANCE_PAGE_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

extern const char conf_page_css[], conf_page_js[]; /* terminated */

/* Classes of cells: how a check came out. */
#define CONF_PAGE_PASSED   "passed"
#define CONF_PAGE_FAILED   "failed"
#define CONF_PAGE_BROKEN   "crashed"
#define CONF_PAGE_SKIPPED  "refused"
#define CONF_PAGE_ERROR    "error" /* a number, in multiples of the bound; may be empty */
#define CONF_PAGE_EXPECTED "expected"

/* The whole page, with the title as its first heading. */
void conf_page_begin(FILE *out, const char *title);
void conf_page_end(FILE *out);

void conf_page_heading(FILE *out, const char *text);
void conf_page_paragraph(FILE *out, const char *text);

/* Lines as they are, in the type of a terminal. */
void conf_page_text(FILE *out, const char *text);

/* The box that searches the rows of tables of class "failures" with an attribute data-system, and the line
 * that says which of them the page's address selects. */
void conf_page_search(FILE *out, const char *label);

/* A table that scrolls by itself where it is too wide. class: NULL or of page.css. caption: NULL or a text.
 * heads: [n]. */
void conf_page_table_begin(FILE *out, const char *class, const char *caption, const char *const *heads,
                           size_t n);
void conf_page_table_end(FILE *out);

/* Begins a row with its head; conf_page_row_end ends it. */
void conf_page_row_begin(FILE *out, const char *head);
void conf_page_row_end(FILE *out);

/* class: NULL or of page.css. */
void conf_page_cell(FILE *out, const char *class, const char *text);

/* A part that is folded unless `open`. */
void conf_page_fold_begin(FILE *out, bool open, const char *summary);
void conf_page_fold_end(FILE *out);

/* Facts: names with values, between conf_page_facts_begin and _end. One without a value is left out. */
void conf_page_facts_begin(FILE *out, const char *heading);
void conf_page_fact(FILE *out, const char *name, const char *value);
void conf_page_facts_end(FILE *out);

#endif
