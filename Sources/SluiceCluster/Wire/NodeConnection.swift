package import SluiceCore

/// A connection to a node, perhaps through a door, which answers one request after the other.
///
/// Only one thread at a time may use a connection. An error other than ``WireError/failure(code:message:)`` during an
/// exchange closes the connection, because an answer may be outstanding.
package final class NodeConnection {
  /// The address of the node.
  package let address: NodeAddress
  /// The largest number of bytes in a request or an answer, except in the answer to a dump.
  package var messageLimit = 256 << 20
  /// The answer that was received last.
  var input = MessageInput()
  /// Whether rows are outstanding, so that another request is not allowed.
  var isReading = false
  /// The names of the columns of the last query.
  private var names = ColumnNames()
  private let socket: NodeSocket
  private var encoder = WireEncoder()
  private var database: UInt32?
  /// Whether the answer to a statement was not received, because nobody waits for it.
  private var isUnanswered = false

  /// Connects to a node, and greets it.
  ///
  /// - Throws: ``WireError/unreachable(_:)``, ``WireError/failure(code:message:)``, or the error of the patience's check.
  package init(to address: NodeAddress, _ patience: Patience) throws {
    self.address = address
    socket = try NodeSocket(to: address, patience)
    do {
      try greet(patience)
    } catch WireError.broken(let text) {
      throw WireError.unreachable(text)
    } catch WireError.failure(_, let text) where address.door != nil {
      // The door tells why it does not reach the node.
      close()
      throw WireError.unreachable(text)
    }
  }

  /// Whether requests can be sent.
  package var isOpen: Bool { socket.isOpen }

  /// Closes the connection, which rolls back its transaction.
  package func close() { socket.close() }

  private func greet(_ patience: Patience) throws {
    encoder.begin(.client)
    encoder.append(UInt64(0))
    try encoder.end(limit: messageLimit)
    try send(address.greeting + WireEncoder.handshake + encoder.bytes, patience)
    try receive(.welcome, patience) { answer in _ = try answer.word() }
  }
}

extension NodeConnection {
  /// Asks the node which node leads; nil if it does not know a leader.
  package func leader(_ patience: Patience) throws -> NodeMember? {
    try exchange(.leader, .server, patience) {
      $0.append(UInt64(0))
    } decode: { answer in
      let id = try answer.word()
      let address = try answer.string()
      return id == 0 || address.isEmpty ? nil : NodeMember(id: id, address: address, role: .voter)
    }
  }

  /// Opens a database, and creates it if it does not exist; a connection opens one database.
  package func open(_ name: String, _ patience: Patience) throws {
    guard !name.isEmpty else {
      throw SQLiteError(.misuse, "The name of a cluster's database must not be empty")
    }
    database = try exchange(.open, .database, patience) {
      try $0.append(name, "The name of a database", .misuse)
      $0.append(UInt64(0))
      try $0.append("", "The name of a file system", .misuse)
    } decode: { answer in
      UInt32(truncatingIfNeeded: try answer.word())
    }
  }

  /// Executes all statements of `sql`, with values for the parameters of the first statement.
  ///
  /// The results are those of the connection's last insert and last change, which may belong to an earlier call.
  package func execute(
    _ sql: String, _ values: [DatabaseValue], _ patience: Patience
  ) throws -> (lastInsertRowid: Int64, changes: Int) {
    try exchange(.executeSQL, .result, patience) {
      $0.append(UInt64(try openDatabase))
      try $0.append(sql, "The SQL", .misuse)
      try $0.append(values)
    } decode: {
      try $0.result()
    }
  }

  /// Sends a statement, and does not wait for its answer, which is received before the next request is sent.
  ///
  /// If the statement fails, the next request throws ``WireError/unreachable(_:)``, and the connection closes.
  package func send(_ sql: String, _ patience: Patience) throws {
    try request(.executeSQL, patience) {
      $0.append(UInt64(try openDatabase))
      try $0.append(sql, "The SQL", .misuse)
    }
    isUnanswered = true
  }

