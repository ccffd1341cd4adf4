import SluiceCore
import Synchronization

/// A file system that notes what reaches the disk, and shows what a power cut can leave of it.
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
/// A cut can come after any call. What was written to a file and not synced since then is there, or not, or
/// torn into sectors of 512 bytes, each write for itself. Files that are made or deleted are so at once; disks
/// that lie about syncing, and bytes that rot, are not tried.
public final class PowerCutRecorder: Sendable {
  private let log: DiskLog
  private let base: any VirtualFileSystem
  private let registered: RegisteredFileSystem

  /// Stands before another file system, by itself one in memory.
  public init(over base: any VirtualFileSystem = MemoryFileSystem()) throws {
    log = DiskLog()
    self.base = base
    registered = try RegisteredFileSystem(RecordedFileSystem(base: base, log: log))
  }

  /// The same configuration, for a connection that is recorded.
  public func configuration(_ configuration: Configuration = Configuration()) -> Configuration {
    registered.configuration(configuration)
  }

  /// Opens a connection that is recorded.
  public func connection(
    _ path: String, configuration: Configuration = Configuration()
  ) throws -> Connection {
    try registered.connection(path, configuration: configuration)
  }

  /// Notes that something is done that has to last, such as a commit: see ``PowerCutState/marks``.
  public func mark() { log.add(.mark) }

  /// How many calls were noted, with marks.
  public var count: Int { log.events.count }

  /// Calls `body` with states of the disk, and returns how many there were.
  ///
  /// For each cut there is the state in which all that was written is there, one in which nothing is that was
  /// not synced, one in which the last write is torn, and `randomStates` that `seed` decides about. Where nothing
  /// was left to be synced, all of them are one. A state is over when `body` returns: close what it has opened. Less than
  /// no random state, or more than 10,000, throws ``ResultCode/range``.
  @discardableResult
  public func forEachState(
    seed: UInt64 = 1, randomStates: Int = 4, _ body: (PowerCutState) throws -> Void
  ) throws -> Int {
    guard 0...10_000 ~= randomStates else {
      throw SQLiteError(.range, "\(randomStates) random states of each cut")
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

/// The files after a power cut, which nobody has opened since.
public struct PowerCutState {
  /// After how many calls the power was cut.
  public let cut: Int
  /// The fate of the writes that were not synced.
  public let fate: PowerCutFate
  /// How many marks were made before: what they stand for has to be there.
  public let marks: Int
  /// The files by their paths.
  public let files: [String: [UInt8]]
  private let system: RegisteredFileSystem
  private let turn: Turn
  private let number: Int

  /// Which of the states there is.
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

  /// The same configuration, for a queue or a pool that opens a database as it was left.
  ///
  /// Close them before the next state comes. It throws ``ResultCode/misuse`` when this one is over.
  public func configuration(
    _ configuration: Configuration = Configuration()
  ) throws -> Configuration {
    guard turn.number == number else {
      throw SQLiteError(.misuse, "This state is no longer on the disk")
    }
    return system.configuration(configuration)
  }

  /// Opens a database as it was left, which changes nothing of what ``files`` tells.
  ///
  /// Close it before the next state comes. It throws ``ResultCode/misuse`` when this one is over.
  public func connection(
    _ path: String, configuration: Configuration = Configuration()
  ) throws -> Connection {
    try Connection(path: path, configuration: self.configuration(configuration))
  }
}

extension PowerCutState: CustomStringConvertible {
  /// The cut and what became of the rest, in a line.
  public var description: String {
    "power cut after call \(cut), what was not synced is \(fate), \(marks) marks"
  }
}

/// The fate of writes that were not synced before a power cut.
public enum PowerCutFate: Hashable, Sendable {
  /// All of it is there.
  case kept
  /// Nothing of it is there.
  case lost
  /// All of it is there, but for some sectors of the last write to each file.
  case lastTorn
  /// Each write is there, or not, or torn.
  case random
}
