/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/effects/effect.h"

const char *probe_effect_member(const probe_trial *t)
{
    const probe_effect *f = t->effect;
    return f->other && (t->endpoint == PROBE_RESPONSES || t->endpoint == PROBE_MESSAGES) ? f->other
                                                                                         : f->member;
}
