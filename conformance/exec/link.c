/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/exec/link.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/dtype.h"
#include "base/error.h"
#include "base/shown.h"
#include "conformance/support/json_add.h"

static const char who[] = "the engine's program";

/* The program of this process. why: of the failure after which it takes no more calls. */
static struct {
    pthread_mutex_t lock;
    bool contained, open, greeted;
    exec_process *lent;
    exec_process process;
    exec_hello hello;
    int64_t id;
    assay_error why;
} program = {.lock = PTHREAD_MUTEX_INITIALIZER, .process = {.to = -1, .from = -1}};

static const struct {
    const char *name;
    assay_status status;
} statuses[] = {
    {"invalid", ASSAY_EINVAL},           {"io", ASSAY_EIO},           {"format", ASSAY_EFORMAT},
    {"unsupported", ASSAY_EUNSUPPORTED}, {"no-memory", ASSAY_ENOMEM}, {"internal", ASSAY_EINTERNAL},
    {"stopped", ASSAY_ESTOPPED},
};
#define N_STATUSES (sizeof statuses / sizeof *statuses)

void exec_link_contain(exec_process *lent)
{
    program.contained = true;
    program.lent = lent;
}

const exec_hello *exec_link_hello(void)
{
    return &program.hello;
}

const char *exec_link_name(void)
{
    return who;
}

static exec_process *process_of(void)
{
    return program.lent ? program.lent : &program.process;
}

/* The program has ended. In the process of a task this does not return: the parent judges how it ended. A
 * lent one is reaped by the parent. */
