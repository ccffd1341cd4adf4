import Sluice

extension String {
  /// The content of the token that is this name.
  var nameContent: [UInt8] {
    SQLToken.tokens(of: quotedName).first?.content ?? Array(utf8)
  }
}
