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
    let arguments = children.arguments.map {
      "\($0): \($0 == children.keys ? "$0" : $0.escaped)"
    }
    source.list(
      ".adding",
      [
        "\\.\(children.label.escaped)", "key: { $0.\(children.key) }",
        "by: { $0.\(children.childKey) }", "sql: Statements.\(children.query.escaped)",
      ], " {")
    source.indented { $0.list("try self.\(children.query.escaped)", arguments, "") }
    source.add("}")
  }

  /// Adds the function that gives each row its children.
  func addChildren(to source: inout SwiftSource) {
    guard queries.contains(where: { !$0.children.isEmpty }) else { return }
    source.add()
    source.block("extension Array") { source in
      source.document(["Returns the rows with their children, which `read` returns for all keys."])
      for line in Self.adding { source.add(line) }
    }
  }

  private static let adding = """
    fileprivate func adding<Key: Hashable, Child>(
      _ children: WritableKeyPath<Element, [Child]>, key: (Element) -> Key?,
      by parent: (Child) -> Key?, sql: String, _ read: (_ keys: [Key]) throws -> [Child]
    ) throws -> [Element] {
      var known: Set<Key> = []
      let keys = compactMap(key).filter { known.insert($0).inserted }
      guard !keys.isEmpty else { return self }
      let families = Dictionary(grouping: try read(keys), by: parent)
      guard families.keys.allSatisfy({ $0.map(known.contains) == true }) else {
        throw SQLiteError(
          .mismatch,
          "A child has a key that no row has; SQL must compare keys exactly, without NOCASE or 1 = 1.0",
          sql: sql)
      }
      return map { row in
        var row = row
        row[keyPath: children] = key(row).flatMap { families[$0] } ?? []
        return row
      }
    }
    """.split(separator: "\n").map(String.init)
}
