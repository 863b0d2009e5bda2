/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/info/tensors.h"

#include "base/dtype.h"
#include "conformance/info/member.h"
#include "conformance/support/text.h"

static const char *type_name(const weights *w, size_t index)
{
    const gguf_type *blocks = weights_type(w, index);
    return blocks ? blocks->name : dtype_name(weights_at(w, index)->dtype);
}

void conf_info_print_tensors(FILE *out, const weights *w)
{
    for (size_t i = 0; i < weights_count(w); i++) {
        const assay_tensor *t = weights_at(w, i);
        conf_text_print_clean(out, t->name);
        (void)fprintf(out, "  %s [", type_name(w, i));
        for (size_t k = 0; k < t->rank; k++) (void)fprintf(out, "%s%zu", k ? "," : "", t->shape[k]);
        (void)fprintf(out, "]  %s\n", weights_file(w, i));
    }
}

bool conf_info_add_tensors(json_object *to, const weights *w)
{
    json_object *tensors = conf_json_add_array(to, "tensors");
    bool ok = tensors;
    for (size_t i = 0; ok && i < weights_count(w); i++) {
        const assay_tensor *t = weights_at(w, i);
        json_object *one = conf_json_append_object(tensors);
        ok = conf_json_add_text(one, "name", t->name) && conf_json_add_string(one, "type", type_name(w, i)) &&
             conf_info_add_counts(one, "shape", t->shape, t->rank) &&
             conf_json_add_text(one, "file", weights_file(w, i));
    }
    return ok;
}
