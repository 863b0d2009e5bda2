/* Input: the file of a schedule. A schedule that is read is valid, and is the same after it has been
 * written and read again.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/schedule/check.h"
#include "conformance/schedule/json_write.h"
#include "conformance/schedule/schedule.h"
#include "fuzz/fuzz.h"

/* Converts to text, since padding of structs is unspecified. The caller frees it. */
static char *text_of(const conf_schedule_file *file)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    fuzz_require(f != NULL, "an allocation succeeds");
    (void)fprintf(f, "%s %s %s %d %s %d %" PRIu64 " %zu workers\n", file->path, file->engine,
                  file->kernels ? file->kernels : "", (int)file->compute, file->found ? file->found : "",
                  file->has_seed, file->seed, file->schedule.n_workers);
    conf_schedule_print(f, "", &file->schedule);
    (void)fclose(f);
    return text;
}

static void require_round_trip(const conf_schedule_file *file)
{
    static conf_schedule_file again;
    assay_error err = {0};
    const char *path = fuzz_write("again.json", (const uint8_t *)"", 0);
    fuzz_require(conf_schedule_write(path, file, &err) == ASSAY_OK, "what was read can be written");
    fuzz_require(conf_schedule_read(path, &again, &err) == ASSAY_OK, "what was written can be read");
    char *before = text_of(file), *after = text_of(&again);
    fuzz_require(strcmp(before, after) == 0, "a written schedule is read unchanged");
    free(before);
    free(after);
    conf_schedule_file_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static conf_schedule_file file, untouched;
    assay_error err = {0};
    memset(&file, 0x5a, sizeof file);
    memset(&untouched, 0x5a, sizeof untouched);
    assay_status status = conf_schedule_read(fuzz_write("schedule.json", data, size), &file, &err);
    if (status != ASSAY_OK) {
        fuzz_require_refusal(status, &err, memcmp(&file, &untouched, sizeof file) == 0);
        return 0;
    }
    fuzz_require(conf_schedule_check(&file.schedule, &err) == ASSAY_OK, "what is read is valid");
    require_round_trip(&file);
    conf_schedule_file_free(&file);
    return 0;
}
