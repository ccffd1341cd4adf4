import CTwins
import Foundation
import Sluice
import Synchronization

/// Workloads 16 to 18: threads or tasks share one pool or queue, and read by key until `count` rows are read.
final class Contention: Workload {
  let c: Race
  private let meeting: Meeting
  private let measure: Measure
  private let count: Int
  private let folder: TemporaryFolder
  private var outcome: Outcome?
  static let rowCount = 10_000

  /// The pool or queue that the threads or tasks share.
  enum Meeting {
    /// Eight threads read through a pool while a ninth thread writes; in C, each thread has its own connection.
    case pool(readers: Int)
    /// Eight threads share a queue; in C, they share a connection with a mutex.
    case queue
    /// A hundred tasks await a queue; in C, a hundred jobs wait for a thread.
    case tasks
  }

  /// The figure that a run measures.
  enum Measure {
    case timeOfEach
    /// The time in which 99 of 100 reads complete.
    case percentile
    /// The time per read on the thread with the fewest reads.
    case unluckiest
    case timeOfCommit
  }

  init(count: Int, _ meeting: Meeting, _ measure: Measure = .timeOfEach) throws {
    self.count = count
    self.meeting = meeting
    self.measure = measure
    folder = try TemporaryFolder()
    for side in Side.allCases {
      let connection = try Connection(path: Self.path(folder, side))
      try connection.execute(sql: "PRAGMA journal_mode = WAL; \(Sample.rows(Self.rowCount))")
    }
    let function: Race.Function
    switch meeting {
    case .pool: unsafe function = twin_race_pool
    case .queue: unsafe function = twin_race_queue
    case .tasks: unsafe function = twin_race_jobs
    }
    c = unsafe Race(
      function, path: Self.path(folder, .c), count: count, measure: measure)
  }

  private static func path(_ folder: TemporaryFolder, _ side: Side) -> String {
    folder.url.appending(path: "\(side).db").path
  }

  func cost(_ side: Side) -> Double? {
    let outcome = side == .c ? c.outcome : outcome
    return outcome?.nanoseconds(measure, count: count)
  }

  func sluice() throws -> Int64 {
    var configuration = Configuration()
    configuration.prepareConnection { try $0.execute(sql: "PRAGMA synchronous = NORMAL") }
    let path = Self.path(folder, .sluice)
    let runners = Runners(count: count, keepsTimes: measure == .percentile)
    let start = twin_now()
    switch meeting {
    case .pool(let readers):
      let pool = try ConnectionPool(path: path, readers: readers, configuration: configuration)
      runners.write { number in try Self.write(number, pool) }
      runners.read { number in
        try pool.syncRead { connection in try Self.read(number, connection) }
      }
      try pool.syncClose()
    case .queue:
      let queue = try ConnectionQueue(path: path, configuration: configuration)
      runners.read { number in
        try queue.sync { connection in try Self.read(number, connection) }
      }
      try queue.syncClose()
    case .tasks:
      let queue = try ConnectionQueue(path: path, configuration: configuration)
      runners.readInTasks { number in
        try await queue.perform { connection in try Self.read(number, connection) }
      }
      try queue.syncClose()
    }
    let outcome = try runners.outcome(since: start)
    self.outcome = outcome
    return outcome.sum
  }

  private static func read(_ number: Int, _ connection: borrowing Connection) throws -> Int64 {
    let id = Int64(number * 7919 % rowCount + 1)
    return try connection.first(
      .column(.int64), sql: "SELECT id FROM sample WHERE id = ?1", parameters: .int64(id)) ?? 0
  }

  private static func write(_ number: Int, _ pool: ConnectionPool) throws {
    let id = Int64(number * 7919 % rowCount + 1)
    try pool.syncWrite { connection in
      try connection.execute(
        sql: "UPDATE sample SET value = value + 1 WHERE id = ?1", parameters: .int64(id))
    }
  }
}

extension Contention {
  /// The work that the threads have done.
  struct Outcome {
    var sum: Int64 = 0
    /// The number of rows read by the thread that read the fewest.
    var least = 0
    var commits = 0
    var duration: UInt64 = 0
    /// The nanoseconds of each read; empty if they were not measured.
    var times: [UInt32] = []

    func nanoseconds(_ measure: Measure, count: Int) -> Double {
      switch measure {
      case .timeOfEach: Double(duration) / Double(count)
      case .percentile: Double(times.sorted()[times.count * 99 / 100])
      case .unluckiest: Double(duration) / Double(max(1, least))
      case .timeOfCommit: Double(duration) / Double(max(1, commits))
      }
    }
  }

