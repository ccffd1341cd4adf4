import Foundation
import Sluice
import TestSupport
import Testing

/// A small program queries the capabilities of the library and uses them.
///
/// Here, the program runs with the library that the tests link. The tests of preloaded libraries run it with
/// another library loaded first, which has more functions.
@Suite(.tags(.library)) struct `capabilities of the linked library` {
  @Test func `the program Capabilities prints each capability and known defect of the library`()
    throws
  {
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
  func `using a capability succeeds if it is available, and otherwise throws or falls back`(
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
