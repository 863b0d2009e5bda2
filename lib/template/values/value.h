/* Values of a template, as Python has them. They are immutable, but for namespaces, iterators and lists and
 * dicts that are still being built; their memory is that of the rendering.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_VALUES_VALUE_H
#define TEMPLATE_VALUES_VALUE_H

#include <assay/serving.h>

#include "template/values/state.h"

typedef enum tpl_kind {
    TPL_UNDEFINED, /* the value of an unknown name; also the result after an error */
    TPL_MISSING,   /* an argument that was not passed: never a value of the template */
    TPL_NONE,
    TPL_BOOL,
    TPL_INT, /* of 64 bits */
    TPL_BIG, /* an int beyond 64 bits (integer.h) */
    TPL_FLOAT,
    TPL_STRING,
    TPL_LIST,
    TPL_DICT,
    TPL_NAMESPACE,
    TPL_FUNCTION, /* a global, a bound method or a macro */
    TPL_LOOP,     /* the variable `loop` */
    TPL_SELF      /* the variable `self`: the template, which has no blocks */
} tpl_kind;

typedef struct tpl_list tpl_list;
typedef struct tpl_dict tpl_dict;
typedef struct tpl_function tpl_function;
typedef struct tpl_limbs tpl_limbs; /* of limbs.h */

typedef struct tpl_value {
    tpl_kind kind;
    bool safe; /* a string that the filters `safe` or `escape` returned */
    union {
        bool truth;
        int64_t whole;
        const tpl_limbs *big;
        double real;
        assay_text text;
        tpl_list *list;
        tpl_dict *dict; /* of namespaces, too */
        const tpl_function *function;
        void *loop; /* of loop.c */
    };
} tpl_value;

typedef enum tpl_list_kind {
    TPL_PLAIN,
    TPL_TUPLE,
    TPL_KEYS,
    TPL_VALUES,
    TPL_ITEMS,
    TPL_RANGE,
    TPL_ITERATOR /* elements can be read once */
} tpl_list_kind;

/* The next element of an iterator that is evaluated when it is read; false at its end. */
typedef bool tpl_next_fn(tpl *t, void *state, tpl_value *out);

struct tpl_list {
    tpl_list_kind kind;
    bool is_group; /* a tuple that the filter groupby returned: it has the members grouper, list */
    size_t n, capacity, n_read; /* n_read: of an iterator */
    const tpl_value *range;     /* [3] of a range: from, to, step */
    tpl_value *items;           /* [n] */
    tpl_next_fn *next;          /* of an iterator, what follows its items; NULL: nothing */
    void *state;                /* of next */
};

/* A position among the elements of a value. */
typedef struct tpl_cursor {
    const tpl_list *items;
    size_t n_read;
    tpl_list *iterator; /* NULL: elements are those of items */
} tpl_cursor;

typedef struct tpl_entry {
    uint64_t hash;
    tpl_value key, value;
} tpl_entry;

struct tpl_dict {
    size_t n, capacity;
    tpl_entry *entries; /* [n], in the order of insertion */
    uint32_t *slots;    /* [n_slots], a power of two: 1 + the index of an entry, 0: empty */
    size_t n_slots;
};

/* An attribute of a function; undefined: it has none of that name. */
typedef tpl_value tpl_attribute_fn(tpl *t, const tpl_function *function, assay_text name);

struct tpl_function {
    const char *name;            /* of a global or a method */
    tpl_value self;              /* of a method: the object */
    const void *macro, *scope;   /* of a macro: its node, and where it is defined */
    assay_text macro_name;       /* at NULL: none */
    tpl_attribute_fn *attribute; /* NULL: a function without attributes */
};

tpl_value tpl_none(void);
tpl_value tpl_bool(bool truth);
tpl_value tpl_int(int64_t whole);
tpl_value tpl_float(double real);
tpl_value tpl_text(const char *at, size_t n); /* borrowed */
tpl_value tpl_string(const char *terminated); /* borrowed */
tpl_value tpl_list_new(tpl *t, tpl_list_kind kind);

/* Appends to a list, which may be undefined after an error. */
void tpl_list_add(tpl *t, tpl_value list, tpl_value item);

bool tpl_is_string(tpl_value v);
bool tpl_is_number(tpl_value v); /* int, float or bool, as in Python */
bool tpl_is_whole(tpl_value v);  /* an int of 64 bits or a bool */
int64_t tpl_whole(tpl_value v);  /* of these */
bool tpl_is_list_of(tpl_value v, tpl_list_kind kind);
bool tpl_same(assay_text a, assay_text b);
bool tpl_same_text(assay_text a, const char *terminated);
bool tpl_truth(tpl_value v);

/* The name of the type in Python, for messages. */
const char *tpl_type_name(tpl_value v);

/* Records that `what` cannot be applied to a value of this type. Returns an undefined value. */
tpl_value tpl_fail_type(tpl *t, tpl_value v, const char *what);

/* An iterator whose elements `next` returns; state lives as long as the rendering. */
tpl_value tpl_iterator_new(tpl *t, tpl_next_fn *next, void *state);

/* Reads the next element of an iterator; false at its end and after an error. */
bool tpl_iterator_next(tpl *t, tpl_list *iterator, tpl_value *out);

/* Reads the elements of a value one by one, those of an iterator no earlier than they are asked for. */
tpl_cursor tpl_cursor_open(tpl *t, tpl_value v);
bool tpl_cursor_next(tpl *t, tpl_cursor *cursor, tpl_value *out);

/* The elements of anything that can be iterated over: characters, elements, keys; those of an iterator are
 * read from it. A list that is not to be changed. Other values are an error. */
const tpl_list *tpl_elements(tpl *t, tpl_value v);

#endif
