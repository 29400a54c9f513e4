#pragma once
// OpenSSL 3's libssl over one non-blocking socket: what Swift cannot say to it, since most of its settings are macros.
// Every function that may fail begins with an empty error queue of the thread, and reads it before anybody else can.
#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

// MARK: The wire

/// What a session's BIO stands on. OpenSSL's own socket BIO would raise SIGPIPE, and ask the kernel once more after each
/// read for what cannot be there.
struct tls_wire {
    int descriptor;
    /// The last read took all there was: the next one need not ask.
    bool is_drained;
    /// The peer's end stands behind what is there: reads go on until they meet it.
    bool reads_to_end;
};

static inline int tls_wire_write(BIO *bio, const char *octets, int count) {
    struct tls_wire *wire = (struct tls_wire *)BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    ssize_t sent;
    do {
        sent = send(wire->descriptor, octets, (size_t)count, MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    if (sent < 0 && errno == EAGAIN) BIO_set_retry_write(bio);
    return (int)sent;
}

static inline int tls_wire_read(BIO *bio, char *room, int count) {
    struct tls_wire *wire = (struct tls_wire *)BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    if (wire->is_drained) {
        BIO_set_retry_read(bio);
        return -1;
    }
    ssize_t got;
    do {
        got = recv(wire->descriptor, room, (size_t)count, 0);
    } while (got < 0 && errno == EINTR);
    if (got < 0 && errno == EAGAIN) BIO_set_retry_read(bio);
    if (got == 0) BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
    if (got < count && !wire->reads_to_end) wire->is_drained = got != 0;
    return (int)got;
}

static inline long tls_wire_control(BIO *bio, int command, long number, void *pointer) {
    (void)number;
    (void)pointer;
    if (command == BIO_CTRL_EOF) return BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0;
    return command == BIO_CTRL_FLUSH;
}

static inline int tls_wire_destroy(BIO *bio) {
    free(BIO_get_data(bio));
    BIO_set_data(bio, NULL);
    return 1;
}

static inline BIO_METHOD *tls_wire_method(void) {
    BIO_METHOD *method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK | BIO_TYPE_DESCRIPTOR, "socket");
    if (method == NULL) return NULL;
    BIO_meth_set_write(method, tls_wire_write);
    BIO_meth_set_read(method, tls_wire_read);
    BIO_meth_set_ctrl(method, tls_wire_control);
    BIO_meth_set_destroy(method, tls_wire_destroy);
    return method;
}

// MARK: The context

/// RFC 7301: HTTP/1.1 or, where a client names protocols and not this one, an end.
static inline int tls_choose_protocol(
    SSL *ssl, const unsigned char **chosen, unsigned char *count, const unsigned char *offered, unsigned int offered_count,
    void *unused
) {
    (void)ssl;
    (void)unused;
    static const unsigned char ours[] = "\x08http/1.1";
    unsigned char *found = NULL;
    if (SSL_select_next_proto(&found, count, ours, sizeof ours - 1, offered, offered_count) != OPENSSL_NPN_NEGOTIATED) {
        return SSL_TLSEXT_ERR_ALERT_FATAL;
    }
    *chosen = found;
    return SSL_TLSEXT_ERR_OK;
}

/// A key with a passphrase is refused: a server has nobody to ask.
static inline int tls_no_passphrase(char *room, int count, int writes, void *unused) {
    (void)room;
    (void)count;
    (void)writes;
    (void)unused;
    return -1;
}

/// The side of a connection that answers, or NULL. It needs a certificate still.
static inline SSL_CTX *tls_server_context(void) {
    ERR_clear_error();
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());
    if (context == NULL) return NULL;
    // What Mozilla calls "intermediate", without finite-field Diffie-Hellman. The client's order counts: it knows whether
    // its processor has AES.
    bool is_set = SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1
        && SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION) == 1
        && SSL_CTX_set_cipher_list(
               context,
               "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:"
               "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305") == 1
        && SSL_CTX_set_ciphersuites(
               context, "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256") == 1
        && SSL_CTX_set1_groups_list(context, "X25519:P-256:P-384") == 1;
    if (!is_set) {
        SSL_CTX_free(context);
        return NULL;
    }
    // Keys of less than 112 bits of strength (RSA under 2048) and SHA-1 in certificates are refused.
    SSL_CTX_set_security_level(context, 2);
    // A peer that ends without close_notify has ended: a request knows its own length, so nothing is taken for whole
    // that is not.
    SSL_CTX_set_options(
        context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_IGNORE_UNEXPECTED_EOF);
    // A connection at rest holds no record buffers; what waits to be sent may have moved in memory meanwhile.
    SSL_CTX_set_mode(
        context,
        SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
    // Head and body of a record with one system call.
    SSL_CTX_set_read_ahead(context, 1);
    // Sessions are resumed by tickets alone: nothing is kept here for a client that may never come back.
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_num_tickets(context, 1);
    SSL_CTX_set_alpn_select_cb(context, tls_choose_protocol, NULL);
    SSL_CTX_set_default_passwd_cb(context, tls_no_passphrase);
    return context;
}

/// A client that takes any certificate: it asks whether somebody answers, not who.
static inline SSL_CTX *tls_probe_context(void) {
    ERR_clear_error();
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    if (context == NULL) return NULL;
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_options(context, SSL_OP_IGNORE_UNEXPECTED_EOF);
    SSL_CTX_set_verify(context, SSL_VERIFY_NONE, NULL);
    return context;
}

