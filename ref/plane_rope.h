/* The rope in the plane of images: plan_plane_rope.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef REF_PLANE_ROPE_H
#define REF_PLANE_ROPE_H

#include "ref/pass.h"

/* Fills in pass->plane_angle, which the caller frees, if the plan has the rope and the sample media. Fails
 * with ASSAY_ENOMEM. */
assay_status ref_plane_rope_make(ref_pass *pass);

/* Turns heads in place. heads: [T, n_heads, head_dim]. */
void ref_plane_rope_turn(const ref_pass *pass, size_t n_heads, size_t head_dim, ref_real *heads);

#endif
