/* The machine that this process runs on and what the environment says of it: what numeric results may depend
 * on besides engine and case.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SUPPORT_MACHINE_H
#define CONFORMANCE_SUPPORT_MACHINE_H

#include <stddef.h>

#define CONF_MACHINE_CPUINFO "/proc/cpuinfo"

/* Plain data: it may be passed between processes. */
typedef struct conf_machine_facts {
    char processor[128];   /* its name, as conf_machine_name gives it */
    char architecture[32]; /* as uname(2) gives it: "x86_64" */
    char instructions[64]; /* the widest instruction sets that it runs, as kernels name them: "avx2 avx512" */
    size_t n_processors;   /* on which this process may run */
    char isa[32], workers[32]; /* ASSAY_ISA and ASSAY_WORKERS, by which bundled engines choose kernels and
                                * threads; empty: not set */
} conf_machine_facts;

/* Notes the values of the two variables, NULL if they are not set: the program's main reads the environment,
 * once, and conf_machine_read gives them. */
void conf_machine_note(const char *isa, const char *workers);

conf_machine_facts conf_machine_read(void);

/* The processor's name from cpuinfo (a file like CONF_MACHINE_CPUINFO; may be missing), otherwise from the
 * processor's own brand string, otherwise "unknown processor". */
void conf_machine_name(const char *cpuinfo, char *out, size_t size);

/* The OpenBLAS that a module of this process uses: its version, its core and its number of threads. Empty if
 * the module is not loaded, or uses none. */
void conf_machine_blas(const char *module, char *out, size_t size);

#endif
