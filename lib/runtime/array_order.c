/* The order of an evaluation: that of mlx/transforms.cpp, eval_impl. Arrays are taken breadth first
 * from the requested ones, each after the last array that uses it; if more than WIDTH are waiting, the
 * next level comes first. They are scheduled in reverse order.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "runtime/array_order.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/grow.h"
#include "runtime/array.h"
#include "runtime/array_node.h"

enum { WIDTH = 20 };

/* An array whose inputs from `input` on are still to be looked at. */
typedef struct visit {
    array *of;
    size_t input;
} visit;

typedef struct visits {
    visit *at;
    size_t n;
} visits;

static bool push_visit(visits *v, array *of, size_t input)
{
    visit *grown = grow_by_one(v->at, v->n, sizeof *grown);
    if (!grown) return false;
    v->at = grown;
    v->at[v->n++] = (visit){of, input};
    return true;
}

static bool is_deferred(const array *a)
{
    return atomic_load(&a->state) == NODE_DEFERRED;
}

static bool append_array(array_order *o, array *a)
{
    array **grown = grow_by_one(o->at, o->n, sizeof *grown);
    if (!grown) return false;
    o->at = grown;
    o->at[o->n++] = a;
    return true;
}

/* Counts how often each deferred array is used below root, and lists them all. */
static bool count_uses(array *root, array_order *found)
{
    visits stack = {0};
    bool ok = push_visit(&stack, root, 0);
    while (ok && stack.n) {
        visit *v = &stack.at[stack.n - 1];
        if (v->input == v->of->n_inputs) {
            stack.n--;
            continue;
        }
        array *in = v->of->inputs[v->input++];
        if (!is_deferred(in)) continue;
        if (in->stream != v->of->stream) in->is_shared = true;
        if (in->n_uses++ == 0) ok = append_array(found, in) && push_visit(&stack, in, 0);
    }
    free(stack.at);
    return ok;
}

/* Appends the inputs of v without remaining uses; defers the rest if too many are waiting. */
static bool append_inputs(array_order *o, visit v, size_t turn, visits *later)
{
    for (size_t i = v.input; i < v.of->n_inputs; i++) {
        array *in = v.of->inputs[i];
        if (!is_deferred(in)) continue;
        if (o->n - turn >= WIDTH) return push_visit(later, v.of, i);
        if (--in->n_uses == 0 && !append_array(o, in)) return false;
    }
    return true;
}

/* o->at[0] is the root. */
static bool order_graph(array_order *o, array *root)
{
    visits later = {0};
    bool ok = append_array(o, root);
    for (size_t turn = 0; ok && (turn < o->n || later.n);) {
        visit v = turn < o->n ? (visit){o->at[turn++], 0} : later.at[--later.n];
        ok = append_inputs(o, v, turn, &later);
    }
    free(later.at);
    return ok;
}

/* Removes the root and reverses the order. */
static void reverse_order(array_order *o)
{
    for (size_t i = 0, j = o->n - 1; i < j; i++, j--) {
        array *a = o->at[i];
        o->at[i] = o->at[j];
        o->at[j] = a;
    }
    o->n--;
}

void array_order_reset(const array_order *o)
{
    for (size_t i = 0; i < o->n; i++) {
        o->at[i]->n_uses = 0;
        o->at[i]->is_shared = false;
    }
}

assay_status array_order_find(array *const *list, size_t n, stream *target, array_order *out,
                              assay_error *err)
{
    array_order found = {0}, order = {0};
    array root = {.inputs = (array **)list, .n_inputs = n, .stream = target};
    const bool ok = count_uses(&root, &found) && order_graph(&order, &root);
    if (ok) {
        reverse_order(&order);
        for (size_t i = 0; i < order.n; i++) (void)array_retain(order.at[i]);
        *out = order;
    } else {
        array_order_reset(&found);
        free(order.at);
    }
    free(found.at);
    return ok ? ASSAY_OK : assay_fail(err, ASSAY_ENOMEM, "array: out of memory");
}

void array_order_free(array_order *o)
{
    for (size_t i = 0; i < o->n; i++) array_release(o->at[i]);
    free(o->at);
    *o = (array_order){0};
}
