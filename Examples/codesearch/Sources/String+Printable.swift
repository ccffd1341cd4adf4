extension String {
  /// The text in one line, and without anything that could give orders to a terminal.
  ///
  /// File names and the lines of files can hold any character.
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
