/* Input: a chat template, up to a byte 0, and the JSON of its variables, which may be missing.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/utf8.h"
#include "fuzz/fuzz.h"
#include "template/inspect.h"
#include "template/template.h"

static void take(void *context, const char *bytes, size_t n)
{
    size_t *n_taken = context;
    fuzz_require(utf8_valid_prefix(bytes, n) == n, "a rendered text is UTF-8");
    *n_taken += n;
}

/* A template that renders is also inspected without an error. */
static void inspect(assay_text source, bool renders)
{
    template_facts facts = {true, true};
    assay_error err = {0};
    const assay_status rc = template_inspect(source, NULL, NULL, &facts, &err);
    fuzz_require(rc == ASSAY_OK || !renders, "a template that renders can be inspected");
    if (rc != ASSAY_OK) fuzz_require_refusal(rc, &err, facts.reads_tools && facts.reads_thinking);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char usual[] =
        "{\"messages\": [{\"role\": \"user\", \"content\": \"a\"}, {\"role\": \"assistant\", \"content\": "
        "\"b\"}], "
        "\"n\": 3, \"d\": {\"a\": [1, 2.5, null]}, \"s\": \"text\", \"add_generation_prompt\": true}";
    const uint8_t *end = size > 0 ? memchr(data, 0, size) : NULL;
    assay_template_options options = {.size = sizeof options};
    size_t n_taken = 0;
    const assay_byte_sink sink = {take, &n_taken};
    assay_error err = {0};
    options.source =
        (assay_text){.at = size > 0 ? (const char *)data : "", .n = end ? (size_t)(end - data) : size};
    options.variables = (assay_text){.at = usual, .n = sizeof usual - 1};
    if (end) options.variables = (assay_text){.at = (const char *)end + 1, .n = size - options.source.n - 1};
    const assay_status rc = template_render(&options, &sink, &err);
    if (rc != ASSAY_OK) fuzz_require_refusal(rc, &err, n_taken == 0);
    inspect(options.source, rc == ASSAY_OK);
    return 0;
}
