import SluiceCore

/// Copies of the files of a database.
extension NodeConnection {
  /// A part of a file that a node sends.
  package struct FilePart {
    /// The name of the file: that of the database, or the same with `-wal`.
    package let name: String
    /// The next bytes of the file; empty in the first part.
    package let bytes: [UInt8]
    /// The number of bytes that were received, of all files.
    package let byteCount: Int
    /// The number of bytes that all files have.
    package let totalByteCount: Int
  }

  /// Copies the files of a database in parts, as this node has them: the database, and then its WAL.
  ///
  /// Each file begins with an empty part. The node holds a copy of both files in memory while it answers.
  ///
  /// - Parameters:
  ///   - database: The name of the database.
  ///   - patience: Returns the patience for the next part.
  ///   - receive: A closure that receives each part. If it throws, the connection closes.
  /// - Throws: ``WireError``, ``ResultCode/misuse`` for an empty name, and the errors of `receive`.
  package func dump(
    _ database: String, _ patience: @escaping () -> Patience,
    to receive: (_ part: FilePart) throws -> Void
  ) throws {
    guard !database.isEmpty else {
      throw SQLiteError(.misuse, "The name of a cluster's database must not be empty")
    }
    try request(.dump, patience()) {
      try $0.append(database, "The name of a database", .misuse)
    }
    try receiveStream(.files, patience) { stream in
      let total = stream.left
      for _ in 0..<(try stream.word()) {
        let name = try stream.string()
        let size = try stream.word()
        guard var left = Int(exactly: size), left <= stream.left else {
          throw WireError.broken("An answer ends within the file \(name)")
        }
        var bytes: [UInt8] = []
        while true {
          try receive(
            FilePart(
              name: name, bytes: bytes, byteCount: total - stream.left, totalByteCount: total))
          guard left > 0 else { break }
          bytes = try stream.bytes(atMost: left)
          left -= bytes.count
        }
        // The last file may lack the zeros that complete its last word.
        var zeros = min(-Int(size) & 7, stream.left)
        while zeros > 0 { zeros -= try stream.bytes(atMost: zeros).count }
      }
    }
  }

  /// Copies the files of a database, as this node has them: the database and its WAL.
  ///
  /// Files of more than `limit` bytes close the connection.
  package func dump(
    _ database: String, limit: Int = 256 << 20, _ patience: Patience
  ) throws -> [(name: String, bytes: [UInt8])] {
    var files: [(name: String, bytes: [UInt8])] = []
    try dump(database) {
      patience
    } to: { part in
      guard part.totalByteCount <= limit else {
        throw WireError.broken(
          "A database has \(part.totalByteCount) bytes, but at most \(limit) are accepted")
      }
      if part.bytes.isEmpty { files.append((part.name, [])) }
      files[files.count - 1].bytes += part.bytes
    }
    return files
  }
}
