/// What zsh autoloads as `_pegboard`.
struct ZshCompletions {
    let commands: [Command]

    var text: String {
        """
        #compdef pegboard
        # zsh completion for pegboard, as `pegboard completions zsh` prints it.
        local -a choices
        if (( CURRENT == 2 )); then
          choices=(\(commands.groups.map { choice($0.word, $0.members) }.joined(separator: " ")))
          _describe command choices
          return
        fi
        local command=$words[2]
        case $command in
        \(groups)
        esac
        # What is left looks like the command alone to _arguments.
        shift words
        (( CURRENT -= 1 ))
        case $command in
        \(commands.map(arguments).joined(separator: "\n"))
        esac

        """
    }

    private var groups: String {
        commands.families.map { word, members in
            let choices = members.map { quoted("\($0.words[1]):\(plain($0.summary))") }.joined(separator: " ")
            return """
                  \(word))
                    if (( CURRENT == 3 )); then
                      choices=(\(choices))
                      _describe command choices
                      return
                    fi
                    command+=" $words[3]"
                    shift words
                    (( CURRENT -= 1 )) ;;
                """
        }.joined(separator: "\n")
    }

    private func choice(_ word: String, _ members: [Command]) -> String {
        let summary = members[0].name == word ? members[0].summary : members.map(\.name).joined(separator: ", ")
        return quoted("\(word):\(plain(summary))")
    }

    private func arguments(of command: Command) -> String {
        var specifications = (command.flags + [.help]).map { flag in
            let value = flag.placeholder.map { ":\(plain($0)):\(action(ValueKind($0)))" } ?? ""
            return quoted("--\(flag.name)\(flag.placeholder == nil ? "" : "=")[\(plain(flag.help))]\(value)")
        }
        specifications += command.operands.map { operand in
            quoted("\(operand.isOptional ? "::" : ":")\(plain(operand.name)):\(action(ValueKind(operand.name)))")
        }
        return "  \(quoted(command.name))) _arguments \(specifications.joined(separator: " ")) ;;"
    }

    private func action(_ kind: ValueKind) -> String {
        switch kind {
        case .file: "_files"
        case .folder: "_files -/"
        case .words(let words): "(\(words.joined(separator: " ")))"
        case .free: " "
        }
    }

    /// Colons and brackets end a part of a specification.
    private func plain(_ text: String) -> String {
        text.reduce(into: "") { plain, letter in
            if "\\:[]".contains(letter) { plain += "\\" }
            plain.append(letter)
        }
    }

    private func quoted(_ text: String) -> String {
        "'\(text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''"))'"
    }
}
