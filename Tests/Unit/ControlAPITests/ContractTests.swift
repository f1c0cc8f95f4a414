import Foundation
import HTTPTypes
import PlainWords
import ProjectFiles
import Testing

@testable import ControlAPI

/// docs/openapi.yaml, read line by line in its present layout.
private struct ContractFile {
  struct Operation: Equatable {
    var path: String
    var method: String
    var id = ""
    var query: [Endpoint.QueryParameter] = []
    /// Nil: no body.
    var bodyIsRequired: Bool?
    /// The schema of the body.
    var schema = ""
  }

  var operations: [Operation] = []
  /// Names of the properties, by schema.
  var properties: [String: Set<String>] = [:]

  init() throws {
    let text = try ProjectFiles.text("docs/openapi.yaml")
    var section: [Substring] = []
    for line in text.split(separator: "\n") {
      let indent = line.prefix { $0 == " " }.count
      let words = line.dropFirst(indent)
      section = section.prefix(indent / 2) + [words]
      switch section.first {
      case "paths:": readPath(section, indent, String(words))
      case "components:" where section.count > 4 && section[1] == "schemas:" && section[3] == "properties:":
        if indent == 8 { properties[String(section[2].dropLast()), default: []].insert(Self.key(words)) }
      default: break
      }
    }
  }

  private static func key(_ words: Substring) -> String { String(words.prefix { $0 != ":" }) }

  private mutating func readPath(_ section: [Substring], _ indent: Int, _ words: String) {
    if indent == 4 && words != "parameters:" {
      operations.append(Operation(path: String(section[1].dropLast()), method: words.dropLast().uppercased()))
    }
    guard indent > 4, section[2] != "parameters:", !operations.isEmpty else { return }
    let last = operations.count - 1
    if words.hasPrefix("operationId: "), indent == 6 { operations[last].id = String(words.dropFirst(13)) }
    if section[3] == "parameters:" {
      if words.hasPrefix("- name: ") {
        operations[last].query.append(Endpoint.QueryParameter(stringLiteral: String(words.dropFirst(8))))
      }
      let parameter = operations[last].query.count - 1
      if words == "required: true" { operations[last].query[parameter].isRequired = true }
      if words == "explode: true" { operations[last].query[parameter].isRepeatable = true }
    }
    if section[3] == "requestBody:" {
      if words.hasPrefix("required: "), indent == 8 { operations[last].bodyIsRequired = words == "required: true" }
      if words.hasPrefix("schema: "), let name = words.split(separator: "/").last?.prefix(while: \.isLetter) {
        operations[last].schema = String(name)
      }
    }
  }
}

@Suite("docs/openapi.yaml and the table of endpoints agree")
struct ContractTests {
  private let file: ContractFile

  init() throws {
    file = try ContractFile()
    try #require(file.operations.count > 20 && file.properties.count > 20)
  }

  @Test("the file and the table have the same methods and paths, and no others")
  func rows() {
    let operations = Set(file.operations.map { "\($0.method) \($0.path)" })
    #expect(operations == Set(Endpoint.table.map { "\($0.method.rawValue) \($0.path)" }))
    #expect(file.operations.count == Endpoint.table.count)
  }

  @Test("every row has the operation id, query parameters and body of the file")
  func contents() throws {
    for endpoint in Endpoint.table {
      let operation = try #require(
        file.operations.first { $0.method == endpoint.method.rawValue && $0.path == endpoint.path })
      let (_, call) = try Endpoint.match(operation.method, operation.path.replacing("{id}", with: "an-id"))
      #expect(call.name == operation.id)
      #expect(endpoint.query == operation.query, "\(operation.id)")
      switch endpoint.body {
      case .none: #expect(operation.bodyIsRequired == nil, "\(operation.id)")
      case .optional(let fields):
        #expect(operation.bodyIsRequired == false && file.properties[operation.schema] == fields, "\(operation.id)")
      case .required(let fields):
        #expect(operation.bodyIsRequired == true && file.properties[operation.schema] == fields, "\(operation.id)")
      }
    }
  }

  @Test("every case of Call has a row")
  func calls() throws {
    let text = try ProjectFiles.text("Sources/ControlAPI/Endpoints/Call.swift")
    let cases = text.split(separator: "\n").compactMap { line in
      line.hasPrefix("  case ") ? String(line.dropFirst(7).prefix { $0 != "(" }) : nil
    }
    try #require(cases.count > 20)
    #expect(Set(cases) == Set(file.operations.map(\.id)))
  }

  @Test("the file is in plain words")
  func plain() throws {
    for line in try ProjectFiles.text("docs/openapi.yaml").split(separator: "\n") where !line.contains("operationId: ")
    {
      #expect(PlainWords.violations(String(line)) == [])
    }
  }

  @Test("the program serves the file unchanged")
  func served() throws {
    let bytes = try Data(contentsOf: ProjectFiles.root.appending(path: "docs/openapi.yaml"))
    #expect(Contract.response.body == Array(bytes))
    #expect(Contract.response.contentType == "application/yaml")
  }
}
