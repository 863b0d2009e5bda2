/* The user interface of the program: help, and wrong command lines.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "conformance/tests/support.h"

static void setup(void)
{
    support_setup();
    support_write_cases();
}

START_TEST(help_lists_commands_in_the_order_of_use)
{
    static const char *const order[] = {"run",      "locate",   "reduce", "diff",  "merge",   "compare",
                                        "kernels",  "schedule", "bench",  "probe", "weights", "events",
                                        "generate", "serve",    "list",   "info",  "arrays"};
    const char *at = support_assay("--help")->out;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        char line[32];
        (void)snprintf(line, sizeof line, "\n  %s ", order[i]);
        at = strstr(at, line);
        ck_assert_msg(at, "%s is missing, or listed before the one above it", order[i]);
    }
}
END_TEST

/* The options of assay run, in the order of its help: what to run, engines, manners, output, limits. */
START_TEST(help_lists_related_options_beside_each_other)
{
    static const char *const order[] = {
        "--filter",        "--shard",           "--expect",  "--baseline",   "--pair",
        "--vector",        "--checkpoint-root", "--engine",  "--kernels",    "--compute",
        "--kv-cache-type", "--allow-unknown",   "--explain", "--manner",     "--context-shift",
        "--seed",          "--verbose",         "--tap",     "--junit",      "--json",
        "--html",          "--annotations",     "--summary", "--sarif",      "--profiles",
        "--dump",          "--bundle",          "--dry-run", "--fail-class", "--bisect",
        "--jobs",          "--timeout",         "--memory",  "--help"};
    const support_output *o = support_assay("run --help");
    const char *at = strstr(o->out, "\nOptions:\n");
    size_t n = 0;
    ck_assert_ptr_nonnull(at);
    for (at += strlen("\nOptions:"); at && strncmp(at, "\n\n", 2) != 0; at = strchr(at + 1, '\n')) {
        const char *name = at + strlen("\n  -f, ");
        if (strncmp(at, "\n  ", 3) != 0 || strncmp(name, "--", 2) != 0) continue;
        ck_assert_uint_lt(n, sizeof order / sizeof *order);
        ck_assert_msg(strncmp(name, order[n], strlen(order[n])) == 0, "%s: %.20s", order[n], name);
        n++;
    }
    ck_assert_uint_eq(n, sizeof order / sizeof *order);
}
END_TEST

static const struct {
    const char *arguments, *message;
} usages[] = {
    {"", "Usage: assay COMMAND"},
    {"rnu", "assay: unknown command rnu: did you mean run?\n"},
    {"frobnicate", "assay: unknown command frobnicate: see assay --help\n"},
    {"--versoin", "assay: unknown option --versoin: did you mean --version?\n"},
    {"run --filtre x", "assay: unknown option --filtre: did you mean --filter?\n"},
    {"run --zzzzzzzz", "assay: unknown option --zzzzzzzz: see assay run --help\n"},
    {"list --engine ref32", "assay: unknown option --engine"},
    {"run -x", "assay: unknown option -x"},
    {"run --engine", "assay: option --engine needs a value: ENGINE\n"},
    {"run --engine=", "assay: option --engine has an empty value\n"},
    {"run --compute fp8", "assay: option --compute: found fp8, expected one of f32, bf16, int8, f16, "},
    {"run --compute q8_K+f16", "assay: option --compute: found q8_K+f16, expected one of "},
    {"run --compute q8_K --kv-cache-type f17",
     "assay: option --kv-cache-type: found f17, expected one of f16, bf16"},
    {"run --kv-cache-type f16", "assay: option --kv-cache-type needs --compute"},
    {"bench --model . --kv-cache-type f16", "assay: option --kv-cache-type needs --compute"},
    {"run --verbose=1", "assay: option --verbose takes no value\n"},
    {"info", "assay: info needs a checkpoint or a case"},
    {"run stdout", "assay: stdout: a case is a directory or a file named .h5, .json or .json.gz\n"},
};

START_TEST(a_wrong_command_line_exits_2_with_a_suggestion)
{
    const support_output *o = support_assay("%s", usages[_i].arguments);
    assert_code(o, 2);
    ck_assert_str_eq(o->out, "");
    assert_holds(o->err, usages[_i].message);
}
END_TEST

static const char *const helps[][2] = {
    {"--help", "Usage: assay COMMAND"},
    {"-h", "Usage: assay COMMAND"},
    {"run --help", "Usage: assay run "},
    {"info --help", "Usage: assay info "},
    {"list -h", "Usage: assay list "},
    {"schedule --help", "Usage: assay schedule "},
    {"run sound --help", "Exit status: 0 all cases pass; 1"},
    {"--version", "assay "},
};

START_TEST(help_is_printed_on_standard_output_and_exits_0)
{
    const support_output *o = support_assay("%s", helps[_i][0]);
    assert_code(o, 0);
    ck_assert_str_eq(o->err, "");
    assert_holds(o->out, helps[_i][1]);
    for (const char *at = o->out; *at; at += strcspn(at, "\n"), at += *at == '\n')
        ck_assert_msg(strcspn(at, "\n") <= 96, "%.*s", (int)strcspn(at, "\n"), at);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/cli/usage");
    TCase *program = tcase_create("program");
    tcase_add_checked_fixture(program, setup, support_teardown);
    tcase_set_timeout(program, 60);
    tcase_add_test(program, help_lists_commands_in_the_order_of_use);
    tcase_add_test(program, help_lists_related_options_beside_each_other);
    tcase_add_loop_test(program, a_wrong_command_line_exits_2_with_a_suggestion, 0,
                        (int)(sizeof usages / sizeof *usages));
    tcase_add_loop_test(program, help_is_printed_on_standard_output_and_exits_0, 0, 8);
    suite_add_tcase(suite, program);

    return support_run(suite);
}
