import SluiceCore

extension String {
  /// The text as a name in SQL.
  var quotedName: String { quoted("\"") }

  /// The text as a string literal in SQL.
  var quotedText: String { quoted("'") }
}
