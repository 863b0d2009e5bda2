/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/textual.h"

#include "conformance/threads.h"

static const conf_textual kinds[] = {
    {CONF_THREADS, conf_threads_check, conf_threads_open, conf_threads_replay},
};

const conf_textual *conf_textual_of(conf_kind kind)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].kind == kind) return &kinds[i];
    return NULL;
}
