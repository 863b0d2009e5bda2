/* One evaluation of a prompt by an engine, with a callback for its tensors.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_LOCATE_DRIVE_H
#define CONFORMANCE_LOCATE_DRIVE_H

#include "conformance/locate/trace.h"
#include "conformance/locate/walker.h"

typedef struct conf_drive {
    const assay_engine *engine;
    conf_compute compute;         /* requested compute type */
    const assay_kernels *kernels; /* external kernels for it; or NULL */
    conf_verdict *verdict;
    bool single;        /* the one sample of the walk; otherwise the batch as recorded */
    conf_walker_fn *fn; /* receives the tensors if the engine has a tap; or NULL */
    double **logits;    /* becomes [T, V] of the sample, or of sample 0 */
    char *refusal; /* [CONF_TEXT_MAX]: if only a step without a tap succeeds, becomes the reason why the one
                    * with a tap does not; NULL: then the evaluation fails */
} conf_drive;

/* False, with d->verdict or w->verdict set, on failure. */
bool conf_drive_run(conf_walker *w, const conf_drive *d);

#endif