  /// Executes the first statement of `sql`, and ignores the others.
  package func query(
    _ sql: String, _ values: [DatabaseValue], _ patience: Patience
  ) throws -> RemoteRows {
    try request(.querySQL, patience) {
      $0.append(UInt64(try openDatabase))
      try $0.append(sql, "The SQL", .misuse)
      try $0.append(values)
    }
    return try rows(patience)
  }

  /// Compiles the first statement of `sql`, without running it.
  package func check(_ sql: String, _ patience: Patience) throws {
    let database = try openDatabase
    let id = try exchange(.prepare, .statement, patience) {
      $0.append(UInt64(database))
      try $0.append(sql, "The SQL", .misuse)
    } decode: { answer in
      UInt32(truncatingIfNeeded: try answer.word() >> 32)
    }
    try exchange(.finalize, .empty, patience) {
      $0.append(database)
      $0.append(id)
    } decode: { _ in
    }
  }

  /// Returns the integer in the first column of the last row of a query; nil if there is none.
  func number(
    _ sql: String, _ values: [DatabaseValue], _ patience: Patience
  ) throws -> Int64? {
    let rows = try query(sql, values, patience)
    var number: Int64?
    while try rows.next(patience) {
      if case .integer(let found) = try rows.value(at: 0) { number = found }
    }
    return number
  }

  /// The number of the open database.
  var openDatabase: UInt32 {
    get throws {
      guard let database else {
        throw SQLiteError(.misuse, "The connection to \(address) has not opened a database")
      }
      return database
    }
  }
}

extension NodeConnection {
  /// Sends a request, and decodes its answer.
  func exchange<T>(
    _ type: WireRequest, _ expected: WireAnswer, limit: Int? = nil, _ patience: Patience,
    encode: (inout WireEncoder) throws -> Void, decode: (inout WireDecoder) throws -> T
  ) throws -> T {
    try request(type, patience, encode)
    defer { input.discard() }
    return try receive(expected, limit: limit, patience, decode)
  }

  /// Sends a request; an error of `encode` leaves the connection usable.
  func request(
    _ type: WireRequest, _ patience: Patience, _ encode: (inout WireEncoder) throws -> Void
  ) throws {
    guard !isReading else {
      throw SQLiteError(.misuse, "The connection to \(address) still has rows of a query to read")
    }
    guard isOpen else { throw WireError.unreachable("The connection to \(address) is closed") }
    encoder.begin(type)
    try encode(&encoder)
    try encoder.end(limit: messageLimit)
    try receiveUnanswered(patience)
    try refuseSurprise()
    try send(encoder.bytes, patience)
    encoder.releaseLargeMessage()
  }

  /// Receives an answer of the type `expected`, and decodes it.
  func receive<T>(
    _ expected: WireAnswer, limit: Int? = nil, _ patience: Patience,
    _ decode: (inout WireDecoder) throws -> T
  ) throws -> T {
    try closingOnError {
      let type = try input.next(from: socket, limit: limit ?? messageLimit, patience)
      return try unsafe input.withBody { body in
        var decoder = unsafe WireDecoder(body)
        if type == .failure { throw try decoder.failure() }
        guard type == expected else { throw Self.unexpected(type, expected) }
        return try decode(&decoder)
      }
    }
  }

  /// Receives an answer of the type `expected` in parts, which `read` must read to the end.
  func receiveStream(
    _ expected: WireAnswer, _ patience: @escaping () -> Patience,
    _ read: (inout MessageStream) throws -> Void
  ) throws {
    try closingOnError {
      let (type, count) = try input.header(from: socket, patience())
      var stream = MessageStream(of: self, count: count, patience)
      if type == .failure {
        var body: [UInt8] = []
        while stream.left > 0, body.count <= 1 << 16 { body += try stream.bytes(atMost: 1 << 16) }
        guard stream.left == 0 else { throw WireError.broken("A failure has \(count) bytes") }
        throw try unsafe body.withUnsafeBytes { body in
          let decoder = unsafe WireDecoder(body)
          return try decoder.failure()
        }
      }
      guard type == expected else { throw Self.unexpected(type, expected) }
      try read(&stream)
      guard stream.left == 0 else { throw WireError.broken("Bytes follow the end of an answer") }
    }
  }

