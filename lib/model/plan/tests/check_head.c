/* Heads that are quantised: formats that have no tensor lm_head.weight.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/plan/bind_matrix.h"

#include <stdlib.h>
#include <string.h>

#include "base/tests/support.h"
#include "model/formats/quantization.h"
#include "model/tests/header.h"

enum { VOCAB = 8, HIDDEN = 16 };

static const struct stored_head {
    const char *settings, *tensors,
        *format; /* tensors: names, types and shapes; NULL format: it is missing */
    size_t n_bytes;
} HEADS[] = {
    {"{\"quant_method\": \"awq\", \"group_size\": 16}",
     "\"lm_head.qweight\": {\"dtype\": \"I32\", \"shape\": [16, 1], \"data_offsets\": [64, 128]}, "
     "\"lm_head.qzeros\": {\"dtype\": \"I32\", \"shape\": [1, 1], \"data_offsets\": [128, 132]}, "
     "\"lm_head.scales\": {\"dtype\": \"F16\", \"shape\": [1, 8], \"data_offsets\": [132, 148]}",
     "AWQ", 148},
    {"{\"quant_method\": \"mxfp4\"}",
     "\"lm_head_blocks\": {\"dtype\": \"U8\", \"shape\": [8, 1, 16], \"data_offsets\": [64, 192]}, "
     "\"lm_head_scales\": {\"dtype\": \"U8\", \"shape\": [8, 1], \"data_offsets\": [192, 200]}",
     "MXFP4", 200},
    {"{\"quant_method\": \"awq\", \"group_size\": 16}",
     "\"head.qweight\": {\"dtype\": \"I32\", \"shape\": [16, 1], \"data_offsets\": [64, 128]}", NULL, 128},
};

START_TEST(a_head_may_have_tensors_of_its_format_alone)
{
    const struct stored_head *s = &HEADS[_i];
    const char *dir = support_tmpdir();
    char text[800];
    header h = {.data = calloc(1, s->n_bytes), .n_data = s->n_bytes};
    config_notes notes = {0};
    config c;
    bind b;
    assay_error err = {0};
    weights *w = NULL;
    array_list *arrays = NULL;
    layout_list *all = layouts_open();
    plan p = {.vocab = VOCAB, .hidden = strcmp(s->settings, HEADS[1].settings) == 0 ? 2 * HIDDEN : HIDDEN};
    (void)snprintf(text, sizeof text,
                   "{\"model.embed_tokens.weight\": {\"dtype\": \"F32\", \"shape\": [16], \"data_offsets\": "
                   "[0, 64]}, %s}",
                   s->tensors);
    h.object = json_tokener_parse(text);
    ck_assert_int_ge(asprintf(&h.path, "%s/model.safetensors", dir), 0);
    header_write(&h);
    (void)snprintf(text, sizeof text, "{\"quantization_config\": %s}", s->settings);
    json_object *document = json_tokener_parse(text);
    config_begin(&c, "config.json", "", document, &notes, &err);
    ck_assert_msg(weights_open(dir, &w, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_int_eq(array_list_open(&arrays, NULL), ASSAY_OK);
    bind_begin(&b, w, arrays, all, dir, &c, &err);
    quantization_read(&c, &b.rules);
    ck_assert_int_eq(bind_has_head(&b), s->format != NULL);
    bind_head(&b, &p, false, true);
    if (s->format) {
        ck_assert_msg(b.status == ASSAY_OK, "%s", err.text);
        ck_assert_str_eq(p.head.stored.format, s->format);
    } else {
        support_expect_error(&err, ASSAY_EFORMAT, dir, "'lm_head.weight' is missing", "tie_word_embeddings",
                             NULL);
    }
    free(b.used);
    free(b.storages);
    rules_free(&b.rules);
    config_drop(&c);
    config_notes_free(&notes);
    array_list_free(arrays);
    layouts_free(all);
    weights_free(w);
    json_object_put(document);
    header_free(&h);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/plan/head");
    TCase *all = tcase_create("quantised");
    tcase_add_loop_test(all, a_head_may_have_tensors_of_its_format_alone, 0, sizeof HEADS / sizeof *HEADS);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
