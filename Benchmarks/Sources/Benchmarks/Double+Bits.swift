extension Double {
  /// The number as it lies in memory, for checksums.
  ///
  /// Neither side pays for a conversion that is not the library's.
  var bits: Int64 { Int64(bitPattern: bitPattern) }
}
