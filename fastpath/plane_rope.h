/* The rope in the plane of images: plan_plane_rope.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_PLANE_ROPE_H
#define FASTPATH_PLANE_ROPE_H

#include "fastpath/pass.h"

/* Fills in the pass's plane_cosine and plane_sine, in its scratch memory, if the plan has the rope and a row
 * of the pass features. Fails with ASSAY_ENOMEM. */
assay_status fp_plane_rope_make(fp_pass *pass);

/* Turns the heads of the pass's rows in place. heads: [R, n_heads, head_dim]. */
void fp_plane_rope_run(const fp_pass *pass, size_t n_heads, size_t head_dim, float *heads);

#endif
