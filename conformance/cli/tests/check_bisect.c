/* The exit status under git bisect run, and selection of failures by class.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conformance/judge/verdict.h"
#include "conformance/process/isolate.h"
#include "conformance/tests/support.h"

static void setup(void)
{
    support_setup();
    ck_assert_int_eq(unsetenv("ASSAY_ENGINE_PATH"), 0);
    support_mkdir(support_path("cases"));
    support_mkdir(support_path("empty"));
    (void)support_write_decoder(support_path("cases/sound.h5"), "logits", "ok");
}

static void add_case(const char *fault)
{
    (void)support_write_decoder(support_path("cases/%s.h5", fault), "generate", fault);
}

/* Arguments of `assay`, %s being a working engine; the exit status without and with --bisect. */
static const struct {
    const char *arguments;
    int code, bisect;
} statuses[] = {
    {"run -e %s cases/sound.h5", 0, 0},
    {"run -e %s cases/off.h5", 1, 1},
    {"run -e %s cases/crash.h5", 1, 1},
    {"run -e %s cases", 1, 1},
    {"run -e %s cases/unsupported.h5", 77, 125},
    {"run -e %s empty", 77, 125},
    {"run -e %s broken.h5", 99, 125},
    {"run -e %s nowhere.h5", 99, 125},
    {"run -e %s.not cases", 99, 125},
    {"run -e %s --json none/x cases", 99, 125},
    {"run -e %s --jobs", 2, 125},
    {"run -e %s --jobs 0 cases", 2, 125},
    {"run -e %s --engin x cases", 2, 125},
    {"rnu -e %s cases", 2, 125},
    {"list -e %s cases", 2, 125},
};

START_TEST(with_bisect_errors_exit_125)
{
    char arguments[8192];
    add_case("off");
    add_case("crash");
    add_case("unsupported");
    support_write_text(support_path("broken.h5"), "no HDF5");
    (void)snprintf(arguments, sizeof arguments, statuses[_i].arguments, support_engine("fake32"));
    const support_output *o = support_assay("%s", arguments);
    assert_code(o, statuses[_i].code);
    o = support_assay("%s --bisect", arguments);
    assert_code(o, statuses[_i].bisect);
    o = support_assay("--bisect %s", arguments);
    assert_code(o, 125);
}
END_TEST

START_TEST(arguments_after_two_dashes_are_no_options)
{
    const support_output *o = support_assay("run -e %s -- empty --bisect", support_engine("fake32"));
    assert_code(o, 99);
    assert_holds(o->err, "assay: --bisect: No such file or directory");
}
END_TEST

START_TEST(a_lost_report_exits_125)
{
    const support_output *o =
        support_assay("run --bisect -e %s cases/sound.h5 >/dev/full", support_engine("fake32"));
    assert_code(o, 125);
}
END_TEST

/* A fault, and the class of its failure. */
static const struct {
    const char *fault, *class;
} faults[] = {
    {"nan", "mask"},    {"off", "logits"},         {"flip", "tokens"},     {"trace", "tensor"},
    {"vocab", "shape"}, {"unwritten", "contract"}, {"refused", "refused"}, {"crash", "crash"},
    {"exit", "exit"},   {"hang", "hang"},
};

START_TEST(only_the_selected_class_diverges)
{
    const char *class = faults[_i].class;
    add_case(faults[_i].fault);
    char common[8192];
    (void)snprintf(common, sizeof common, "run -e %s %s cases/%s.h5", support_engine("fake32"),
                   strcmp(class, "hang") == 0 ? "--timeout 0.5" : "", faults[_i].fault);
    const support_output *o = support_assay("%s --fail-class %s", common, class);
    assert_code(o, 1);
    ck_assert_str_eq(o->err, "");
    const char *other = class[0] == 'l' ? "rope" : "logits";
    o = support_assay("%s --fail-class %s", common, other);
    assert_code(o, 99);
    assert_holds(o->out, "FAIL ");
    assert_holds(o->out, "0 passed, 1 failed, 0 skipped\n");
    assert_holds(o->err, "whether it still occurs is unknown\n");
    assert_holds(o->err, other);
    o = support_assay("%s --bisect --fail-class=%s", common, other);
    assert_code(o, 125);
}
END_TEST

