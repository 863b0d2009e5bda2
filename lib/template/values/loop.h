/* The variable `loop`: the elements of a loop, of which the condition is evaluated no earlier than Jinja
 * does.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_VALUES_LOOP_H
#define TEMPLATE_VALUES_LOOP_H

#include "template/values/arguments.h"

typedef struct tpl_loop tpl_loop;

struct tpl_loop {
    tpl_cursor source;
    bool (*accepts)(tpl *t, void *context, tpl_value); /* the loop's condition; NULL: none */
    void *context;                                     /* of accepts */
    tpl_value ahead;                                   /* a list: accepted elements, read before their turn */
    size_t n_ahead;                                    /* read from `ahead` */
    bool sized;                                        /* the number of the source's items is the loop's */
    size_t index0, depth0;
    tpl_value before, current;
    tpl_value changed; /* the values of the latest call of `changed`; undefined: none */
    const void *node;  /* of a recursive loop; NULL: another */
    void *scope;       /* of a recursive loop: where it stands */
};

/* The next element; false at the end. */
bool tpl_loop_next(tpl *t, tpl_loop *loop, tpl_value *out);

/* loop.name, with a bound method for `cycle` and `changed`. An unknown name is undefined. */
tpl_value tpl_loop_attribute(tpl *t, tpl_loop *loop, assay_text name);

/* loop.cycle(…) and loop.changed(…). */
tpl_value tpl_loop_call(tpl *t, const tpl_function *method, const tpl_arguments *args);

#endif
