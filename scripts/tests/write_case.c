/* Writes a recorded case of the formula: write_case FILE. Its checkpoint is the directory `ok` beside it.
 * Runs as a Check test, because support_write_decoder uses Check's assertions.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/tests/suite.h"
#include "conformance/tests/support.h"

static const char *path;

START_TEST(the_case_is_written)
{
    (void)support_write_decoder(path, "logits", "ok");
}
END_TEST

int main(int argc, char **argv)
{
    if (argc != 2) return 2;
    path = argv[1];
    Suite *suite = suite_create("scripts/write_case");
    TCase *write = tcase_create("write");
    tcase_add_test(write, the_case_is_written);
    suite_add_tcase(suite, write);
    return suite_run(suite, CK_SILENT);
}
