/// Indented lines of Swift source.
struct SwiftSource {
  private(set) var lines: [String] = []
  private let depth: Int
  static let width = 100

  init(depth: Int = 0) { self.depth = depth }

  /// The indentation of new lines.
  var indent: String { String(repeating: "  ", count: depth) }

  mutating func add(_ line: String = "") { lines.append(line.isEmpty ? "" : indent + line) }

  /// Adds lines that are already indented.
  mutating func add(indented lines: [String]) { self.lines += lines }

  /// Adds a declaration or closure with its body in braces, after which `arguments` name its arguments.
  mutating func block(
    _ head: String, _ arguments: String? = nil, _ body: (inout SwiftSource) -> Void
  ) {
    add("\(head) {\(arguments.map { " \($0)" } ?? "")")
    indented(body)
    add("}")
  }

  mutating func indented(_ body: (inout SwiftSource) -> Void) {
    var inner = SwiftSource(depth: depth + 1)
    body(&inner)
    lines += inner.lines
  }

  /// Adds documentation comments.
  ///
  /// Every character that Swift treats as a line end starts a new comment line; otherwise, the rest would be
  /// code.
  mutating func document(_ texts: [String]) {
    for text in texts {
      for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
        add(line.isEmpty ? "///" : "/// \(line)")
      }
    }
  }

  /// Adds a call or declaration with its items in parentheses.
  ///
  /// The result is a single line if it fits; otherwise, each item is on its own indented line.
  mutating func list(_ head: String, _ items: [String], _ tail: String) {
    let whole = "\(head)(\(items.joined(separator: ", ")))\(tail)"
    if fits(whole) || items.isEmpty { return add(whole) }
    add("\(head)(")
    // Only in a declaration is the closing parenthesis on a separate line.
    let isHead = tail.hasSuffix("{")
    let end = isHead ? "" : ")\(tail)"
    indented { source in
      let inner = items.joined(separator: ", ") + end
      if source.fits(inner) { return source.add(inner) }
      for (index, item) in items.enumerated() {
        source.add(item + (index == items.count - 1 ? end : ","))
      }
    }
    if isHead { add(")\(tail)") }
  }

  /// An argument of a call, which can itself contain a call.
  indirect enum Item {
    case line(String)
    case call(String, [Item])
    /// A condition, its value if it is true, and the call otherwise.
    case choice(String, String, String, [Item])

    fileprivate var text: String {
      switch self {
      case .line(let text): return text
      case .call(let head, let items):
        return "\(head)(\(items.map(\.text).joined(separator: ", ")))"
      case .choice(let condition, let value, let head, let items):
        return "\(condition) ? \(value) : \(Item.call(head, items).text)"
      }
    }
  }

  /// Adds a call, on a single line if it fits.
  mutating func call(_ head: String, _ items: [Item], _ tail: String = "") {
    add(.call(head, items), tail)
  }

  private mutating func add(_ item: Item, _ tail: String) {
    if fits(item.text + tail) { return add(item.text + tail) }
    switch item {
    case .line(let text): add(text + tail)
    case .call(let head, let items):
      add("\(head)(")
      indented { source in
        let inner = items.map(\.text).joined(separator: ", ") + ")\(tail)"
        if source.fits(inner) { return source.add(inner) }
        for (index, item) in items.enumerated() {
          source.add(item, index == items.count - 1 ? ")\(tail)" : ",")
        }
      }
    case .choice(let condition, let value, let head, let items):
      add(condition)
      indented { source in
        source.add("? \(value)")
        source.add(.call(": \(head)", items), tail)
      }
    }
  }

  /// Returns whether a line fits into the maximum width.
  func fits(_ line: String) -> Bool { indent.count + line.count <= Self.width }

  var text: String { lines.joined(separator: "\n") + "\n" }
}
