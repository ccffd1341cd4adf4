import Foundation
import SluiceCluster
import Synchronization
import Testing

/// A node of a ``TestCluster``, and its process.
final class TestNode: Sendable {
  let id: UInt64
  let address: NodeAddress
  /// The folder of the node's data.
  let directory: String
  private let options: [String]
  private let process = Mutex<NodeProcess?>(nil)

  init(id: UInt64, address: NodeAddress, directory: String, options: [String]) {
    self.id = id
    self.address = address
    self.directory = directory
    self.options = options
  }

  /// Everything that the processes of the node printed.
  var output: String {
    (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
  }

  private var log: String { directory + ".log" }

  /// The id of the process; nil if the test did not start it, or ended it.
  var processID: Int32? { process.withLock { $0?.id } }

  /// Whether the process runs that the test has started.
  var isRunning: Bool { process.withLock { $0?.isRunning ?? false } }

  /// Starts the process, and waits until the node is a member of a cluster.
  func start(joining cluster: [NodeAddress]) async throws {
    let command = cluster.isEmpty ? ["start"] : ["join"] + cluster.map(\.description)
    let words = ["--id", "\(id)", "--address", "\(address)", "--directory", directory] + options
    let earlier = output.count
    let process = try NodeProcess(
      command + words + ["--supervised"], output: log)
    self.process.withLock { $0 = process }
    let deadline = ContinuousClock.now + TestCluster.patience
    while !output.dropFirst(earlier).contains("serves") {
      try #require(process.isRunning, "node \(id) ended: \(output)")
      try #require(ContinuousClock.now < deadline, "node \(id) does not start: \(output)")
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  /// Sends a signal to the process.
  func signal(_ number: Int32) throws {
    try #require(process.withLock { $0 }, "node \(id) does not run").signal(number)
  }

  /// Ends the process by SIGTERM, and returns its exit status.
  func terminate() throws -> Int32 {
    let process = try #require(take(), "node \(id) does not run")
    process.signal(SIGTERM)
    return process.wait(TestCluster.patience)
  }

  /// Closes the standard input of the process, and returns its exit status.
  func closeInput() throws -> Int32 {
    let process = try #require(take(), "node \(id) does not run")
    try process.closeInput()
    return process.wait(TestCluster.patience)
  }

  /// Kills the process, and fails the test if it had ended before.
  func end() {
    guard let process = take() else { return }
    if !process.isRunning {
      Issue.record("Node \(id) ended with the status \(process.wait(.zero)): \(output)")
    }
    process.signal(SIGKILL)
    _ = process.wait(TestCluster.patience)
  }

  /// Waits for the end of a process that the test does not end itself, and returns its exit status.
  func waitForEnd() throws -> Int32 {
    try #require(take(), "node \(id) does not run").wait(TestCluster.patience)
  }

  private func take() -> NodeProcess? {
    process.withLock { current in
      defer { current = nil }
      return current
    }
  }
}

/// A process of `sluice-node`, which ends with the test's process at the latest.
final class NodeProcess: Sendable {
  private let process: Process
  /// The standard input of the process, whose end ends a supervised node.
  private let input = Pipe()

  /// Starts `sluice-node`, and appends its output to a file.
  init(_ arguments: [String], output: String) throws {
    let descriptor = unsafe open(output, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    process = Process()
    process.executableURL = Self.products.appending(path: "sluice-node")
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = file
    process.standardError = file
    try process.run()
  }

  var id: Int32 { process.processIdentifier }

  var isRunning: Bool { process.isRunning }

  func signal(_ number: Int32) {
    if process.isRunning { kill(process.processIdentifier, number) }
  }

  func closeInput() throws { try input.fileHandleForWriting.close() }

  /// Waits for the end of the process, kills it after a time, and returns its exit status, or the negative signal.
  func wait(_ limit: Duration) -> Int32 {
    let deadline = ContinuousClock.now + limit
    while process.isRunning, ContinuousClock.now < deadline { usleep(2000) }
    signal(SIGKILL)
    process.waitUntilExit()
    let status = process.terminationStatus
    return process.terminationReason == .uncaughtSignal ? -status : status
  }

  /// The folder of the build products, which contains the test executable and `sluice-node`.
  static let products = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()

  /// Runs `sluice-node` until it ends, and returns its exit status and everything that it printed.
  static func run(_ arguments: String...) async throws -> (status: Int32, output: String) {
    try await run(arguments)
  }

  /// Runs `sluice-node` until it ends, and returns its exit status and everything that it printed.
  static func run(_ arguments: [String]) async throws -> (status: Int32, output: String) {
    let file = FileManager.default.temporaryDirectory.path + "/sluice-node-\(UUID())"
    defer { try? FileManager.default.removeItem(atPath: file) }
    let process = try NodeProcess(arguments, output: file)
    let status = await blocking { process.wait(TestCluster.patience) }
    return (status, try String(contentsOfFile: file, encoding: .utf8))
  }
}
