import CSluice

/// The arguments of an SQL function, valid only during the call.
///
/// An argument is copied only when it is read. An index outside ``indices`` throws ``ResultCode/range``. Text
/// that is not UTF-8 throws ``ResultCode/mismatch``, but can be read as bytes.
@safe public struct SQLFunctionArguments: ~Copyable {
  @usableFromInline let values: UnsafeMutablePointer<OpaquePointer?>?
  /// The context of a scalar function; nil for any other function.
  let scalarContext: OpaquePointer?
  /// The context of an aggregate function; nil for any other function.
  let aggregateContext: OpaquePointer?
  /// The number of arguments.
  public let count: Int

  init(
    _ count: Int32, _ values: UnsafeMutablePointer<OpaquePointer?>?,
    _ scalarContext: OpaquePointer? = nil, aggregate: OpaquePointer? = nil
  ) {
    unsafe self.values = values
    unsafe self.scalarContext = scalarContext
    unsafe aggregateContext = aggregate
    self.count = Int(count)
  }
}

extension SQLFunctionArguments {
  /// Whether there are no arguments.
  public var isEmpty: Bool { count == 0 }

  /// The indexes of the arguments.
  public var indices: Range<Int> { 0..<count }

  /// The first argument, or nil if there is none.
  public var first: DatabaseValue? {
    // Here, a plain `nil` would be a `DatabaseValue` that is NULL, and not an absent value.
    get throws { isEmpty ? DatabaseValue?.none : try self[0] }
  }

  /// The argument at this index, as SQLite stores it.
  ///
  /// The corresponding C functions are `sqlite3_value_type`, `sqlite3_value_int64` and so on.
  public subscript(index: Int) -> DatabaseValue {
    get throws {
      let argument = try argument(index)
      do { return try argument.stored() } catch { throw error.error(Self.name(of: index)) }
    }
  }

  /// Returns an array of the results of `transform` for each argument.
  public func map<T>(_ transform: (DatabaseValue) throws -> T) throws -> [T] {
    try indices.map { try transform(self[$0]) }
  }

  /// Returns an argument, converted to a Swift type without loss; an optional type reads NULL as nil.
  ///
  /// ```swift
  /// let limit = try arguments.get(Int?.self, at: 1) ?? 10
  /// ```
  @inlinable @inline(__always)
  public func get<T: SQLFunctionArgument>(_ type: T.Type = T.self, at index: Int) throws -> T {
    try T.with(argument: index, of: self) { $0 }
  }

  /// Returns the storage class of an argument.
  public func storageClass(at index: Int) throws -> StorageClass {
    try argument(index).storageClass
  }

  /// Returns an argument as an integer by SQLite's rules, which convert a non-number to 0.
  public func integer(at index: Int) throws -> Int64 { try argument(index).integer }

  /// Returns an argument as a real by SQLite's rules, which convert a non-number to 0.
  public func real(at index: Int) throws -> Double { try argument(index).real }

  /// Returns an argument as text by SQLite's rules; NULL throws.
  public func text(at index: Int) throws -> String {
    let argument = try notNull(index)
    do { return try argument.text() } catch { throw error.error(Self.name(of: index)) }
  }

  /// Returns an argument as bytes by SQLite's rules; NULL throws, and text becomes its UTF-8.
  public func blob(at index: Int) throws -> [UInt8] {
    let argument = try notNull(index)
    do { return try argument.blob() } catch { throw error.error(Self.name(of: index)) }
  }

  /// Calls `body` with the unvalidated UTF-8 of an argument that is text, and returns the result of `body`.
  public func withUTF8<T, E: Error>(
    at index: Int, _ body: (Span<UInt8>) throws(E) -> T
  ) throws -> T {
    try lend(index, .text, body)
  }

  /// Calls `body` with the bytes of an argument that is a blob, and returns the result of `body`.
  public func withBytes<T, E: Error>(
    at index: Int, _ body: (Span<UInt8>) throws(E) -> T
  ) throws -> T {
    try lend(index, .blob, body)
  }
}

extension SQLFunctionArguments {
  func argument(_ index: Int) throws -> Argument {
    guard let value = unsafe current(index) else { try refuse(index) }
    return unsafe Argument(value)
  }

  private func notNull(_ index: Int) throws -> Argument {
    let argument = try argument(index)
    guard argument.storageClass != .null else {
      throw SQLiteError(.mismatch, "\(Self.name(of: index)) is NULL")
    }
    return argument
  }

  private func lend<T, E: Error>(
    _ index: Int, _ wanted: StorageClass, _ body: (Span<UInt8>) throws(E) -> T
  ) throws -> T {
    let argument = try argument(index)
    let bytes: UnsafeBufferPointer<UInt8>
    do { unsafe bytes = try argument.bytes(of: wanted) } catch {
      throw error.error(Self.name(of: index))
    }
    return try unsafe body(bytes.span)
  }

  static func name(of index: Int) -> String { "\(argument)\(index + 1)" }

  /// The beginning of a message about an argument.
  static var argument: String { "Argument " }
}
