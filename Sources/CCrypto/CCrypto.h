/// The system's libcrypto (OpenSSL): digests, signatures and ciphers.
#ifndef CCRYPTO_H
#define CCRYPTO_H

#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>
#include <openssl/x509.h>

// A macro that Swift does not see.
static inline void belfry_crypto_free(void *bytes) {
    OPENSSL_free(bytes);
}

#endif
