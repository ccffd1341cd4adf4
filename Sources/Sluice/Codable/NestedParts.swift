/// The parts of a nested value that have keys, in the order in which they came.
struct NestedParts {
  private(set) var all: [(key: ColumnKey, value: NestedValue)] = []
  private var places: [String: Int] = [:]

  /// Where the part of a key is, if there is one.
  func place(of key: some CodingKey) -> Int? { places[key.stringValue] }

  /// Whether a part has this very key.
  ///
  /// Text is equal to Swift if it only looks the same, and Foundation would keep one of the two.
  func has(_ key: some CodingKey, at place: Int) -> Bool {
    all[place].key.stringValue.utf8.elementsEqual(key.stringValue.utf8)
  }

  mutating func append(_ value: NestedValue, _ key: some CodingKey) {
    places[key.stringValue] = all.count
    all.append((ColumnKey(key), value))
  }

  mutating func replace(at place: Int, by value: NestedValue) { all[place].value = value }
}
