/// A converter that turns the value in a column into a `Value`.
///
/// ```swift
/// let id = try row.get(.int64, named: "id")
/// let name = try row.optional(.string, named: "name")
/// ```
///
/// Sluice's converters accept values that they can convert without loss, and throw ``ResultCode/mismatch`` for
/// all others. For example, 3.0 and `'42'` can be read as an `Int`, but 3.5 and `'x'` cannot.
///
/// To add a converter, write a one-line extension:
///
/// ```swift
/// extension ColumnValueConverter where Value == Point {
///   static var point: Self { Self { row, index in try Point(parsing: row.text(at: index)) } }
/// }
/// ```
public struct ColumnValueConverter<Value>: Sendable {
  @usableFromInline let convert: @Sendable (borrowing Row, Int) throws -> Value

  /// Creates a converter from a closure that reads column `index` of `row`.
  @inlinable
  public init(_ convert: @escaping @Sendable (_ row: borrowing Row, _ index: Int) throws -> Value) {
    self.convert = convert
  }
}

extension ColumnValueConverter {
  /// Returns a converter that reads NULL as nil, and any other value with `converter`.
  ///
  /// ```swift
  /// let names = try connection.query(.column(.optional(.string)), sql: "SELECT name FROM person")
  /// ```
  @inlinable
  public static func optional<T>(_ converter: ColumnValueConverter<T>) -> Self where Value == T? {
    Self { row, index in try row.optional(converter, at: index) }
  }
}

extension ColumnValueConverter where Value: SQLValue {
  /// The converter of a type that conforms to ``SQLValue``.
  @inlinable public static var `default`: Self { Self { row, index in try row.read(at: index) } }
}

extension ColumnValueConverter where Value == DatabaseValue {
  /// The value as it is stored.
  @inlinable public static var value: Self { Self { row, index in try row.value(at: index) } }
}

extension ColumnValueConverter where Value: FixedWidthInteger & SQLValue {
  @inlinable static var integer: Self { Self { row, index in try row.readInteger(at: index) } }
}

extension ColumnValueConverter where Value == Int {
  /// An integer in the range of `Int`.
  @inlinable public static var int: Self { Self { row, index in try row.readInt(at: index) } }
}

extension ColumnValueConverter where Value == Int8 {
  /// An integer in the range of `Int8`.
  @inlinable public static var int8: Self { integer }
}

extension ColumnValueConverter where Value == Int16 {
  /// An integer in the range of `Int16`.
  @inlinable public static var int16: Self { integer }
}

extension ColumnValueConverter where Value == Int32 {
  /// An integer in the range of `Int32`.
  @inlinable public static var int32: Self { integer }
}

extension ColumnValueConverter where Value == Int64 {
  /// An integer in the range of `Int64`.
  @inlinable public static var int64: Self { Self { row, index in try row.readInt64(at: index) } }
}

extension ColumnValueConverter where Value == UInt {
  /// An integer in the range of `UInt`.
  @inlinable public static var uint: Self { integer }
}

extension ColumnValueConverter where Value == UInt8 {
  /// An integer in the range of `UInt8`.
  @inlinable public static var uint8: Self { integer }
}

extension ColumnValueConverter where Value == UInt16 {
  /// An integer in the range of `UInt16`.
  @inlinable public static var uint16: Self { integer }
}

extension ColumnValueConverter where Value == UInt32 {
  /// An integer in the range of `UInt32`.
  @inlinable public static var uint32: Self { integer }
}

extension ColumnValueConverter where Value == UInt64 {
  /// An integer in the range of `UInt64`.
  @inlinable public static var uint64: Self { integer }

  /// The bits of a signed integer, as ``SQLBindable/uint64(bitPattern:)`` stores them.
  @inlinable public static var uint64BitPattern: Self {
    Self { row, index in UInt64(bitPattern: try row.readInteger(at: index)) }
  }
}

extension ColumnValueConverter where Value == Bool {
  /// True for 1 and false for 0; any other value throws ``ResultCode/mismatch``.
  @inlinable public static var bool: Self { .default }
}

extension ColumnValueConverter where Value == Float {
  /// A number; a real is rounded to the nearest `Float`, and an integer must be exactly representable.
  @inlinable public static var float: Self { .default }
}

extension ColumnValueConverter where Value == Double {
  /// A number; an integer must be exactly representable.
  @inlinable public static var double: Self { Self { row, index in try row.readDouble(at: index) } }
}

extension ColumnValueConverter where Value == String {
  /// Text, a number in decimal notation, or bytes that are UTF-8.
  @inlinable public static var string: Self { Self { row, index in try row.readString(at: index) } }
}

extension ColumnValueConverter where Value == [UInt8] {
  /// A blob, or the bytes of text, even if the text is not UTF-8.
  @inlinable public static var bytes: Self { Self { row, index in try row.readBytes(at: index) } }
}

extension SQLBindable where Self == SQLParameter {
  /// A blob of 32-bit floating-point numbers, each as 4 bytes in little-endian order; NULL for nil.
  ///
  /// Extensions such as sqlite-vec use this format for vectors. A NaN keeps its bits.
  public static func floats(_ values: [Float]?) -> SQLParameter {
    guard let values else { return .null }
    let bits = values.map(\.bitPattern.littleEndian)
    return SQLParameter(.blob(unsafe bits.withUnsafeBytes { unsafe Array($0) }))
  }
}

extension ColumnValueConverter where Value == [Float] {
  /// 32-bit floating-point numbers from a blob, each from 4 bytes in little-endian order.
  ///
  /// A value that is not a blob, or whose byte count is not a multiple of 4, throws ``ResultCode/mismatch``.
  public static var floats: Self {
    Self { row, index in
      guard try row.storageClass(at: index) == .blob else {
        throw row.mismatch(at: index, "is not a blob of floats")
      }
      let values = try row.withBytes(at: index) { bytes -> [Float]? in
        guard bytes.count.isMultiple(of: 4) else { return nil }
        return unsafe bytes.withUnsafeBytes { bytes in
          stride(from: 0, to: bytes.count, by: 4).map { offset in
            Float(
              bitPattern: UInt32(
                littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
          }
        }
      }
      guard let values else {
        throw row.mismatch(at: index, "has a byte count that is not a multiple of 4")
      }
      return values
    }
  }
}
