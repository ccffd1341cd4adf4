/// The rows of a result that have one key in common, such as the events of a day, or the titles with one first letter.
///
/// ```swift
/// let letters = queue.live(initial: []) { connection in
///   try connection.query(
///     .decoding(Event.self), "SELECT id, title FROM event ORDER BY title"
///   )
///   .sections(by: \.title.first)
/// }
/// try await letters.load()
/// for letter in letters.value { print(letter.key ?? " ", letter.rows.map(\.title)) }
/// ```
///
/// A live value computes its sections once for each result, on the queue or pool.
public struct RowSection<Key: Hashable & Sendable, Element: Sendable>: Sendable, Identifiable {
  /// The value that the rows have in common.
  public let key: Key
  /// The rows, in their order in the result; there is at least one.
  public internal(set) var rows: [Element]
  /// The key, which differs from those of the other sections.
  public var id: Key { key }
}

extension RowSection: Equatable where Element: Equatable {}
extension RowSection: Hashable where Element: Hashable {}

extension Array where Element: Sendable {
  /// Returns the elements in sections, one for each key.
  ///
  /// The sections are in the order of their first elements, and the elements of a section keep their order, even if others
  /// are between them. A nil key is a key like any other, so all elements without a key form one section.
  public func sections<Key: Hashable & Sendable>(
    by key: (_ element: Element) throws -> Key
  ) rethrows -> [RowSection<Key, Element>] {
    var sections: [RowSection<Key, Element>] = []
    var places: [Key: Int] = [:]
    for element in self {
      let key = try key(element)
      // Most results are in the order of their keys.
      if let last = sections.indices.last, sections[last].key == key {
        sections[last].rows.append(element)
      } else if let place = places[key] {
        sections[place].rows.append(element)
      } else {
        places[key] = sections.count
        sections.append(RowSection(key: key, rows: [element]))
      }
    }
    return sections
  }
}
