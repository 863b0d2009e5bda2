/* Input: an observation in HDF5. It is compared with a valid golden, and with itself.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "conformance/diff/diff.h"
#include "fuzz/fuzz.h"
#include "fuzz/seeds.h"

/* The golden: a seed of the target `case`, beside a checkpoint that ends with id 5. */
static const char *golden_path(void)
{
    static char path[4200];
    if (path[0]) return path;
    char model[4200];
    (void)snprintf(model, sizeof model, "%s/model", fuzz_directory());
    fuzz_require(mkdir(model, 0777) == 0, "a directory can be made");
    (void)fuzz_write("model/config.json", (const uint8_t *)"{\"eos_token_id\": 5}", 19);
    (void)snprintf(path, sizeof path, "%s", fuzz_seed_write("case", "generate.h5"));
    return path;
}

static void compare_files(const char *golden, const char *observed)
{
    conf_verdict v = {0};
    conf_strings unknown;
    assay_error err = {0};
    const conf_diff_task task = {.golden = golden, .observed = observed, .n_workers = 2};
    assay_status rc = conf_diff(&task, &v, &unknown, &err);
    conf_strings_free(&unknown);
    if (rc != ASSAY_OK) {
        fuzz_require_refusal(rc, &err, true);
        return;
    }
    fuzz_require(v.outcome == CONF_PASSED || v.outcome == CONF_FAILED, "a comparison has a verdict");
    fuzz_require(v.reason[0] != '\0', "a verdict has words");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char observed[4200];
    const char *golden = golden_path();
    (void)snprintf(observed, sizeof observed, "%s", fuzz_write("observed.h5", data, size));
    compare_files(golden, observed);
    compare_files(observed, observed);
    return 0;
}
