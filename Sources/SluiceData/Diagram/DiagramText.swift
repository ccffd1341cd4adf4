extension String {
  /// The text on one line, with a visible character in place of each control character.
  ///
  /// XML cannot contain most control characters, not even as references.
  var visible: String {
    guard unicodeScalars.contains(where: { $0.replacement != nil }) else { return self }
    return String(String.UnicodeScalarView(unicodeScalars.map { $0.replacement ?? $0 }))
  }

  /// The text for use in XML and in HTML-like labels of DOT.
  var inXML: String {
    var result = ""
    for scalar in visible.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// The text without its middle if it would be wider than `width` cells.
  func shortened(to width: Int) -> String {
    guard cells > width else { return self }
    let half = (width - 1) / 2
    var (head, tail) = (Substring(), Substring())
    var used = 0
    for index in indices {
      used += self[index].cells
      guard used <= width - 1 - half else { break }
      head = self[...index]
    }
    used = 0
    for index in indices.reversed() {
      used += self[index].cells
      guard used <= half else { break }
      tail = self[index...]
    }
    return head + "…" + tail
  }

  /// The width of the text in a monospaced font, in widths of an ASCII letter.
  var cells: Int { reduce(0) { $0 + $1.cells } }
}

extension Character {
  /// The width of the character; characters of East Asia and emoji take two cells.
  fileprivate var cells: Int {
    unicodeScalars.contains {
      (0x1100...0x115f).contains($0.value) || (0x2e80...0xa4cf).contains($0.value)
        || (0xac00...0xd7a3).contains($0.value) || (0xf900...0xfaff).contains($0.value)
        || (0xfe30...0xfe6f).contains($0.value) || (0xff00...0xff60).contains($0.value)
        || $0.value >= 0x1f000
    } ? 2 : 1
  }
}

extension Unicode.Scalar {
  /// The character that stands for a control character, or nil for every other character.
  fileprivate var replacement: Unicode.Scalar? {
    switch value {
    case 0..<0x20: Unicode.Scalar(0x2400 + value)
    case 0x7f: "\u{2421}"
    case 0x80..<0xa0, 0xfffe, 0xffff: "\u{fffd}"
    // Line and paragraph separators, and marks that change the direction of the text after them.
    case 0x2028, 0x2029, 0x202a...0x202e, 0x2066...0x2069: "\u{fffd}"
    default: nil
    }
  }
}
