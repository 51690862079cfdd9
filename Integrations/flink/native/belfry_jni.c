/// libbelfry for the JVM: the native methods of belfry.core.Core and belfry.core.Shard.
///
/// One call decides one signal. Java writes what it asks into memory that the shard has anyway, and reads numbers from there, so that
/// nothing is copied but the decisions, which become bytes of Java.
#define _GNU_SOURCE
#include "belfry_core.h"

#include <jni.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// What a shard of Java has: how it asks, and what came of its last question.
struct shard {
    belfry_core_shard *shard;
    belfry_core_step step;
    uint8_t *input;       ///< subject, signals and record, one behind the other
    int64_t *numbers;     ///< as Shard.java reads them
};

/// Places in `numbers`.
enum { STATUS, TIMER_BEFORE, NEXT_TIMER, HAS_REJECTS, HAS_FAULTS, IS_TICK, TIME, NUMBERS };

// MARK: Texts

/// Bytes as Java has them; NULL of none, or with an exception pending.
static jbyteArray java_bytes(JNIEnv *env, belfry_core_bytes bytes) {
    if (!bytes.length) return NULL;
    jbyteArray array = (*env)->NewByteArray(env, (jsize)bytes.length);
    if (array) (*env)->SetByteArrayRegion(env, array, 0, (jsize)bytes.length, bytes.bytes);
    return array;
}

/// Java makes the text of the bytes: JNI takes a UTF-8 of its own, which writes what is beyond U+FFFF otherwise.
static void throw_text(JNIEnv *env, const char *text) {
    jclass type = (*env)->FindClass(env, "belfry/core/CoreException");
    jmethodID make = type ? (*env)->GetMethodID(env, type, "<init>", "([B)V") : NULL;
    jbyteArray bytes = make ? java_bytes(env, (belfry_core_bytes){text, strlen(text)}) : NULL;
    jobject exception = bytes ? (*env)->NewObject(env, type, make, bytes) : NULL;
    if (exception) (*env)->Throw(env, exception);
}

static void throw_no_memory(JNIEnv *env) {
    jclass type = (*env)->FindClass(env, "java/lang/OutOfMemoryError");
    if (type) (*env)->ThrowNew(env, type, "libbelfry has no memory left");
}

/// A text that grows; its owner frees it.
struct text {
    char *bytes;
    uint64_t length;
    int is_cut;  ///< there was no memory for all of it
};

static void append(void *owner, const char *bytes, uint64_t length) {
    struct text *text = owner;
    char *longer = realloc(text->bytes, text->length + length + 1);
    if (!longer) {
        text->is_cut = 1;
        return;
    }
    text->bytes = longer;
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->bytes[text->length] = 0;
}

/// The bytes that were written, which it frees; or it throws what `error` has.
static jbyteArray result(JNIEnv *env, int32_t status, struct text *written, struct text *error) {
    jbyteArray array = NULL;
    if (written->is_cut || error->is_cut) {
        throw_no_memory(env);
    } else if (status == BELFRY_CORE_OK) {
        array = java_bytes(env, (belfry_core_bytes){written->bytes, written->length});
    } else {
        throw_text(env, error->bytes ? error->bytes : "libbelfry does not say why");
    }
    free(written->bytes), free(error->bytes);
    return array;
}

/// A copy of bytes of Java that the caller frees, with a 0 behind it; NULL of none, or with an exception pending: none is what a
/// new subject has, so who got an exception asks nothing.
static belfry_core_bytes copy(JNIEnv *env, jbyteArray array) {
    if (!array || (*env)->ExceptionCheck(env)) return (belfry_core_bytes){NULL, 0};
    const jsize length = (*env)->GetArrayLength(env, array);
    jbyte *bytes = calloc((size_t)length + 1, 1);
    if (!bytes) {
        throw_no_memory(env);
        return (belfry_core_bytes){NULL, 0};
    }
    (*env)->GetByteArrayRegion(env, array, 0, length, bytes);
    return (belfry_core_bytes){bytes, (uint64_t)length};
}

static void release(belfry_core_bytes bytes) { free((void *)bytes.bytes); }

// MARK: Core

/// What plugins have to say goes where the JVM's own last words go.
static void say(void *owner, const char *text, uint64_t length) {
    (void)owner;
    fprintf(stderr, "belfry: %.*s\n", (int)length, text);
}

JNIEXPORT jlong JNICALL Java_belfry_core_Core_open(JNIEnv *env, jclass type, jbyteArray configuration, jbyteArray belfry) {
    (void)type;
    const belfry_core_bytes path = copy(env, configuration), command = copy(env, belfry);
    struct text error = {0};
    belfry_core *core = NULL;
    if (!(*env)->ExceptionCheck(env)) {
        const belfry_core_options options = {.configuration = path.bytes, .belfry = command.bytes, .log = {NULL, say}};
        core = belfry_core_open(&options, &(belfry_core_sink){&error, append});
        if (!core && error.is_cut) throw_no_memory(env);
        else if (!core) throw_text(env, error.bytes ? error.bytes : "libbelfry does not say why");
    }
    release(path), release(command);
    free(error.bytes);
    return (jlong)(intptr_t)core;
}