/// The first thing that went wrong, in OpenSSL's words, or in better ones.
static inline const char *tls_reason(void) {
    unsigned long code = ERR_get_error();
    const char *words = code == 0 ? NULL : ERR_reason_error_string(code);
    if (words == NULL && code != 0 && ERR_SYSTEM_ERROR(code)) words = strerror(ERR_GET_REASON(code));
    ERR_clear_error();
    // `tls_no_passphrase` was asked.
    if (code != 0 && ERR_GET_REASON(code) == ERR_R_INTERRUPTED_OR_CANCELLED) return "it has a passphrase";
    if (ERR_GET_LIB(code) == ERR_LIB_PEM && ERR_GET_REASON(code) == PEM_R_NO_START_LINE) return "it is not in the file, as PEM";
    if (ERR_GET_LIB(code) == ERR_LIB_X509 && ERR_GET_REASON(code) == X509_R_KEY_VALUES_MISMATCH) {
        return "it is another certificate's than the first one in the file";
    }
    return words == NULL ? "unknown" : words;
}

static inline bool tls_use_certificate(SSL_CTX *context, const char *path) {
    ERR_clear_error();
    return SSL_CTX_use_certificate_chain_file(context, path) == 1;
}

/// Fails, too, where the key is not the certificate's. OpenSSL's own check takes a key of another kind for one whose
/// certificate is still to come.
static inline bool tls_use_key(SSL_CTX *context, const char *path) {
    ERR_clear_error();
    X509 *certificate = SSL_CTX_get0_certificate(context);
    return SSL_CTX_use_PrivateKey_file(context, path, SSL_FILETYPE_PEM) == 1
        && X509_check_private_key(certificate, SSL_CTX_get0_privatekey(context)) == 1;
}

/// How long it is until the certificate is valid, in seconds; less than 0 where it has been for that long.
static inline int64_t tls_seconds_before(SSL_CTX *context) {
    const X509 *certificate = SSL_CTX_get0_certificate(context);
    int days = 0, seconds = 0;
    if (certificate == NULL || ASN1_TIME_diff(&days, &seconds, NULL, X509_get0_notBefore(certificate)) != 1) return 0;
    return (int64_t)days * 86400 + seconds;
}

/// How long the certificate is still valid, in seconds; less than 0 where it has expired.
static inline int64_t tls_seconds_left(SSL_CTX *context) {
    const X509 *certificate = SSL_CTX_get0_certificate(context);
    int days = 0, seconds = 0;
    if (certificate == NULL || ASN1_TIME_diff(&days, &seconds, NULL, X509_get0_notAfter(certificate)) != 1) return 0;
    return (int64_t)days * 86400 + seconds;
}

// MARK: A session

enum tls_outcome {
    tls_done = 0,
    /// Nothing more before the socket is readable, or writable.
    tls_blocked = 1,
    /// The peer has ended its side.
    tls_ended = 2,
    tls_failed = 3,
};

/// NULL where there is no memory for it.
static inline SSL *tls_session(SSL_CTX *context, const BIO_METHOD *method, int descriptor, bool answers) {
    ERR_clear_error();
    SSL *ssl = SSL_new(context);
    BIO *bio = BIO_new(method);
    struct tls_wire *wire = (struct tls_wire *)calloc(1, sizeof *wire);
    if (ssl == NULL || bio == NULL || wire == NULL) {
        SSL_free(ssl);
        BIO_free(bio);
        free(wire);
        ERR_clear_error();
        return NULL;
    }
    wire->descriptor = descriptor;
    BIO_set_data(bio, wire);
    BIO_set_init(bio, 1);
    SSL_set_bio(ssl, bio, bio);
    if (answers) SSL_set_accept_state(ssl); else SSL_set_connect_state(ssl);
    return ssl;
}

static inline enum tls_outcome tls_outcome_of(SSL *ssl, int result) {
    switch (SSL_get_error(ssl, result)) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE:
        return tls_blocked;
    case SSL_ERROR_ZERO_RETURN:
        return tls_ended;
    default:
        ERR_clear_error();
        return tls_failed;
    }
}

static inline void tls_look_again(SSL *ssl, bool reads_to_end) {
    struct tls_wire *wire = (struct tls_wire *)BIO_get_data(SSL_get_rbio(ssl));
    wire->is_drained = false;
    wire->reads_to_end = reads_to_end;
}

static inline enum tls_outcome tls_handshake(SSL *ssl, bool reads_to_end) {
    ERR_clear_error();
    tls_look_again(ssl, reads_to_end);
    int result = SSL_do_handshake(ssl);
    return result == 1 ? tls_done : tls_outcome_of(ssl, result);
}

/// Fills `room` as far as there is something to fill it with.
///
/// @param stopped Why it did not go on: `tls_done` when the room was full.
static inline size_t tls_receive(SSL *ssl, uint8_t *room, size_t count, bool reads_to_end, enum tls_outcome *stopped) {
    size_t total = 0;
    ERR_clear_error();
    tls_look_again(ssl, reads_to_end);
    *stopped = tls_done;
    while (total < count) {
        size_t got = 0;
        int result = SSL_read_ex(ssl, room + total, count - total, &got);
        if (result != 1) {
            *stopped = tls_outcome_of(ssl, result);
            break;
        }
        total += got;
    }
    return total;
}

/// Sends one record at most.
static inline size_t tls_send(SSL *ssl, const uint8_t *octets, size_t count, enum tls_outcome *stopped) {
    size_t sent = 0;
    ERR_clear_error();
    int result = SSL_write_ex(ssl, octets, count, &sent);
    *stopped = result == 1 ? tls_done : tls_outcome_of(ssl, result);
    return sent;
}

/// Says close_notify.
///
/// @return `tls_blocked` where the socket does not take it now: to be called again.
static inline enum tls_outcome tls_say_end(SSL *ssl) {
    ERR_clear_error();
    int result = SSL_shutdown(ssl);
    return result >= 0 ? tls_done : tls_outcome_of(ssl, result);
}
