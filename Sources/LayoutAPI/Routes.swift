import HTTP1
import LayoutApplication
import LayoutModel

/// Every resource of the service: the table that routing, `Allow` and the documentation follow.
enum Routes {
    static let all: [Route] =
        (layout + favorites + history + support + catalog + admin + monitoring + documents + console).enumerated().map {
            $1.placed(at: $0)
        }

    /// Without the pages for people.
    static let withoutConsole = Array(all.dropLast(console.count))

    /// Which client asks.
    private static let client = ["platform", "appVersion"]
    private static let write = client + ["validateOnly"]
    /// As many favorites as a catalog allows, and as many that it requires besides, each on a line of its own.
    private static let longestList = 2 * Catalog.mostFavorites * (FunctionID.longest + 16)

    private static let layout = [
        Route(.get, "/v1/users/{user}/layout", "getLayout", .reader, query: client) { try $0.getLayout($1) },
        Route(
            .put, "/v1/users/{user}/layout", "putLayout", .writer, content: .json, query: write,
            longestContent: longestList
        ) { try $0.putLayout($1) },
        Route(.delete, "/v1/users/{user}/layout", "resetLayout", .writer, query: write) { try $0.resetLayout($1) },
        Route(.post, "/v1/users/{user}/layout/operations", "applyOperations", .writer, content: .json, query: write) {
            try $0.applyOperations($1)
        },
        Route(.get, "/v1/users/{user}/page", "getPage", .reader, query: client) { try $0.getPage($1) },
    ]

    private static let favorites = [
        Route(
            .put, "/v1/users/{user}/layout/favorites/{function}", "putFavorite", .writer, content: .optionalJSON,
            query: write
        ) { try $0.putFavorite($1) },
        Route(.delete, "/v1/users/{user}/layout/favorites/{function}", "deleteFavorite", .writer, query: write) {
            try $0.deleteFavorite($1)
        },
        Route(
            .get, "/v1/users/{user}/layout/favorites/{function}/targets", "getDragTargets", .reader,
            query: client + ["proposed"]
        ) { try $0.getTargets($1) },
    ]

    private static let history = [
        Route(
            .get, "/v1/users/{user}/layout/revisions", "listRevisions", .reader,
            query: client + ["pageSize", "pageToken"], isTagged: false
        ) { try $0.listRevisions($1) },
        Route(.get, "/v1/users/{user}/layout/revisions/{version}", "getRevision", .reader, query: client) {
            try $0.getRevision($1)
        },
        Route(.post, "/v1/users/{user}/layout/reversions", "revertLayout", .writer, content: .json, query: write) {
            try $0.revertLayout($1)
        },
        Route(
            .get, "/v1/users/{user}/layout/events", "streamEvents", .reader, produces: "text/event-stream",
            query: client, isTagged: false
        ) { try $0.streamEvents($1) },
    ]

    private static let support = [
        Route(.put, "/v1/users/{user}/layout/lock", "lockLayout", .admin, query: write) { try $0.lockLayout($1) },
        Route(.delete, "/v1/users/{user}/layout/lock", "unlockLayout", .admin, query: write) {
            try $0.unlockLayout($1)
        },
        Route(.get, "/v1/users/{user}", "getUser", .reader, isTagged: false) { try $0.getUser($1) },
        Route(.delete, "/v1/users/{user}", "eraseUser", .writer, query: client) { try $0.eraseUser($1) },
    ]

    private static let catalog = [
        Route(.get, "/v1/catalog", "getCatalog", .anyUser) { try $0.getCatalog($1) },
        Route(
            .put, "/v1/catalog", "publishCatalog", .publisher, content: .json, query: ["validateOnly"],
            longestContent: CatalogCoding.longestDocument
        ) { try $0.publishCatalog($1) },
        Route(
            .get, "/v1/catalog/revisions", "listCatalogRevisions", .anyUser, query: ["pageSize", "pageToken"],
            isTagged: false
        ) { try $0.listCatalogRevisions($1) },
        Route(.get, "/v1/catalog/revisions/{revision}", "getCatalogRevision", .anyUser) {
            try $0.getCatalogRevision($1)
        },
    ]

    private static let admin = [
        Route(.get, "/v1/admin/statistics", "getStatistics", .admin) { $0.getStatistics($1) },
        Route(
            .get, "/v1/admin/users", "listUsers", .admin, query: ["prefix", "pageSize", "pageToken"], isTagged: false
        ) { try $0.listUsers($1) },
        Route(.get, "/v1/admin/log-level", "getLogLevel", .admin, isTagged: false) { try $0.getLogLevel($1) },
        Route(.put, "/v1/admin/log-level", "putLogLevel", .admin, content: .json, isTagged: false) {
            try $0.putLogLevel($1)
        },
        Route(
            .get, "/v1/admin/export", "exportLayouts", .admin, produces: "application/x-ndjson", query: ["after"],
            isTagged: false
        ) { try $0.exportLayouts($1) },
        Route(
            .post, "/v1/admin/import", "importLayouts", .admin, content: .lines, produces: "application/x-ndjson",
            isTagged: false
        ) { try $0.importLayouts($1) },
        Route(.post, "/v1/admin/backup", "makeBackup", .admin, content: .json, isTagged: false) {
            try $0.makeBackup($1)
        },
    ]

    private static let monitoring = [
        Route(.get, "/livez", "livez", .anyone, query: ["verbose"]) { $0.livez($1) },
        Route(.get, "/readyz", "readyz", .anyone, query: ["verbose"]) { $0.readyz($1) },
        Route(.get, "/healthz", "healthz", .anyone, query: ["verbose"]) { $0.readyz($1) },
        Route(.get, "/metrics", "getMetrics", .admin, produces: "text/plain") { try $0.getMetrics($1) },
    ]

    private static let documents = [
        Route(.get, "/openapi.json", "getOpenAPI", .anyone) { try $0.getOpenAPI($1) }
    ]

    private static let console = [
        Route(.get, "/console", "getConsole", .anyone, produces: "text/html") { try $0.getConsole($1) },
        Route(.get, "/console/{file}", "getConsoleFile", .anyone, produces: "text/html") {
            try $0.getConsoleFile($1)
        },
        Route(.get, "/docs", "getDocs", .anyone, produces: "text/html") { try $0.getDocs($1) },
    ]
}
