import Sluice
import TestSupport
import Testing

/// Sections of results.
@Suite struct `sections of rows` {
  private struct Event: Hashable {
    var id: Int
    var day: String?
  }

  private func events(_ days: String?...) -> [Event] {
    days.enumerated().map { Event(id: $0.offset, day: $0.element) }
  }

  @Test func `sections and their rows keep the order of the result`() {
    let sections = events("b", "b", "a", "b", "a").sections(by: \.day)
    #expect(sections.map(\.key) == ["b", "a"])
    #expect(sections.map { $0.rows.map(\.id) } == [[0, 1, 3], [2, 4]])
    #expect(sections.map(\.id) == sections.map(\.key))
  }

  @Test func `rows without a key are one section, at the place of the first of them`() {
    let sections = events("a", nil, "b", nil).sections(by: \.day)
    #expect(sections.map(\.key) == ["a", nil, "b"])
    #expect(sections[1].rows.map(\.id) == [1, 3])
  }

  @Test func `no row means no section`() {
    #expect(events().sections(by: \.day).isEmpty)
  }

  @Test func `the key is computed once for each row, and its error is rethrown`() {
    var count = 0
    let sections = events("a", "b", "a").sections { event in
      count += 1
      return event.id % 2
    }
    #expect(count == 3 && sections.map(\.rows.count) == [2, 1])
    struct Failure: Error {}
    #expect(throws: Failure.self) { try events("a").sections { _ -> Int in throw Failure() } }
  }

  @Test func `sections have all rows, for keys in any order`() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<200 {
      let keys = (0..<Int.random(in: 0...40, using: &random)).map { _ in
        ["a", "b", "c", nil].randomElement(using: &random) ?? nil
      }
      let rows = keys.enumerated().map { Event(id: $0.offset, day: $0.element) }
      let sections = rows.sections(by: \.day)
      #expect(Set(sections.map(\.key)).count == sections.count, "\(keys)")
      #expect(sections.flatMap(\.rows).sorted { $0.id < $1.id } == rows, "\(keys)")
      for section in sections {
        #expect(section.rows == rows.filter { $0.day == section.key }, "\(keys)")
      }
      #expect(sections.map { $0.rows[0].id } == sections.map { $0.rows[0].id }.sorted(), "\(keys)")
    }
  }

  @MainActor
  @Test func `a live value has sections, once for each result`() async throws {
    let queue = try ConnectionQueue()
    try await queue.write {
      try $0.execute("CREATE TABLE event(id INTEGER PRIMARY KEY, day)")
      try $0.execute("INSERT INTO event VALUES (1, 'b'), (2, 'a')")
    }
    let days = queue.live(initial: []) { connection in
      try connection.query(.columns(.int, .string), "SELECT id, day FROM event ORDER BY id")
        .map { Event(id: $0.0, day: $0.1) }.sections(by: \.day)
    }
    try await days.load()
    #expect(days.value.map(\.key) == ["b", "a"])
    try await queue.write { try $0.execute("INSERT INTO event VALUES (3, 'b')") }
    try await days.reload()
    #expect(days.value.map { $0.rows.map(\.id) } == [[1, 3], [2]])
  }
}
