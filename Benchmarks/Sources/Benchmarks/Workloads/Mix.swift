import CTwins
import Dispatch
import Foundation
import Sluice
import Synchronization

/// Workload 11: two threads read from a file with a WAL while a third thread writes, using a pool.
///
/// C uses its own pool, whose connections reuse their statements. C also reads in transactions.
final class Mix: Workload {
  let c: Twin
  private let counted: Counted
  private let count: Int
  private let folder: TemporaryFolder
  private static let rowCount = 10_000

  /// The counted operation; the other threads continue until the count is reached.
  enum Counted { case reads, writes }

  init(count: Int, _ counted: Counted) throws {
    self.counted = counted
    self.count = count / 2 * 2
    folder = try TemporaryFolder()
    for side in Side.allCases {
      let connection = try Connection(path: Self.path(folder, side))
      try connection.execute(sql: "PRAGMA journal_mode = WAL; \(Sample.rows(Self.rowCount))")
    }
    let attach = "ATTACH DATABASE '\(Self.path(folder, .c))' AS source"
    c =
      switch counted {
      case .reads: try unsafe Twin(twin_mix_reads, count: self.count, sql: attach)
      case .writes: try unsafe Twin(twin_mix_writes, count: self.count, sql: attach)
      }
  }

  private static func path(_ folder: TemporaryFolder, _ side: Side) -> String {
    folder.url.appending(path: "\(side).db").path
  }

  func sluice() throws -> Int64 {
    var configuration = Configuration()
    configuration.prepareConnection { try $0.execute(sql: "PRAGMA synchronous = NORMAL") }
    let pool = try ConnectionPool(
      path: Self.path(folder, .sluice), readers: 2, configuration: configuration)
    let threads = Threads(count: counted == .reads ? 2 : 1)
    let (counted, count) = (counted, count)
    let group = DispatchGroup()
    for number in 0..<2 {
      DispatchQueue(label: "reader \(number)").async(group: group) {
        threads.run(counted == .reads ? count / 2 : nil) { try Self.read($0, pool) }
      }
    }
    DispatchQueue(label: "writer").async(group: group) {
      threads.run(counted == .writes ? count : nil) { try Self.write($0, pool) }
    }
    group.wait()
    try pool.syncClose()
    return try threads.sum.withLock { try $0.get() }
  }

  private static func read(_ number: Int, _ pool: ConnectionPool) throws -> Int64 {
    let id = Int64(number * 7919 % rowCount + 1)
    return try pool.syncRead { connection in
      try connection.first(
        .column(.int64), sql: "SELECT id FROM sample WHERE id = ?1", parameters: .int64(id))
    } ?? 0
  }

  private static func write(_ number: Int, _ pool: ConnectionPool) throws -> Int64 {
    let id = Int64(number * 7919 % rowCount + 1)
    try pool.syncWrite { connection in
      try connection.execute(
        sql: "UPDATE sample SET value = value + 1 WHERE id = ?1", parameters: .int64(id))
    }
    return 1
  }
}

/// Threads, some of which make a fixed number of calls; the others continue until those have finished.
private final class Threads: Sendable {
  private let running: Atomic<Int>
  let sum = Mutex<Result<Int64, any Error>>(.success(0))

  init(count: Int) { running = Atomic(count) }

  /// Calls `body` `count` times, and adds its results to the sum.
  ///
  /// If `count` is nil, calls `body` until the threads with a count have finished.
  func run(_ count: Int?, _ body: (_ number: Int) throws -> Int64) {
    let result = Result {
      var part: Int64 = 0
      var number = 0
      while count.map({ number < $0 }) ?? (running.load(ordering: .relaxed) > 0) {
        part &+= try body(number)
        number += 1
      }
      return count == nil ? 0 : part
    }
    if count != nil { running.subtract(1, ordering: .relaxed) }
    sum.withLock { sum in sum = Result { try sum.get() &+ result.get() } }
  }
}
