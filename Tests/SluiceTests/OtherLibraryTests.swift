import Foundation
import Sluice
import TestSupport
import Testing

/// A small program, which asks the library what it can do and does it, run with the library that these
/// tests are linked with, and with one before it that has more.
@Suite(.tags(.library)) struct `libraries that lack something or have it` {
  @Test func `the program tells what the library can do`() throws {
    let (status, output) = try Program.run("Capabilities")
    #expect(status == 0)
    let lines = output.split(separator: "\n")
    #expect(lines.first == "SQLite \(SQLiteLibrary.version)")
    for capability in SQLiteCapability.allCases {
      #expect(lines.contains("\(capability): \(SQLiteLibrary.has(capability) ? "yes" : "no")"))
    }
    for defect in SQLiteLibrary.knownDefects {
      #expect(lines.contains("\(defect.name): \(defect.summary)"))
    }
  }

  @Test(
    arguments: [
      ("runs", .normalizedSQL, "SELECT name FROM person WHERE id=?;"),
      ("origins", .columnMetadata, #"["name"]"#),
      ("scan", .scanStatus, "[SluiceCore.ScanStatus("), ("reset", .scanStatus, "()"),
      ("key", .encryption, "Configuration("),
    ] as [(String, SQLiteCapability, String)])
  func `what the library has is done, and what it lacks is said`(
    action: String, capability: SQLiteCapability, result: String
  ) throws {
    let lines = try Program.run("Capabilities").output.split(separator: "\n")
    let line = try #require(
      lines.first { $0.hasPrefix("\(action):") || $0.hasPrefix("\(action) ") })
    if SQLiteLibrary.has(capability) {
      #expect(line.hasPrefix("\(action): \(result)"))
    } else if action == "runs" {
      #expect(line == #"runs something that returns ["name"]"#)
    } else {
      let lack = "The linked SQLite \(SQLiteLibrary.version) lacks \(capability)"
      #expect(line.hasPrefix("\(action) throws: \(lack); it needs a build with "))
    }
  }
}
