import Foundation
import LocalNodes
import Synchronization

/// Deletes the namespaces of a ``TestNetwork``, even if the test process is killed.
///
/// A process waits for the end of a pipe from this process, and then deletes them. If that process was killed too, the
/// next test process deletes them: their names contain the id and the start of the process to which they belong.
final class NetworkKeeper: Sendable {
  private static let prefix = "sluice-"
  private static let count = Atomic(0)
  /// The beginning of the names of this process.
  private static let ownPrefix: String? = {
    let id = ProcessInfo.processInfo.processIdentifier
    return start(ofProcess: "\(id)").map { "\(prefix)\(id)-\($0)-" }
  }()
  /// Deletes what earlier processes have left, once.
  private static let removalOfLeftovers: Void = { removeLeftovers() }()

  /// The interface of the test process.
  let interface: String
  private let name: String
  private let process: Process
  private let input = Pipe()
  private let hasEnded = Atomic(false)

  init() throws {
    Self.removalOfLeftovers
    guard let ownPrefix = Self.ownPrefix else { throw NodeFailure("/proc is missing") }
    name = ownPrefix + "\(Self.count.add(1, ordering: .relaxed).newValue)"
    interface = "sl" + String(UInt64.random(in: .min ... .max), radix: 36).prefix(11)
    // It survives a signal to the group of the test process, such as that of Ctrl-C.
    process = Shell.command(
      """
      exec setsid sh -c 'cat >/dev/null || true
      ip link delete \(interface)
      \(Self.deletion(of: name + "-"))'
      """)
    process.standardInput = input
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
  }

  /// The namespace of the switch.
  var switchName: String { name + "-switch" }

  /// The namespace of a host.
  func hostName(_ number: Int) -> String { name + "-\(number)" }

  /// Deletes the namespaces, and waits until they are deleted.
  func end() {
    guard !hasEnded.exchange(true, ordering: .relaxed) else { return }
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  /// The commands that delete the namespaces whose names begin with `prefix`, and kill their processes.
  private static func deletion(of prefix: String) -> String {
    """
    for name in $(ip netns list | cut -d " " -f 1 | grep "^\(prefix)"); do
      for process in $(ip netns pids $name); do kill -9 $process; done
      ip netns delete $name
    done
    """
  }

  /// Deletes the namespaces of processes that do not exist any more.
  private static func removeLeftovers() {
    let names = (try? Shell.outcome(of: "ip netns list").output) ?? ""
    let owners = names.split(separator: "\n").compactMap { line -> String? in
      let parts = line.prefix { $0 != " " }.split(separator: "-")
      guard parts.count == 5, line.hasPrefix(prefix), UInt64(parts[1]) != nil,
        UInt64(parts[2]) != nil, start(ofProcess: String(parts[1])) != String(parts[2])
      else { return nil }
      return parts[...3].joined(separator: "-") + "-"
    }
    // One that another process deletes at the same time is none of this one's failures.
    for owner in Set(owners) { _ = try? Shell.outcome(of: "set +e\n" + deletion(of: owner)) }
  }

  /// The time at which a process has started, in the unit of the system; nil if it does not exist.
  private static func start(ofProcess id: String) -> String? {
    guard let text = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8),
      // The second field is a name, which can contain anything.
      let end = text.lastIndex(of: ")")
    else { return nil }
    let fields = text[text.index(after: end)...].split(separator: " ")
    return fields.count > 19 ? String(fields[19]) : nil
  }
}
