/* The tap of a test engine's session.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_TESTS_ENGINES_TAP_H
#define CONFORMANCE_TESTS_ENGINES_TAP_H

#include <assay/engine.h>

#include <string.h>

/* Sets *own from the caller's tap; NULL, or a tap without a function, removes it. */
static inline assay_status tap_set(assay_tap *own, const assay_tap *given, assay_error *err)
{
    return assay_options_read(own, sizeof *own, given, "assay_tap", err);
}

static inline bool tap_wants(const assay_tap *tap, const char *name)
{
    bool wanted = tap->n_names == 0;
    for (size_t i = 0; i < tap->n_names; i++) wanted = wanted || strcmp(tap->names[i], name) == 0;
    return wanted;
}

/* Gives a tensor to the tap if it wants it; data as in assay_tap_fn. Returns whether the step goes on. */
static inline bool tap_give(const assay_tap *tap, size_t sample, const assay_tensor *tensor, void *data)
{
    if (!tap->fn || !tap_wants(tap, tensor->name)) return true;
    return tap->fn(tap->context, sample, tensor, data);
}

#endif
