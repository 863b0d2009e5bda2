/* SPDX-License-Identifier: Apache-2.0 */
#include "base/processor.h"

#ifdef __x86_64__
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Neither compiler's __builtin_cpu_supports knows all the names; the numbers are those of cpuid (leaf
 * 7) and of arch_prctl(2), which older headers do not define. A kernel without AMX support, or with AMX
 * disabled, refuses the request. */
bool processor_runs_tiles(void)
{
    enum { BF16 = 1 << 22, TILE = 1 << 24, INT8 = 1 << 25, ALL = BF16 | TILE | INT8 };
    enum { REQUEST_PERMISSION = 0x1023, TILE_DATA = 18 };
    unsigned a, b, c, d;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || (d & ALL) != ALL) return false;
    return syscall(SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) == 0;
}
#else
bool processor_runs_tiles(void)
{
    return false;
}
#endif
