extension QueryText.Placed<String> {
  /// Returns the text before the first `separator`, and the text after it with its offset.
  ///
  /// The second text is nil if there is no separator.
  func halves(before separator: Unicode.Scalar) -> (
    first: String, second: String?, secondOffset: Int
  ) {
    guard let place = value.utf8.firstIndex(of: UInt8(ascii: separator)) else {
      return (value.trimmed, nil, offset + value.utf8.count)
    }
    let rest = value[value.utf8.index(after: place)...]
    return (
      value[..<place].trimmed, rest.trimmed,
      offset + value.utf8.count - rest.utf8.count + rest.blanks
    )
  }
}

extension StringProtocol {
  /// The text without surrounding blanks.
  var trimmed: String {
    let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\r" || $0 == "\r\n" }
    var text = Substring(self).drop(while: isBlank)
    while let last = text.last, isBlank(last) { text.removeLast() }
    return String(text)
  }

  /// The number of blanks at the beginning, in bytes.
  var blanks: Int { utf8.prefix { $0 == 0x20 || $0 == 0x09 }.count }
}
