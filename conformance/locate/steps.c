/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/locate/steps.h"

#include <stdarg.h>
#include <stdio.h>

#include "conformance/support/progress.h"

void conf_steps_expect(conf_steps *steps, size_t n_more)
{
    steps->n = steps->n_done + n_more;
}

void conf_steps_begin(conf_steps *steps, const char *what, ...)
{
    va_list args;
    va_start(args, what);
    (void)vsnprintf(steps->what, sizeof steps->what, what, args);
    va_end(args);
    if (steps->n == steps->n_done) steps->n++;
    conf_progress_show(steps->context, steps->n_done, steps->n, steps->what);
}

void conf_steps_end(conf_steps *steps)
{
    steps->n_done++;
    conf_progress_clear(steps->context);
}

void conf_steps_show(const conf_steps *steps, const char *part)
{
    char text[sizeof steps->what + 64];
    (void)snprintf(text, sizeof text, "%s: %s", steps->what, part);
    conf_progress_clear(steps->context);
    conf_progress_show(steps->context, steps->n_done, steps->n, text);
}
