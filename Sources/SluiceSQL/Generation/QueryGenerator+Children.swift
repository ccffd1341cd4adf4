extension QueryGenerator {
  /// Adds the code that fetches rows and their children, in one transaction.
  func addFamily(of query: CheckedQuery, _ head: String, to source: inout SwiftSource) {
    let isFirst = query.size != .many
    let items = [query.converter] + query.bound
    source.block("\(head)try self.transaction", "_ in") { source in
      if isFirst {
        source.list("try [self.first", items, "]")
      } else {
        source.list("try self.query", items, "")
      }
      source.indented { source in
        if isFirst { source.add(".compactMap(\\.self)") }
        for children in query.children { add(children, to: &source) }
        if isFirst { source.add(".first") }
      }
    }
  }

  private func add(_ children: CheckedQuery.Children, to source: inout SwiftSource) {
    let arguments = children.query.allParameters.map(\.label).map {
      "\($0): \($0 == children.keys ? "$0" : $0.escaped)"
    }
    let query = children.query.name.escaped
    source.list(
      ".adding",
      [
        "\\.\(children.label.escaped)", "key: { $0.\(children.key) }",
        "by: { $0.\(children.childKey) }",
        "as: \(children.isExact ? "{ $0 }" : "DatabaseValue.init(key:)")",
        "sql: Statements.\(query)",
      ], " {")
    source.indented { $0.list("try self.\(query)", arguments, "") }
    source.add("}")
  }

  /// Adds the function that gives each row its children.
  func addChildren(to source: inout SwiftSource) {
    let children = queries.flatMap(\.children)
    guard !children.isEmpty else { return }
    source.add()
    for line in Self.adding { source.add(line) }
    guard children.contains(where: { !$0.isExact }) else { return }
    source.add()
    for line in Self.exactKey { source.add(line) }
  }

  private static let adding = """
    nonisolated extension Array {
      /// Returns the rows with their children, which `read` returns for all keys.
      ///
      /// Keys are equal if `identity` returns equal values for them.
      fileprivate func adding<Key, Identity: Hashable, Child>(
        _ children: WritableKeyPath<Element, [Child]>, key: (Element) -> Key?,
        by parent: (Child) -> Key?, as identity: (Key) throws -> Identity, sql: String,
        _ read: (_ keys: [Key]) throws -> [Child]
      ) throws -> [Element] {
        var known: Set<Identity> = []
        let keys = try compactMap(key).filter { try known.insert(identity($0)).inserted }
        guard !keys.isEmpty else { return self }
        let families = try Dictionary(grouping: read(keys)) { try parent($0).map(identity) }
        guard families.keys.allSatisfy({ $0.map(known.contains) == true }) else {
          throw SQLiteError(
            .mismatch,
            "A child has the key NULL or a key that no row has; SQL must compare keys exactly, without NOCASE or 1 = 1.0",
            sql: sql)
        }
        return try map { row in
          var row = row
          row[keyPath: children] = try key(row).map(identity).flatMap { families[$0] } ?? []
          return row
        }
      }
    }
    """.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)

  private static let exactKey = """
    nonisolated extension DatabaseValue {
      /// Creates the value by which SQLite compares a key; in Swift, different text can be equal.
      fileprivate init(key: some SQLValue) throws { self = try key.databaseValue }
    }
    """.split(separator: "\n").map(String.init)
}
