extension String {
  /// The message of the library with the options of commands in place of Swift arguments and properties.
  var withOptions: String {
    let words = [
      ("pass overwriting: true", "pass --overwrite to replace it"),
      ("or ignore unknown columns", "or pass --ignore-unknown"),
      ("pass other names", "pass --column for each column"),
      (
        "the format's encoding may be Windows-1252",
        "if it is Windows-1252, pass --encoding windows-1252"
      ),
      ("is not base64", "is not Base64; if it is hexadecimal, pass --hex"),
      ("so its types cannot be chosen", "so --type does not apply"),
      ("pass adopting: .userVersion", "pass --adopting user-version"),
      ("and userVersion: .ignored", "and --user-version ignored"),
    ]
    return words.reduce(self) { $0.replacing($1.0, with: $1.1) }
      // The commands do not trust schemas.
      .replacing(#/; if Configuration\.trustedSchema .* usableInSchema/#, with: "")
      .replacing(#/ merges it: pass ([0-9]+)$/#) { " merges it: pass --up-to \($0.1)" }
  }
}
