import ConsoleFiles
import HTTP1

/// The console's files, as they are given out. The program holds them: a page and its scripts are always of one version.
enum WebFile {
    /// By name. Compressed when somebody asks for the first one.
    static let all: [String: KeptRepresentation] = {
        var files: [String: KeptRepresentation] = [:]
        for index in 0..<console_file_count {
            let file = console_file_at(index)
            let name = String(cString: file.name)
            files[name] = kept(name, Array(UnsafeBufferPointer(start: file.octets, count: file.count)))
        }
        return files
    }()

    private static func kept(_ name: String, _ content: [UInt8]) -> KeptRepresentation {
        // The content names itself: as long as the tag is the same a browser keeps what it has.
        let tag = SHA256Digest(of: content).hexadecimal.prefix(16)
        let representation = Representation(
            tag: String(tag), mediaType: mediaType(of: name), cacheControl: "no-cache", contentPolicy: policy)
        return KeptRepresentation(representation, content: content)
    }

    /// Scripts and styles of our own, nothing inline, no frame around it, and no talk with anybody else.
    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

    private static func mediaType(of name: String) -> String {
        switch name.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "svg": "image/svg+xml"
        default: "application/octet-stream"
        }
    }
}
