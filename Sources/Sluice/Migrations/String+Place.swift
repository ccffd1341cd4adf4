extension String {
  /// The line and column of a byte, as compilers tell them: both from 1 on, columns in bytes.
  package func place(at offset: Int) -> (line: Int, column: Int) {
    let newline = UInt8(ascii: "\n")
    let before = utf8.prefix(offset)
    return (
      before.count { $0 == newline } + 1, before.reversed().prefix { $0 != newline }.count + 1
    )
  }
}
