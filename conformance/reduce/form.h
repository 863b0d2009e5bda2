/* The forms of cases, and what a reduction does with each: a row for each.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REDUCE_FORM_H
#define CONFORMANCE_REDUCE_FORM_H

#include <stdio.h>

#include "conformance/kinds/kinds.h"
#include "conformance/reduce/parts.h"

/* A state of the case. */
typedef enum conf_state { CONF_OF_WHOLE, CONF_OF_BEST } conf_state;

typedef struct conf_form {
    bool (*takes)(const conf_kind_info *kind);

    /* Sets best and trial to the whole case, from r->c and r->verdict, and r->name to the name of the reduced
     * case. Fails with ASSAY_EFORMAT or ASSAY_ENOMEM; `close` in any case. */
    assay_status (*open)(conf_reducing *r, const char *name, assay_error *err);
    void (*close)(conf_reducing *r);

    /* Writes the case with which the reduction begins as the trial, and evaluates it: the whole case, or what
     * certainly suffices. False: there is no process. */
    bool (*write_first)(conf_reducing *r, conf_verdict *v);

    /* "1 sample, 5 tokens" */
    void (*print_size)(const conf_reducing *r, conf_state state, char *text, size_t size);

    /* Lines on what of the whole case the best keeps. */
    void (*describe)(FILE *out, const conf_reducing *r);

    /* In the order in which they are reduced, NULL-terminated: first those that leave the most out. */
    const conf_part *const *parts;

    bool is_recorded; /* no expected value is computed: what is kept has the recorded ones */
} conf_form;

extern const conf_form conf_form_prompts;   /* prompts and their logits or tokens */
extern const conf_form conf_form_positions; /* prompts and their positions */
extern const conf_form conf_form_vectors;   /* textual cases */

/* The form of cases of a kind; NULL: they are not reduced. */
const conf_form *conf_form_of(const conf_kind_info *kind);

#endif
