/* A RoPE that a document spells twice, as several versions of transformers read it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/checkpoint/config_rope.h"

#include "base/tests/support.h"
#include "model/tests/reading.h"

#define LINEAR(members) "{\"rope_type\": \"linear\", \"factor\": 2" members "}"

static const config_rope_request REQUEST = {.head_dim = 8, .default_theta = 10000, .old_scaling = true};

static const struct {
    const char *text;
    double theta;
} READ[] = {
    /* Of both objects every version reads rope_scaling, and what is beside it. */
    {"{\"rope_scaling\": " LINEAR(", \"rope_theta\": 600") ", \"rope_parameters\": " LINEAR("") "}", 600},
    {"{\"rope_scaling\": " LINEAR("") ", \"rope_parameters\": " LINEAR(", \"rope_theta\": 600") "}", 10000},
    {"{\"rope_scaling\": " LINEAR("") ", \"rope_parameters\": " LINEAR("") ", \"rope_theta\": 600}", 600},
    {"{\"rope_scaling\": {}, \"rope_parameters\": " LINEAR(", \"rope_theta\": 600") "}", 600},
    {"{\"rope_scaling\": " LINEAR(", \"rope_theta\": 600") ", \"rope_parameters\": {}}", 600},
    /* Versions from 5 on read rope_parameters where members beside it differ. */
    {"{\"transformers_version\": \"5.2.0\", \"rope_theta\": 500, \"rope_parameters\": " LINEAR(
         ", \"rope_theta\": 600") "}",
     600},
};

START_TEST(the_spelling_that_counts_is_that_of_the_published_class)
{
    reading r;
    rope out;
    reading_start(&r, READ[_i].text);
    config_rope(&r.c, &REQUEST, &out);
    ck_assert_msg(r.c.status == ASSAY_OK, "%s", r.err.text);
    ck_assert_int_eq(out.type, ROPE_LINEAR);
    ck_assert(out.theta == READ[_i].theta && out.factor == 2);
    rope_free(&out);
    reading_finish(&r);
}
END_TEST

static const struct {
    const char *text, *member, *found;
} REFUSED[] = {
    {"{\"transformers_version\": \"4.57.1\", \"rope_theta\": 500, \"rope_parameters\": " LINEAR(
         ", \"rope_theta\": 600") "}",
     "rope_parameters.rope_theta: found 600", "rope_theta next to it is 500"},
    {"{\"rope_scaling\": " LINEAR(", \"rope_theta\": 600") ", \"rope_parameters\": " LINEAR(
         ", \"rope_theta\": 700") "}",
     "rope_scaling.rope_theta", "contradicts rope_parameters.rope_theta"},
};

START_TEST(spellings_that_versions_read_differently_are_refused)
{
    reading r;
    rope out;
    reading_start(&r, REFUSED[_i].text);
    config_rope(&r.c, &REQUEST, &out);
    reading_expect(&r, ASSAY_EFORMAT, REFUSED[_i].member, REFUSED[_i].found);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/checkpoint/rope_spellings");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, the_spelling_that_counts_is_that_of_the_published_class, 0,
                        (int)(sizeof READ / sizeof *READ));
    tcase_add_loop_test(all, spellings_that_versions_read_differently_are_refused, 0,
                        (int)(sizeof REFUSED / sizeof *REFUSED));
    suite_add_tcase(suite, all);
    return support_run(suite);
}
