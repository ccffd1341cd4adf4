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
    // Only in a declaration is the closing parenthesis on a separate line.
    guard tail.hasSuffix("{") else { return call(head, items.map(Item.line), tail) }
    add("\(head)(")
    indented { $0.add(items.map(Item.line), "") }
    add(")\(tail)")
  }

  /// An argument of a call, which can itself contain a call.
  indirect enum Item {
    case line(String)
    case call(String, [Item])
    /// The label and condition under which the argument is nil, and the call otherwise.
    case optional(String, String, [Item])

    fileprivate var text: String {
      switch self {
      case .line(let text): return text
      case .call(let head, let items):
        return "\(head)(\(items.map(\.text).joined(separator: ", ")))"
      case .optional(let condition, let head, let items):
        return "\(condition) ? nil : \(Item.call(head, items).text)"
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
      indented { $0.add(items, ")\(tail)") }
    case .optional(let condition, let head, let items):
      add(condition)
      indented { source in
        source.add("? nil")
        source.add(.call(": \(head)", items), tail)
      }
    }
  }

  /// Adds items, on a single line if they fit.
  private mutating func add(_ items: [Item], _ end: String) {
    let line = items.map(\.text).joined(separator: ", ") + end
    if fits(line) { return add(line) }
    for (index, item) in items.enumerated() {
      add(item, index == items.count - 1 ? end : ",")
    }
  }

  /// Returns whether a line fits into the maximum width.
  func fits(_ line: String) -> Bool { indent.count + line.count <= Self.width }

  var text: String { lines.joined(separator: "\n") + "\n" }
}