JNIEXPORT void JNICALL Java_belfry_core_Core_close(JNIEnv *env, jclass type, jlong core) {
    (void)env, (void)type;
    belfry_core_close((belfry_core *)(intptr_t)core);
}

JNIEXPORT jbyteArray JNICALL Java_belfry_core_Core_provenance(JNIEnv *env, jclass type, jlong core) {
    (void)type;
    struct text written = {0}, error = {0};
    belfry_core_provenance((belfry_core *)(intptr_t)core, &(belfry_core_sink){&written, append});
    return result(env, BELFRY_CORE_OK, &written, &error);
}

typedef int32_t (*about_record)(
    const belfry_core *, belfry_core_bytes, belfry_core_bytes, const belfry_core_sink *, const belfry_core_sink *);

static jbyteArray about(JNIEnv *env, about_record ask, jlong core, jbyteArray subject, jbyteArray record) {
    struct text written = {0}, error = {0};
    const belfry_core_bytes name = copy(env, subject), bytes = copy(env, record);
    jbyteArray answer = NULL;
    if (!(*env)->ExceptionCheck(env)) {
        const int32_t status = ask(
            (belfry_core *)(intptr_t)core, name, bytes, &(belfry_core_sink){&written, append},
            &(belfry_core_sink){&error, append});
        answer = result(env, status, &written, &error);
    }
    release(name), release(bytes);
    return answer;
}

JNIEXPORT jbyteArray JNICALL Java_belfry_core_Core_describe(
    JNIEnv *env, jclass type, jlong core, jbyteArray subject, jbyteArray record) {
    (void)type;
    return about(env, belfry_core_describe, core, subject, record);
}

JNIEXPORT jbyteArray JNICALL Java_belfry_core_Core_erase(
    JNIEnv *env, jclass type, jlong core, jbyteArray subject, jbyteArray record) {
    (void)type;
    return about(env, belfry_core_erase, core, subject, record);
}

JNIEXPORT jbyteArray JNICALL Java_belfry_core_Core_remains(
    JNIEnv *env, jclass type, jlong core, jbyteArray subject, jlong last_decision) {
    (void)type;
    struct text written = {0}, error = {0};
    const belfry_core_bytes name = copy(env, subject);
    jbyteArray answer = NULL;
    if (!(*env)->ExceptionCheck(env)) {
        const int32_t status = belfry_core_remains(
            (belfry_core *)(intptr_t)core, name, (uint64_t)last_decision, &(belfry_core_sink){&written, append},
            &(belfry_core_sink){&error, append});
        answer = result(env, status, &written, &error);
    }
    release(name);
    return answer;
}

JNIEXPORT jbyteArray JNICALL Java_belfry_core_Core_explain(
    JNIEnv *env, jclass type, jlong core, jbyteArray subject, jbyteArray record, jbyteArray campaign, jbyteArray region,
    jbyteArray trigger, jbyteArray channel, jlong at) {
    (void)type;
    struct text written = {0}, error = {0};
    const belfry_core_question question = {
        copy(env, subject), copy(env, record), copy(env, campaign), copy(env, region), copy(env, trigger), copy(env, channel), at};
    jbyteArray answer = NULL;
    if (!(*env)->ExceptionCheck(env)) {
        const int32_t status = belfry_core_explain(
            (belfry_core *)(intptr_t)core, &question, &(belfry_core_sink){&written, append}, &(belfry_core_sink){&error, append});
        answer = result(env, status, &written, &error);
    }
    release(question.subject), release(question.record), release(question.campaign);
    release(question.region), release(question.trigger), release(question.channel);
    return answer;
}

// MARK: Shard

static struct shard *shard_at(jlong shard) { return (struct shard *)(intptr_t)shard; }

JNIEXPORT jlong JNICALL Java_belfry_core_Shard_open(JNIEnv *env, jclass type, jlong core) {
    (void)type;
    struct shard *shard = calloc(1, sizeof *shard);
    if (shard) shard->numbers = calloc(NUMBERS, sizeof *shard->numbers);
    if (shard && shard->numbers) shard->shard = belfry_core_shard_open((belfry_core *)(intptr_t)core);
    if (!shard || !shard->shard) throw_text(env, "no memory for a shard");
    return (jlong)(intptr_t)shard;
}

JNIEXPORT void JNICALL Java_belfry_core_Shard_close(JNIEnv *env, jclass type, jlong handle) {
    (void)env, (void)type;
    struct shard *shard = shard_at(handle);
    belfry_core_shard_close(shard->shard);
    free(shard->input), free(shard->numbers), free(shard);
}

