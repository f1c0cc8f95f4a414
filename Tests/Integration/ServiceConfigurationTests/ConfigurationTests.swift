import Glibc
import ServiceConfiguration
import Testing

@Suite("Configuration")
struct ConfigurationTests {
  let root: Root

  init() throws {
    root = try Root()
  }

  // MARK: Folders and files

  @Test("without any file the defaults apply and there are no handlers")
  func defaults() throws {
    let configuration = try root.read()
    #expect(configuration == Configuration())
    #expect(configuration.quietPeriod == .seconds(1))
    #expect(configuration.firstScreenTimeout == .seconds(10))
    #expect(configuration.retryInterval == .seconds(1))
    #expect(configuration.handlers == [:])
    #expect(try Configuration.read(folders: []) == configuration)
    #expect(Configuration.folders == ["/usr/lib/touchgate", "/run/touchgate", "/etc/touchgate"])
  }

  @Test("a later folder wins, key by key; drop-ins override the file of their folder, in the order of their names")
  func order() throws {
    try root.write("usr/touchgate.conf", "[Gate]\nQuietPeriod=1s\nFirstScreenTimeout=1s\n[Queue]\nRetryInterval=1s\n")
    try root.write("usr/touchgate.conf.d/90-last.conf", "[Gate]\nFirstScreenTimeout=90s\n")
    try root.write("usr/touchgate.conf.d/10-first.conf", "[Gate]\nFirstScreenTimeout=10min\nQuietPeriod=10min\n")
    #expect(try root.read().firstScreenTimeout == .seconds(90))
    #expect(try root.read().quietPeriod == .seconds(600))
    #expect(try root.read().retryInterval == .seconds(1))
    try root.write("run/touchgate.conf.d/10-first.conf", "[Queue]\nRetryInterval=2s\n")
    try root.write("etc/touchgate.conf", "[Gate]\nQuietPeriod=3s\n")
    #expect(try root.read().firstScreenTimeout == .seconds(90))
    #expect(try root.read().quietPeriod == .seconds(3))
    #expect(try root.read().retryInterval == .seconds(2))
  }

