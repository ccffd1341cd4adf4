#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A nonblocking socket of TCP, or of the UNIX domain, which waits with a ``Patience``.
final class NodeSocket {
  /// The outcome of an attempt to receive without waiting.
  enum Peek {
    case nothing
    case bytes
    case end(String)
  }

  private var descriptor: Int32

  /// Connects to a node.
  ///
  /// - Throws: ``WireError/unreachable(_:)``, or the error of the patience's check.
  init(to address: NodeAddress, _ patience: Patience) throws {
    descriptor = SystemSocket.open(address.door == nil ? AF_INET : AF_UNIX)
    guard descriptor >= 0 else {
      throw WireError.unreachable("A socket cannot be created: \(describe(errno))")
    }
    if address.door == nil { SystemSocket.set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY) }
    do {
      try connect(to: address, patience)
    } catch WireError.broken(let text) {
      throw WireError.unreachable(text)
    }
  }

  deinit { close() }

  var isOpen: Bool { descriptor >= 0 }

  func close() {
    guard descriptor >= 0 else { return }
    _ = systemClose(descriptor)
    descriptor = -1
  }

  /// Sends all bytes.
  ///
  /// - Throws: ``WireError/unreachable(_:)`` if the system did not accept all bytes.
  func send(_ bytes: [UInt8], _ patience: Patience) throws {
    var sent = 0
    do {
      while sent < bytes.count {
        let limit = try patience.milliseconds(for: "Sending a request")
        let count = unsafe bytes.withUnsafeBytes { bytes in
          unsafe SystemSocket.send(descriptor, bytes.baseAddress! + sent, bytes.count - sent)
        }
        if count >= 0 {
          sent += count
        } else if isTemporary(errno) {
          try wait(for: POLLOUT, limit)
        } else if errno != EINTR {
          throw WireError.unreachable("Sending a request failed: \(describe(errno))")
        }
      }
    } catch WireError.broken(let text) {
      throw WireError.unreachable(text)
    }
  }

  /// Waits for bytes, and stores them at the end of `bytes`, beginning at `start`; returns how many there are.
  func receive(into bytes: inout [UInt8], from start: Int, _ patience: Patience) throws -> Int {
    guard isOpen else { throw WireError.broken("The connection is closed") }
    while true {
      let limit = try patience.milliseconds(for: "Waiting for an answer")
      let count = unsafe bytes.withUnsafeMutableBytes { bytes in
        unsafe recv(descriptor, bytes.baseAddress! + start, bytes.count - start, 0)
      }
      if count > 0 { return count }
      if count == 0 { throw WireError.broken("The node closed the connection") }
      if isTemporary(errno) {
        try wait(for: POLLIN, limit)
      } else if errno != EINTR {
        throw WireError.broken("Waiting for an answer failed: \(describe(errno))")
      }
    }
  }

  /// Acknowledges the received bytes at once.
  ///
  /// A node sends the next small part of an answer only after the acknowledgement of the last one, which the system would
  /// delay by up to 40 ms.
  func acknowledge() {
    SystemSocket.acknowledge(descriptor)
  }

  /// Looks for bytes or the end of the connection, without waiting.
  func peek() -> Peek {
    var byte: UInt8 = 0
    while true {
      let count = unsafe recv(descriptor, &byte, 1, Int32(MSG_PEEK))
      if count > 0 { return .bytes }
      if count == 0 { return .end("the node closed the connection") }
      if isTemporary(errno) { return .nothing }
      if errno != EINTR { return .end(describe(errno)) }
    }
  }

  private func connect(to address: NodeAddress, _ patience: Patience) throws {
    if let door = address.door { return try connect(toDoor: door, patience) }
    let status = unsafe address.withNative { unsafe systemConnect(descriptor, $0, $1) }
    guard status != 0 else { return }
    // After EINTR, the system continues to connect.
    guard errno == EINPROGRESS || errno == EINTR else {
      throw WireError.unreachable("\(address): \(describe(errno))")
    }
    while try !wait(for: POLLOUT, patience.milliseconds(for: "Connecting to \(address)")) {}
    var code: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) == 0, code == 0 else {
      throw WireError.unreachable("\(address): \(describe(code == 0 ? errno : code))")
    }
  }

  /// Connects to the socket of a door, which accepts a connection at once unless very many wait.
  private func connect(toDoor path: String, _ patience: Patience) throws {
    while true {
      let status = unsafe SystemSocket.withAddress(ofPath: path) {
        unsafe systemConnect(descriptor, $0, $1)
      }
      guard status != 0 else { return }
      let code = errno
      guard isTemporary(code) || code == EINTR else {
        throw WireError.unreachable("\(path): \(describe(code))")
      }
      _ = try patience.milliseconds(for: "Connecting to \(path)")
      try patience.sleep(for: .milliseconds(2))
    }
  }

  /// Waits up to `limit` ms, and returns whether the socket is ready.
  @discardableResult
  private func wait(for event: Int32, _ limit: Int32) throws -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(event), revents: 0)
    let count = unsafe poll(&entry, 1, limit)
    guard count >= 0 || errno == EINTR || isTemporary(errno) else {
      throw WireError.broken("Waiting for a node failed: \(describe(errno))")
    }
    guard Int32(entry.revents) & POLLNVAL == 0 else {
      throw WireError.broken("The socket of the connection is closed")
    }
    return count > 0
  }
}

extension NodeAddress {
  /// Calls `body` with the IPv4 address in the form of the system.
  fileprivate func withNative(
    _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var native = SystemSocket.address()
    native.sin_port = (endpoint?.port ?? 0).bigEndian
    let bytes = endpoint?.bytes ?? []
    native.sin_addr.s_addr = bytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }.bigEndian
    return unsafe withUnsafePointer(to: &native) { native in
      unsafe native.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }
}

private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }

private func systemConnect(
  _ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ size: socklen_t
) -> Int32 {
  unsafe connect(descriptor, address, size)
}

private func isTemporary(_ code: Int32) -> Bool { code == EAGAIN || code == EWOULDBLOCK }

private func describe(_ code: Int32) -> String {
  unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
}
