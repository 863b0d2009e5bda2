/* Input: a JSON document.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/json.h"
#include "fuzz/fuzz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void walk_value(json_object *value, int depth)
{
    fuzz_require(depth <= JSON_DEPTH_MAX, "the depth is bounded");
    switch (json_object_get_type(value)) {
    case json_type_object: {
        json_object_object_foreach(value, name, member)
        {
            json_object *found = NULL;
            fuzz_require(json_object_object_get_ex(value, name, &found) && found == member,
                         "a member is found by its name");
            walk_value(member, depth + 1);
        }
        break;
    }
    case json_type_array:
        for (size_t i = 0; i < json_object_array_length(value); i++)
            walk_value(json_object_array_get_idx(value, i), depth + 1);
        break;
    case json_type_double: fuzz_require(isfinite(json_object_get_double(value)), "numbers are finite"); break;
    default: (void)json_object_get_string(value); break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* A copy of exactly its size, so that the sanitizer detects a read past its end. */
    char *text = malloc(size ? size : 1);
    fuzz_require(text != NULL, "an allocation succeeds");
    if (size > 0) memcpy(text, data, size);
    static char untouched;
    json_object *value = (json_object *)&untouched;
    assay_error err = {0};
    assay_status rc = json_parse("input.json", text, size, &value, &err);
    if (rc != ASSAY_OK) {
        fuzz_require_refusal(rc, &err, value == (json_object *)&untouched);
    } else {
        fuzz_require(json_check("input.json", text, size, &err) == ASSAY_OK, "what parses is strict JSON");
        walk_value(value, 0);
        json_object_put(value);
    }
    free(text);
    return 0;
}
