extension Double {
  /// The bits of the number in memory, for checksums.
  ///
  /// With these bits, neither side pays for a conversion that is not part of the library.
  var bits: Int64 { Int64(bitPattern: bitPattern) }
}
