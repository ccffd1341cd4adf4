/// The parts of a nested value with keys, in the order in which they were encoded.
struct NestedParts {
  private(set) var all: [(key: ColumnKey, value: NestedValue)] = []
  private var places: [String: Int] = [:]

  /// Returns the position of the part with a key; nil if there is none.
  func place(of key: some CodingKey) -> Int? { places[key.stringValue] }

  /// Returns whether the part at `place` has a key with exactly the same bytes.
  ///
  /// Swift strings with different bytes can be equal, and Foundation would keep only one of the two parts.
  func has(_ key: some CodingKey, at place: Int) -> Bool {
    all[place].key.stringValue.utf8.elementsEqual(key.stringValue.utf8)
  }

  mutating func append(_ value: NestedValue, _ key: some CodingKey) {
    places[key.stringValue] = all.count
    all.append((ColumnKey(key), value))
  }

  mutating func replace(at place: Int, by value: NestedValue) { all[place].value = value }
}
