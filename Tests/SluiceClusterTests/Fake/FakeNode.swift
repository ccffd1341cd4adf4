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

/// The part of a server that answers the requests of one connection, on one thread.
protocol FakeSession: AnyObject {
  /// Answers a request; nil if the bytes are no request.
  func answer(_ request: FakeRequest?) -> FakeReply
  /// Ends the session, because its connection has ended.
  func end()
}

extension FakeSession {
  func end() {}
}

/// A server on 127.0.0.1 that speaks the protocol of a node.
///
/// ```swift
/// let node = try FakeNode { request in
///   if case .querySQL = request { return .rows(["a"], [[.plain(1)]]) }
///   return nil
/// }
/// let connection = try NodeConnection(to: node.address, Patience(.seconds(10)))
/// ```
///
/// The server ends with the last reference to it.
final class FakeNode: Sendable {
  let address: NodeAddress
  private let server: FakeServer

  /// Starts a server, with a session for each connection.
  init(
    port: UInt16 = 0,
    session: @escaping @Sendable (_ number: Int) throws -> any FakeSession
  ) throws {
    server = try FakeServer(port: port, session)
    address = try #require(NodeAddress("127.0.0.1:\(server.port)"))
    let server = server
    Thread.detachNewThread { server.accept() }
  }

  /// Starts a server that answers with `answer`, or as an idle node does if that returns nil.
  convenience init(_ answer: @escaping @Sendable (FakeRequest?) -> FakeReply?) throws {
    try self.init { _ in FakeScript(answer) }
  }

  deinit { server.crash() }

  /// The number of the connections that clients have opened.
  var connectionCount: Int { server.state.withLock { $0.connectionCount } }

  /// Closes all connections and the port, as if the process had ended; returns when all sessions have ended.
  func stop() { server.stop() }

  /// Closes all connections and the port, but does not wait, so that a session can call it.
  func crash() { server.crash() }
}

/// A session that answers with a closure.
final class FakeScript: FakeSession {
  private let script: (FakeRequest?) -> FakeReply?

  init(_ script: @escaping (FakeRequest?) -> FakeReply?) { self.script = script }

  func answer(_ request: FakeRequest?) -> FakeReply {
    if let reply = script(request) { return reply }
    return switch request {
    case .client: .welcome
    case .leader: .server(0, "")
    case .open: .database
    case .prepare: .statement(0, parameters: 0)
    case .execute, .executeSQL: .result(0, 0)
    case .query, .querySQL: .rows(["a"], [])
    case .members: .servers([])
    case .dump: .files([])
    case .describe: .metadata(0, 0)
    case nil: .drop
    default: .empty
    }
  }
}

/// The threads and sockets of a ``FakeNode``.
private final class FakeServer: Sendable {
  struct State {
    var isStopped = false
    var isListening = true
    var connections: [Int: Int32] = [:]
    var connectionCount = 0
    var threadCount = 1
  }

  let state = Locked(State())
  let port: UInt16
  private let listener: Int32
  private let session: @Sendable (Int) throws -> any FakeSession

  init(port: UInt16, _ session: @escaping @Sendable (Int) throws -> any FakeSession) throws {
    self.session = session
    (listener, self.port) = try listen(on: port)
  }

  func accept() {
    while !isStopped {
      guard isReadable(listener, 20), !isStopped else { continue }
      let client = acceptClient(listener)
      guard client >= 0 else { continue }
      let number: Int? = state.withLock { state in
        guard !state.isStopped else { return nil }
        state.connectionCount += 1
        state.threadCount += 1
        state.connections[state.connectionCount] = client
        return state.connectionCount
      }
      guard let number else {
        closeSocket(client)
        break
      }
      Thread.detachNewThread { self.serve(client, number) }
    }
    state.withLock { state in
      state.isListening = false
      closeSocket(listener)
      state.threadCount -= 1
    }
  }

  private func serve(_ client: Int32, _ number: Int) {
    if let session = try? session(number) {
      converse(client, session)
      session.end()
    }
    state.withLock { _ = $0.connections.removeValue(forKey: number) }
    closeSocket(client)
    state.withLock { $0.threadCount -= 1 }
  }