/// Memory that Java reads as numbers: as long as the shard is open.
JNIEXPORT jobject JNICALL Java_belfry_core_Shard_numbers(JNIEnv *env, jclass type, jlong handle) {
    (void)type;
    return (*env)->NewDirectByteBuffer(env, shard_at(handle)->numbers, NUMBERS * (jlong)sizeof(int64_t));
}

/// Memory that Java writes its questions into; what was there is lost.
JNIEXPORT jobject JNICALL Java_belfry_core_Shard_input(JNIEnv *env, jclass type, jlong handle, jint capacity) {
    (void)type;
    struct shard *shard = shard_at(handle);
    free(shard->input);
    shard->input = malloc((size_t)capacity);
    if (!shard->input) throw_no_memory(env);
    return shard->input ? (*env)->NewDirectByteBuffer(env, shard->input, capacity) : NULL;
}

/// Whether one of the decisions may be a fault, which is rare: `"type":"strategy.faulted"` stands nowhere else but in data of people.
static int64_t have_fault(belfry_core_bytes decisions) {
    static const char fault[] = "\"type\":\"strategy.faulted\"";
    return decisions.length && memmem(decisions.bytes, decisions.length, fault, sizeof fault - 1) != NULL;
}

/// - record: how many bytes there are behind the signals; -1: the shard is to have it.
JNIEXPORT jbyteArray JNICALL Java_belfry_core_Shard_decide(
    JNIEnv *env, jclass type, jlong handle, jint subject, jint signals, jint record, jlong line, jlong passed, jlong until) {
    (void)type;
    struct shard *shard = shard_at(handle);
    const belfry_core_work work = {
        .subject = {shard->input, (uint64_t)subject},
        .signals = {shard->input + subject, (uint64_t)signals},
        .record = {record < 0 ? NULL : shard->input + subject + signals, record < 0 ? 0 : (uint64_t)record},
        .passed = passed,
        .until = until};
    belfry_core_shard_decide(shard->shard, &work, (uint64_t)line, &shard->step);
    shard->numbers[STATUS] = shard->step.status;
    shard->numbers[TIMER_BEFORE] = shard->step.timer_before;
    shard->numbers[NEXT_TIMER] = shard->step.next_timer;
    shard->numbers[HAS_REJECTS] = shard->step.rejects.length != 0;
    shard->numbers[HAS_FAULTS] = have_fault(shard->step.decisions);
    return java_bytes(env, shard->step.decisions);
}

JNIEXPORT jbyteArray JNICALL Java_belfry_core_Shard_rejects(JNIEnv *env, jclass type, jlong handle) {
    (void)type;
    return java_bytes(env, shard_at(handle)->step.rejects);
}

JNIEXPORT jbyteArray JNICALL Java_belfry_core_Shard_error(JNIEnv *env, jclass type, jlong handle) {
    (void)type;
    return java_bytes(env, shard_at(handle)->step.error);
}

/// Whose the line in the input is; NULL of a tick, and of what is no signal.
JNIEXPORT jbyteArray JNICALL Java_belfry_core_Shard_head(JNIEnv *env, jclass type, jlong handle, jint length, jboolean with_time) {
    (void)type;
    struct shard *shard = shard_at(handle);
    belfry_core_head head;
    belfry_core_shard_head(shard->shard, (belfry_core_bytes){shard->input, (uint64_t)length}, with_time, &head);
    shard->numbers[IS_TICK] = head.is_tick;
    shard->numbers[TIME] = head.time;
    return java_bytes(env, head.subject);
}

/// Who takes records, and how.
struct taker {
    JNIEnv *env;
    jobject object;
    jmethodID take;
};

static void take(void *owner, belfry_core_bytes subject, belfry_core_bytes record) {
    const struct taker *taker = owner;
    JNIEnv *env = taker->env;
    if ((*env)->ExceptionCheck(env)) return;  // the task has failed, and begins again at its checkpoint
    jbyteArray name = java_bytes(env, subject), bytes = name ? java_bytes(env, record) : NULL;
    if (name && bytes) (*env)->CallVoidMethod(env, taker->object, taker->take, name, bytes);
    (*env)->DeleteLocalRef(env, name);
    (*env)->DeleteLocalRef(env, bytes);
}

JNIEXPORT jlong JNICALL Java_belfry_core_Shard_collect(JNIEnv *env, jclass type, jlong handle, jlong keep, jobject object) {
    (void)type;
    jmethodID method = (*env)->GetMethodID(env, (*env)->GetObjectClass(env, object), "take", "([B[B)V");
    if (!method) return 0;
    struct taker taker = {env, object, method};
    return (jlong)belfry_core_shard_collect(shard_at(handle)->shard, (uint64_t)keep, &taker, take);
}
