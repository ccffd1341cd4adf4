import CDqlite
import ClusterDoor

/// Connects to another node; dqlite calls this function on a thread of its pool.
///
/// dqlite's own function waits for minutes if a machine does not answer, and blocks one of the four threads that also
/// write the log. Its sockets are inherited by child processes, and it knows no TLS.
func connectToPeer(
  door: UnsafeMutableRawPointer?, address: UnsafePointer<CChar>?,
  result: UnsafeMutablePointer<Int32>?
) -> Int32 {
  guard let address = unsafe address, let result = unsafe result, let door = unsafe door,
    let node = DoorAddress(unsafe String(cString: address)),
    let socket = unsafe Unmanaged<NodeDoor>.fromOpaque(door).takeUnretainedValue()
      .connectToPeer(node)
  else { return 1 }
  // dqlite writes its first message before it hands the socket to its event loop, so the socket blocks.
  unsafe result.pointee = socket
  return 0
}
