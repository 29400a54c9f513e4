/// What kind of value an option or an operand takes, read from how the help writes it: `FILE`, `jwt|none`, `TIME`.
enum ValueKind: Equatable {
    case file, folder
    case words([String])
    case free

    init(_ placeholder: String) {
        self =
            switch placeholder {
            case "FILE", "DEST", "SRC": .file
            case "FOLDER": .folder
            default: placeholder.contains("|") ? .words(placeholder.split(separator: "|").map(String.init)) : .free
            }
    }
}
