import CDqlite
import Glibc
import SluiceCluster

/// A node of dqlite, which serves clients and other nodes on its own threads.
///
/// Child processes would inherit its listening socket, so a process with a node starts no others.
@safe final class Node {
  /// The settings of a node that have defaults in dqlite.
  struct Settings {
    /// The address that the node listens on; nil for the address that others connect to.
    var listensOn: NodeAddress?
    /// The average time in milliseconds that a message takes from one node to another.
    var latency: UInt32?
    var failureDomain: UInt64?
    /// The numbers of log entries after which a snapshot is taken, and that are kept after it.
    var snapshot: (threshold: UInt32, trailing: UInt32)?
  }

  private let handle: OpaquePointer
  private var isRunning = false

  /// Creates a node that does not run yet, whose log and snapshots are in a folder.
  init(id: UInt64, address: NodeAddress, folder: String) throws {
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

  /// Starts the node at an address; a node with an empty folder and the id 1 begins a cluster.
  func start(at address: NodeAddress, _ settings: Settings) throws {
    let listensOn = settings.listensOn ?? address
    guard unsafe dqlite_node_set_bind_address(handle, listensOn.description) == 0 else {
      // The library tells no reason, but the last call that failed is the one of the system.
      let reason = unsafe String(cString: strerror(errno))
      throw Failure(
        "The node cannot listen on \(listensOn): another process uses the port, or the address does "
          + "not belong to this machine (\(reason))")
    }
    try check(unsafe dqlite_node_set_connect_func(handle, connectToPeer, nil), "connect function")
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

  /// Replaces the members of the cluster in the node's log, whose other members are lost.
  ///
  /// The node must not run.
  func recover(members: [Member]) throws {
    // dqlite copies the addresses.
    let addresses = unsafe members.map { unsafe strdup($0.address.description) }
    defer { for index in members.indices { unsafe free(addresses[index]) } }
    var infos = members.indices.map { index in
      dqlite_node_info_ext(
        size: UInt64(MemoryLayout<dqlite_node_info_ext>.size), id: members[index].id,
        address: unsafe UInt64(UInt(bitPattern: addresses[index])), dqlite_role: 0)
    }
    guard unsafe dqlite_node_recover_ext(handle, &infos, Int32(infos.count)) == 0 else {
      throw Failure("The node cannot be recovered: \(unsafe Self.message(handle))")
    }
  }

  /// A voter of a recovered cluster.
  struct Member {
    let id: UInt64
    let address: NodeAddress
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
