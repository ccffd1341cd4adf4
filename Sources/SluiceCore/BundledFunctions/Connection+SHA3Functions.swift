extension Connection {
  /// Lets SQL compute hashes of FIPS 202, as blobs: `sha3(X, SIZE)` and `sha3_query(SQL, SIZE)`.
  ///
  /// The size is 224, 256, 384 or 512 bits, and 256 if it is left out. A number is hashed as its text,
  /// and the hash of NULL is NULL.
  ///
  /// `sha3_query` runs queries on this connection, and hashes them together with their results: for
  /// each query, an `S`, the number of its bytes, a colon and the bytes; for each row, an `R`; for each
  /// value, an `N` if it is NULL, an `I` or `F` and 8 bytes, the most significant first, or a `T` or `B`
  /// and the bytes as those of a query. SQL that writes, or that has no rows to give, throws
  /// ``ResultCode/error``, and views and triggers cannot call it.
  public func addSHA3Functions() throws {
    for arity in [1, 2] {
      try addFunction("sha3", arity: arity, options: [.deterministic, .innocuous]) { values in
        var hash = try SHA3(sizeIn: values)
        guard try values.storageClass(at: 0) != .null else { return .null }
        hash.update(try values.blob(at: 0))
        return .blob(hash.finish())
      }
    }
    // A function that refers to its connection would keep it alive.
    let hasher = QueryHasher(connection: self)
    for arity in [1, 2] {
      try addFunction("sha3_query", arity: arity) { values in
        var hash = try SHA3(sizeIn: values)
        guard try values.storageClass(at: 0) != .null else { return .null }
        try hasher.hash(values.text(at: 0), into: &hash)
        return .blob(hash.finish())
      }
    }
  }
}

extension SHA3 {
  /// A hash of the size that the second argument says, if there is one.
  fileprivate init(sizeIn values: borrowing SQLFunctionArguments) throws {
    guard let hash = try SHA3(bits: values.count > 1 ? values.integer(at: 1) : 256) else {
      throw SQLiteError(.error, "The size of a SHA-3 hash is 224, 256, 384 or 512")
    }
    self = hash
  }
}
