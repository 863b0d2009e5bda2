/* An engine around an engine that cannot be changed: it opens the shared object ENGINE, passes every call on,
 * and gives the pixels of images from memory of its own, as a wrapper does that moves them to a device or
 * converts them. Built with WITH_BUG it has a bug that one image does not show.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <assay/engine.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef ENGINE
#define ENGINE "fastpath.so" /* without the Makefile: on the search path of shared objects */
#endif

static const assay_engine *wrapped;
static assay_engine table; /* that of the engine, but for what is replaced */

/* Copies of the steps of one call, down to the pixels of their images. */
typedef struct copies {
    assay_step *steps;
    assay_item *items;
    assay_tensor *tensors;
    float *pixels;
    size_t n_items, n_tensors, n_pixels; /* used so far */
} copies;

/* How many numbers a tensor has, if it is one of pixels; otherwise 0. */
static size_t count_pixels(const assay_tensor *t)
{
    if (t->dtype != ASSAY_F32 || strcmp(t->name, "pixel_values") != 0) return 0;
    size_t n = 1;
    for (size_t i = 0; i < t->rank; i++) n *= t->shape[i];
    return n;
}

static bool allocate(copies *c, const assay_step *steps, size_t n)
{
    size_t n_items = 0, n_tensors = 0, n_pixels = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < steps[i].n_items; k++, n_items++)
            for (size_t t = 0; t < steps[i].items[k].n_tensors; t++, n_tensors++)
                n_pixels += count_pixels(&steps[i].items[k].tensors[t]);
    c->steps = calloc(n + 1, sizeof *c->steps);
    c->items = calloc(n_items + 1, sizeof *c->items);
    c->tensors = calloc(n_tensors + 1, sizeof *c->tensors);
    c->pixels = calloc(n_pixels + 1, sizeof *c->pixels);
    return c->steps && c->items && c->tensors && c->pixels;
}

static void release(copies *c)
{
    free(c->steps);
    free(c->items);
    free(c->tensors);
    free(c->pixels);
}

static assay_tensor copy_tensor(copies *c, const assay_tensor *from)
{
    assay_tensor to = *from;
    size_t n = count_pixels(from);
    if (n) to.data = memcpy(c->pixels + c->n_pixels, from->data, n * sizeof *c->pixels);
#ifndef WITH_BUG /* with it each image overwrites the one before */
    c->n_pixels += n;
#endif
    return to;
}

static assay_item copy_item(copies *c, const assay_item *from)
{
    assay_item to = *from;
    to.tensors = c->tensors + c->n_tensors;
    for (size_t i = 0; i < from->n_tensors; i++)
        c->tensors[c->n_tensors++] = copy_tensor(c, &from->tensors[i]);
    return to;
}

static assay_step copy_step(copies *c, const assay_step *from)
{
    assay_step to = *from;
    to.items = c->items + c->n_items;
    for (size_t i = 0; i < from->n_items; i++) c->items[c->n_items++] = copy_item(c, &from->items[i]);
    return to;
}

static assay_status step(assay_session *session, const assay_step *steps, size_t n,
                         const assay_step_options *options, assay_error *err)
{
    copies c = {0};
    assay_status rc = ASSAY_ENOMEM;
    if (allocate(&c, steps, n)) {
        for (size_t i = 0; i < n; i++) c.steps[i] = copy_step(&c, &steps[i]);
        rc = wrapped->step(session, c.steps, n, options, err);
    } else if (err) {
        *err = (assay_error){ASSAY_ENOMEM, "wrapper: out of memory"};
    }
    release(&c);
    return rc;
}

/* Copies the table of the engine as far as both know it: members at its end may be missing on either side. */
static void open_engine(void)
{
    void *object = dlopen(ENGINE, RTLD_NOW | RTLD_LOCAL);
    void *symbol = object ? dlsym(object, ASSAY_ENGINE_SYMBOL) : NULL;
    assay_engine_fn *function = NULL;
    memcpy(&function, &symbol, sizeof function); /* ISO C has no cast from an object to a function */
    wrapped = function ? function() : NULL;
    if (wrapped && wrapped->abi != ASSAY_ENGINE_ABI) wrapped = NULL;
    if (!wrapped) {
        fprintf(stderr, "wrapper: %s\n", object ? ENGINE " has no " ASSAY_ENGINE_SYMBOL : dlerror());
        return;
    }
    memcpy(&table, wrapped, wrapped->size < sizeof table ? wrapped->size : sizeof table);
    table.size = sizeof table;
    table.name = "wrapper";
    table.step = step;
}

const assay_engine *assay_engine_v2(void);

const assay_engine *assay_engine_v2(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_engine);
    return wrapped ? &table : NULL;
}
