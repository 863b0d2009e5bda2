/* assay info --tensors: a checkpoint of a family that the loader does not have.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/tests/support.h"

START_TEST(tensors_are_listed_whatever_the_family_is)
{
    support_mkdir(support_path("unheard"));
    support_write_text(support_path("unheard/config.json"), "{\"model_type\": \"unheard\"}");
    const support_output *o = support_shell(
        "{ printf '\\205\\0\\0\\0\\0\\0\\0\\0'; "
        "printf '{\"lm_head.weight\": {\"dtype\": \"F32\", \"shape\": [2,1], \"data_offsets\": [0,8]}, '; "
        "printf '\"a\": {\"dtype\": \"U8\", \"shape\": [], \"data_offsets\": [8,9]}}123456789'; } "
        ">unheard/model.safetensors");
    assert_code(o, 0);
    o = support_assay("info --tensors unheard");
    assert_code(o, 0);
    ck_assert_str_eq(o->out, "a  U8 []  unheard/model.safetensors\n"
                             "lm_head.weight  F32 [2,1]  unheard/model.safetensors\n");
    o = support_assay("info --tensors --json - unheard");
    assert_code(o, 0);
    assert_holds(o->out, "\"stored\"");
    assert_holds(o->out, "\"lm_head.weight\"");
    assert_holds(o->out, "\"unheard/model.safetensors\"");
    support_write_text(support_path("unheard/config.json"), "{\"eos_token_id\": \"x\"}");
    o = support_assay("info --tensors unheard");
    assert_code(o, 99);
    ck_assert_str_eq(o->err,
                     "assay: unheard/config.json: eos_token_id: found \"x\", expected a token id, a list of "
                     "them or null\n");
    o = support_assay("info --tensors unheard/config.json");
    assert_code(o, 99);
    assert_holds(o->err, "unheard/config.json/config.json: Not a directory");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/cli/info_tensors");
    TCase *program = tcase_create("program");
    tcase_add_checked_fixture(program, support_setup, support_teardown);
    tcase_add_test(program, tensors_are_listed_whatever_the_family_is);
    suite_add_tcase(suite, program);
    return support_run(suite);
}
