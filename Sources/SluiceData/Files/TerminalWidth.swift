extension String {
  /// The number of columns that the string takes on a terminal.
  package var terminalWidth: Int { reduce(0) { $0 + $1.terminalWidth } }
}

extension Character {
  /// The number of columns that the character takes on a terminal: two for ideographs and emoji, otherwise one.
  package var terminalWidth: Int {
    guard let first = unicodeScalars.first else { return 0 }
    if first.properties.isEmojiPresentation { return 2 }
    // An emoji follows its text form, which takes one column.
    if unicodeScalars.contains("\u{FE0F}") { return 2 }
    return switch first.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
      0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
      2
    default: 1
    }
  }
}
