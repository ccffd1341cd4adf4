extension String {
  /// The text on one line, with control characters escaped, because they could control a terminal.
  ///
  /// File names and lines of files can contain any character.
  var printable: String {
    var result = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "\t": result += " "
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case _ where scalar.properties.generalCategory == .control:
        result += "\\u{\(String(scalar.value, radix: 16))}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
