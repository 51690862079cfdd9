/// PostgreSQL's client library (libpq), of the system, which is loaded when the first store asks for it.
///
/// It is not linked: every start of every process would pay for twenty more libraries, and every build of Belfry would need its headers. What
/// is declared here has been the same since PostgreSQL 9.2 (https://www.postgresql.org/docs/current/libpq.html).
#ifndef CPOSTGRES_H
#define CPOSTGRES_H

#include <stddef.h>

typedef struct pg_conn PGconn;
typedef struct pg_result PGresult;

/// Of a result.
#define PGRES_COMMAND_OK 1
#define PGRES_TUPLES_OK 2
/// Of a connection.
#define CONNECTION_OK 0
/// Of a ping: the server takes connections, or is there and takes none now.
#define PQPING_OK 0
#define PQPING_REJECT 1
/// The fields of an error: its SQLSTATE, and what it says.
#define PG_DIAG_SQLSTATE 67         // 'C'
#define PG_DIAG_MESSAGE_PRIMARY 77  // 'M'

/// What hears of notices, which otherwise go to standard error.
typedef void (*PQnoticeProcessor)(void *, const char *message);

/// A word of an address (libpq-fe.h).
typedef struct {
    char *keyword, *envvar, *compiled, *val, *label, *dispchar;
    int dispsize;
} PQconninfoOption;

/// Of each function what it returns, its name without `PQ`, and what it takes.
#define POSTGRES_FUNCTIONS(F) \
    F(PGconn *, connectdbParams, (const char *const *keys, const char *const *values, int expand_dbname)) \
    F(PQconninfoOption *, conninfoParse, (const char *address, char **error)) \
    F(void, conninfoFree, (PQconninfoOption *)) \
    F(void, freemem, (void *)) \
    F(void, finish, (PGconn *)) \
    F(int, status, (const PGconn *)) \
    F(PQnoticeProcessor, setNoticeProcessor, (PGconn *, PQnoticeProcessor, void *)) \
    F(char *, errorMessage, (const PGconn *)) \
    F(char *, host, (const PGconn *)) \
    F(char *, port, (const PGconn *)) \
    F(int, pingParams, (const char *const *keys, const char *const *values, int expand_dbname)) \
    F(int, setnonblocking, (PGconn *, int)) \
    F(int, sendPrepare, \
      (PGconn *, const char *name, const char *query, int count, const unsigned int *types)) \
    F(int, sendQueryPrepared, \
      (PGconn *, const char *name, int count, const char *const *values, const int *lengths, const int *formats, \
       int result_format)) \
    F(int, flush, (PGconn *)) \
    F(int, socket, (const PGconn *)) \
    F(int, consumeInput, (PGconn *)) \
    F(int, isBusy, (PGconn *)) \
    F(PGresult *, getResult, (PGconn *)) \
    F(int, resultStatus, (const PGresult *)) \
    F(char *, resultErrorField, (const PGresult *, int field)) \
    F(void, clear, (PGresult *)) \
    F(int, ntuples, (const PGresult *)) \
    F(int, nfields, (const PGresult *)) \
    F(char *, getvalue, (const PGresult *, int row, int column)) \
    F(int, getlength, (const PGresult *, int row, int column)) \
    F(int, getisnull, (const PGresult *, int row, int column)) \
    F(char *, cmdTuples, (PGresult *))

#define POSTGRES_MEMBER(result, name, arguments) result (*name) arguments;
struct PostgresFunctions { POSTGRES_FUNCTIONS(POSTGRES_MEMBER) };

/// Finds the library and all of its functions.
///
/// Returns null, or the name of what is missing.
const char *postgres_load(struct PostgresFunctions *functions);

#endif
