import Foundation
import HTTPTypes
import ProjectFiles
import SocketServer
import Testing

@testable import Service

/// docs/openapi.yaml, read line by line, as it is laid out.
private struct Contract {
  struct Operation {
    var path: String
    var method: String
    var id = ""
    var queryNames: Set<String> = []
  }

  var operations: [Operation] = []

  init() throws {
    let text = try ProjectFiles.text("docs/openapi.yaml")
    var (path, name, isInPaths) = ("", "", false)
    for line in text.split(separator: "\n") {
      let indent = line.prefix { $0 == " " }.count
      let words = line.dropFirst(indent)
      switch indent {
      case 0: isInPaths = words == "paths:"
      case 2 where isInPaths: path = String(words.dropLast())
      case 4 where isInPaths && words != "parameters:":
        operations.append(Operation(path: path, method: words.dropLast().uppercased()))
      case 6...10 where isInPaths && !operations.isEmpty:
        let last = operations.count - 1
        if words.hasPrefix("operationId: ") { operations[last].id = String(words.dropFirst(13)) }
        if words.hasPrefix("- name: ") { name = String(words.dropFirst(8)) }
        if words == "in: query" { operations[last].queryNames.insert(name) }
      default: break
      }
    }
  }
}

@Suite("docs/openapi.yaml and the service name the same")
struct ContractTests {
  private let contract: Contract
  private static let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"]

  init() throws {
    contract = try Contract()
    try #require(contract.operations.count > 20)
  }

  @Test("every call and method of the file is routed, by its name, and no other method of its path")
  func fileToRouter() {
    for (path, operations) in Dictionary(grouping: contract.operations, by: \.path) {
      for method in Self.methods {
        let match = Call.match(method, path.replacing("{id}", with: "an-id"))
        let operation = operations.first { $0.method == method }
        guard let operation else {
          if case .call = match { Issue.record("\(method) \(path) is there, and not in the file") }
          continue
        }
        guard case .call(let call) = match else {
          Issue.record("\(method) \(path) is in the file, and not there")
          continue
        }
        #expect("\(call)".prefix { $0 != "(" } == operation.id)
        #expect(call.queryNames == operation.queryNames, "\(operation.id)")
      }
    }
  }

  @Test("every call of the router is in the file")
  func routerToFile() throws {
    let text = try ProjectFiles.text("Sources/Service/Requests/Router.swift")
    let cases = text.split(separator: "\n").prefix { !$0.contains("enum Match") }.compactMap { line in
      line.hasPrefix("  case ") ? String(line.dropFirst(7).prefix { $0 != "(" }) : nil
    }
    try #require(cases.count > 20)
    #expect(Set(cases) == Set(contract.operations.map(\.id)))
  }

  @Test("the program serves the file as it is")
  func served() throws {
    let file = try Data(contentsOf: ProjectFiles.root.appending(path: "docs/openapi.yaml"))
    #expect(Service.Contract.response.body == Array(file))
  }
}
