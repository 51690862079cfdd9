/// The system's OpenSSL: digests, signatures and ciphers (libcrypto), and TLS (libssl).
#ifndef CCRYPTO_H
#define CCRYPTO_H

#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

// A macro that Swift does not see.
static inline void belfry_crypto_free(void *bytes) {
    OPENSSL_free(bytes);
}

#endif
