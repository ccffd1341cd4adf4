import Allocations
import Foundation
import Sluice
import SluiceData
import SluiceTesting
import TestSupport
import Testing

@Suite(.tags(.reliability)) struct `the progress of imports` {
  private let folder: TestFolder
  private let url: URL
  private let size: Int

  init() throws {
    folder = try TestFolder()
    let text = "id,name\n" + (0..<100_000).map { "\($0),name \($0)\n" }.joined()
    try folder.write(Array(text.utf8), to: "a.csv")
    size = text.utf8.count
    url = URL(filePath: folder.file("a.csv"))
  }

  @Test func `progress grows to the size of the file`() throws {
    let connection = try Connection()
    for (isNew, factor) in [(true, 2), (false, 1)] {
      var steps: [DataProgress] = []
      let result = try connection.importRows(from: url, into: "t") { steps.append($0) }
      #expect(steps.count > 10)
      #expect(steps.map(\.byteCount) == steps.map(\.byteCount).sorted())
      #expect(steps.map(\.rowCount) == steps.map(\.rowCount).sorted())
      #expect(steps.last == result)
      #expect(result.rowCount == 100_000)
      #expect(result.byteCount == size * factor)
      #expect(result.totalByteCount == size * factor)
      #expect(result.fraction == 1)
      #expect(steps.first.flatMap(\.fraction).map { $0 < 0.5 } == true, "new: \(isNew)")
    }
    let chunks = try connection.importRows(from: [Array("id\n1\n".utf8)], as: .csv, into: "t")
    #expect(chunks.fraction == nil)
    #expect(chunks.byteCount == 5)
  }

  @Test func `an error of the progress closure rolls the import back`() throws {
    let connection = try Connection()
    let error = foreignFailure {
      try connection.importRows(from: url, into: "t") { progress in
        if progress.rowCount > 10_000 { throw ForeignError() }
      }
    }
    #expect(error == ForeignError())
    #expect(try connection.table(named: "t") == nil)
  }

  @Test(arguments: [0, 50_000])
  func `cancelling the task stops an import`(_ rows: Int) async throws {
    let queue = try ConnectionQueue(label: "import")
    let task = Task { [url] in
      try await queue.perform { connection in
        _ = try connection.importRows(from: url, into: "t") { progress in
          if progress.rowCount >= rows { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
        }
      }
    }
    let error = await failure(of: task)
    #expect(error is CancellationError)
    let table = try await queue.perform { connection in try connection.table(named: "t") }
    #expect(table == nil)
  }

  @Test func `cancelling the task stops an import on a connection without a queue`() async throws {
    let task = Task { [url] in
      let connection = try Connection()
      let error = Result {
        try connection.importRows(from: url, into: "t") { _ in
          unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
        }
      }
      #expect(try connection.table(named: "t") == nil)
      _ = try error.get()
    }
    #expect(await failure(of: task) is CancellationError)
  }

  @Test func `an import needs an open and writable connection`() throws {
    try folder.write([], to: "empty.db")
    let connection = try Connection(path: folder.file("empty.db"), readOnly: true)
    #expect(failure { try connection.importRows(from: url, into: "t") }?.code.primary == .readOnly)
    try connection.close()
    #expect(failure { try connection.importRows(from: url, into: "t") }?.code == .misuse)
    #expect(failure { try connection.exportRows("SELECT 1", as: .csv) { _ in } }?.code == .misuse)
    let writer = try Connection(path: folder.file("b.db"))
    try writer.execute(sql: "CREATE TABLE t(id, name); BEGIN IMMEDIATE")
    var configuration = Configuration()
    configuration.busyTimeout = .zero
    let other = try Connection(path: folder.file("b.db"), configuration: configuration)
    #expect(failure { try other.importRows(from: url, into: "t") }?.code.primary == .busy)
    let unknown = URL(filePath: folder.file("a.txt"))
    #expect(failure { try writer.importRows(from: unknown, into: "t") }?.code == .misuse)
  }

  @Test func `a full disk rolls the import back`() throws {
    let connection = try Connection(path: folder.file())
    try connection.execute(sql: "PRAGMA max_page_count = 50")
    let error = failure { try connection.importRows(from: url, into: "t") }
    #expect(error?.code == .full)
    #expect(try connection.table(named: "t") == nil)
    #expect(connection.isInAutocommit)
  }

  #if os(Linux)
    @Test(.enabled(if: allocations_are_counted(), "A sanitizer keeps memory that was freed."))
    func `the memory of an import does not depend on the size of the data`() async {
      // Other tests would change the peak memory of this process.
      await #expect(processExitsWith: .success) {
        let folder = try TestFolder()
        let connection = try Connection(path: folder.file())
        let line = Array("1,\(String(repeating: "x", count: 990))\n".utf8)
        let chunk = Array(repeatElement(line, count: 100).joined())
        func read(_ count: Int) throws {
          let chunks = sequence(first: Array("id,name\n".utf8)) { _ in chunk }.prefix(count + 1)
          let result = try connection.importRows(from: chunks, as: .csv, into: "t")
          #expect(result.rowCount == count * 100)
        }
        try read(100)
        let before = try peakMemory()
        // The rows are 50 MB.
        try read(500)
        let growth = try peakMemory() - before
        #expect(growth < 5_000_000, "\(growth) bytes")
      }
    }
  #endif
}