  @Test("a handler of the same name in a later folder replaces the earlier as a whole, even a broken one")
  func handlerReplaced() throws {
    try root.write("usr/handlers.d/a.conf", "[Handler]\nExec=/bin/usr\nParam=x\nTimeout=1s\n")
    try root.write("usr/handlers.d/b.conf", "[Handler]\nExec=/bin/b\n")
    try root.write("run/handlers.d/a.conf", "nonsense\n")
    try root.write("etc/handlers.d/a.conf", "[Handler]\nExec=/bin/etc\n")
    let handlers = try root.read().handlers
    #expect(handlers.keys.sorted() == ["a", "b"])
    #expect(
      handlers["a"]
        == HandlerDefinition(
          name: "a", file: "\(root.path)/etc/handlers.d/a.conf", kind: .program(["/bin/etc"]), parameters: [],
          timeout: .seconds(300)))
  }

  @Test("a link to /dev/null removes a handler of an earlier folder")
  func masked() throws {
    try root.write("usr/handlers.d/a.conf", "[Handler]\nExec=/bin/usr\n")
    try root.write("etc/handlers.d/other.conf", "[Handler]\nExec=/bin/other\n")
    #expect(symlink("/dev/null", "\(root.path)/etc/handlers.d/a.conf") == 0)
    #expect(try root.read().handlers.keys.sorted() == ["other"])
  }

  @Test("only names in .conf that do not begin with a dot are read")
  func otherNames() throws {
    for name in [".hidden.conf", "a.conf~", "a.conf.swp", "README", ".conf"] {
      try root.write("etc/handlers.d/\(name)", "nonsense\n")
      try root.write("etc/touchgate.conf.d/\(name)", "nonsense\n")
    }
    #expect(try root.read() == Configuration())
  }

  // MARK: form of a file

  @Test("comments, CRLF, a byte order mark, blank lines, indentation and a missing last line feed do not matter")
  func form() throws {
    let text =
      "\u{feff}# one\r\n; two=2\r\n\r\n [Gate] \r\n  # QuietPeriod=9s\r\n\tQuietPeriod =\t2s \r\n"
      + "[Queue]\r\n[Gate]\r\nFirstScreenTimeout=1h 30min"
    try root.write("etc/touchgate.conf", text)
    let configuration = try root.read()
    #expect(configuration.quietPeriod == .seconds(2))
    #expect(configuration.firstScreenTimeout == .seconds(5400))
  }

  @Test("every problem is reported with file, line and what is allowed, all at once and in order")
  func allProblems() throws {
    try root.write(
      "etc/touchgate.conf",
      """
      QuietPeriod=1s
      [Gate]
      QuietPeriodd=1s
      RetryInterval=1s
      firstscreentimeout=1s
      Zebra=1
      QuietPeriod=5 parsecs
      QuietPeriod=
      Oops
      =3
      [Gat]
      Anything=1
      [Handler]
      [Queue
      [Queue] # not here
      []
      [Queue]
      RetryInterval=50ms
      FirstScreenTimeout=1s \\
      """)
    try root.expectProblems([
      ("etc/touchgate.conf", 1, ["QuietPeriod=", "before the first section"]),
      ("etc/touchgate.conf", 3, ["'QuietPeriodd'", "did you mean QuietPeriod=?", "FirstScreenTimeout="]),
      ("etc/touchgate.conf", 4, ["'RetryInterval'", "belongs to [Queue]"]),
      ("etc/touchgate.conf", 5, ["did you mean FirstScreenTimeout=?"]),
      ("etc/touchgate.conf", 6, ["'Zebra'", "valid keys: QuietPeriod=, FirstScreenTimeout="]),
      ("etc/touchgate.conf", 7, ["QuietPeriod=", "'parsecs' is not a unit of time"]),
      ("etc/touchgate.conf", 8, ["QuietPeriod= is duplicated; first set on line 7"]),
      ("etc/touchgate.conf", 8, ["QuietPeriod= is empty; write a time span"]),
      ("etc/touchgate.conf", 9, ["'Oops'", "KEY=VALUE"]),
      ("etc/touchgate.conf", 10, ["'=3'", "KEY=VALUE"]),
      ("etc/touchgate.conf", 11, ["'Gat'", "did you mean [Gate]?"]),
      ("etc/touchgate.conf", 13, ["'Handler'", "[Gate], [Haptics], [Queue]"]),
      ("etc/touchgate.conf", 14, ["'[Queue'", "write [NAME]"]),
      ("etc/touchgate.conf", 15, ["'[Queue] # not here'", "write [NAME]"]),
      ("etc/touchgate.conf", 16, ["'[]'"]),
      ("etc/touchgate.conf", 18, ["RetryInterval= '50ms'", "at least 100 ms"]),
      ("etc/touchgate.conf", 19, ["FirstScreenTimeout=", "backslash"]),
    ])
  }

  @Test("the problems of all files are reported together, one line each in the form of compilers")
  func severalFiles() throws {
    try root.write("usr/touchgate.conf", "[Gate]\nA=1\n")
    try root.write("etc/touchgate.conf.d/x.conf", "[Queue]\n\nRetryInterval=x\n")
    try root.write("etc/handlers.d/h.conf", "[Handler]\n")
    let error = #expect(throws: ConfigurationError.self) { try root.read() }
    let lines = try #require(error).description.split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines.first?.hasPrefix("\(root.path)/usr/touchgate.conf:2: unknown key") == true)
    #expect(
      lines.dropFirst().first?.hasPrefix("\(root.path)/etc/touchgate.conf.d/x.conf:3: RetryInterval= 'x'") == true)
    #expect(
      lines.last?.hasPrefix("\(root.path)/etc/handlers.d/h.conf: Exec=, Unit= or Deliver=yes is required in [Handler]")
        == true)
  }

  @Test("a key given twice in one file is reported, in two files it is not")
  func twice() throws {
    try root.write("etc/touchgate.conf", "[Gate]\nQuietPeriod=1s\n[Queue]\n[Gate]\nQuietPeriod=1s\n")
    try root.expectProblems([("etc/touchgate.conf", 5, ["QuietPeriod= is duplicated; first set on line 2"])])
    try root.write("etc/touchgate.conf", "[Gate]\nQuietPeriod=1s\n")
    try root.write("etc/touchgate.conf.d/a.conf", "[Gate]\nQuietPeriod=2s\n")
    #expect(try root.read().quietPeriod == .seconds(2))
  }

  @Test("a binary file is one problem, and so are letters that are not UTF-8")
  func binary() throws {
    try root.write("etc/touchgate.conf", [91, 71, 93, 10, 65, 61, 0, 1, 2, 0, 10, 0, 255, 10])
    try root.write("etc/touchgate.conf.d/latin1.conf", Array("[Gate]\n# gr".utf8) + [0xfc, 0xdf, 10])
    try root.expectProblems([
      ("etc/touchgate.conf", 2, ["NUL"]), ("etc/touchgate.conf.d/latin1.conf", 2, ["UTF-8"]),
    ])
  }

  @Test(
    "a path that is not a file is reported, and a FIFO does not block", arguments: ["folder", "fifo", "dangling link"])
  func noFile(kind: String) throws {
    try root.write("etc/handlers.d/good.conf", "[Handler]\nExec=/bin/true\n")
    let path = "\(root.path)/etc/handlers.d/x.conf"
    switch kind {
    case "folder": #expect(mkdir(path, 0o755) == 0)
    case "fifo": #expect(mkfifo(path, 0o644) == 0)
    default: #expect(symlink("nowhere", path) == 0)
    }
    let word = ["folder": "is a folder", "fifo": "not a regular file"][kind] ?? "a dangling symbolic link"
    try root.expectProblems([("etc/handlers.d/x.conf", nil, [word])])
  }

  @Test("a file where a folder is expected is reported")
  func fileForFolder() throws {
    try root.write("etc/handlers.d", "")
    try root.expectProblems([("etc/handlers.d", nil, ["cannot be read", "Not a directory"])])
  }

  @Test("an unreadable file is reported", .disabled(if: geteuid() == 0, "root may read every file"))
  func unreadable() throws {
    try root.write("etc/touchgate.conf", "")
    #expect(chmod("\(root.path)/etc/touchgate.conf", 0) == 0)
    try root.expectProblems([("etc/touchgate.conf", nil, ["cannot be read", "Permission denied"])])
  }

  @Test("a line of 100,000 characters is read completely, a file over 1 MiB is refused")
  func long() throws {
    let word = String(repeating: "x", count: 100_000)
    try root.write("etc/handlers.d/h.conf", "[Handler]\nExec=/bin/echo \(word)\nTimeout=x\n")
    try root.expectProblems([("etc/handlers.d/h.conf", 3, ["Timeout="])])
    try root.write("etc/handlers.d/h.conf", "[Handler]\nExec=/bin/echo \(word)\nTimeout=1s\n")
    #expect(try root.read().handlers["h"]?.kind == .program(["/bin/echo", word]))
    try root.write("etc/handlers.d/h.conf", String(repeating: "# comment\n", count: 110_000))
    try root.expectProblems([("etc/handlers.d/h.conf", nil, ["larger than 1 MiB"])])
  }

  // MARK: handlers

  @Test("a handler has program, arguments, parameters in order and timeout exactly as written")
  func handler() throws {
    try root.write(
      "etc/handlers.d/reload-page.conf",
      """
      [Handler]
      Exec="/opt/my app/reload" --mode=fast "two words" ; # $HOME %i
      Param=url   ^https?://[^#; "']+=\\d?$
      Param=name
      Param=_9 [a-z]+
      Timeout=infinity
      """)
    let handler = try #require(try root.read().handlers["reload-page"])
    #expect(handler.name == "reload-page")
    #expect(handler.file == "\(root.path)/etc/handlers.d/reload-page.conf")
    #expect(
      handler.kind == .program(["/opt/my app/reload", "--mode=fast", "two words", ";", "#", "$HOME", "%i"]))
    #expect(
      handler.parameters == [
        ParameterDefinition(name: "url", pattern: "^https?://[^#; \"']+=\\d?$"),
        ParameterDefinition(name: "name", pattern: nil), ParameterDefinition(name: "_9", pattern: "[a-z]+"),
      ])
    #expect(handler.timeout > .seconds(1_000_000_000))
  }

  @Test(
    "Exec= is split as systemd does",
    arguments: [
      ("/a", ["/a"]), ("/a  b\tc ", ["/a", "b", "c"]), ("/a 'b c' \"d e\"", ["/a", "b c", "d e"]),
      ("/a x'b c'y\"d\"", ["/a", "xb cyd"]), ("/a '' \"\"", ["/a", "", ""]),
      (#"/a "q\"q" "b\\b" "n\nt\ts\s""#, ["/a", "q\"q", "b\\b", "n\nt\ts "]), (#"/a '\n"' "'""#, ["/a", #"\n""#, "'"]),
      ("/ä 'ö\u{301}'\u{301}", ["/ä", "ö\u{301}\u{301}"]),
    ])
  func words(text: String, words: [String]) throws {
    try root.write("etc/handlers.d/h.conf", "[Handler]\nExec=\(text)\n")
    let handler = try #require(try root.read().handlers["h"])
    #expect(handler.kind == .program(words))
  }

  @Test(
    "an Exec= that cannot be used is reported",
    arguments: [
      ("", "is empty"), ("bin/true", "'bin/true' is not an absolute path"), ("-/bin/true", "not an absolute path"),
      ("''", "not an absolute path"), ("/a 'b", "quote ' is not closed"), ("/a \"b", "quote \" is not closed"),
      (#"/a "b\""#, "quote \" is not closed"), (#"/a "\q""#, #"unknown escape \q"#), (#"/a b\ c"#, "outside quotes"),
    ])
  func badExec(text: String, message: String) throws {
    try root.write("etc/handlers.d/h.conf", "[Handler]\nExec=\(text)\n")
    try root.expectProblems([("etc/handlers.d/h.conf", 2, ["Exec=", message])])
  }

  @Test("a handler without Exec=, with wrong keys, parameters or time-outs is reported, each line by itself")
  func badHandler() throws {
    let long = String(repeating: "n", count: 65)
    try root.write(
      "etc/handlers.d/h.conf",
      """
      [Handler]
      Exce=/bin/true
      Param=
      Param=9nine
      Param=a-b x
      Param=\(long)
      Param=open (a
      Param=range [b-a]
      Param=fine .*
      Param=fine
      Timeout=0
      Timeout=1s
      RetryInterval=1s
      [Gate]
      QuietPeriod=1s
      """)
    try root.expectProblems([
      ("etc/handlers.d/h.conf", 2, ["'Exce'", "did you mean Exec=?"]),
      ("etc/handlers.d/h.conf", 3, ["Param= ''", "NAME PATTERN"]),
      ("etc/handlers.d/h.conf", 4, ["'9nine'"]),
      ("etc/handlers.d/h.conf", 5, ["'a-b'"]),
      ("etc/handlers.d/h.conf", 6, ["up to 63"]),
      ("etc/handlers.d/h.conf", 7, ["open: '(a'", "unmatched ("]),
      ("etc/handlers.d/h.conf", 8, ["range: '[b-a]'", "ends before it begins"]),
      ("etc/handlers.d/h.conf", 10, ["fine is declared twice"]),
      ("etc/handlers.d/h.conf", 11, ["Timeout= '0' is too short"]),
      ("etc/handlers.d/h.conf", 12, ["Timeout= is duplicated; first set on line 11"]),
      ("etc/handlers.d/h.conf", 13, ["'RetryInterval'", "Exec=, Unit=, Deliver=, Param=, Timeout="]),
      ("etc/handlers.d/h.conf", 14, ["'Gate'", "[Handler]"]),
      ("etc/handlers.d/h.conf", nil, ["Exec=, Unit= or Deliver=yes is required"]),
    ])
  }

  @Test(
    "the name of a handler's file must be a name",
    arguments: ["two words", "ä", "a@b", String(repeating: "n", count: 65)])
  func badName(name: String) throws {
    try root.write("etc/handlers.d/\(name).conf", "[Handler]\nExec=/bin/true\n")
    try root.expectProblems([("etc/handlers.d/\(name).conf", nil, ["is the handler's name", "64"])])
  }

  @Test("names of 64 characters, of handlers and of parameters, are good")
  func longNames() throws {
    let name = String(repeating: "n", count: 64)
    try root.write("etc/handlers.d/\(name).conf", "[Handler]\nExec=/bin/true\nParam=\(name)\n")
    #expect(try root.read().handlers[name]?.parameters.map(\.name) == [name])
  }

  // MARK: parameters of a request

  @Test("a request's parameters are checked against names and patterns; the message names the rule, never the value")
  func parameters() throws {
    try root.write(
      "etc/handlers.d/h.conf",
      "[Handler]\nExec=/bin/true\nParam=url ^https?://\nParam=word ^[a-z]+$\nParam=any\nParam=inside b|c\n")
    let handler = try #require(try root.read().handlers["h"])
    #expect(handler.check(parameters: [:]) == nil)
    #expect(handler.check(parameters: ["url": "http://x y\n", "word": "abc", "any": "", "inside": "abc"]) == nil)
    func problem(_ name: String, _ value: String) -> String? {
      let problem = handler.check(parameters: ["inside": "b"].merging([name: value]) { $1 })
      #expect(problem?.parameter == name)
      #expect(problem?.message.contains("SECRET") == false)
      return problem?.message
    }
    #expect(problem("url", "SECRET https://") == "parameter url must match ^https?://")
    #expect(problem("word", "SECRET") == "parameter word must match ^[a-z]+$")
    #expect(problem("word", "abc\n") == "parameter word must match ^[a-z]+$")
    #expect(problem("word", "") == "parameter word must match ^[a-z]+$")
    #expect(problem("any", "a\0SECRET") == "parameter any must not contain a NUL character")
    #expect(problem("word", "abc\0SECRET") == "parameter word must not contain a NUL character")
    #expect(problem("URL", "SECRET") == "handler h has no parameter 'URL'; it has url, word, any, inside")
    #expect(handler.check(parameters: ["b": "", "a\n": ""])?.message.contains("'a\\n'") == true)
  }

  @Test("the message for a handler without parameters ends in none")
  func noParameters() throws {
    try root.write("etc/handlers.d/h.conf", "[Handler]\nExec=/bin/true\n")
    let handler = try #require(try root.read().handlers["h"])
    #expect(handler.check(parameters: ["x": ""])?.message == "handler h has no parameter 'x'; it has none")
  }

  @Test("letters outside ASCII match as bytes")
  func unicodePattern() throws {
    try root.write("etc/handlers.d/h.conf", "[Handler]\nExec=/bin/true\nParam=a ^ä.*$\nParam=b ^[^/]+$\n")
    let handler = try #require(try root.read().handlers["h"])
    #expect(handler.check(parameters: ["a": "äöü 触", "b": "触摸"]) == nil)
    #expect(handler.check(parameters: ["a": "o", "b": "x"])?.parameter == "a")
  }

  @Test("programs that are missing, not a file or not executable are reported; others are not")
  func missingPrograms() throws {
    try root.write("plain", "#!/bin/sh\n")
    for (name, program) in [
      ("a", "/bin/true"), ("b", "\(root.path)/none"), ("c", "\(root.path)/plain"), ("d", root.path),
    ] { try root.write("etc/handlers.d/\(name).conf", "[Handler]\nExec=\(program)\n") }
    let problems = try root.read().missingPrograms()
    #expect(problems.map(\.file) == ["b", "c", "d"].map { "\(root.path)/etc/handlers.d/\($0).conf" })
    let words = ["No such file", "cannot execute \(root.path)/plain: Permission denied", "not a regular file"]
    for (problem, word) in zip(problems, words) { #expect(problem.message.contains(word)) }
    #expect(chmod("\(root.path)/plain", 0o755) == 0)
    #expect(try root.read().missingPrograms().count == 2)
  }
}
