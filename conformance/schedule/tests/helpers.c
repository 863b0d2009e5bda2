/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/schedule/tests/helpers.h"

#include <stdlib.h>
#include <string.h>

const char *engine;

char *text_of(const conf_schedule *s)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    ck_assert(f != NULL);
    (void)fprintf(f, "%zu workers\n", s->n_workers);
    conf_schedule_print(f, "", s);
    (void)fclose(f);
    return text;
}

bool are_same(const conf_schedule *a, const conf_schedule *b)
{
    char *one = text_of(a), *other = text_of(b);
    bool same = strcmp(one, other) == 0;
    free(one);
    free(other);
    return same;
}

bool has_op(const conf_schedule *s, conf_op op)
{
    for (size_t i = 0; i < s->n_steps; i++)
        if (s->steps[i].op == op) return true;
    return false;
}

void write_case(const char *fault)
{
    support_mkdir(support_path("%s", fault));
    (void)support_write_decoder(support_path("case.h5"), "logits", fault);
}

void schedule_setup(void)
{
    support_setup();
    engine = support_engine("threaded");
}

const support_output *schedule(const char *options)
{
    return support_assay("schedule --engine %s %s case.h5", engine, options);
}
