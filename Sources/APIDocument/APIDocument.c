// The files as they are, in the program: `#embed` (C23) takes milliseconds where a literal takes the compiler minutes.
#include "APIDocument.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char head[] = {
#embed "document/openapi.json"
};

static const unsigned char layout_paths[] = {
#embed "document/paths/layout.json"
};
static const unsigned char favorites_paths[] = {
#embed "document/paths/favorites.json"
};
static const unsigned char history_paths[] = {
#embed "document/paths/history.json"
};
static const unsigned char support_paths[] = {
#embed "document/paths/support.json"
};
static const unsigned char catalog_paths[] = {
#embed "document/paths/catalog.json"
};
static const unsigned char admin_paths[] = {
#embed "document/paths/admin.json"
};
static const unsigned char monitoring_paths[] = {
#embed "document/paths/monitoring.json"
};
static const unsigned char documents_paths[] = {
#embed "document/paths/documents.json"
};

static const unsigned char layout_schemas[] = {
#embed "document/schemas/layout.json"
};
static const unsigned char page_schemas[] = {
#embed "document/schemas/page.json"
};
static const unsigned char history_schemas[] = {
#embed "document/schemas/history.json"
};
static const unsigned char catalog_schemas[] = {
#embed "document/schemas/catalog.json"
};
static const unsigned char admin_schemas[] = {
#embed "document/schemas/admin.json"
};
static const unsigned char problem_schemas[] = {
#embed "document/schemas/problem.json"
};

static const unsigned char parameters[] = {
#embed "document/parameters.json"
};
static const unsigned char headers[] = {
#embed "document/headers.json"
};
static const unsigned char every_answer[] = {
#embed "document/every-answer.json"
};
static const unsigned char responses[] = {
#embed "document/responses.json"
};
static const unsigned char security[] = {
#embed "document/security.json"
};
static const unsigned char problems[] = {
#embed "document/problems.json"
};

#define FILE_OF(name) { name, sizeof name }
#define END { NULL, 0 }

static const struct api_document_file files[][10] = {
    [api_document_head] = { FILE_OF(head), END },
    [api_document_paths] = {
        FILE_OF(layout_paths), FILE_OF(favorites_paths), FILE_OF(history_paths), FILE_OF(support_paths),
        FILE_OF(catalog_paths), FILE_OF(admin_paths), FILE_OF(monitoring_paths), FILE_OF(documents_paths), END,
    },
    [api_document_schemas] = {
        FILE_OF(layout_schemas), FILE_OF(page_schemas), FILE_OF(history_schemas), FILE_OF(catalog_schemas),
        FILE_OF(admin_schemas), FILE_OF(problem_schemas), END,
    },
    [api_document_parameters] = { FILE_OF(parameters), END },
    [api_document_headers] = { FILE_OF(headers), END },
    [api_document_every_answer] = { FILE_OF(every_answer), END },
    [api_document_responses] = { FILE_OF(responses), END },
    [api_document_security] = { FILE_OF(security), END },
    [api_document_problems] = { FILE_OF(problems), END },
};

struct api_document_file api_document_get(enum api_document_part part, size_t index) {
    return files[part][index];
}
