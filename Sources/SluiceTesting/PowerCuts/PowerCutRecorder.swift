import SluiceCore
import Synchronization

/// A file system that records changes to the disk, and creates the states that a power cut can leave behind.
///
/// ```swift
/// let recorder = try PowerCutRecorder()
/// let connection = try recorder.connection("bank.db")
/// try createBank(connection)
/// recorder.mark()
/// try transfer(30, in: connection)
/// try recorder.forEachState { state in
///   guard state.marks > 0 else { return }
///   let sum = try state.connection("bank.db")
///     .first(.column(.int), sql: "SELECT sum(amount) FROM account")
///   precondition(sum == 100, "\(state)")
/// }
/// ```
///
/// A power cut can follow any call. Each write that was not synced is then stored, lost, or torn into sectors of
/// 512 bytes, independently of the other writes. The creation or deletion of a file takes effect immediately.
/// Disks that report a sync too early are not simulated, and neither is bit rot.
public final class PowerCutRecorder: Sendable {
  private let log: DiskLog
  private let base: any VirtualFileSystem
  private let registered: RegisteredFileSystem

  /// Creates a file system that wraps `base`; the default is an in-memory file system.
  public init(over base: any VirtualFileSystem = MemoryFileSystem()) throws {
    log = DiskLog()
    self.base = base
    registered = try RegisteredFileSystem(RecordedFileSystem(base: base, log: log))
  }

  /// Returns a copy of `configuration` whose connections use this file system and are recorded.
  public func configuration(_ configuration: Configuration = Configuration()) -> Configuration {
    registered.configuration(configuration)
  }

  /// Opens a connection that uses this file system and is recorded.
  public func connection(
    _ path: String, configuration: Configuration = Configuration()
  ) throws -> Connection {
    try registered.connection(path, configuration: configuration)
  }

  /// Marks the end of work that must survive a power cut, such as a commit: see ``PowerCutState/marks``.
  public func mark() { log.add(.mark) }

  /// The number of recorded calls, including marks.
  public var count: Int { log.events.count }

  /// Calls `body` with each state that power cuts can leave on the disk, and returns the number of states.
  ///
  /// Each cut has one state with all writes, one without the writes that were not synced, one in which the last
  /// write is torn, and `randomStates` random states that depend on `seed`. If all writes were synced before the
  /// cut, there is only one state. A state ends when `body` returns, so close everything that `body` has opened.
  ///
  /// - Throws: ``ResultCode/range`` if `randomStates` is negative or greater than 10,000.
  @discardableResult
  public func forEachState(
    seed: UInt64 = 1, randomStates: Int = 4, _ body: (PowerCutState) throws -> Void
  ) throws -> Int {
    guard 0...10_000 ~= randomStates else {
      throw SQLiteError(.range, "randomStates must be from 0 to 10,000 (got \(randomStates))")
    }
    let memory = MemoryFileSystem()
    let replayed = try RegisteredFileSystem(
      SectoredFileSystem(base: memory, recorded: base, sectors: log.sectors))
    var random = SeededGenerator(seed: seed)
    var disk = ReplayedDisk()
    var count = 0
    let turn = PowerCutState.Turn()
    defer { turn.next() }
    let events = log.events
    for cut in 0...events.count {
      if cut > 0 { disk.play(events[cut - 1]) }
      let fates =
        disk.isSynced
        ? [PowerCutFate.kept]
        : [.kept, .lost, .lastTorn]
          + [PowerCutFate](repeating: .random, count: randomStates)
      for fate in fates {
        let files = disk.files(after: fate, &random)
        memory.removeAll()
        for (path, bytes) in files { memory[path] = bytes }
        let state = PowerCutState(
          cut: cut, fate: fate, marks: disk.marks, files: files, system: replayed, turn: turn)
        try body(state)
        count += 1
      }
    }
    return count
  }
}

/// The files after a power cut, before anything opens them.
public struct PowerCutState {
  /// The number of recorded calls before the power cut, including marks.
  public let cut: Int
  /// The fate of the writes that were not synced.
  public let fate: PowerCutFate
  /// The number of marks before the power cut; the files must contain the marked work.
  public let marks: Int
  /// The contents of the files, keyed by path.
  public let files: [String: [UInt8]]
  private let system: RegisteredFileSystem
  private let turn: Turn
  private let number: Int

  /// A counter whose value is the number of the current state.
  fileprivate final class Turn: Sendable {
    private let count = Atomic(0)
    var number: Int { count.load(ordering: .acquiring) }
    func next() { count.add(1, ordering: .acquiringAndReleasing) }
  }

  fileprivate init(
    cut: Int, fate: PowerCutFate, marks: Int, files: [String: [UInt8]],
    system: RegisteredFileSystem, turn: Turn
  ) {
    (self.cut, self.fate, self.marks, self.files, self.system) = (cut, fate, marks, files, system)
    turn.next()
    (self.turn, number) = (turn, turn.number)
  }

  /// Returns a copy of `configuration` for a queue or a pool that opens a database in this state.
  ///
  /// Close the queue or pool before the next state begins.
  ///
  /// - Throws: ``ResultCode/misuse`` if this state has ended.
  public func configuration(
    _ configuration: Configuration = Configuration()
  ) throws -> Configuration {
    guard turn.number == number else {
      throw SQLiteError(.misuse, "This power-cut state has ended; use it only inside the closure")
    }
    return system.configuration(configuration)
  }

  /// Opens a database in this state, without changing the contents in ``files``.
  ///
  /// Close the connection before the next state begins.
  ///
  /// - Throws: ``ResultCode/misuse`` if this state has ended.
  public func connection(
    _ path: String, configuration: Configuration = Configuration()
  ) throws -> Connection {
    try Connection(path: path, configuration: self.configuration(configuration))
  }
}

extension PowerCutState: CustomStringConvertible {
  /// The cut, the fate of writes that were not synced, and the number of marks, on one line.
  public var description: String {
    "power cut after call \(cut), writes that were not synced: \(fate), \(marks) marks"
  }
}

/// The fate of writes that were not synced before a power cut.
public enum PowerCutFate: Hashable, Sendable {
  /// All of the writes are stored.
  case kept
  /// None of the writes are stored.
  case lost
  /// All of the writes are stored, except for some sectors of the last write to each file.
  case lastTorn
  /// Each write is stored, lost or torn, at random.
  case random
}
