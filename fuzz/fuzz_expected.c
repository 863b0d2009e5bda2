/* Input: the file of assay run --expect.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "conformance/expected/read.h"
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static conf_expected expected, untouched;
    assay_error err = {0};
    memset(&expected, 0x5a, sizeof expected);
    memset(&untouched, 0x5a, sizeof untouched);
    const assay_status status = conf_expected_read(fuzz_write("expected.json", data, size), &expected, &err);
    if (status != ASSAY_OK) {
        fuzz_require_refusal(status, &err, memcmp(&expected, &untouched, sizeof expected) == 0);
        return 0;
    }
    for (size_t i = 0; i < expected.n; i++) {
        const conf_expected_row *row = &expected.rows[i];
        const conf_engine_column engine = {.name = row->engine ? row->engine : "any", .label = "any"};
        conf_verdict v = {.outcome = CONF_FAILED, .class = row->class};
        expected.rows[i].here = row->id;
        conf_expected_apply(&expected, row->id, row->digest, &engine, &v);
        fuzz_require(v.expected[0] != '\0' && row->state == CONF_EXPECTED_JUDGED,
                     "a row is found by its case");
        fuzz_require((v.outcome == CONF_EXPECTED) == (strcmp(row->until, expected.today) >= 0),
                     "a row excuses its class until its date");
    }
    conf_expected_free(&expected);
    return 0;
}