START_TEST(rope_failures_have_their_own_class)
{
    (void)support_write_rope(support_path("rope.h5"), "{\"is\":\"off-x\"}");
    const support_output *o = support_assay("run -e %s --fail-class rope rope.h5", support_engine("fake32"));
    assert_code(o, 1);
}
END_TEST

START_TEST(out_of_memory_has_its_own_class)
{
    if (!CONF_LIMITS_MEMORY) return;
    add_case("eat-memory");
    const support_output *o =
        support_assay("run -e %s --memory 1000 --fail-class memory -f eat cases", support_engine("fake32"));
    assert_code(o, 1);
}
END_TEST

START_TEST(agreement_exits_0_with_any_class)
{
    const support_output *o =
        support_assay("run --bisect --fail-class crash -e %s cases", support_engine("fake32"));
    assert_code(o, 0);
}
END_TEST

START_TEST(the_selected_class_counts_among_other_failures)
{
    add_case("crash");
    add_case("off");
    const support_output *o =
        support_assay("run --bisect --fail-class logits -e %s cases", support_engine("fake32"));
    assert_code(o, 1);
    o = support_assay("run --bisect --fail-class tokens -e %s cases", support_engine("fake32"));
    assert_code(o, 125);
    support_write_text(support_path("cases/broken.h5"), "no HDF5");
    o = support_assay("run --fail-class logits -e %s cases", support_engine("fake32"));
    assert_code(o, 99);
    assert_lacks(o->err, "is unknown");
}
END_TEST

START_TEST(an_unknown_class_lists_the_known_ones)
{
    const support_output *o = support_assay("run --fail-class logit cases");
    assert_code(o, 2);
    ck_assert_str_eq(o->err, "assay: option --fail-class: found logit, expected one of mask, logits, tokens, "
                             "tensor, rope, threads, stops, text, image, events, inconsistent, contract, "
                             "shape, refused, memory, crash, "
                             "exit, hang, fixed; did you mean logits?\n");
    o = support_assay("run --fail-class divergence cases");
    assert_code(o, 2);
    assert_holds(o->err, "exit, hang, fixed\n");
}
END_TEST

START_TEST(help_lists_every_class)
{
    const support_output *o = support_assay("run --help");
    for (conf_class class = CONF_CLASS_NONE + 1; class < CONF_N_CLASSES; class ++) {
        assert_holds(o->out, conf_class_name(class));
        ck_assert_int_eq((int)conf_class_of(conf_class_name(class)), (int)class);
    }
    ck_assert_int_eq((int)conf_class_of(""), (int)CONF_CLASS_NONE);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/cli/bisect");
    TCase *bisect = tcase_create("bisect");
    tcase_add_checked_fixture(bisect, setup, support_teardown);
    tcase_set_timeout(bisect, 60);
    tcase_add_loop_test(bisect, with_bisect_errors_exit_125, 0, (int)(sizeof statuses / sizeof *statuses));
    tcase_add_test(bisect, arguments_after_two_dashes_are_no_options);
    tcase_add_test(bisect, a_lost_report_exits_125);
    tcase_add_loop_test(bisect, only_the_selected_class_diverges, 0, (int)(sizeof faults / sizeof *faults));
    tcase_add_test(bisect, rope_failures_have_their_own_class);
    tcase_add_test(bisect, out_of_memory_has_its_own_class);
    tcase_add_test(bisect, agreement_exits_0_with_any_class);
    tcase_add_test(bisect, the_selected_class_counts_among_other_failures);
    tcase_add_test(bisect, an_unknown_class_lists_the_known_ones);
    tcase_add_test(bisect, help_lists_every_class);
    suite_add_tcase(suite, bisect);

    return support_run(suite);
}
