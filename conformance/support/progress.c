/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/support/progress.h"

#include "conformance/support/text.h"

#define BAR_WIDTH 20

void conf_progress_show(const conf_context *context, size_t done, size_t total, const char *what)
{
    if (!context->progress) return;
    char bar[BAR_WIDTH + 1], count[48];
    size_t full = total ? done * BAR_WIDTH / total : 0;
    for (size_t i = 0; i < BAR_WIDTH; i++) bar[i] = i < full ? '#' : '.';
    bar[BAR_WIDTH] = '\0';
    int n = snprintf(count, sizeof count, "[%s] %zu/%zu ", bar, done, total);
    size_t used = n > 0 ? (size_t)n : 0;
    /* One column stays free: a line that fills the terminal would wrap, and could not be erased. */
    size_t width = context->columns > used + 1 ? context->columns - used - 1 : 0;
    (void)fprintf(context->err, "\r%s", count);
    if (width) conf_text_print_fitted(context->err, what, width);
    (void)fflush(context->err);
}

void conf_progress_clear(const conf_context *context)
{
    if (!context->progress) return;
    (void)fputs("\r\033[K", context->err);
    (void)fflush(context->err);
}
