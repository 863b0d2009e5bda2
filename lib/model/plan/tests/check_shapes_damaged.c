/* Every tensor of a checkpoint, damaged in turn, is refused by its name.
 *
 * Names families: a row is a checkpoint with tensors in other places.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/plan/shapes.h"

#include "base/tests/support.h"
#include "model/loader.h"
#include "model/tests/checkpoint.h"
#include "model/tests/header.h"

#include <glob.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

/* Another shape of as many elements: a matrix with its dimensions exchanged, or as a vector if that is the
 * same; a vector as a column; the matrices of a stack below each other; a convolution as a matrix. */
static json_object *other_shape(json_object *shape)
{
    const size_t rank = json_object_array_length(shape);
    int64_t d[5] = {1, 1, 1, 1, 1};
    json_object *other = json_object_new_array();
    for (size_t i = 0; i < rank && i < 5; i++)
        d[i] = json_object_get_int64(json_object_array_get_idx(shape, i));
    (void)json_object_array_add(other, json_object_new_int64(rank == 1      ? d[0]
                                                             : rank == 3    ? d[0] * d[1]
                                                             : rank >= 4    ? d[0]
                                                             : d[0] == d[1] ? d[0] * d[1]
                                                                            : d[1]));
    if (rank != 2 || d[0] != d[1])
        (void)json_object_array_add(other, json_object_new_int64(rank == 1   ? 1
                                                                 : rank == 3 ? d[2]
                                                                 : rank >= 4 ? d[1] * d[2] * d[3] * d[4]
                                                                             : d[0]));
    return other;
}

/* Checkpoints beside the one that is called base, of families that have tensors elsewhere. */
static const char *const MORE[] = {"gemma4/experts",       "gemma3n/text",         "gemma4/shared-kv",
                                   "llama/mlx-4bit",       "llama/biases",         "qwen3_moe/fused",
                                   "paddleocr_vl/merge-3", "glm4v/merge-3",        "ernie4_5_vl_moe/new",
                                   "hunyuan_vl/new",       "gemma4/tower-clipped", "gemma4/multimodal-old",
                                   "qwen3_5/mlx-4bit",     "qwen3_5/tower",        "mllama/tiles-6",
                                   "moondream3/converted", "moondream3/mlx-4bit"};

/* "family/variant": the checkpoint base of every family, and MORE. */
static char fixtures[100][64];
static int n_fixtures;

static void add_fixture(const char *name, int length)
{
    if (n_fixtures == (int)(sizeof fixtures / sizeof *fixtures)) abort();
    (void)snprintf(fixtures[n_fixtures++], sizeof *fixtures, "%.*s", length, name);
}

static void find_fixtures(void)
{
    const char *top = getenv("top_srcdir");
    char pattern[4096];
    glob_t found;
    const int n_top = snprintf(pattern, sizeof pattern, "%s/fixtures/*/base/model", top ? top : ".") -
                      (int)strlen("*/base/model");
    if (glob(pattern, 0, NULL, &found) != 0) abort();
    for (size_t i = 0; i < found.gl_pathc; i++) {
        const char *name = found.gl_pathv[i] + n_top;
        add_fixture(name, (int)(strlen(name) - strlen("/model")));
    }
    globfree(&found);
    for (size_t i = 0; i < sizeof MORE / sizeof *MORE; i++) add_fixture(MORE[i], (int)strlen(MORE[i]));
}

/* Whether the family leaves out tensors of the checkpoint. */
static bool passes_over_tensors(const char *dir)
{
    bool passes_over = false;
    plan *p = checkpoint_open(dir);
    for (size_t i = 0; i < p->n_notes; i++) passes_over = passes_over || strstr(p->notes[i], "passed over");
    plan_free(p);
    return passes_over;
}

static assay_error err;

START_TEST(a_tensor_of_another_shape_is_refused_by_name)
{
    const char *dir = checkpoint_changed(fixtures[_i], NULL, NULL);
    header h = header_read(dir);
    const bool has_unused = passes_over_tensors(dir);
    size_t n_refused = 0;
    json_object_object_foreach(h.object, name, entry)
    {
        plan *p = NULL;
        if (strcmp(name, "__metadata__") == 0) continue;
        json_object *shape = json_object_get(json_object_object_get(entry, "shape"));
        json_object_object_add(entry, "shape", other_shape(shape));
        header_write(&h);
        const assay_status rc = plan_open(dir, &p, &err);
        ck_assert_msg(rc == ASSAY_EFORMAT || has_unused, "%s: %s is accepted", fixtures[_i], name);
        if (rc == ASSAY_EFORMAT) {
            support_expect_error(&err, ASSAY_EFORMAT, "model.safetensors: tensor '", name, "': found shape [",
                                 "expected [", NULL);
            n_refused++;
        }
        plan_free(p);
        json_object_object_add(entry, "shape", shape);
    }
    ck_assert_uint_gt(n_refused, 10);
    header_free(&h);
}
END_TEST

int main(void)
{
    find_fixtures();
    Suite *suite = suite_create("model/plan/shapes_damaged");
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 120);
    tcase_add_loop_test(all, a_tensor_of_another_shape_is_refused_by_name, 0, n_fixtures);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
