package import SluiceCore

/// The rows of a query, which arrive in batches of about 4 KiB.
///
/// The values are decoded where the connection received them. Until ``next(_:)`` returns false or ``finish(_:)``
/// returns, the connection refuses other requests. Releasing unread rows closes the connection.
package final class RemoteRows {
  private enum State {
    case beforeFirst
    case row
    case ended
    case failed(any Error)
  }

  /// The place of a value in the body of the batch.
  private struct Field {
    var type = WireType.null
    var bytes = 0..<0
  }

  /// The names of the columns.
  package var names: [String] { header.names }
  private let connection: NodeConnection
  private let header: ColumnNames
  private var batch: RowBatch
  private var fields: [Field]
  private var state = State.beforeFirst
  private var emptyBatches = 0

  /// The number of batches without rows after which a query fails.
  private static let emptyBatchLimit = 3

  init(_ connection: NodeConnection, _ header: ColumnNames, _ batch: RowBatch) {
    self.connection = connection
    self.header = header
    self.batch = batch
    fields = [Field](repeating: Field(), count: header.names.count)
    connection.isReading = true
  }

  deinit {
    switch state {
    case .beforeFirst, .row: leave()
    case .ended, .failed: break
    }
  }

  /// Moves to the next row, and returns whether there is one.
  ///
  /// - Throws: ``WireError/failure(code:message:)`` if the query fails, after which the connection is usable.
  ///   ``ResultCode/tooBig`` if the names of the columns leave no room for rows.
  package func next(_ patience: Patience) throws -> Bool {
    switch state {
    case .ended: return false
    case .failed(let error): throw error
    case .beforeFirst, .row: break
    }
    do {
      while batch.rows.isEmpty {
        guard !batch.isLast else {
          end()
          return false
        }
        try receiveBatch(patience)
      }
      try readRow()
    } catch {
      end(with: error)
      throw error
    }
    state = .row
    return true
  }

  /// The value of a column in the current row.
  ///
  /// - Throws: ``ResultCode/mismatch`` for text that is not UTF-8.
  package func value(at column: Int) throws -> DatabaseValue {
    guard case .row = state else {
      throw SQLiteError(.misuse, "The rows of a query are not at a row")
    }
    guard fields.indices.contains(column) else {
      throw SQLiteError(
        .range, "Column \(column) does not exist; the query has \(fields.count) columns")
    }
    let field = fields[column]
    return try unsafe connection.input.withBody { body in
      switch field.type {
      case .integer, .unixTime:
        .integer(Int64(bitPattern: unsafe WireDecoder.word(body, field.bytes.lowerBound)))
      case .boolean:
        .integer(unsafe WireDecoder.word(body, field.bytes.lowerBound) == 0 ? 0 : 1)
      case .real:
        .real(Double(bitPattern: unsafe WireDecoder.word(body, field.bytes.lowerBound)))
      case .text, .isoTime:
        .text(try unsafe text(UnsafeRawBufferPointer(rebasing: body[field.bytes]), column))
      case .blob: .blob(unsafe Array(body[field.bytes]))
      case .null: .null
      }
    }
  }

  /// Ends the query: reads up to `batches` batches of its remaining rows, and closes the connection if more follow.
  package func finish(batches: Int = 8, _ patience: Patience) throws {
    switch state {
    case .ended, .failed: return
    case .beforeFirst, .row: break
    }
    do {
      for _ in 0..<batches where !batch.isLast { try receiveBatch(patience) }
      leave()
      state = .ended
    } catch WireError.failure {
      // The rows that failed are not needed.
      end()
    } catch {
      end(with: error)
      throw error
    }
  }

  /// Makes the connection usable if the last batch has arrived, and closes it otherwise.
  private func leave() {
    if !batch.isLast { connection.close() }
    connection.endReading()
  }

  private func end() {
    state = .ended
    connection.endReading()
  }

  private func end(with error: any Error) {
    state = .failed(error)
    connection.endReading()
    if case WireError.failure = error { return }
    connection.close()
  }

  private func receiveBatch(_ patience: Patience) throws {
    state = .beforeFirst
    connection.acknowledge()
    let next = try connection.receive(.rows, patience) { try $0.batch(with: header) }
    batch = next
    emptyBatches = next.rows.isEmpty && !next.isLast ? emptyBatches + 1 : 0
    guard emptyBatches < Self.emptyBatchLimit else {
      guard header.bytes.count >= 4080 else {
        throw WireError.broken("\(emptyBatches) parts of an answer have no rows")
      }
      throw SQLiteError(
        .tooBig,
        "The names of a query's columns have \(header.bytes.count) bytes, but a node sends no rows if they exceed "
          + "4096; give the columns shorter names with AS")
    }
  }

  /// Finds the values of the next row: first come the types of 4 bits each, and then the values.
  private func readRow() throws {
    try unsafe connection.input.withBody { body in
      var decoder = unsafe WireDecoder(
        UnsafeRawBufferPointer(rebasing: body[..<batch.rows.upperBound]),
        from: batch.rows.lowerBound)
      var types: UInt64 = 0
      for column in fields.indices {
        if column % 16 == 0 { types = try decoder.word() }
        guard let type = WireType(rawValue: UInt8(types & 15)) else {
          throw WireError.broken("A value has the unknown type \(types & 15)")
        }
        fields[column].type = type
        types >>= 4
      }
      for column in fields.indices {
        switch fields[column].type {
        case .integer, .real, .null, .unixTime, .boolean:
          fields[column].bytes = decoder.position..<decoder.position + 8
          _ = try decoder.word()
        case .text, .isoTime: fields[column].bytes = try decoder.text()
        case .blob: fields[column].bytes = try decoder.blob()
        }
      }
      batch.rows = decoder.position..<batch.rows.upperBound
    }
  }

  private func text(_ bytes: UnsafeRawBufferPointer, _ column: Int) throws -> String {
    guard let text = unsafe String(valid: bytes) else {
      throw SQLiteError(.mismatch, "Column \(column) (\(names[column])) is not valid UTF-8")
    }
    return text
  }
}
