import CSluice

extension Backup {
  /// How many pages a step copies that is followed by a report.
  private static let pagesPerReport = 1000

  /// Takes all steps, and waits between them only while a lock cannot be had.
  func run(
    pagesPerStep: Int?, busyLimit: Duration, progress: ((Int, Int) throws -> Void)?
  ) throws {
    let pages = pagesPerStep ?? (progress == nil ? nil : Self.pagesPerReport)
    var wait = Wait(limit: busyLimit)
    var hasMore = true
    while hasMore {
      try Task.checkCancellation()
      try target.state.refuseStopped()
      do {
        hasMore = try step(pages: pages)
      } catch let error as SQLiteError where isWaitedFor(error) {
        guard wait.sleep(on: source) else { throw error }
        continue
      }
      wait = Wait(limit: busyLimit)
      do { try progress?(remainingPages, pageCount) } catch {
        // The copy is complete, and cannot be cancelled any more.
        if hasMore { throw error }
      }
    }
  }

  private func isWaitedFor(_ error: SQLiteError) -> Bool {
    (error.code.primary == .busy || error.code.primary == .locked) && !isSourceWriting
  }

  /// Sleeps of growing length, which together are no longer than a limit.
  private struct Wait {
    private var rest: Duration
    private var next = Duration.milliseconds(1)

    init(limit: Duration) { rest = limit }

    /// Sleeps as SQLite does; false if there is no time left for it.
    mutating func sleep(on connection: Connection) -> Bool {
      let time = min(next, rest)
      guard time > .zero else { return false }
      rest -= time
      next = min(next * 2, .milliseconds(100))
      let (seconds, attoseconds) = time.components
      let microseconds = Int32(clamping: seconds * 1_000_000 + attoseconds / 1_000_000_000_000)
      if let fileSystem = unsafe connection.fileSystem, let sleep = unsafe fileSystem.pointee.xSleep
      {
        _ = unsafe sleep(fileSystem, microseconds)
      } else {
        sqlite3_sleep(microseconds / 1000)
      }
      return true
    }
  }
}
