/// A path to a value inside a JSON document, for SQLite's JSON functions and the operators `->` and `->>`.
///
/// Write the keys and indexes of the path as an array literal. An interpolated path is bound like any other value:
///
/// ```swift
/// let path: JSONPath = ["theme", "colors", 0]
/// let color = try connection.first(
///   .column(.string), "SELECT settings ->> \(path) FROM account WHERE id = \(7)")
/// ```
///
/// Keys are quoted, so a key that contains a dot or a bracket remains one key. SQLite's paths cannot express a key
/// that contains a quotation mark, a backslash or a control character. Binding a path with such a key throws
/// ``ResultCode/mismatch``; use the table-valued function `json_each` to find such a key. Before version 3.45, SQLite
/// compares keys as they are written in the document, so a path does not find a key that is written with an escape,
/// such as `\/` or `\u00e9`.
public struct JSONPath: Hashable, Sendable {
  /// The steps from the root of the document to the value.
  public var steps: [Step]

  /// A step from a JSON object or array to one of its values.
  public enum Step: Hashable, Sendable {
    /// The value of an object with this key.
    case key(String)
    /// The element of an array at this index; a negative index counts from the end, and -1 is the last element.
    case index(Int)
    /// The place after the last element of an array, for `json_set` and `json_insert`.
    case end
  }

  /// Creates a path; without steps, it denotes the whole document.
  public init(_ steps: [Step] = []) { self.steps = steps }

  /// Returns this path, extended by one step.
  public func appending(_ step: Step) -> JSONPath { JSONPath(steps + [step]) }
}

extension JSONPath: ExpressibleByArrayLiteral {
  /// Creates a path from keys and indexes.
  public init(arrayLiteral elements: Step...) { self.init(elements) }
}

extension JSONPath.Step: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
  /// Creates a step to the value of a key.
  public init(stringLiteral key: String) { self = .key(key) }

  /// Creates a step to an element of an array.
  public init(integerLiteral index: Int) { self = .index(index) }
}

extension JSONPath: SQLBindable {
  /// The path as text in the syntax of SQLite's JSON functions, such as `$."theme"[0]`.
  public var sqlParameter: SQLParameter {
    SQLParameter { .text(try steps.reduce(into: "$") { $0 += try $1.text }) }
  }
}

extension JSONPath.Step {
  fileprivate var text: String {
    get throws {
      switch self {
      case .key(let key):
        guard
          key.utf8.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
          )
        else {
          throw SQLiteError(
            .mismatch,
            "A JSON path cannot contain the key \(key.debugDescription); find it with json_each")
        }
        return ".\"\(key)\""
      case .index(let index):
        // SQLite computes the index with 32 bits, and would find another element.
        guard Int32(exactly: index) != nil else {
          throw SQLiteError(.range, "A JSON array cannot have an element at the index \(index)")
        }
        return index < 0 ? "[#\(index)]" : "[\(index)]"
      case .end: return "[#]"
      }
    }
  }
}
