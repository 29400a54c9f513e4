#pragma once

// PostgreSQL's client library. A build without the package trait compiles what uses it too, so that it stays in order, but
// links none of it: for such a build, on a machine without libpq-dev, what is used stands here once more. The functions
// have been the same since PostgreSQL 7.4; where the real header is there, it is the one that counts.
#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#elif __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#else
#include <stddef.h>
typedef struct pg_conn PGconn;
typedef struct pg_result PGresult;
typedef struct pg_cancel PGcancel;
typedef unsigned int Oid;
typedef enum { CONNECTION_OK, CONNECTION_BAD } ConnStatusType;
typedef enum { PGRES_POLLING_FAILED, PGRES_POLLING_READING, PGRES_POLLING_WRITING, PGRES_POLLING_OK } PostgresPollingStatusType;
typedef enum { PGRES_EMPTY_QUERY, PGRES_COMMAND_OK, PGRES_TUPLES_OK } ExecStatusType;
typedef enum { PQTRANS_IDLE } PGTransactionStatusType;
typedef struct { char *keyword, *envvar, *compiled, *val, *label, *dispchar; int dispsize; } PQconninfoOption;
typedef void (*PQnoticeReceiver)(void *context, const PGresult *notice);
PQconninfoOption *PQconninfoParse(const char *conninfo, char **errmsg);
void PQconninfoFree(PQconninfoOption *);
PGconn *PQconnectStartParams(const char *const *keywords, const char *const *values, int expand_dbname);
PostgresPollingStatusType PQconnectPoll(PGconn *);
ConnStatusType PQstatus(const PGconn *);
PGTransactionStatusType PQtransactionStatus(const PGconn *);
char *PQerrorMessage(const PGconn *);
int PQserverVersion(const PGconn *);
int PQbackendPID(const PGconn *);
int PQsocket(const PGconn *);
void PQfinish(PGconn *);
int PQsetnonblocking(PGconn *, int);
PQnoticeReceiver PQsetNoticeReceiver(PGconn *, PQnoticeReceiver, void *);
int PQsendQueryParams(PGconn *, const char *, int, const Oid *, const char *const *, const int *, const int *, int);
int PQsendPrepare(PGconn *, const char *, const char *, int, const Oid *);
int PQsendQueryPrepared(PGconn *, const char *, int, const char *const *, const int *, const int *, int);
int PQflush(PGconn *);
int PQconsumeInput(PGconn *);
int PQisBusy(PGconn *);
PGresult *PQgetResult(PGconn *);
void PQclear(PGresult *);
ExecStatusType PQresultStatus(const PGresult *);
char *PQresultErrorField(const PGresult *, int);
int PQntuples(const PGresult *);
char *PQgetvalue(const PGresult *, int, int);
int PQgetlength(const PGresult *, int, int);
int PQgetisnull(const PGresult *, int, int);
PGcancel *PQgetCancel(PGconn *);
int PQcancel(PGcancel *, char *, int);
void PQfreeCancel(PGcancel *);
#define PG_DIAG_SEVERITY_NONLOCALIZED 'V'
#define PG_DIAG_SQLSTATE 'C'
#define PG_DIAG_MESSAGE_PRIMARY 'M'
#endif

// Character macros, which Swift does not see.
static inline char *pegboard_sqlstate(const PGresult *result) { return PQresultErrorField(result, PG_DIAG_SQLSTATE); }
static inline char *pegboard_severity(const PGresult *result) {
    return PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);
}
static inline char *pegboard_message(const PGresult *result) {
    return PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
}
