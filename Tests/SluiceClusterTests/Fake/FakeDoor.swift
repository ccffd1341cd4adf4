import Dispatch
import Foundation
import SluiceCluster
import SluiceCore
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A door on a UNIX socket, which connects clients to fake nodes without TLS.
///
/// The door ends with the last reference to it.
final class FakeDoor: Sendable {
  private struct State: Sendable {
    var greetings: [[UInt8]] = []
    var isStopped = false
  }

  let address: NodeAddress
  private let path: String
  private let state = Locked(State())

  /// Opens a door to the node at `any`, for clients that name none; with nil, it reaches no node, and says why.
  init(any: NodeAddress?) throws {
    path = "/tmp/sluice-fake-door-\(UInt64.random(in: .min ... .max))"
    address = try #require(NodeAddress(path))
    let listener = try unixListener(path)
    Thread.detachNewThread { [weak self, path] in
      while let door = self, !door.state.withLock({ $0.isStopped }) {
        guard isReadable(listener, 20) else { continue }
        let client = acceptClient(listener)
        guard client >= 0 else { continue }
        Thread.detachNewThread { [weak self] in
          self?.serve(client, any)
          closeSocket(client)
        }
      }
      closeSocket(listener)
      try? FileManager.default.removeItem(atPath: path)
    }
  }

  deinit { state.withLock { $0.isStopped = true } }

  /// The words with which clients have named nodes.
  var greetings: [[UInt8]] { state.withLock { $0.greetings } }

  private func serve(_ client: Int32, _ any: NodeAddress?) {
    guard let word = receive(client, 8) else { return }
    state.withLock { $0.greetings.append(word) }
    guard word.starts(with: [0x53, 0x4c]) else { return }
    let port = UInt16(word[2]) << 8 | UInt16(word[3])
    let named = NodeAddress(word[4...].map { "\($0)" }.joined(separator: ".") + ":\(port)")
    guard let node = port == 0 ? any : named, any != nil, let server = connection(to: node) else {
      for part in FakeReply.failure(10250, "10.0.0.1:9001: the certificate has expired").parts {
        _ = sendAll(client, part)
      }
      return
    }
    let isDone = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      move(from: server, to: client)
      isDone.signal()
    }
    move(from: client, to: server)
    // The other thread would use a descriptor that belongs to another connection by then.
    isDone.wait()
    closeSocket(server)
  }
}

private func connection(to node: NodeAddress) -> Int32? {
  #if canImport(Darwin) || canImport(Musl)
    let descriptor = socket(AF_INET, SOCK_STREAM, 0)
  #else
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  #endif
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = (node.endpoint?.port ?? 0).bigEndian
  address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
  let status = unsafe withUnsafePointer(to: &address) { address in
    unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }
  guard status == 0 else {
    closeSocket(descriptor)
    return nil
  }
  return descriptor
}

private func unixListener(_ path: String) throws -> Int32 {
  #if canImport(Darwin) || canImport(Musl)
    let listener = socket(AF_UNIX, SOCK_STREAM, 0)
  #else
    let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
  #endif
  try #require(listener >= 0)
  _ = fcntl(listener, F_SETFD, FD_CLOEXEC)
  var address = sockaddr_un()
  #if canImport(Darwin)
    address.sun_len = UInt8(MemoryLayout<sockaddr_un>.size)
  #endif
  address.sun_family = sa_family_t(AF_UNIX)
  unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
  let isListening = unsafe withUnsafePointer(to: &address) { address in
    unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      unsafe bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
        && listen(listener, 64) == 0
    }
  }
  try #require(isListening, "\(path) cannot be used: errno \(errno)")
  return listener
}

/// Moves bytes until one of two sockets ends, and then ends both.
private func move(from: Int32, to: Int32) {
  var bytes = [UInt8](repeating: 0, count: 1 << 16)
  while true {
    let count = unsafe recv(from, &bytes, bytes.count, 0)
    if count < 0, errno == EINTR { continue }
    guard count > 0, sendAll(to, Array(bytes.prefix(count))) else { break }
  }
  shutDown(from)
  shutDown(to)
}
