extension SQLBindable where Self == SQLParameter {
  /// A blob of 32-bit floating-point numbers, each as 4 bytes in little-endian order; NULL for nil.
  ///
  /// This is the form of vectors in extensions such as sqlite-vec. A NaN keeps its bits.
  public static func floats(_ values: [Float]?) -> SQLParameter {
    guard let values else { return .null }
    let bits = values.map(\.bitPattern.littleEndian)
    return SQLParameter(.blob(unsafe bits.withUnsafeBytes { unsafe Array($0) }))
  }
}

extension ColumnValueConverter where Value == [Float] {
  /// 32-bit floating-point numbers from a blob, each from 4 bytes in little-endian order.
  ///
  /// A value that is not a blob, or has another number of bytes, throws ``ResultCode/mismatch``.
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
        throw row.mismatch(at: index, "has a number of bytes that is not a multiple of 4")
      }
      return values
    }
  }
}
