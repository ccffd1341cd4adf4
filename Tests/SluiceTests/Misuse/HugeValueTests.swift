import Foundation
import Sluice
import TestSupport
import Testing

/// Sluice rejects values that are too large for SQLite before it copies them.
///
/// Each test runs in its own process, so that other tests do not affect the peak memory.
@Suite(.tags(.reliability), .serialized, .timeLimit(.minutes(10))) struct `values beyond 2 GiB` {
  @Test func `binding bytes beyond 2 GiB throws without copying them`() async {
    await #expect(processExitsWith: .success) {
      let bytes = unsafe [UInt8](unsafeUninitializedCapacity: huge) { $1 = huge }
      try expectTooBig(.bytes(bytes))
      try expectTooBig(.value(.blob(bytes)))
      try expectTooBig(
        .array([.bytes(bytes)]), "SELECT value FROM array(?)", small: .array([1]))
    }
  }

  @Test func `binding text beyond 2 GiB throws without copying it`() async {
    await #expect(processExitsWith: .success) {
      // All pages map to the same zero page.
      let text = unsafe String(unsafeUninitializedCapacity: huge) { _ in huge }
      try expectTooBig(.string(text))
    }
  }

  @Test func `binding Data beyond 2 GiB throws without copying it`() async {
    await #expect(processExitsWith: .success) {
      let folder = try TestFolder()
      let file = folder.url.appending(path: "zeros")
      #expect(FileManager.default.createFile(atPath: file.path, contents: nil))
      let handle = try FileHandle(forWritingTo: file)
      try handle.truncate(atOffset: UInt64(huge))
      try handle.close()
      let data = try Data(contentsOf: file, options: .alwaysMapped)
      #expect(data.count == huge)
      try expectTooBig(.data(data))
      try expectTooBig(SQLParameter(data))
    }
  }

  @Test func `a function that returns a result beyond 2 GiB throws without copying it`() async {
    await #expect(processExitsWith: .success) {
      let bytes = unsafe [UInt8](unsafeUninitializedCapacity: huge) { $1 = huge }
      let connection = try Connection()
      try connection.addFunction("huge", arity: 0) { _ in .blob(bytes) }
      try connection.addFunction("typed") { () in bytes }
      try expectLittleMemory {
        for sql in ["SELECT huge()", "SELECT typed()", "SELECT length(huge())"] {
          #expect(failure { try connection.execute(sql: sql) }?.code == .tooBig)
        }
      }
      #expect(try connection.first(.column(.int), sql: "SELECT 1") == 1)
    }
  }
}

private let huge = 1 << 31 + 1

/// Checks that a parameter is rejected, and that the statement remains usable.
private func expectTooBig(
  _ parameter: @autoclosure () -> SQLParameter, _ sql: String = "SELECT ?", small: SQLParameter = 1
) throws {
  let connection = try Connection()
  let statement = try connection.prepare(sql: sql)
  try expectLittleMemory {
    let error = failure { try statement.bind(parameter()).execute() }
    #expect(error?.code == .tooBig)
  }
  #expect(try statement.bind(small).rows().count == 1)
}

/// Checks that the peak memory grows by less than 100 MB.
private func expectLittleMemory(_ body: () throws -> Void) throws {
  let before = try peakMemory()
  try body()
  let growth = try peakMemory() - before
  #expect(growth < 100_000_000)
}

/// Returns the peak memory of the process so far, in bytes.
private func peakMemory() throws -> Int {
  #if os(Linux)
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
    return try #require(Int(line.filter(\.isNumber))) * 1024
  #else
    return 0
  #endif
}
