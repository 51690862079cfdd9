/// The system's libcurl: HTTP as a client.
#ifndef CCURL_H
#define CCURL_H

#include <curl/curl.h>

// Swift does not see functions with any number of arguments.

static inline CURLcode belfry_curl_set_number(CURL *request, CURLoption option, long value) {
    return curl_easy_setopt(request, option, value);
}

static inline CURLcode belfry_curl_set_size(CURL *request, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(request, option, value);
}

static inline CURLcode belfry_curl_set_pointer(CURL *request, CURLoption option, const void *value) {
    return curl_easy_setopt(request, option, value);
}

static inline CURLcode belfry_curl_get_number(CURL *request, CURLINFO what, long *value) {
    return curl_easy_getinfo(request, what, value);
}

typedef size_t (*belfry_curl_reader)(char *bytes, size_t size, size_t count, void *context);
typedef curl_socket_t (*belfry_curl_opener)(void *context, curlsocktype purpose, struct curl_sockaddr *address);

/// The functions that get the lines of the head, and the body; both get `context`.
static inline void belfry_curl_set_readers(
    CURL *request, belfry_curl_reader head, belfry_curl_reader body, void *context) {
    curl_easy_setopt(request, CURLOPT_HEADERFUNCTION, head);
    curl_easy_setopt(request, CURLOPT_HEADERDATA, context);
    curl_easy_setopt(request, CURLOPT_WRITEFUNCTION, body);
    curl_easy_setopt(request, CURLOPT_WRITEDATA, context);
}

/// The function that opens sockets, and may refuse to.
static inline void belfry_curl_set_opener(CURL *request, belfry_curl_opener open, void *context) {
    curl_easy_setopt(request, CURLOPT_OPENSOCKETFUNCTION, open);
    curl_easy_setopt(request, CURLOPT_OPENSOCKETDATA, context);
}

/// How a request that has ended did; the macro's message is a union that Swift does not see through.
static inline CURL *belfry_curl_ended(CURLM *requests, CURLcode *code) {
    int left;
    CURLMsg *message;
    while ((message = curl_multi_info_read(requests, &left)))
        if (message->msg == CURLMSG_DONE) {
            *code = message->data.result;
            return message->easy_handle;
        }
    return NULL;
}

#endif
