/// An estimate of the stack that SQLite needs to compile a statement that uses a schema.
///
/// SQLite compiles recursively: a view within a view, a common table expression or subquery within another, a generated
/// column within another, and the triggers and cascades of a table within those of another. SQLite bounds the depth of
/// each expression. It bounds the rest only partially, and only in its newest versions, so that a schema of a few
/// kilobytes can overflow the stack of a thread.
///
/// The estimate is rather too high than too low, because it knows little of the grammar: each mention of a name counts as
/// a use of all that have this name, and all operators of an item in a list nest.
struct SchemaStack {
  /// The bytes of stack for each level of an expression, which needs up to 380.
  private static let level = 400
  /// The bytes of stack for each SELECT, which needs up to 750, and for each generated column.
  private static let select = 800
  /// The bytes of stack for each trigger and each cascade, which need up to 1,550.
  private static let trigger = 1600

  /// The maximum depth of an expression.
  private let expressionDepth: Int
  private var graph = NestingGraph<Name>()

  /// A name through which parts of a schema use others.
  private enum Name: Hashable {
    /// The name of a table or view that a statement reads.
    case read([UInt8])
    /// The name of a table or view that a statement changes, so that its triggers and cascades run.
    case write([UInt8])
    /// The name of a generated column.
    case column([UInt8])
  }

  /// Whether statements can change the tables, so that triggers and cascades run.
  private let includesChanges: Bool

  /// Creates an estimate for a connection that limits the depth of expressions; 0 means no limit.
  init(expressionDepth: Int, includesChanges: Bool) {
    self.includesChanges = includesChanges
    self.expressionDepth = expressionDepth > 0 ? expressionDepth : 1_000_000
  }

  /// The object that needs the most stack, and its estimate in bytes; nil for an empty schema.
  var deepest: (object: String, bytes: Int)? {
    graph.heaviestPath.map { ($0.title, $0.weight) }
  }

  /// Adds an object, by the SQL that creates it.
  mutating func add(_ sql: String) {
    // SQLite reads a parameter as a single token, which can contain the beginning of a string.
    let tokens = SQLToken.tokens(of: sql, readsParameters: true)
    guard let heading = Heading(tokens) else { return }
    guard includesChanges || heading.kind != .trigger else { return }
    let isTable = heading.kind == .table
    let parts = SchemaParts(tokens[heading.end...], ofTable: isTable).parts
    let nodes = parts.enumerated().map { index, part in
      graph.add(heading.title, weight: weight(of: part, heading, isWhole: index == 0))
    }
    var expressions: [[UInt8]: Int] = [:]
    for (part, node) in zip(parts, nodes) {
      switch part.name {
      case nil: connect(heading, to: node)
      case let name? where isTable: graph.connect(graph.name(.column(name)), to: node)
      case let name?:
        let named = expressions[name] ?? graph.add("", weight: 0)
        expressions[name] = named
        graph.connect(named, to: node)
      }
    }
    for (part, node) in zip(parts, nodes) {
      for word in part.words {
        graph.connect(node, to: graph.name(.column(word)))
        if heading.kind == .view { graph.connect(node, to: graph.name(.read(word))) }
        if heading.kind == .trigger { graph.connect(node, to: graph.name(.write(word))) }
        if let named = expressions[word] { graph.connect(node, to: named) }
      }
    }
    if isTable, includesChanges { addCascades(tokens, to: heading) }
  }

  /// Records that statements reach an object by its name, or by that of its table.
  private mutating func connect(_ heading: Heading, to node: Int) {
    switch heading.kind {
    case .table, .view:
      let read = graph.name(.read(heading.name))
      graph.connect(read, to: node)
      graph.connect(graph.name(.write(heading.name)), to: read)
    case .index, .trigger: graph.connect(graph.name(.write(heading.target)), to: node)
    }
  }

  /// Adds the changes of a table that follow from changes of the tables that it references.
  private mutating func addCascades(_ tokens: [SQLToken], to heading: Heading) {
    for reference in tokens.split(whereSeparator: { $0.is("references") }).dropFirst() {
      guard let parent = reference.first,
        reference.contains(where: { $0.is("cascade") || $0.is("set") })
      else { continue }
      let cascade = graph.add(heading.title, weight: Self.trigger)
      graph.connect(graph.name(.write(parent.contentWithoutCase)), to: cascade)
      graph.connect(cascade, to: graph.name(.write(heading.name)))
    }
  }

  private func weight(of part: SchemaParts.Part, _ heading: Heading, isWhole: Bool) -> Int {
    // With a window function, each row of VALUES is a SELECT.
    let selects = max(part.selects + (part.hasWindow ? part.rows : 0), isWhole ? 0 : 1)
    let levels = min(part.levels, expressionDepth * (max(1, selects) + part.unbounded))
    let isTrigger = heading.kind == .trigger && isWhole
    return levels * Self.level + selects * Self.select
      + (isTrigger ? Self.trigger : 0)
  }
}

/// The beginning of a CREATE statement.
private struct Heading {
  enum Kind { case table, view, index, trigger }

  let kind: Kind
  let name: [UInt8]
  /// The name by which statements use the object: its own, or that of the table of an index or trigger.
  let target: [UInt8]
  var title: String { String(decoding: name, as: UTF8.self) }
  /// The index of the first token after the heading.
  let end: Int

  /// Reads the heading of a table, view, index or trigger; nil for other statements, which SQLite does not compile.
  init?(_ tokens: [SQLToken]) {
    var rest = tokens[...]
    func take(_ keyword: StaticString) -> Bool {
      guard rest.first?.is(keyword) == true else { return false }
      rest.removeFirst()
      return true
    }
    func takeName() -> [UInt8]? {
      if rest.dropFirst().first?.is(sign: ".") == true { rest.removeFirst(2) }
      return rest.popFirst()?.contentWithoutCase
    }
    guard take("create") else { return nil }
    if !take("temp"), !take("temporary") { _ = take("unique") }
    if take("table") {
      kind = .table
    } else if take("view") {
      kind = .view
    } else if take("index") {
      kind = .index
    } else if take("trigger") {
      kind = .trigger
    } else {
      return nil
    }
    if rest.first?.is("if") == true, rest.dropFirst().first?.is("not") == true {
      rest.removeFirst(min(3, rest.count))
    }
    guard let name = takeName() else { return nil }
    self.name = name
    if kind == .index || kind == .trigger {
      rest = rest.drop { !$0.is("on") }.dropFirst()
      guard let table = takeName() else { return nil }
      target = table
    } else {
      target = name
    }
    end = rest.startIndex
  }
}
