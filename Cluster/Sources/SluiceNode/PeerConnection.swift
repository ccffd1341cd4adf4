import CDqlite
import Glibc
import SluiceCluster

/// Connects to another node; dqlite calls this function on a thread of its pool.
///
/// dqlite's own function waits for minutes if a machine does not answer, and blocks one of the four threads that also
/// write the log. Its sockets are inherited by child processes.
func connectToPeer(
  _: UnsafeMutableRawPointer?, address: UnsafePointer<CChar>?, result: UnsafeMutablePointer<Int32>?
) -> Int32 {
  guard let address = unsafe address, let result = unsafe result,
    let node = NodeAddress(unsafe String(cString: address)), let socket = connectedSocket(to: node)
  else { return 1 }
  unsafe result.pointee = socket
  return 0
}

/// The longest wait for a connection, in milliseconds.
private let patience: Int32 = 1000

/// Returns a blocking socket that is connected to a node, or nil if the node does not answer.
private func connectedSocket(to node: NodeAddress) -> Int32? {
  let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
  let descriptor = socket(AF_INET, type, 0)
  guard descriptor >= 0 else { return nil }
  guard connect(descriptor, to: node) else {
    close(descriptor)
    return nil
  }
  return descriptor
}

private func connect(_ descriptor: Int32, to node: NodeAddress) -> Bool {
  var target = sockaddr_in()
  target.sin_family = sa_family_t(AF_INET)
  target.sin_port = node.port.bigEndian
  guard unsafe inet_pton(AF_INET, node.host, &target.sin_addr) == 1 else { return false }
  let size = socklen_t(MemoryLayout<sockaddr_in>.size)
  let status = unsafe withUnsafePointer(to: &target) { pointer in
    unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      unsafe Glibc.connect(descriptor, $0, size)
    }
  }
  if status != 0 {
    guard errno == EINPROGRESS else { return false }
    var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    guard unsafe poll(&wait, 1, patience) == 1 else { return false }
    var failure: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &failure, &length) == 0,
      failure == 0
    else { return false }
  }
  // dqlite writes its first message before it hands the socket to its event loop.
  return fcntl(descriptor, F_SETFL, 0) == 0
}