  /// The C side.
  @safe final class Race: OtherSide {
    typealias Function =
      @convention(c) (
        UnsafePointer<CChar>?, Int64, Int64, UnsafeMutablePointer<UInt32>?,
        UnsafeMutablePointer<twin_race_result>?
      ) -> Int32

    private let function: Function
    private let path: String
    private let count: Int
    private let measure: Measure
    private(set) var outcome: Outcome?

    init(_ function: Function, path: String, count: Int, measure: Measure) {
      unsafe self.function = unsafe function
      self.path = path
      self.count = count
      self.measure = measure
    }

    func run() throws -> Int64 {
      var times = [UInt32](repeating: 0, count: measure == .percentile ? count : 0)
      var result = twin_race_result()
      let start = twin_now()
      let code = unsafe times.withUnsafeMutableBufferPointer { times in
        unsafe function(
          path, Int64(count), Int64(Contention.rowCount), times.isEmpty ? nil : times.baseAddress,
          &result)
      }
      let duration = twin_now() - start
      guard code == SQLITE_OK else {
        throw Failure("The C side failed: \(unsafe String(cString: sqlite3_errstr(code)))")
      }
      outcome = Outcome(
        sum: result.sum, least: Int(result.least), commits: Int(result.commits),
        duration: duration, times: times)
      return result.sum
    }
  }
}

/// Threads that take numbers from a shared counter until all are taken.
private final class Runners: Sendable {
  private let count: Int
  private let keepsTimes: Bool
  private let group = DispatchGroup()
  private let next = Atomic(0)
  private let running = Atomic(Int(TWIN_RACE_THREADS))
  private let outcome: Mutex<Result<Contention.Outcome, any Error>>

  init(count: Int, keepsTimes: Bool) {
    self.count = count
    self.keepsTimes = keepsTimes
    outcome = Mutex(.success(Contention.Outcome(least: count)))
  }

  private func take() -> Int? {
    let number = next.add(1, ordering: .sequentiallyConsistent).oldValue
    return number < count ? number : nil
  }

  /// Starts a thread.
  private func start(_ body: @escaping @Sendable () throws -> Contention.Outcome) {
    group.enter()
    Thread.detachNewThread { [self] in
      add(Result { try body() })
      group.leave()
    }
  }

  /// Starts a thread that writes until the reading threads have finished.
  func write(_ write: @escaping @Sendable (Int) throws -> Void) {
    start { [self] in
      var commits = 0
      while running.load(ordering: .relaxed) > 0 {
        try write(commits)
        commits += 1
      }
      return Contention.Outcome(least: count, commits: commits)
    }
  }

  /// Starts eight threads that read, and waits for all threads.
  func read(_ read: @escaping @Sendable (Int) throws -> Int64) {
    for _ in 0..<TWIN_RACE_THREADS {
      start { [self] in
        defer { running.subtract(1, ordering: .sequentiallyConsistent) }
        return try part(read)
      }
    }
    group.wait()
  }

  private func part(_ read: (Int) throws -> Int64) throws -> Contention.Outcome {
    var part = Contention.Outcome()
    while let number = take() {
      let start = keepsTimes ? twin_now() : 0
      part.sum &+= try read(number)
      part.least += 1
      if keepsTimes { part.times.append(UInt32(clamping: twin_now() - start)) }
    }
    return part
  }

  /// Starts a hundred tasks that read, and waits for all of them.
  func readInTasks(_ read: @escaping @Sendable (Int) async throws -> Int64) {
    for _ in 0..<TWIN_RACE_TASKS {
      group.enter()
      Task {
        var part = Contention.Outcome()
        do {
          while let number = take() {
            part.sum &+= try await read(number)
            part.least += 1
          }
          add(.success(part))
        } catch {
          add(.failure(error))
        }
        group.leave()
      }
    }
    group.wait()
  }

  private func add(_ part: Result<Contention.Outcome, any Error>) {
    outcome.withLock { outcome in
      outcome = Result {
        var sum = try outcome.get()
        let part = try part.get()
        sum.sum &+= part.sum
        sum.least = min(sum.least, part.least)
        sum.commits += part.commits
        sum.times += part.times
        return sum
      }
    }
  }

  func outcome(since start: UInt64) throws -> Contention.Outcome {
    var outcome = try outcome.withLock { try $0.get() }
    outcome.duration = twin_now() - start
    return outcome
  }
}
