import CDqlite
import ClusterDoor
import Glibc
import SluiceCluster

/// A node of dqlite, which serves clients and other nodes on its own threads.
///
/// Child processes would inherit its listening socket, so a process with a node starts no others.
@safe final class Node {
  /// The settings of a node that have defaults in dqlite.
  struct Settings {
    /// The average time in milliseconds that a message takes from one node to another.
    var latency: UInt32?
    var failureDomain: UInt64?
    /// The numbers of log entries after which a snapshot is taken, and that are kept after it.
    var snapshot: (threshold: UInt32, trailing: UInt32)?
  }

  private let id: UInt64
  private let address: NodeAddress
  private let handle: OpaquePointer
  /// The door, which connects to other nodes; dqlite has an unretained reference to it.
  private var door: NodeDoor?
  private var isRunning = false

  /// Creates a node that does not run yet, whose log and snapshots are in a folder.
  init(_ identity: NodeIdentity, folder: String) throws {
    id = identity.id
    address = identity.address
    var created: OpaquePointer?
    let code = unsafe dqlite_node_create(id, address.description, folder, &created)
    guard code == 0, let handle = unsafe created else {
      let reason = unsafe created == nil ? "error \(code)" : Self.message(created)
      if unsafe created != nil { unsafe dqlite_node_destroy(created) }
      throw Failure("The data in \(folder) cannot be opened: \(reason)")
    }
    unsafe self.handle = handle
  }

  deinit {
    stop()
    unsafe dqlite_node_destroy(handle)
  }

  /// Starts the node behind a door; with an empty folder and the id 1, it begins a cluster.
  ///
  /// dqlite itself listens on a socket that only this process can reach, because it has neither TLS nor authentication, and
  /// ends for some malformed requests.
  func start(_ settings: Settings, behind door: NodeDoor) throws {
    self.door = door
    guard unsafe dqlite_node_set_bind_address(handle, door.inner) == 0 else {
      // The library tells no reason, but the last call that failed is the one of the system.
      throw Failure("The node cannot listen: \(unsafe String(cString: strerror(errno)))")
    }
    let pointer = unsafe Unmanaged.passUnretained(door).toOpaque()
    try check(
      unsafe dqlite_node_set_connect_func(handle, connectToPeer, pointer), "connect function")
    if let latency = settings.latency {
      try check(unsafe dqlite_node_set_network_latency_ms(handle, latency), "latency")
    }
    if let failureDomain = settings.failureDomain {
      try check(unsafe dqlite_node_set_failure_domain(handle, failureDomain), "failure domain")
    }
    if let (threshold, trailing) = settings.snapshot {
      try check(
        unsafe dqlite_node_set_snapshot_params(handle, threshold, trailing),
        "snapshot parameters \(threshold) and \(trailing)")
    }
    guard unsafe dqlite_node_start(handle) == 0 else {
      throw Failure("The node cannot start: \(unsafe Self.message(handle))")
    }
    isRunning = true
  }

  /// Stops the node; does nothing if it does not run.
  ///
  /// Waits for the requests that the node executes.
  func stop() {
    guard isRunning else { return }
    isRunning = false
    _ = unsafe dqlite_node_stop(handle)
  }

  /// Makes the node, as a voter, the only member of the cluster in its log.
  ///
  /// The node must not run.
  func recover() throws {
    let code = unsafe address.description.withCString { text in
      // dqlite copies the address. The role 0 is a voter.
      var info = dqlite_node_info_ext(
        size: UInt64(MemoryLayout<dqlite_node_info_ext>.size), id: id,
        address: UInt64(UInt(bitPattern: text)), dqlite_role: 0)
      return unsafe dqlite_node_recover_ext(handle, &info, 1)
    }
    guard code == 0 else {
      throw Failure("The node cannot be recovered: \(unsafe Self.message(handle))")
    }
  }

  private func check(_ code: Int32, _ setting: String) throws {
    guard code == 0 else { throw Failure("dqlite refuses the \(setting)") }
  }

  private static func message(_ handle: OpaquePointer?) -> String {
    guard let text = unsafe dqlite_node_errmsg(handle) else { return "unknown error" }
    let message = unsafe String(cString: text)
    return message.isEmpty ? "unknown error" : message
  }
}
