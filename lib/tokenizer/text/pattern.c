/* SPDX-License-Identifier: Apache-2.0 */
#include "tokenizer/text/pattern.h"

#include "base/error.h"
#include "base/json_scan.h"
#include "base/utf8.h"
#include "tokenizer/text/ruby.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_MAX 60

/* The step limit (PCRE2's match limit) of one search starts at STEPS_FIRST, which nearly always
 * suffices, and is multiplied by ten for each retry. Retries are paid from the budget of the text. */
#define STEPS_FIRST    1000
#define STEPS_BUDGET   10000000
#define STEPS_PER_BYTE 200
#define STACK_FIRST    ((size_t)32 << 10)
#define STACK_MAX      ((size_t)8 << 20)
#define HEAP_MAX_KIB   65536

struct tokenizer_pattern {
    char *text; /* [n]: the text to find; NULL: a regular expression */
    size_t n;
    pcre2_code *code;
    bool is_compiled; /* by PCRE2's JIT compiler */
};

struct tokenizer_matcher {
    pcre2_match_context *context;
    pcre2_match_data *data;
    pcre2_jit_stack *stack;
    uint32_t limit; /* the match limit set in the context */
    size_t budget;  /* steps left for retries */
};

void tokenizer_pattern_free(tokenizer_pattern *p)
{
    if (!p) return;
    pcre2_code_free(p->code);
    free(p->text);
    free(p);
}

/* Compiles a rewritten expression. False if PCRE2 refuses it: *number is its error code, *at the
 * offset. */
static bool compile_pattern(tokenizer_pattern *p, const buffer *rewritten, int *number, size_t *at)
{
    pcre2_compile_context *context = pcre2_compile_context_create(NULL);
    *number = PCRE2_ERROR_NOMEMORY;
    if (!context) return false;
    (void)pcre2_set_newline(context, PCRE2_NEWLINE_LF);
    p->code = pcre2_compile((PCRE2_SPTR)(rewritten->data ? rewritten->data : ""), rewritten->n,
                            PCRE2_UTF | PCRE2_UCP | PCRE2_NO_UTF_CHECK | PCRE2_NEVER_BACKSLASH_C, number, at,
                            context);
    pcre2_compile_context_free(context);
    if (p->code) p->is_compiled = pcre2_jit_compile(p->code, PCRE2_JIT_COMPLETE) == 0;
    return p->code != NULL;
}

static assay_status open_regex(const tokenizer_place *place, const char *text, size_t n, tokenizer_pattern *p,
                               assay_error *err)
{
    tokenizer_ruby_problem problem = {0};
    buffer rewritten = {0};
    int number = 0;
    size_t at = 0;
    assay_status rc = ASSAY_OK;
    if (!tokenizer_ruby_rewrite(text, n, &rewritten, &problem)) {
        if (!problem.reason) rc = tokenizer_place_fail(place, err, ASSAY_ENOMEM, "out of memory");
        else
            rc = tokenizer_place_fail(place, err, ASSAY_EUNSUPPORTED,
                                      "byte %zu of \"%.*s\": found %s, expected an expression without",
                                      problem.at, json_scan_clip(text, n, SHOWN_MAX), text, problem.reason);
    } else if (!compile_pattern(p, &rewritten, &number, &at)) {
        char words[160] = "";
        (void)pcre2_get_error_message(number, (PCRE2_UCHAR *)words, sizeof words);
        rc = tokenizer_place_fail(place, err, ASSAY_EUNSUPPORTED, "found \"%.*s\", of which PCRE2 says: %s",
                                  json_scan_clip(text, n, SHOWN_MAX), text, words);
    }
    buffer_free(&rewritten);
    return rc;
}

static assay_status open_text(const tokenizer_place *place, const char *text, size_t n, tokenizer_pattern *p,
                              assay_error *err)
{
    if (n == 0)
        return tokenizer_place_fail(place, err, ASSAY_EUNSUPPORTED,
                                    "found an empty text, which is between all characters; "
                                    "expected one to look for");
    p->text = malloc(n);
    if (!p->text) return tokenizer_place_fail(place, err, ASSAY_ENOMEM, "out of memory");
    memcpy(p->text, text, n);
    p->n = n;
    return ASSAY_OK;
}

assay_status tokenizer_pattern_open(const tokenizer_place *place, tokenizer_pattern **out, assay_error *err)
{
    tokenizer_place string, regex;
    const char *text;
    size_t n;
    assay_status rc = tokenizer_place_member(place, "String", &string, err);
    if (rc == ASSAY_OK) rc = tokenizer_place_member(place, "Regex", &regex, err);
    if (rc != ASSAY_OK) return rc;
    if (!string.value == !regex.value)
        return tokenizer_place_fail(place, err, ASSAY_EFORMAT, "found %s, expected either String or Regex",
                                    string.value ? "String and Regex" : "neither String nor Regex");
    const tokenizer_place *which = string.value ? &string : &regex;
    rc = tokenizer_place_text(which, &text, &n, err);
    if (rc != ASSAY_OK) return rc;
    tokenizer_pattern *p = calloc(1, sizeof *p);
    if (!p) return tokenizer_place_fail(place, err, ASSAY_ENOMEM, "out of memory");
    rc = string.value ? open_text(which, text, n, p, err) : open_regex(which, text, n, p, err);
    if (rc == ASSAY_OK) *out = p;
    else tokenizer_pattern_free(p);
    return rc;
}

