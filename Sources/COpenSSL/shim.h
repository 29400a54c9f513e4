#pragma once
// OpenSSL 3's libcrypto, and what Swift cannot say to it: OSSL_PARAM_BLD keeps pointers to the octets it is given, and
// some constants are macros of macros. Every function below leaves the thread's error queue empty: a failed verification
// fills it, and whoever asks OpenSSL next would take those errors for its own.
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <stddef.h>
#include <stdint.h>

/// A public key of this type ("RSA", "EC") from `build`; NULL where OpenSSL does not take it.
static inline EVP_PKEY *crypto_public_key(const char *type, OSSL_PARAM_BLD *build) {
    EVP_PKEY *key = NULL;
    OSSL_PARAM *params = OSSL_PARAM_BLD_to_param(build);
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
    if (params == NULL || context == NULL || EVP_PKEY_fromdata_init(context) != 1
        || EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, params) != 1) {
        key = NULL;
    }
    EVP_PKEY_CTX_free(context);
    OSSL_PARAM_free(params);
    ERR_clear_error();
    return key;
}

/// An RSA public key from modulus and exponent, big-endian.
static inline EVP_PKEY *crypto_rsa_public_key(const uint8_t *n, size_t n_count, const uint8_t *e, size_t e_count) {
    EVP_PKEY *key = NULL;
    BIGNUM *modulus = BN_bin2bn(n, (int)n_count, NULL);
    BIGNUM *exponent = BN_bin2bn(e, (int)e_count, NULL);
    OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
    if (modulus != NULL && exponent != NULL && build != NULL
        && OSSL_PARAM_BLD_push_BN(build, OSSL_PKEY_PARAM_RSA_N, modulus) == 1
        && OSSL_PARAM_BLD_push_BN(build, OSSL_PKEY_PARAM_RSA_E, exponent) == 1) {
        key = crypto_public_key("RSA", build);
    }
    OSSL_PARAM_BLD_free(build);
    BN_free(exponent);
    BN_free(modulus);
    return key;
}

/// A P-256 public key from an uncompressed point: 04, x, y.
static inline EVP_PKEY *crypto_p256_public_key(const uint8_t point[65]) {
    EVP_PKEY *key = NULL;
    OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
    if (build != NULL && OSSL_PARAM_BLD_push_utf8_string(build, OSSL_PKEY_PARAM_GROUP_NAME, "P-256", 0) == 1
        && OSSL_PARAM_BLD_push_octet_string(build, OSSL_PKEY_PARAM_PUB_KEY, point, 65) == 1) {
        key = crypto_public_key("EC", build);
    }
    OSSL_PARAM_BLD_free(build);
    return key;
}

static inline EVP_PKEY *crypto_ed25519_public_key(const uint8_t octets[32]) {
    EVP_PKEY *key = EVP_PKEY_new_raw_public_key_ex(NULL, "ED25519", NULL, octets, 32);
    ERR_clear_error();
    return key;
}

/// Whether OpenSSL finds nothing wrong with a public key: SP 800-56B for RSA, the point on its curve for EC.
static inline int crypto_public_key_is_sound(EVP_PKEY *key) {
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
    int sound = context != NULL && EVP_PKEY_public_check(context) == 1;
    EVP_PKEY_CTX_free(context);
    ERR_clear_error();
    return sound;
}

/// `digest` is NULL for Ed25519, which has its own.
static inline int crypto_verify(
    EVP_PKEY *key, const EVP_MD *digest, const uint8_t *signature, size_t signature_count, const uint8_t *message,
    size_t message_count) {
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int verified = context != NULL && EVP_DigestVerifyInit(context, NULL, digest, NULL, key) == 1
        && EVP_DigestVerify(context, signature, signature_count, message, message_count) == 1;
    EVP_MD_CTX_free(context);
    ERR_clear_error();
    return verified;
}

/// The same for ECDSA over P-256 with the signature as JWS has it (RFC 7518 §3.4): r and s, 32 octets each.
static inline int crypto_verify_p256(
    EVP_PKEY *key, const EVP_MD *digest, const uint8_t signature[64], const uint8_t *message, size_t message_count) {
    int verified = 0;
    uint8_t *der = NULL;
    ECDSA_SIG *pair = ECDSA_SIG_new();
    BIGNUM *r = BN_bin2bn(signature, 32, NULL);
    BIGNUM *s = BN_bin2bn(signature + 32, 32, NULL);
    if (pair != NULL && r != NULL && s != NULL && ECDSA_SIG_set0(pair, r, s) == 1) {
        // The pair owns them from here.
        r = NULL;
        s = NULL;
        int count = i2d_ECDSA_SIG(pair, &der);
        verified = count > 0 && crypto_verify(key, digest, der, (size_t)count, message, message_count);
    }
    OPENSSL_free(der);
    BN_free(r);
    BN_free(s);
    ECDSA_SIG_free(pair);
    ERR_clear_error();
    return verified;
}
