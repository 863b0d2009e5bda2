/* SPDX-License-Identifier: Apache-2.0 */
#include "base/tests/deny.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>

void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);
char *__real_strndup(const char *text, size_t n);
char *__wrap_strndup(const char *text, size_t n);
int __wrap_asprintf(char **text, const char *format, ...) __attribute__((format(printf, 2, 3)));
int __real_vasprintf(char **text, const char *format, va_list args);
int __wrap_vasprintf(char **text, const char *format, va_list args);

static atomic_long n_granted = -1; /* negative: all succeed */
static atomic_bool has_failed;

static bool is_granted(void)
{
    if (atomic_load(&n_granted) < 0 || atomic_fetch_sub(&n_granted, 1) > 0) return true;
    atomic_store(&n_granted, -1);
    atomic_store(&has_failed, true);
    return false;
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return is_granted() ? __real_aligned_alloc(alignment, size) : NULL;
}

void *__wrap_calloc(size_t n, size_t size)
{
    return is_granted() ? __real_calloc(n, size) : NULL;
}

void *__wrap_malloc(size_t size)
{
    return is_granted() ? __real_malloc(size) : NULL;
}

void *__wrap_realloc(void *old, size_t size)
{
    return is_granted() ? __real_realloc(old, size) : NULL;
}

char *__wrap_strdup(const char *text)
{
    return is_granted() ? __real_strdup(text) : NULL;
}

char *__wrap_strndup(const char *text, size_t n)
{
    return is_granted() ? __real_strndup(text, n) : NULL;
}

int __wrap_asprintf(char **text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = is_granted() ? __real_vasprintf(text, format, args) : -1;
    va_end(args);
    return length;
}

int __wrap_vasprintf(char **text, const char *format, va_list args)
{
    return is_granted() ? __real_vasprintf(text, format, args) : -1;
}

void deny(long n)
{
    atomic_store(&has_failed, false);
    atomic_store(&n_granted, n);
}

bool deny_end(void)
{
    atomic_store(&n_granted, -1);
    return atomic_load(&has_failed);
}