  /// Receives a word of an answer that is received in parts.
  func receiveWord(_ patience: Patience) throws -> UInt64 {
    try input.word(from: socket, patience)
  }

  /// Receives bytes of an answer that is received in parts.
  func receivePart(atMost count: Int, _ patience: Patience) throws -> [UInt8] {
    try input.part(atMost: count, from: socket, patience)
  }

  private static func unexpected(_ type: WireAnswer, _ expected: WireAnswer) -> WireError {
    .broken("The answer to a request is \(type), but \(expected) was expected")
  }

  /// Calls `receive`, and closes the connection if it throws anything but a failure that the node has answered.
  private func closingOnError<T>(_ receive: () throws -> T) throws -> T {
    do { return try receive() } catch let error as WireError {
      if case .failure = error { throw error }
      close()
      throw error.naming(address)
    } catch {
      close()
      throw error
    }
  }

  /// Receives the answer to a statement for which nobody has waited.
  ///
  /// A node delays a second answer until the first one is acknowledged, which can take 40 ms. So the next request is sent
  /// only afterwards.
  private func receiveUnanswered(_ patience: Patience) throws {
    guard isUnanswered else { return }
    isUnanswered = false
    do {
      try receive(.result, patience) { _ = try $0.result() }
    } catch WireError.failure(let code, let message) {
      close()
      throw WireError.unreachable("\(address): \(message) (\(code))")
    } catch WireError.broken(let reason) {
      throw WireError.unreachable(reason)
    }
  }

  /// Allows other requests, because the rows of a query are no longer needed.
  func endReading() {
    isReading = false
    input.discard()
    if names.bytes.count > 1 << 16 { names = ColumnNames() }
  }

  /// Tells the node that its last message has arrived, if another message of the same answer follows.
  func acknowledge() { if !input.hasMore { socket.acknowledge() } }

  /// Receives the first rows of a query.
  func rows(_ patience: Patience) throws -> RemoteRows {
    let batch = try receive(.rows, patience) { try $0.batch(names: &names) }
    return RemoteRows(self, names, batch)
  }

  private func send(_ bytes: [UInt8], _ patience: Patience) throws {
    do {
      try socket.send(bytes, patience)
    } catch {
      close()
      throw (error as? WireError)?.naming(address) ?? error
    }
  }

  /// Closes the connection if the node has closed it, or sent an answer without a request.
  ///
  /// Without this check, the request would be sent, and its outcome would be unknown.
  private func refuseSurprise() throws {
    let reason: String
    switch socket.peek() {
    case .nothing where !input.hasMore: return
    case .end(let text): reason = text
    default: reason = "the node sent an answer without a request"
    }
    close()
    throw WireError.unreachable("The connection to \(address) has ended: \(reason)")
  }
}

extension WireError {
  /// The same error, with the address of the node before its text.
  fileprivate func naming(_ address: NodeAddress) -> WireError {
    switch self {
    case .failure: self
    case .unreachable(let text): .unreachable("\(address): \(text)")
    case .broken(let text): .broken("\(address): \(text)")
    }
  }
}

extension WireDecoder {
  /// Reads the answer to a statement that was executed.
  mutating func result() throws -> (lastInsertRowid: Int64, changes: Int) {
    let rowid = Int64(bitPattern: try word())
    let changes = try word()
    guard let count = Int(exactly: changes) else {
      throw WireError.broken("An answer counts \(changes) changes")
    }
    return (rowid, count)
  }
}
