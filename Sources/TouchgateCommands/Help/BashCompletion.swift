/// The completion script for bash, made from the table of verbs.
enum BashCompletion {
  static var script: String {
    """
    # bash completion for touchgate; printed by "touchgate completion bash".

    _touchgate() {
      local verb= option= operands=0 command= candidates= word index
      local current=${COMP_WORDS[COMP_CWORD]}
      local -a words=()
      COMPREPLY=()

      # bash splits --option=value into three words.
      for ((index = 1; index < COMP_CWORD; index++)); do
        [[ ${COMP_WORDS[index]} == = ]] || words+=("${COMP_WORDS[index]}")
      done
      [[ $current != = ]] || current=

      for word in "${words[@]}"; do
        if [[ -n $command ]]; then
          command=arguments
        elif [[ -n $option ]]; then
          option=
        else
          case $verb:$word in
            \(pattern(Verb.all.filter(\.runsCommand).map { "\($0.name):--" }))) command=name ;;
            \(pattern(valueOptions))) option=$word ;;
            *:-*) ;;
            :*) verb=$word ;;
            *) ((operands += 1)) ;;
          esac
        fi
      done

      case $command in
        name) mapfile -t COMPREPLY < <(compgen -c -- "$current"); return ;;
        arguments) _touchgate_files; return ;;
      esac

      case $verb:$option in
    \(lines(valueCandidates, indent: 4))
        *:--*) ;;
        :) candidates="\(words(Verb.all.map(\.name) + ["--version"] + common))" ;;
        *)
          if [[ $current == -* ]]; then
            case $verb in
    \(lines(optionWords, indent: 10))
            esac
          else
            case $verb:$operands in
    \(lines(operandCandidates, indent: 10))
            esac
          fi
          ;;
      esac
      mapfile -t COMPREPLY < <(compgen -W "$candidates" -- "$current")
    }

    _touchgate_files() {
      compopt -o filenames 2> /dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$current")
    }

    # The first word of each line that touchgate prints; nothing if the service does not answer.
    _touchgate_printed() {
      timeout 1 "${COMP_WORDS[0]}" "$@" 2> /dev/null | cut -d ' ' -f 1
    }

    complete -F _touchgate touchgate

    """
  }

  private static var common: [String] { Option.common.map(\.text) }

  /// Every option that is followed by its value: `VERB:--option`.
  private static var valueOptions: [String] {
    let common = Option.common.filter(\.isFollowedByValue).map { "*:\($0.text)" }
    return common
      + Verb.all.flatMap { verb in verb.options.filter(\.isFollowedByValue).map { "\(verb.name):\($0.text)" } }
  }

  private static func pattern(_ words: [String]) -> String { words.joined(separator: " | ") }

  /// A case for each value that can be completed.
  private static var valueCandidates: [String] {
    let common = Option.common.compactMap { option in action(option).map { "*:\(option.text)) \($0) ;;" } }
    return common
      + Verb.all.flatMap { verb in
        verb.options.compactMap { option in action(option).map { "\(verb.name):\(option.text)) \($0) ;;" } }
      }
  }

  private static var optionWords: [String] {
    Verb.all.map { verb in
      let own = verb.options.map(\.text) + (verb.runsCommand ? ["--"] : [])
      return "\(verb.name)) candidates=\"\(words(own + common))\" ;;"
    }
  }

  /// A case for the first operand of each verb, if it can be completed.
  private static var operandCandidates: [String] {
    Verb.all.compactMap { verb in
      verb.operands.first.flatMap { action($0.candidates) }.map { "\(verb.name):0) \($0) ;;" }
    }
  }

  private static func action(_ option: Option) -> String? {
    guard case .required(_, let candidates) = option.value else { return nil }
    return action(candidates)
  }

  private static func action(_ candidates: Candidates) -> String? {
    switch candidates {
    case .unknown: nil
    case .words(let list): "candidates=\"\(words(list))\""
    case .files: "_touchgate_files; return"
    case .verbs: "candidates=\"\(words(Verb.all.map(\.name)))\""
    case .printed(let call): "candidates=$(_touchgate_printed \(call))"
    }
  }

  private static func words(_ list: [String]) -> String { list.joined(separator: " ") }

  private static func lines(_ lines: [String], indent: Int) -> String {
    lines.map { String(repeating: " ", count: indent) + $0 }.joined(separator: "\n")
  }
}

extension Option {
  /// Whether the next word may be its value.
  fileprivate var isFollowedByValue: Bool {
    switch value {
    case .required: true
    case .none, .optional: false
    }
  }
}
