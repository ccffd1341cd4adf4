import Foundation
import SluiceCore
import TestSupport
import Testing

/// The program that `Scripts/litestream` has installed.
struct Litestream {
  let version: String
  let program: URL

  /// The newest version, or nil if there is none.
  static let installed: Litestream? = {
    let folder = DocumentationTests.root.appending(path: ".build/litestream")
    // Without the folder, the script has installed nothing.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { !$0.hasPrefix("making") }.map { version in
      Litestream(version: version, program: folder.appending(path: "\(version)/litestream"))
    }.filter { FileManager.default.isExecutableFile(atPath: $0.program.path) }
      .max { $0.version.compare($1.version, options: .numeric) == .orderedAscending }
  }()
}

/// A database and its replica, in folders of their own.
struct ReplicatedSite {
  let litestream: Litestream
  let folder: TestFolder
  let configuration: String

  /// Creates the folders, and a configuration with a checkpoint when the WAL has `checkpointPages` pages.
  init(checkpointPages: Int = 100) throws {
    litestream = try #require(Litestream.installed)
    folder = try TestFolder()
    configuration = folder.file("litestream.yml")
    try FileManager.default.createDirectory(
      atPath: folder.file("data"), withIntermediateDirectories: true)
    let text = """
      logging:
        level: debug
      dbs:
        - path: \(folder.file("data/app.db"))
          monitor-interval: 100ms
          checkpoint-interval: 1h
          min-checkpoint-page-count: \(checkpointPages)
          replica:
            type: file
            path: \(folder.file("replica"))
            sync-interval: 100ms
      """
    try Data(text.utf8).write(to: URL(filePath: configuration))
  }

  /// The database that is replicated.
  var file: String { folder.file("data/app.db") }

  /// Starts to replicate the database.
  func replicate() throws -> Child {
    try Child(litestream.program, ["replicate", "-config", configuration])
  }

  /// Starts a process that writes numbered transactions to the database.
  func write() throws -> Child {
    try Child(Program.products.appending(path: "WriterProcess"), [file, "ledger"])
  }

  /// Restores the database from the replica to a new file, and returns its path; nil if Litestream fails.
  func restore(_ options: [String] = []) async throws -> String? {
    let target = folder.file(UUID().uuidString)
    try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
    let arguments = ["restore", "-config", configuration, "-o", target + "/app.db"]
    let child = try Child(litestream.program, arguments + options + [file])
    guard try await child.end() == 0 else { return nil }
    return target + "/app.db"
  }

  /// Replaces the database with a restored one, as on a new machine.
  func replaceMachine(with restored: String) throws {
    try FileManager.default.removeItem(atPath: folder.file("data"))
    try FileManager.default.createDirectory(
      atPath: folder.file("data"), withIntermediateDirectories: true)
    try FileManager.default.moveItem(atPath: restored, toPath: file)
  }
}

/// A process whose output is collected, and which is killed when its last reference is released.
///
/// A process whose test has crashed ends when it writes to the closed pipe.
final class Child {
  private let process = Process()
  private let received = Output()
  private let reading = DispatchGroup()

  private final class Output: Sendable {
    let chunks = Locked<[(time: ContinuousClock.Instant, text: String)]>([])
  }

  init(_ program: URL, _ arguments: [String]) throws {
    let pipe = Pipe()
    process.executableURL = program
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let (output, received) = (pipe.fileHandleForReading, received)
    reading.enter()
    // A blocked thread of Dispatch would delay the work of pools.
    Thread.detachNewThread { [reading] in
      defer { reading.leave() }
      while case let data = output.availableData, !data.isEmpty {
        let text = String(decoding: data, as: UTF8.self)
        received.chunks.withLock { $0.append((.now, text)) }
      }
    }
  }

  deinit { signal(SIGKILL) }

  var output: String { received.chunks.withLock { $0.map(\.text).joined() } }

  /// The numbers that the process has printed, with the times at which they arrived.
  var numbers: [(number: Int, time: ContinuousClock.Instant)] {
    var (numbers, rest): ([(Int, ContinuousClock.Instant)], Substring) = ([], "")
    for chunk in received.chunks.withLock({ $0 }) {
      var lines = (rest + chunk.text).split(separator: "\n", omittingEmptySubsequences: false)
      // The last line may be incomplete.
      rest = lines.removeLast()
      numbers += lines.compactMap { Int($0) }.map { ($0, chunk.time) }
    }
    return numbers
  }

  var lastNumber: Int { numbers.map(\.number).max() ?? 0 }

  /// Sends a signal to the process, unless it has ended.
  func signal(_ signal: Int32) {
    if process.isRunning { kill(process.processIdentifier, signal) }
  }

  /// Ends the process by SIGTERM, and waits until its output is complete.
  func terminate() async throws {
    signal(SIGTERM)
    _ = try await end()
  }

  /// Waits until the process has ended and its output is complete, and returns its exit status.
  func end() async throws -> Int32 {
    try await eventually("the end of \(process.executableURL?.lastPathComponent ?? "")") {
      !process.isRunning && reading.wait(timeout: .now()) == .success
    }
    return process.terminationStatus
  }
}

/// Waits until a condition holds, and fails the test if it does not hold after five minutes.
func eventually(
  _ condition: String, sourceLocation: SourceLocation = #_sourceLocation,
  _ isTrue: () async throws -> Bool
) async throws {
  let end = ContinuousClock.now + .seconds(300)
  while try await !isTrue() {
    try #require(
      ContinuousClock.now < end, "waited for \(condition)", sourceLocation: sourceLocation)
    try await Task.sleep(for: .milliseconds(20))
  }
}