  private func converse(_ client: Int32, _ session: any FakeSession) {
    guard receive(client, 8) == [1, 0, 0, 0, 0, 0, 0, 0] else { return }
    while let header = receive(client, 8) {
      let words = header[0..<4].reversed().reduce(0) { $0 << 8 | Int($1) }
      guard words > 0, words < 1 << 24, let body = receive(client, words * 8) else { return }
      let isPlain = header[5] == 0 && header[6] == 0 && header[7] == 0
      let reply = session.answer(isPlain ? FakeRequest(type: header[4], body: body) : nil)
      for part in reply.parts {
        guard !isStopped, sendAll(client, part) else { return }
      }
      switch reply.ending {
      case .open: break
      case .closed: return
      case .silent:
        // The end of the client or of the server ends the wait.
        while receive(client, 1) != nil {}
        return
      }
    }
  }

  func crash() {
    state.withLock { state in
      state.isStopped = true
      // On Linux, this ends the wait for a connection.
      if state.isListening { shutDown(listener) }
    }
    dropConnections()
  }

  func stop() {
    crash()
    while state.withLock({ $0.threadCount > 0 }) { Thread.sleep(forTimeInterval: 0.001) }
  }

  private func dropConnections() {
    state.withLock { for socket in $0.connections.values { shutDown(socket) } }
  }

  private var isStopped: Bool { state.withLock { $0.isStopped } }
}

private func listen(on port: UInt16) throws -> (socket: Int32, port: UInt16) {
  #if canImport(Darwin) || canImport(Musl)
    let listener = socket(AF_INET, SOCK_STREAM, 0)
  #else
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  #endif
  try #require(listener >= 0)
  _ = fcntl(listener, F_SETFD, FD_CLOEXEC)
  var on: Int32 = 1
  _ = unsafe setsockopt(
    listener, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
  var size = socklen_t(MemoryLayout<sockaddr_in>.size)
  let code = unsafe withUnsafeMutablePointer(to: &address) { address in
    unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
      unsafe bind(listener, address, size) == 0 && listen(listener, 64) == 0
        && getsockname(listener, address, &size) == 0
    }
  }
  try #require(code, "The port \(port) cannot be used: errno \(errno)")
  return (listener, UInt16(bigEndian: address.sin_port))
}

func isReadable(_ socket: Int32, _ milliseconds: Int32) -> Bool {
  var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
  return unsafe poll(&entry, 1, milliseconds) > 0
}

func acceptClient(_ listener: Int32) -> Int32 {
  let client = accept(listener, nil, nil)
  guard client >= 0 else { return client }
  _ = fcntl(client, F_SETFD, FD_CLOEXEC)
  var on: Int32 = 1
  let size = socklen_t(MemoryLayout<Int32>.size)
  _ = unsafe setsockopt(client, Int32(IPPROTO_TCP), TCP_NODELAY, &on, size)
  #if canImport(Darwin)
    _ = unsafe setsockopt(client, SOL_SOCKET, SO_NOSIGPIPE, &on, size)
  #endif
  return client
}

/// Receives exactly `count` bytes; nil if the connection ends before.
func receive(_ socket: Int32, _ count: Int) -> [UInt8]? {
  var bytes = [UInt8](repeating: 0, count: count)
  var received = 0
  while received < count {
    let result = unsafe bytes.withUnsafeMutableBytes { bytes in
      unsafe recv(socket, bytes.baseAddress! + received, count - received, 0)
    }
    if result < 0, errno == EINTR { continue }
    guard result > 0 else { return nil }
    received += result
  }
  return bytes
}

func sendAll(_ socket: Int32, _ bytes: [UInt8]) -> Bool {
  #if canImport(Darwin)
    let flags: Int32 = 0
  #else
    let flags = Int32(MSG_NOSIGNAL)
  #endif
  var sent = 0
  while sent < bytes.count {
    let result = unsafe bytes.withUnsafeBytes { bytes in
      unsafe send(socket, bytes.baseAddress! + sent, bytes.count - sent, flags)
    }
    if result < 0, errno == EINTR { continue }
    guard result > 0 else { return false }
    sent += result
  }
  return true
}

func shutDown(_ socket: Int32) { _ = shutdown(socket, Int32(SHUT_RDWR)) }

func closeSocket(_ socket: Int32) { _ = close(socket) }
