/* How much of a head rotates: the limits of a rope's parameters for a given number of elements of a head.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/checkpoint/config.h"

#include "base/tests/support.h"
#include "model/checkpoint/config_rope.h"
#include "model/tests/reading.h"

#define LONG(lists)                                                                                          \
    "{\"original_max_position_embeddings\": 16, \"partial_rotary_factor\": 0.5, \"rope_scaling\": "          \
    "{\"type\": \"longrope\", \"factor\": 4, " lists "}}"

static const struct {
    size_t head_dim;
    bool partial;
    const char *text;
    rope_type type;
    size_t dim, exponent_dim, n_angles;
    const char *refused; /* NULL: resolved */
    assay_status status; /* ASSAY_OK: ASSAY_EFORMAT where it is refused */
} HEADS[] = {
    {8, true, "{\"partial_rotary_factor\": 1}", ROPE_DEFAULT, 8, 8, 0, .refused = NULL},
    {8, false, "{\"partial_rotary_factor\": 1.0}", ROPE_DEFAULT, 8, 8, 0, .refused = NULL},
    {8, false, "{\"partial_rotary_factor\": 0.99}", 0, 0, 0, 0,
     .refused = "heads of this family rotate as a whole", ASSAY_EUNSUPPORTED},
    {8, true, "{\"partial_rotary_factor\": 1.0000001}", 0, 0, 0, 0, .refused = "more than 0, at most 1"},
    {8, true, "{\"partial_rotary_factor\": 0}", 0, 0, 0, 0, .refused = "more than 0, at most 1"},
    {8, true, "{\"partial_rotary_factor\": 0.124}", 0, 0, 0, 0,
     .refused = "0.124 of a head of 8 is 0 elements"},
    {8, true, "{\"partial_rotary_factor\": 0.125}", ROPE_DEFAULT, 2, 1, 0, .refused = NULL},
    {8, true, "{\"partial_rotary_factor\": 0.25}", ROPE_DEFAULT, 2, 2, 0, .refused = NULL},
    {8, true, "{\"partial_rotary_factor\": 0.99}", ROPE_DEFAULT, 8, 7, 0, .refused = NULL},
    {7, true, "{}", 0, 0, 0, 0, .refused = "1 of a head of 7 is 7 elements, expected an even number"},
    {7, true, "{\"partial_rotary_factor\": 0.9}", ROPE_DEFAULT, 6, 6, 0, .refused = NULL},
    {2, true, "{}", ROPE_DEFAULT, 2, 2, 0, .refused = NULL},
    {1, true, "{}", 0, 0, 0, 0, .refused = "1 of a head of 1 is 1 elements"},
    {8, true, "{\"partial_rotary_factor\": 0.5, \"rope_parameters\": {\"partial_rotary_factor\": 0.50}}",
     ROPE_DEFAULT, 4, 4, 0, .refused = NULL},
    {8, true, "{\"partial_rotary_factor\": 0.5, \"rope_scaling\": {\"type\": \"linear\", \"factor\": 2}}",
     ROPE_LINEAR, 4, 4, 0, .refused = NULL},
    {8, true, "{\"partial_rotary_factor\": 0.625, \"rope_scaling\": {\"type\": \"linear\", \"factor\": 2}}",
     0, 0, 0, 0, .refused = "0.625 of a head of 8 is 5 elements, expected an even number"},
    {8, true,
     "{\"max_position_embeddings\": 64, \"partial_rotary_factor\": 0.25, \"rope_scaling\": {\"type\": "
     "\"dynamic\", \"factor\": 2}}",
     0, 0, 0, 0, .refused = "dynamic needs more than 2 rotating elements"},
    {8, true,
     "{\"max_position_embeddings\": 64, \"partial_rotary_factor\": 0.5, \"rope_scaling\": {\"type\": "
     "\"dynamic\", \"factor\": 2}}",
     ROPE_DYNAMIC, 4, 4, 0, .refused = NULL},
    {8, true, LONG("\"short_factor\": [1, 2], \"long_factor\": [5, 6]"), ROPE_LONGROPE, 4, 4, 0,
     .refused = NULL},
    {8, true, LONG("\"short_factor\": [1], \"long_factor\": [5, 6]"), 0, 0, 0, 0,
     .refused = "a list of 2 numbers"},
    {8, true, LONG("\"short_factor\": [1, 2], \"long_factor\": [5, 6, 7]"), 0, 0, 0, 0,
     .refused = "a list of 2 numbers"},
    {8, false, "{\"rope_scaling\": {\"type\": \"proportional\", \"partial_rotary_factor\": 1}}",
     ROPE_PROPORTIONAL, 8, 8, 4, .refused = NULL},
    {8, false, "{\"rope_scaling\": {\"type\": \"proportional\", \"partial_rotary_factor\": 0.25}}",
     ROPE_PROPORTIONAL, 8, 8, 1, .refused = NULL},
    {8, false, "{\"rope_scaling\": {\"type\": \"proportional\", \"partial_rotary_factor\": 0.24}}",
     ROPE_PROPORTIONAL, 8, 8, 0, .refused = NULL},
    {6, false, "{\"rope_scaling\": {\"type\": \"proportional\", \"partial_rotary_factor\": 0.5}}",
     ROPE_PROPORTIONAL, 6, 6, 1, .refused = NULL},
    {8, false, "{\"rope_scaling\": {\"type\": \"proportional\", \"partial_rotary_factor\": 1.0000001}}", 0, 0,
     0, 0, .refused = "expected 0 to 1"},
    {8, false, "{\"rope_scaling\": {\"type\": \"proportional\", \"partial_rotary_factor\": -0.01}}", 0, 0, 0,
     0, .refused = "expected 0 to 1"},
};

