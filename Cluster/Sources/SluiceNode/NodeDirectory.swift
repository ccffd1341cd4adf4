import Foundation
import SluiceCluster

/// The folder of a node, which is locked as long as this object exists.
///
/// The file `node` contains the node's id, address and state; dqlite's files are in the folder `data`.
final class NodeDirectory {
  /// The path as the user passed it.
  let path: String
  /// The id, the address and the state of the node; nil if the folder is new.
  private(set) var identity: NodeIdentity?
  private let lock: Int32

  /// Creates the folder if necessary, locks it, and reads the file `node`.
  ///
  /// - Throws: If another process has locked the folder; the error contains its id.
  init(_ path: String, creating: Bool = true) throws {
    self.path = path
    if creating {
      // Other users of the machine could read the databases in the folder.
      try Self.access(path) {
        try FileManager.default.createDirectory(
          atPath: path + "/data", withIntermediateDirectories: true,
          attributes: [.posixPermissions: 0o700])
      }
    }
    lock = unsafe open(path + "/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard lock >= 0 else { throw Failure("\(path) cannot be used: \(Self.reason())") }
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      let code = errno
      // The error is useful without the id of the process.
      let holder = (try? String(contentsOfFile: path + "/lock", encoding: .utf8)) ?? ""
      close(lock)
      guard code == EWOULDBLOCK else { throw Failure("\(path) cannot be locked: error \(code)") }
      let process = holder.split(separator: "\n").first ?? "?"
      throw Failure("\(path) is in use by the process \(process)")
    }
    identity = try Self.readIdentity(path + "/node")
    try write("\(getpid())\n")
  }

  deinit {
    // The file remains: if it were deleted, two processes could lock two files of the same name.
    close(lock)
  }

  /// The folder of dqlite's files.
  var data: String { path + "/data" }

  /// Whether dqlite has not written anything to the folder yet.
  var isEmpty: Bool {
    get throws {
      try Self.access(data) { try FileManager.default.contentsOfDirectory(atPath: data) }.isEmpty
    }
  }

  /// Writes the id, the address and the state of the node to the file `node`.
  func remember(_ identity: NodeIdentity) throws {
    let file = path + "/node"
    let new = file + ".new"
    try Self.access(file) {
      try Data(identity.text.utf8).write(to: URL(filePath: new))
      let handle = try FileHandle(forUpdating: URL(filePath: new))
      try handle.synchronize()
      try handle.close()
    }
    guard unsafe rename(new, file) == 0 else { throw Failure("\(file): \(Self.reason())") }
    self.identity = identity
  }

  /// Writes to the file `node` that the node is a member of its cluster.
  func rememberAsMember(_ identity: NodeIdentity) throws {
    var member = identity
    member.state = .member
    try remember(member)
  }

  private static func readIdentity(_ file: String) throws -> NodeIdentity? {
    guard FileManager.default.fileExists(atPath: file) else { return nil }
    let text = try access(file) { try String(contentsOfFile: file, encoding: .utf8) }
    guard let identity = NodeIdentity(text: text) else {
      throw Failure("\(file) is damaged; expected a line with an id, an address and a state")
    }
    return identity
  }

  /// Replaces the content of the lock file.
  private func write(_ text: String) throws {
    guard ftruncate(lock, 0) == 0, unsafe pwrite(lock, text, text.utf8.count, 0) > 0 else {
      throw Failure("\(path)/lock cannot be written: \(Self.reason())")
    }
  }

  private static func reason() -> String { unsafe String(cString: strerror(errno)) }

  /// Returns the result of `body`, and describes errors with the path.
  static func access<T>(_ path: String, _ body: () throws -> T) throws -> T {
    do { return try body() } catch {
      throw Failure("\(path) cannot be used: \(error.localizedDescription)")
    }
  }
}

/// The id, the address and the state of a node, which its folder remembers.
struct NodeIdentity {
  /// How far a node is on its way into a cluster.
  enum State: Equatable {
    /// The first node, which has not begun its cluster yet.
    case first
    /// A node that the cluster at these addresses has perhaps not accepted yet.
    case joining([NodeAddress])
    case member
  }

  let id: UInt64
  let address: NodeAddress
  var state: State

  /// The content of the file `node`.
  var text: String {
    let state =
      switch self.state {
      case .first: "first"
      case .joining(let cluster): "joining " + cluster.map(\.description).joined(separator: ",")
      case .member: "member"
      }
    return "\(id) \(address) \(state)\n"
  }

  init(id: UInt64, address: NodeAddress, state: State) {
    self.id = id
    self.address = address
    self.state = state
  }

  init?(text: String) {
    let words = text.split { $0 == " " || $0 == "\n" }
    guard words.count >= 3, let id = UInt64(words[0]), let address = NodeAddress(String(words[1]))
    else { return nil }
    let state: State
    switch (words[2], words.count) {
    case ("first", 3): state = .first
    case ("member", 3): state = .member
    case ("joining", 4):
      let cluster = words[3].split(separator: ",").map { NodeAddress(String($0)) }
      guard !cluster.contains(nil) else { return nil }
      state = .joining(cluster.compactMap(\.self))
    default: return nil
    }
    self.init(id: id, address: address, state: state)
  }
}
