/* What the sources of the program `served` share: a request, its answer, and the objects that requests name.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_EXEC_TESTS_SERVED_H
#define CONFORMANCE_EXEC_TESTS_SERVED_H

#include "conformance/exec/frame.h"

/* A request, and the answer that is being made. */
typedef struct served {
    const assay_engine *engine;
    exec_frame frame;
    conf_json_at header;
    exec_message answer;
    int64_t id;
    int answers; /* where the answer goes */
} served;

/* Ends the program with a message unless `holds`: the harness has broken the protocol. */
void served_require(bool holds, const char *what);

/* Members of requests, which must exist. */
conf_json_at served_member(const conf_json_at *of, const char *name);
uint64_t served_number(const conf_json_at *of, const char *name);
assay_model *served_model(const served *s, const char *name);
assay_session *served_session(const served *s, const char *name);
assay_model *served_model_of_session(const served *s, const char *name);

/* Adds a member to the answer; sends a frame with the id of the request. */
void served_add(served *s, const char *name, json_object *value);
void served_send(served *s, exec_message *m);

/* Calls that evaluate. step and rope send their answers themselves, while its tensors are alive. */
assay_status served_step(served *s, assay_error *err);
assay_status served_tap(served *s, assay_error *err);
assay_status served_positions(served *s, assay_error *err);
assay_status served_rope(served *s, assay_error *err);

#endif
