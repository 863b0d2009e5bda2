/* Which reader reads a model_type.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/families/families.h"

#include "base/tests/support.h"

#include <string.h>

START_TEST(each_model_type_has_one_reader)
{
    for (const family_reader *const *r = family_readers; *r; r++) {
        ck_assert((*r)->types[0].model_type != NULL);
        for (const family_type *t = (*r)->types; t->model_type; t++) {
            const family_reader *reader = NULL;
            ck_assert_msg(family_type_find(t->model_type, &reader) == t && reader == *r, "%s has two readers",
                          t->model_type);
            ck_assert_msg(t->read != NULL, "%s has no function", t->model_type);
        }
    }
}
END_TEST

START_TEST(the_lists_of_a_reader_end)
{
    for (const family_reader *const *r = family_readers; *r; r++) {
        ck_assert_msg(!(*r)->types[FAMILY_TYPES_MAX].model_type, "%s", (*r)->types[0].model_type);
        ck_assert_msg(!(*r)->harmless[FAMILY_HARMLESS_MAX], "%s", (*r)->types[0].model_type);
    }
}
END_TEST

START_TEST(an_unknown_model_type_has_no_reader)
{
    const family_reader *reader = NULL;
    ck_assert(family_type_find("mamba", &reader) == NULL && reader == NULL);
    ck_assert_str_eq(family_type_similar("glm4v_mox"), "glm4v_moe");
}
END_TEST

START_TEST(a_message_holds_the_names_of_all_architectures)
{
    char names[FAMILY_GGUF_NAMES_MAX];
    ck_assert_uint_lt(family_gguf_names(names, sizeof names), sizeof names);
}
END_TEST

START_TEST(the_type_of_a_text_part_is_that_of_a_model)
{
    ck_assert_str_eq(family_type_around("glm4v_moe_text"), "glm4v_moe");
    ck_assert_str_eq(family_type_around("Glm4vMoe_text"), "glm4v_moe");
    ck_assert_str_eq(family_type_around("qwen3_omni_moe_text"), "qwen3_omni_moe");
    ck_assert_ptr_null(family_type_around("llama"));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/families/families");
    TCase *all = tcase_create("all");
    tcase_add_test(all, each_model_type_has_one_reader);
    tcase_add_test(all, the_lists_of_a_reader_end);
    tcase_add_test(all, a_message_holds_the_names_of_all_architectures);
    tcase_add_test(all, an_unknown_model_type_has_no_reader);
    tcase_add_test(all, the_type_of_a_text_part_is_that_of_a_model);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