assay_status tokenizer_pattern_open_regex(const char *path, const char *expression, tokenizer_pattern **out,
                                          assay_error *err)
{
    const tokenizer_place place = {.path = path, .name = "pre_tokenizer"};
    tokenizer_pattern *p = calloc(1, sizeof *p);
    if (!p) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", path);
    const assay_status rc = open_regex(&place, expression, strlen(expression), p, err);
    if (rc == ASSAY_OK) *out = p;
    else tokenizer_pattern_free(p);
    return rc;
}

assay_status tokenizer_pattern_open_text(const char *path, const char *text, size_t n,
                                         tokenizer_pattern **out, assay_error *err)
{
    const tokenizer_place place = {.path = path, .name = "pre_tokenizer"};
    tokenizer_pattern *p = calloc(1, sizeof *p);
    if (!p) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", path);
    const assay_status rc = open_text(&place, text, n, p, err);
    if (rc == ASSAY_OK) *out = p;
    else tokenizer_pattern_free(p);
    return rc;
}

bool tokenizer_pattern_is_empty(const tokenizer_pattern *p)
{
    uint32_t empty = 0;
    return p->code && pcre2_pattern_info(p->code, PCRE2_INFO_MATCHEMPTY, &empty) == 0 && empty;
}

void tokenizer_matcher_free(tokenizer_matcher *m)
{
    if (!m) return;
    pcre2_match_data_free(m->data);
    pcre2_match_context_free(m->context);
    pcre2_jit_stack_free(m->stack);
    free(m);
}

assay_status tokenizer_matcher_open(tokenizer_matcher **out, assay_error *err)
{
    tokenizer_matcher *m = calloc(1, sizeof *m);
    if (!m) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    m->context = pcre2_match_context_create(NULL);
    m->data = pcre2_match_data_create(1, NULL);
    m->stack = pcre2_jit_stack_create(STACK_FIRST, STACK_MAX, NULL); /* NULL if PCRE2 has no JIT */
    if (!m->context || !m->data) {
        tokenizer_matcher_free(m);
        return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    }
    if (m->stack) pcre2_jit_stack_assign(m->context, NULL, m->stack);
    (void)pcre2_set_heap_limit(m->context, HEAP_MAX_KIB);
    *out = m;
    return ASSAY_OK;
}

void tokenizer_matcher_begin(tokenizer_matcher *m, size_t n)
{
    m->budget = STEPS_BUDGET + STEPS_PER_BYTE * n;
}

static void set_limit(tokenizer_matcher *m, uint32_t limit)
{
    if (m->limit == limit) return;
    (void)pcre2_set_match_limit(m->context, limit);
    m->limit = limit;
}

/* Searches from m->at, with a growing step limit. Returns PCRE2's result. */
static int search_pattern(const tokenizer_matches *m)
{
    tokenizer_matcher *k = m->matcher;
    for (uint32_t limit = STEPS_FIRST;; limit *= 10) {
        set_limit(k, limit);
        PCRE2_SPTR text = (PCRE2_SPTR)m->text;
        const int found = m->pattern->is_compiled ? pcre2_jit_match(m->pattern->code, text, m->n, m->at,
                                                                    PCRE2_NO_UTF_CHECK, k->data, k->context)
                                                  : pcre2_match(m->pattern->code, text, m->n, m->at,
                                                                PCRE2_NO_UTF_CHECK, k->data, k->context);
        if (found != PCRE2_ERROR_MATCHLIMIT || k->budget < (size_t)limit * 10) return found;
        k->budget -= (size_t)limit * 10;
    }
}

static assay_status find_regex(const tokenizer_matches *m, size_t *from, size_t *to, bool *found,
                               assay_error *err)
{
    const int rc = search_pattern(m);
    *found = rc != PCRE2_ERROR_NOMATCH;
    if (!*found) return ASSAY_OK;
    if (rc < 0) {
        char words[160] = "";
        (void)pcre2_get_error_message(rc, (PCRE2_UCHAR *)words, sizeof words);
        return assay_fail(err, rc == PCRE2_ERROR_NOMEMORY ? ASSAY_ENOMEM : ASSAY_EUNSUPPORTED,
                          "an expression of the tokenizer exceeds a limit at byte %zu of %zu: %s", m->at,
                          m->n, words);
    }
    const PCRE2_SIZE *ends = pcre2_get_ovector_pointer(m->matcher->data);
    *from = ends[0];
    *to = ends[1];
    return ASSAY_OK;
}

static void find_text(const tokenizer_matches *m, size_t *from, size_t *to, bool *found)
{
    const tokenizer_pattern *p = m->pattern;
    const char *at = memmem(m->text + m->at, m->n - m->at, p->text, p->n);
    *found = at != NULL;
    if (!at) return;
    *from = (size_t)(at - m->text);
    *to = *from + p->n;
}

assay_status tokenizer_matches_next(tokenizer_matches *m, size_t *from, size_t *to, bool *found,
                                    assay_error *err)
{
    for (;;) {
        *found = false;
        if (m->at > m->n) return ASSAY_OK;
        if (m->pattern->text) find_text(m, from, to, found);
        else {
            const assay_status rc = find_regex(m, from, to, found, err);
            if (rc != ASSAY_OK) return rc;
        }
        if (!*found) return ASSAY_OK;
        if (*from != *to || !m->has_last_end || m->last_end != *to) break;
        uint32_t codepoint;
        m->at += m->at < m->n ? utf8_decode(m->text + m->at, m->n - m->at, &codepoint, NULL) : 1;
    }
    m->at = m->last_end = *to;
    m->has_last_end = true;
    return ASSAY_OK;
}
