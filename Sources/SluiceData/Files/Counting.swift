extension Int {
  /// Returns the number with a noun, such as `1 row` or `2 rows`.
  package func counting(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}
