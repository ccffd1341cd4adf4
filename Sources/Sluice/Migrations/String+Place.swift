extension String {
  /// Returns the line and column of a byte offset, both counted from 1, with columns in bytes.
  package func place(at offset: Int) -> (line: Int, column: Int) {
    let newline = UInt8(ascii: "\n")
    let before = utf8.prefix(offset)
    return (
      before.count { $0 == newline } + 1, before.reversed().prefix { $0 != newline }.count + 1
    )
  }
}
