/// What bash sources to complete `pegboard`.
struct BashCompletions {
    let commands: [Command]

    var text: String {
        """
        # bash completion for pegboard, as `pegboard completions bash` prints it. Needs bash 4.4, and nothing else.
        _pegboard() {
            local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
            COMPREPLY=()
            # bash takes "--flag=value" for three words.
            if [ "$word" = = ]; then word=; elif [ "$before" = = ]; then before=${COMP_WORDS[COMP_CWORD - 2]}; fi
            if [ "$COMP_CWORD" -eq 1 ]; then
                mapfile -t COMPREPLY < <(compgen -W '\(commands.groups.map(\.word).joined(separator: " "))' -- "$word")
                return
            fi
            case $command in
        \(groups)
            esac
            case $before in
        \(values)
            esac
            case $command in
        \(flags)
            esac
        }
        complete -F _pegboard pegboard

        """
    }

    /// Second words.
    private var groups: String {
        commands.families.map { word, members in
            """
                    \(word))
                        if [ "$COMP_CWORD" -eq 2 ]; then
                            mapfile -t COMPREPLY < <(compgen -W '\(members.compactMap { $0.words.dropFirst().first }.joined(separator: " "))' -- "$word")
                            return
                        fi
                        command+=" ${COMP_WORDS[2]}" ;;
            """
        }.joined(separator: "\n")
    }

    /// A flag takes the same kind of value wherever it is taken; those of a kind share an arm.
    private var values: String {
        var names: [(kind: ValueKind, flags: [String])] = []
        for flag in commands.flatMap(\.flags) {
            guard let kind = flag.placeholder.map(ValueKind.init) else { continue }
            let index = names.firstIndex { $0.kind == kind } ?? names.endIndex
            if index == names.endIndex { names.append((kind, [])) }
            if !names[index].flags.contains(flag.name) { names[index].flags.append(flag.name) }
        }
        return names.map { kind, flags in
            "        \(flags.map { "--\($0)" }.joined(separator: "|"))) \(Self.offer(kind))return ;;"
        }.joined(separator: "\n")
    }

    private var flags: String {
        commands.map { command in
            let flags = (command.flags + [.help]).map { "--\($0.name)" }.joined(separator: " ")
            let offer = Self.offer(command.operands.first.map { ValueKind($0.name) } ?? .free)
            return """
                        "\(command.name)")
                            case $word in
                                -*) mapfile -t COMPREPLY < <(compgen -W '\(flags)' -- "$word") ;;
                                *) \(offer)return ;;
                            esac ;;
                """
        }.joined(separator: "\n")
    }

    private static func offer(_ kind: ValueKind) -> String {
        switch kind {
        case .file: #"compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$word"); "#
        case .folder: #"compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$word"); "#
        case .words(let words):
            "mapfile -t COMPREPLY < <(compgen -W '\(words.joined(separator: " "))' -- \"$word\"); "
        case .free: ""
        }
    }
}
