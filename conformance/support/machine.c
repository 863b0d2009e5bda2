/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/support/machine.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#ifdef __x86_64__
#include <cpuid.h>
#endif

#include "base/processor.h"
#include "base/shown.h"

/* Reads "model name : …", as Linux writes it for x86; other architectures have no such line. */
static bool name_from_file(const char *cpuinfo, char *out, size_t size)
{
    static const char member[] = "model name";
    char line[256];
    bool found = false;
    FILE *f = fopen(cpuinfo, "r");
    while (f && !found && fgets(line, sizeof line, f)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, member, sizeof member - 1) != 0 || !colon) continue;
        (void)snprintf(out, size, "%s", colon + 1 + strspn(colon + 1, " \t"));
        out[strcspn(out, "\n")] = '\0';
        found = out[0] != '\0';
    }
    if (f) (void)fclose(f);
    return found;
}

/* Reads the brand string: 48 bytes, padded with blanks on either side. */
static bool name_from_processor(char *out, size_t size)
{
#ifdef __x86_64__
    unsigned words[12];
    char brand[sizeof words + 1] = "";
    for (unsigned i = 0; i < 3; i++)
        if (!__get_cpuid(0x80000002U + i, &words[4 * i], &words[4 * i + 1], &words[4 * i + 2],
                         &words[4 * i + 3]))
            return false;
    memcpy(brand, words, sizeof words);
    size_t n = strlen(brand);
    while (n > 0 && brand[n - 1] == ' ') brand[--n] = '\0';
    (void)snprintf(out, size, "%s", brand + strspn(brand, " "));
    return out[0] != '\0';
#else
    (void)out, (void)size;
    return false;
#endif
}

void conf_machine_name(const char *cpuinfo, char *out, size_t size)
{
    if (!name_from_file(cpuinfo, out, size) && !name_from_processor(out, size))
        (void)snprintf(out, size, "unknown processor");
    shown_clean(out, size);
}

static void add_set(char *out, size_t size, bool runs, const char *name)
{
    const size_t n = strlen(out);
    if (runs) (void)snprintf(out + n, size - n, "%s%s", n ? " " : "", name);
}

static void read_sets(char *out, size_t size)
{
    out[0] = '\0';
#if defined __x86_64__
    const bool avx512 = __builtin_cpu_supports("avx512f") != 0;
    add_set(out, size, __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"), "avx2");
    add_set(out, size, avx512, "avx512");
    add_set(out, size, avx512 && __builtin_cpu_supports("avx512bf16"), "avx512bf16");
    add_set(out, size, avx512 && processor_runs_tiles(), "amx");
#elif defined __aarch64__
    add_set(out, size, true, "neon");
#endif
    if (!out[0]) add_set(out, size, true, "scalar");
}

static size_t count_processors(void)
{
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return (size_t)CPU_COUNT(&allowed);
    const long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (size_t)n : 1;
}

/* Of the facts only isa and workers. */
static conf_machine_facts noted;

static void copy_clean(char *out, size_t size, const char *text)
{
    (void)snprintf(out, size, "%s", text ? text : "");
    shown_clean(out, size);
}

void conf_machine_note(const char *isa, const char *workers)
{
    copy_clean(noted.isa, sizeof noted.isa, isa);
    copy_clean(noted.workers, sizeof noted.workers, workers);
}

conf_machine_facts conf_machine_read(void)
{
    conf_machine_facts facts = noted;
    facts.n_processors = count_processors();
    struct utsname system;
    conf_machine_name(CONF_MACHINE_CPUINFO, facts.processor, sizeof facts.processor);
    if (uname(&system) == 0)
        (void)snprintf(facts.architecture, sizeof facts.architecture, "%.31s", system.machine);
    read_sets(facts.instructions, sizeof facts.instructions);
    return facts;
}

typedef const char *text_fn(void);
typedef int number_fn(void);

/* ISO C has no cast from an object to a function. */
static text_fn *find_text(void *module, const char *symbol)
{
    void *found = dlsym(module, symbol);
    text_fn *function;
    memcpy(&function, &found, sizeof function);
    return function;
}

static number_fn *find_number(void *module, const char *symbol)
{
    void *found = dlsym(module, symbol);
    number_fn *function;
    memcpy(&function, &found, sizeof function);
    return function;
}

/* dlsym searches a module and what it depends on, so that another module's OpenBLAS is not taken for its
 * own. */
void conf_machine_blas(const char *module, char *out, size_t size)
{
    out[0] = '\0';
    void *loaded = dlopen(module, RTLD_LAZY | RTLD_NOLOAD);
    if (!loaded) return;
    text_fn *config = find_text(loaded, "openblas_get_config"),
            *core = find_text(loaded, "openblas_get_corename");
    number_fn *threads = find_number(loaded, "openblas_get_num_threads");
    if (config && core && threads) {
        const char *text = config(); /* "OpenBLAS 0.3.21 NO_LAPACKE …" */
        const size_t name = strcspn(text, " "), version = text[name] ? strcspn(text + name + 1, " ") + 1 : 0;
        const int n = threads();
        (void)snprintf(out, size, "%.*s, core %s, %d thread%s", (int)(name + version), text, core(), n,
                       n == 1 ? "" : "s");
        shown_clean(out, size);
    }
    (void)dlclose(loaded);
}
