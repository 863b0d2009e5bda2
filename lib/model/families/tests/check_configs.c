/* Configs as their authors publish them, and as several versions of transformers save them, with the weights
 * of bundled checkpoints: each opens as the published class reads it, or is refused where versions of the
 * class read it differently.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/json.h"
#include "base/tests/support.h"
#include "model/families/tests/facts.h"
#include "model/loader.h"
#include "model/tests/checkpoint.h"
#include "model/tests/header.h"

#include <stdlib.h>
#include <string.h>

static json_object *vectors, *saved; /* scripts/record/README.md describes them */

static json_object *member(json_object *row, const char *name)
{
    json_object *value = NULL;
    (void)json_object_object_get_ex(row, name, &value);
    return value;
}

static const char *text_of(json_object *row, const char *name)
{
    return json_object_get_string(member(row, name));
}

static json_object *read_vectors(const char *name)
{
    const char *top = getenv("top_srcdir");
    char path[4096];
    json_object *read = NULL;
    assay_error err = {0};
    (void)snprintf(path, sizeof path, "%s/lib/model/families/tests/vectors/%s", top ? top : ".", name);
    if (json_read(path, &read, &err) == ASSAY_OK) return read;
    (void)fprintf(stderr, "%s\n", err.text);
    exit(99);
}

/* Removes the lines of a plan that depend on other files, and those about defaults, which a config that
 * states everything does not have. */
static char *lines_of(const plan *p)
{
    char *text = checkpoint_text(p), *out = text;
    for (char *line = text, *next; *line; line = next) {
        next = line + strcspn(line, "\n");
        next += *next == '\n';
        const size_t n = (size_t)(next - line);
        if (strncmp(line, "note", 4) == 0 || strncmp(line, "stop", 4) == 0) continue;
        memmove(out, line, n);
        out += n;
    }
    *out = '\0';
    return text;
}

static void expect_same_plan(const plan *found, const char *fixture, const char *label)
{
    plan *own = checkpoint_open_fixture(fixture);
    char *found_text = lines_of(found), *own_text = lines_of(own);
    const char *found_line = found_text, *own_line = own_text, *x = found_text, *y = own_text;
    for (; *x && *x == *y; x++, y++)
        if (*x == '\n') found_line = x + 1, own_line = y + 1;
    ck_assert_msg(*x == *y, "%s: found \"%.*s\", expected \"%.*s\"", label, (int)strcspn(found_line, "\n"),
                  found_line, (int)strcspn(own_line, "\n"), own_line);
    free(found_text);
    free(own_text);
    plan_free(own);
}

/* Expects an error that names one of the members or tensors for which the row is refused. */
static void expect_refusal(json_object *row, assay_status rc, const assay_error *err, const char *label)
{
    json_object *names = member(row, "names");
    bool is_named = false;
    ck_assert_msg(rc == ASSAY_EFORMAT || rc == ASSAY_EUNSUPPORTED, "%s: opened, but %s", label,
                  text_of(row, "refused"));
    for (size_t i = 0; i < json_object_array_length(names); i++)
        is_named = is_named || strstr(err->text, json_object_get_string(json_object_array_get_idx(names, i)));
    ck_assert_msg(is_named, "%s: %s", label, err->text);
}

START_TEST(a_config_opens_as_its_published_class_reads_it)
{
    json_object *row = json_object_array_get_idx(member(vectors, "rows"), (size_t)_i),
                *facts = member(row, "facts");
    const char *label = text_of(row, "id"), *fixture = text_of(row, "checkpoint");
    plan *p = NULL;
    assay_error err = {0};
    const assay_status rc = plan_open(checkpoint_with_config(fixture, member(row, "config")), &p, &err);
    if (member(row, "refused")) {
        expect_refusal(row, rc, &err, label);
        return;
    }
    ck_assert_msg(rc == ASSAY_OK, "%s: %s", label, err.text);
    if (facts) facts_expect(p, facts, label);
    else expect_same_plan(p, fixture, label);
    plan_free(p);
}
END_TEST

static struct json_object_iterator nth_checkpoint(int n)
{
    struct json_object_iterator at = json_object_iter_begin(member(vectors, "facts"));
    while (n-- > 0) json_object_iter_next(&at);
    return at;
}

START_TEST(a_bundled_checkpoint_has_what_its_published_class_reads)
{
    const struct json_object_iterator at = nth_checkpoint(_i);
    const char *fixture = json_object_iter_peek_name(&at);
    plan *p = checkpoint_open_fixture(fixture);
    facts_expect(p, json_object_iter_peek_value(&at), fixture);
    plan_free(p);
}
END_TEST

START_TEST(a_saved_checkpoint_opens_with_the_names_of_its_tensors)
{
    json_object *row = json_object_array_get_idx(saved, (size_t)_i), *facts = NULL;
    const char *label = text_of(row, "id"), *fixture = text_of(row, "checkpoint");
    const char *dir = checkpoint_with_config(fixture, member(row, "config"));
    header h = header_read(dir);
    header_rename_all(&h, member(row, "renamed"));
    header_write(&h);
    header_free(&h);
    plan *p = NULL;
    assay_error err = {0};
    ck_assert_msg(plan_open(dir, &p, &err) == ASSAY_OK, "%s: %s", label, err.text);
    if (json_object_object_get_ex(member(vectors, "facts"), fixture, &facts)) facts_expect(p, facts, label);
    plan_free(p);
}
END_TEST

int main(void)
{
    vectors = read_vectors("configs.json");
    saved = read_vectors("names.json");
    Suite *suite = suite_create("model/families/configs");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, a_bundled_checkpoint_has_what_its_published_class_reads, 0,
                        json_object_object_length(member(vectors, "facts")));
    tcase_add_loop_test(all, a_config_opens_as_its_published_class_reads_it, 0,
                        (int)json_object_array_length(member(vectors, "rows")));
    tcase_add_loop_test(all, a_saved_checkpoint_opens_with_the_names_of_its_tensors, 0,
                        (int)json_object_array_length(saved));
    suite_add_tcase(suite, all);
    const int status = support_run(suite);
    json_object_put(vectors);
    json_object_put(saved);
    return status;
}
