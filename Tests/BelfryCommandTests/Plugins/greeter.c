/// Plot Projects' sample of a notification filter: greets Paul. What else it does, the data of the notification asks for.
#include <string.h>
#include "belfry.h"

#define T(literal) {literal, sizeof(literal) - 1}

static int asks(const belfry_candidate *candidate, const char *word) {
    const belfry_value *data = candidate->data;
    return data && data->kind == BELFRY_TEXT && data->text.length == strlen(word) &&
           memcmp(data->text.bytes, word, data->text.length) == 0;
}

static void enrich(const belfry_edits *edits) {
    static const belfry_value image = {.kind = BELFRY_TEXT, .text = T("paul.png"), .key = T("image")};
    static const belfry_value presentation = {.kind = BELFRY_MAP, .items = &image, .count = 1};
    static const belfry_value button[] = {{.kind = BELFRY_TEXT, .text = T("Later"), .key = T("id")},
                                          {.kind = BELFRY_TEXT, .text = T("Later"), .key = T("title")}};
    static const belfry_value buttons[] = {{.kind = BELFRY_MAP, .items = button, .count = 2}};
    static const belfry_value list = {.kind = BELFRY_LIST, .items = buttons, .count = 1};
    edits->set_presentation(edits->owner, &presentation);
    edits->set_buttons(edits->owner, &list);
}

static belfry_status greet(void *instance, const belfry_candidate *candidate, const belfry_context *context,
                           const belfry_edits *edits, const belfry_sink *error) {
    char greeting[200] = "Hello Paul! ";
    if (candidate->message.bytes && candidate->message.length < 150)
        memcpy(greeting + strlen(greeting), candidate->message.bytes, candidate->message.length);
    edits->set_message(edits->owner, greeting, strlen(greeting));
    if (asks(candidate, "rich")) enrich(edits);
    if (asks(candidate, "drop")) edits->drop(edits->owner, "it is not for Paul", 18);
    if (!asks(candidate, "fail")) return BELFRY_OK;
    error->write(error->owner, "Paul is not at home", 19);
    return BELFRY_FAILED;
}

static void *make(void *type, const belfry_host *host, const belfry_value *parameters, const belfry_sink *error) {
    return (void *)host;
}
static void unmake(void *filter) {}
static const belfry_filter filter = {.name = T("greeter"), .create = make, .destroy = unmake, .apply = greet};
static const belfry_filter *const one[] = {&filter};
static const belfry_filters filters = {one, 1};

#define ID T("test.greeter")
#define OFFERS_NO_STRATEGY
#define OTHER_TABLE(id) (same(id, BELFRY_EXTENSION_FILTER) ? &filters : 0)
#include "../../Misbehaving/well-behaved.h"