static void follow_end(assay_error *err)
{
    process_of()->state->broken = true;
    if (program.contained && program.lent) _exit(0);
    const int status = exec_process_end(&program.process);
    if (program.contained && status != EXEC_CLOSED) {
        if (!WIFSIGNALED(status)) _exit(WEXITSTATUS(status));
        (void)signal(WTERMSIG(status), SIG_DFL);
        (void)raise(WTERMSIG(status));
        _exit(1);
    }
    const size_t n = strnlen(err->text, sizeof err->text - 1);
    if (status == EXEC_CLOSED)
        (void)snprintf(err->text + n, sizeof err->text - n, "; it has closed its standard output");
    else if (WIFSIGNALED(status))
        (void)snprintf(err->text + n, sizeof err->text - n, "; it was terminated by signal %d (%s)",
                       WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        (void)snprintf(err->text + n, sizeof err->text - n, "; its exit status is %d%s", WEXITSTATUS(status),
                       WEXITSTATUS(status) == 127 ? ", which a shell has for a command that does not exist"
                                                  : "");
}

/* After this all calls fail with the same reason. */
static assay_status give_up(assay_status rc, assay_error *why, assay_error *err)
{
    if (rc == ASSAY_EIO) {
        follow_end(why);
    } else {
        process_of()->state->broken = true;
        if (!program.lent) (void)exec_process_end(&program.process);
    }
    program.why = *why;
    if (err) *err = *why;
    return rc;
}

/* The error of an answer. */
static assay_status read_error(const conf_json_at *error, assay_error *why, assay_status *rc)
{
    const char *text = NULL, *names[N_STATUSES];
    conf_json_at status;
    size_t i = 0;
    for (size_t k = 0; k < N_STATUSES; k++) names[k] = statuses[k].name;
    assay_status read = conf_json_expect(error, json_type_object, why);
    if (read == ASSAY_OK) read = conf_json_member(error, "status", json_type_string, &status, why);
    if (read == ASSAY_OK) read = conf_json_choose(&status, names, N_STATUSES, &i, why);
    if (read == ASSAY_OK) read = conf_json_member_text(error, "text", &text, why);
    if (read != ASSAY_OK) return read;
    *rc = assay_fail(why, statuses[i].status, "%s", text);
    shown_clean(why->text, sizeof why->text);
    return ASSAY_OK;
}

static assay_status answer_tap(const exec_call *call, const exec_frame *f, const conf_json_at *tap,
                               assay_error *why)
{
    exec_message reply;
    exec_message_begin(&reply);
    assay_status rc = call->tap ? call->tap(call->context, f, tap, &reply, why)
                                : conf_json_fail(tap, why, "found a tap, which this call has none of");
    if (rc == ASSAY_OK && !conf_json_add(reply.header, "id", json_object_new_int64(program.id)))
        reply.failed = true;
    if (rc == ASSAY_OK) rc = exec_message_write(process_of()->to, who, &reply, why);
    exec_message_end(&reply);
    return rc;
}

/* Reads frames up to the answer. *rc: the error that the answer reports. */
static assay_status read_answer(const exec_call *call, exec_frame *out, assay_status *rc, assay_error *why)
{
    while (true) {
        int64_t id;
        conf_json_at member;
        assay_status read = exec_frame_read(process_of()->from, who, call->body_most, out, why);
        const conf_json_at header = {.name = who, .value = out->header};
        if (read == ASSAY_OK) read = conf_json_member_whole(&header, "id", 0, INT64_MAX, &id, why);
        if (read == ASSAY_OK && id != program.id)
            read = conf_json_fail(&header, why, "found an answer with id %lld, expected %lld", (long long)id,
                                  (long long)program.id);
        if (read != ASSAY_OK) return read;
        if (conf_json_find(&header, "error", &member)) return read_error(&member, why, rc);
        if (!conf_json_find(&header, "tap", &member)) return ASSAY_OK;
        read = answer_tap(call, out, &member, why);
        exec_frame_free(out);
        if (read != ASSAY_OK) return read;
    }
}

static assay_status exchange(const exec_call *call, exec_frame *answer, assay_error *err)
{
    assay_error why = {0};
    assay_status rc = ASSAY_OK;
    exec_state *state = process_of()->state;
    *answer = (exec_frame){0};
    program.id++;
    if (!conf_json_add(call->message->header, "call", json_object_new_string(call->name)) ||
        !conf_json_add(call->message->header, "id", json_object_new_int64(program.id)))
        call->message->failed = true;
    state->busy = true;
    assay_status sent = exec_message_write(process_of()->to, who, call->message, &why);
    if (sent == ASSAY_ENOMEM || sent == ASSAY_EUNSUPPORTED) { /* nothing was written */
        state->busy = false;
        if (err) *err = why;
        return sent;
    }
    if (sent == ASSAY_OK) sent = read_answer(call, answer, &rc, &why);
    if (sent != ASSAY_OK || rc != ASSAY_OK) exec_frame_free(answer);
    if (sent != ASSAY_OK) return give_up(sent, &why, err);
    state->busy = false;
    if (rc != ASSAY_OK && err) *err = why;
    return rc;
}

assay_status exec_link_call(const exec_call *call, exec_frame *answer, assay_error *err)
{
    assay_status rc;
    (void)pthread_mutex_lock(&program.lock);
    if (program.why.status != ASSAY_OK) {
        rc = program.why.status;
        if (err) *err = program.why;
    } else {
        rc = exchange(call, answer, err);
    }
    (void)pthread_mutex_unlock(&program.lock);
    return rc;
}

assay_status exec_link_settle(assay_status rc, const assay_error *why, assay_error *err)
{
    if (rc == ASSAY_OK) return rc;
    if (err) *err = *why;
    if (rc != ASSAY_EFORMAT) return rc;
    (void)pthread_mutex_lock(&program.lock);
    assay_error reason = *why;
    if (program.why.status == ASSAY_OK) (void)give_up(rc, &reason, NULL);
    (void)pthread_mutex_unlock(&program.lock);
    return rc;
}

/* Reads "can". Names that are not known are of a later protocol, and not used. */
static assay_status read_can(const conf_json_at *header, exec_hello *hello, assay_error *err)
{
    const struct {
        const char *name;
        bool *has;
    } calls[] = {
        {"stop_ids", &hello->stop_ids},     {"join", &hello->join}, {"leave", &hello->leave},
        {"rewind", &hello->rewind},         {"fork", &hello->fork}, {"tap", &hello->tap},
        {"tap_writes", &hello->tap_writes}, {"rope", &hello->rope}, {"positions", &hello->positions},
    };
    conf_json_at can;
    assay_status rc = conf_json_member(header, "can", json_type_array, &can, err);
    for (size_t i = 0; rc == ASSAY_OK && i < json_object_array_length(can.value); i++) {
        const conf_json_at element = conf_json_element(&can, i);
        const char *name;
        rc = conf_json_text(&element, &name, err);
        for (size_t k = 0; rc == ASSAY_OK && k < sizeof calls / sizeof *calls; k++)
            if (strcmp(name, calls[k].name) == 0) *calls[k].has = true;
    }
    return rc;
}

/* Reads a list of names of types; a program need not have it. */
static assay_status read_names(const conf_json_at *header, const char *member, exec_names *out,
                               assay_error *err)
{
    conf_json_at list;
    if (!conf_json_find(header, member, &list) || !list.value) return ASSAY_OK;
    assay_status rc = conf_json_expect(&list, json_type_array, err);
    const size_t n = rc == ASSAY_OK ? json_object_array_length(list.value) : 0;
    out->given = true;
    if (n > EXEC_NAMES_MAX)
        return conf_json_fail(&list, err, "found %zu names, expected %d at most", n, EXEC_NAMES_MAX);
    for (; rc == ASSAY_OK && out->n < n; out->n++) {
        const conf_json_at element = conf_json_element(&list, out->n);
        const char *name;
        rc = conf_json_text(&element, &name, err);
        if (rc == ASSAY_OK && strlen(name) >= sizeof *out->at)
            rc = conf_json_fail(&element, err, "found a name of %zu bytes, expected %zu at most",
                                strlen(name), sizeof *out->at - 1);
        if (rc == ASSAY_OK) (void)strcpy(out->at[out->n], name);
    }
    return rc;
}

assay_status exec_hello_read(const exec_frame *f, exec_hello *hello, assay_error *err)
{
    const conf_json_at header = {.name = who, .value = f->header};
    const char *name, *version, *logits;
    int64_t protocol;
    assay_status rc = conf_json_member_whole(&header, "protocol", 1, INT64_MAX, &protocol, err);
    if (rc == ASSAY_OK && protocol != EXEC_PROTOCOL)
        rc = conf_json_fail(&header, err, "found protocol %lld, expected %d", (long long)protocol,
                            EXEC_PROTOCOL);
    if (rc == ASSAY_OK) rc = conf_json_member_text(&header, "name", &name, err);
    if (rc == ASSAY_OK) rc = conf_json_member_text(&header, "version", &version, err);
    if (rc == ASSAY_OK) rc = conf_json_member_text(&header, "logits", &logits, err);
    *hello = (exec_hello){0};
    if (rc == ASSAY_OK) rc = read_can(&header, hello, err);
    if (rc == ASSAY_OK) rc = read_names(&header, "compute_types", &hello->compute_types, err);
    if (rc == ASSAY_OK) rc = read_names(&header, "cache_types", &hello->cache_types, err);
    if (rc != ASSAY_OK) return rc;
    hello->logits = dtype_from_name(logits, strlen(logits));
    if (hello->logits != ASSAY_F32 && hello->logits != ASSAY_F64)
        return conf_json_fail(&header, err, "found logits %.16s, expected F32 or F64", logits);
    (void)snprintf(hello->name, sizeof hello->name, "%s", name);
    (void)snprintf(hello->version, sizeof hello->version, "%s", version);
    shown_clean(hello->name, sizeof hello->name);
    shown_clean(hello->version, sizeof hello->version);
    return ASSAY_OK;
}

static assay_status greet(assay_error *err)
{
    exec_message m;
    exec_frame answer;
    exec_message_begin(&m);
    if (!conf_json_add(m.header, "protocol", json_object_new_int(EXEC_PROTOCOL))) m.failed = true;
    const exec_call call = {.name = "hello", .message = &m};
    assay_status rc = exec_link_call(&call, &answer, err);
    exec_message_end(&m);
    if (rc != ASSAY_OK) return rc;
    assay_error why = {0};
    rc = exec_hello_read(&answer, &program.hello, &why);
    exec_frame_free(&answer);
    program.greeted = rc == ASSAY_OK;
    return exec_link_settle(rc, &why, err);
}

assay_status exec_link_open(const char *command, const exec_hello **out, assay_error *err)
{
    assay_status rc = ASSAY_OK;
    *out = &program.hello;
    if (program.open && strcmp(process_of()->command ? process_of()->command : command, command) != 0)
        return assay_fail(err, ASSAY_EUNSUPPORTED,
                          "exec:%s: a process can use one program, and uses %s already", command, who);
    if (program.greeted) return ASSAY_OK;
    if (program.why.status != ASSAY_OK) {
        if (err) *err = program.why;
        return program.why.status;
    }
    if (!program.open) {
        if (program.lent && strcmp(program.lent->command, command) != 0) program.lent = NULL;
        if (!program.lent) rc = exec_process_start(command, 0, !program.contained, &program.process, err);
        program.open = rc == ASSAY_OK;
    }
    return rc == ASSAY_OK ? greet(err) : rc;
}