START_TEST(the_rotating_part_of_a_head_is_read)
{
    const config_rope_request request = {.head_dim = HEADS[_i].head_dim,
                                         .default_theta = 10000,
                                         .old_scaling = true,
                                         .partial = HEADS[_i].partial};
    reading r;
    rope out;
    reading_start(&r, HEADS[_i].text);
    config_rope(&r.c, &request, &out);
    if (HEADS[_i].refused) {
        ck_assert_uint_eq(out.dim, 0);
        reading_expect(&r, HEADS[_i].status ? HEADS[_i].status : ASSAY_EFORMAT, HEADS[_i].refused, "");
        return;
    }
    ck_assert_msg(r.c.status == ASSAY_OK, "%s", r.err.text);
    ck_assert_int_eq(out.type, HEADS[_i].type);
    ck_assert_uint_eq(out.head_dim, HEADS[_i].head_dim);
    ck_assert_uint_eq(out.dim, HEADS[_i].dim);
    ck_assert_uint_eq(out.exponent_dim, HEADS[_i].exponent_dim);
    ck_assert_uint_eq(out.n_angles, HEADS[_i].n_angles);
    rope_free(&out);
    reading_finish(&r);
}
END_TEST

static const struct {
    const char *text;
    size_t dim;
    const char *refused[2];
    assay_status status; /* the expected message */
} ALONE[] = {
    {"{}", 8, .status = ASSAY_OK},
    {"{\"head_dim\": 8}", 8, .status = ASSAY_OK},
    {"{\"head_dim\": 9}", 0, {"head_dim", "differs from the last dimension of x, 8"}, ASSAY_EFORMAT},
    {"{\"head_dim\": 7}", 0, {"head_dim", "differs from the last dimension of x, 8"}, ASSAY_EFORMAT},
    {"{\"head_dim\": 8, \"partial_rotary_factor\": 0.5}", 4, .status = ASSAY_OK},
    {"{\"partial_rotary_factor\": 0.75, \"mrope_section\": [1, 1, 1]}", 6, .status = ASSAY_OK},
    {"{\"partial_rotary_factor\": 0.75, \"mrope_section\": [1, 2, 1]}",
     0,
     {"mrope_section: found a sum of 4", "expected 3"},
     ASSAY_EFORMAT},
    {"{\"mrope_section\": [1, 2, 2]}", 0, {"mrope_section: found a sum of 5", "expected 4"}, ASSAY_EFORMAT},
    {"{\"rope_parameters\": {\"partial_rotary_factor\": 0.5, \"head_dim\": 8}}",
     0,
     {"rope_parameters.head_dim", "not understood with rope_type \"default\""},
     ASSAY_EUNSUPPORTED},
};

START_TEST(a_rope_without_a_model_may_state_its_head)
{
    reading r;
    rope out;
    reading_start(&r, ALONE[_i].text);
    config_rope_standalone(&r.c, 8, &out);
    ck_assert_uint_eq(out.dim, ALONE[_i].dim);
    if (ALONE[_i].dim == 0) {
        reading_expect(&r, ALONE[_i].status, ALONE[_i].refused[0], ALONE[_i].refused[1]);
        return;
    }
    ck_assert_msg(r.c.status == ASSAY_OK, "%s", r.err.text);
    reading_finish(&r);
}
END_TEST

#define COUNT(table) (int)(sizeof(table) / sizeof *(table))

int main(void)
{
    Suite *suite = suite_create("model/checkpoint/config_heads");
    TCase *heads = tcase_create("heads");
    tcase_add_loop_test(heads, the_rotating_part_of_a_head_is_read, 0, COUNT(HEADS));
    tcase_add_loop_test(heads, a_rope_without_a_model_may_state_its_head, 0, COUNT(ALONE));
    suite_add_tcase(suite, heads);
    return support_run(suite);
}
