/* Input: the file of --json, which assay merge reads. Results that are read are the same after they have been
 * written and read again.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "conformance/report/json.h"
#include "conformance/report/junit.h"
#include "conformance/report/read.h"
#include "fuzz/fuzz.h"

/* The JSON report of the results; the caller frees it. */
static char *text_of(const conf_results *results)
{
    char *text = NULL;
    size_t size;
    assay_error err = {0};
    FILE *f = open_memstream(&text, &size);
    fuzz_require(f != NULL, "an allocation succeeds");
    fuzz_require(conf_json_print(f, results, &err) == ASSAY_OK, "what was read can be written");
    (void)fclose(f);
    return text;
}

static void require_round_trip(const conf_results *results)
{
    conf_results again;
    assay_error err = {0};
    char *before = text_of(results);
    const char *path = fuzz_write("again.json", (const uint8_t *)before, strlen(before));
    fuzz_require(conf_results_read(path, &again, &err) == ASSAY_OK, "what was written can be read");
    char *after = text_of(&again);
    fuzz_require(strcmp(before, after) == 0, "written results are read unchanged");
    free(before);
    free(after);
    conf_results_free(&again);
}

/* The other report, which only must not crash. */
static void print_junit(const conf_results *results)
{
    FILE *out = fopen("/dev/null", "w");
    fuzz_require(out != NULL, "/dev/null can be written");
    (void)conf_junit_print(out, results, NULL);
    (void)fclose(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static conf_results results, untouched;
    assay_error err = {0};
    memset(&results, 0x5a, sizeof results);
    memset(&untouched, 0x5a, sizeof untouched);
    const assay_status status = conf_results_read(fuzz_write("results.json", data, size), &results, &err);
    if (status != ASSAY_OK) {
        fuzz_require_refusal(status, &err, memcmp(&results, &untouched, sizeof results) == 0);
        return 0;
    }
    require_round_trip(&results);
    print_junit(&results);
    conf_results_free(&results);
    return 0;
}
