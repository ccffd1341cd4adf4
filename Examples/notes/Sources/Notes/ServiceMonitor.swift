import Sluice
import Synchronization

/// A monitor that counts the accesses and the maintenance of a pool, and passes all reports on to another monitor.
final class ServiceMonitor: ConnectionMonitor {
  private let next: (any ConnectionMonitor)?
  private let counts = Mutex(Counts())

  /// Creates a monitor that passes each report on to `next`.
  init(reportingTo next: (any ConnectionMonitor)?) { self.next = next }

  private struct Counts {
    var reads = Accesses()
    var writes = Accesses()
    var upkeep = Metrics.Upkeep()
  }

  private struct Accesses {
    var failed = 0
    var lockWaits = 0
    var wait = Histogram()
    var duration = Histogram()

    mutating func record(_ access: AccessRecord) {
      if access.isFailed { failed += 1 }
      lockWaits += access.lockWaitCount
      wait.record(access.wait)
      duration.record(access.duration)
    }

    var metrics: Metrics.Accesses {
      Metrics.Accesses(
        count: wait.count, failed: failed, lockWaits: lockWaits, wait: Metrics.Times(wait),
        duration: Metrics.Times(duration))
    }
  }

  func accessDidEnd(_ access: AccessRecord) {
    counts.withLock { counts in
      // The pool adds this suffix to its label for accesses to its readers.
      if access.label.hasSuffix(".reader") {
        counts.reads.record(access)
      } else {
        counts.writes.record(access)
      }
    }
    next?.accessDidEnd(access)
  }

  func upkeepDidRun(_ record: UpkeepRecord) {
    counts.withLock { counts in
      switch record.event {
      case .checkpoint: counts.upkeep.checkpoints += 1
      case .heldWAL: counts.upkeep.heldWAL += 1
      case .walLimit: counts.upkeep.walLimits += 1
      case .failed: counts.upkeep.failures += 1
      case .closedReaders, .optimized, .releasedMemory: break
      }
    }
    next?.upkeepDidRun(record)
  }

  func statementDidEnd(_ statement: StatementRecord) { next?.statementDidEnd(statement) }

  func wantsExplanation(of statement: StatementRecord) -> Bool {
    next?.wantsExplanation(of: statement) ?? false
  }

  func statementWasExplained(_ explanation: StatementExplanation) {
    next?.statementWasExplained(explanation)
  }

  func metrics(of status: PoolStatus, index: Metrics.Index, runningRequests: Int) -> Metrics {
    let pool = Metrics.Pool(
      openReaders: status.openReaderCount, busyReaders: status.busyReaderCount,
      waitingReads: status.waitingReadCount, waitingWrites: status.waitingWriteCount,
      walSize: status.walSize ?? 0)
    return counts.withLock { counts in
      Metrics(
        pool: pool, reads: counts.reads.metrics, writes: counts.writes.metrics,
        upkeep: counts.upkeep, index: index, runningRequests: runningRequests)
    }
  }
}
