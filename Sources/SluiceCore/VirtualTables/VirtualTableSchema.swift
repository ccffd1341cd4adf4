/// The columns of a ``VirtualTable``.
///
/// ```swift
/// var schema: VirtualTableSchema { ["name", .column("size", type: "INTEGER"), .hidden("folder")] }
/// ```
public struct VirtualTableSchema: Hashable, Sendable, ExpressibleByArrayLiteral {
  private enum Source: Hashable, Sendable {
    case columns([Column])
    case sql(String)
  }
  private let source: Source

  /// Creates a schema with these columns.
  public init(_ columns: [Column]) { source = .columns(columns) }

  public init(arrayLiteral columns: Column...) { self.init(columns) }

  /// Creates a schema from a `CREATE TABLE` statement, which may be `WITHOUT ROWID`.
  ///
  /// The table name in the statement is ignored. Names in the statement must be quoted as SQL requires, but the
  /// name of a `Column` needs no quotes.
  public init(sql: String) { source = .sql(sql) }

  /// The declaration for SQLite.
  var sql: String {
    get throws {
      switch source {
      case .sql(let sql):
        try refuseNUL(in: sql, "The schema of a virtual table")
        return sql
      case .columns(let columns):
        return "CREATE TABLE x(\(try columns.map { try $0.sql }.joined(separator: ", ")))"
      }
    }
  }
}

extension VirtualTableSchema {
  /// A column of a ``VirtualTable``.
  public struct Column: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The name of the column, which can be any text without NUL.
    public let name: String
    /// The declared type, such as `INTEGER`; empty for none.
    public let type: String
    /// Whether the column is hidden.
    ///
    /// A hidden column is omitted from `SELECT *`, and receives an argument if the table is used as a function.
    public let isHidden: Bool

    private init(_ name: String, _ type: String, isHidden: Bool) {
      self.name = name
      self.type = type
      self.isHidden = isHidden
    }

    public init(stringLiteral name: String) { self.init(name, "", isHidden: false) }

    /// Returns a column, optionally with a declared type.
    public static func column(_ name: String, type: String = "") -> Column {
      Column(name, type, isHidden: false)
    }

    /// Returns a hidden column.
    ///
    /// A hidden column is omitted from `SELECT *`, and receives an argument if the table is used as a function.
    public static func hidden(_ name: String, type: String = "") -> Column {
      Column(name, type, isHidden: true)
    }

    fileprivate var sql: String {
      get throws {
        // The type is inserted without quotes, so it may contain only letters, digits, underscores and spaces.
        guard type.utf8.allSatisfy(Self.standsInType) else {
          throw SQLiteError(.misuse, "\"\(type)\" is not a valid column type")
        }
        let words = [try quoted(identifier: name), type, isHidden ? "HIDDEN" : ""]
        return words.filter { !$0.isEmpty }.joined(separator: " ")
      }
    }

    private static func standsInType(_ byte: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: " "):
        true
      default: false
      }
    }
  }
}

/// The arguments of a ``VirtualTable`` in `CREATE VIRTUAL TABLE name USING module(arguments)`.
public struct VirtualTableArguments {
  /// The connection that creates or connects the table.
  ///
  /// A table that retains the connection keeps it open until ``Connection/close()``; to avoid this, use an
  /// `unowned` reference.
  public let connection: Connection
  /// The name of the module.
  public let module: String
  /// The name of the database that contains the table, such as `main`.
  public let schema: String
  /// The name of the table.
  public let table: String
  /// The arguments in parentheses as written, with quotes, but without surrounding white space.
  public let values: [String]
  /// Whether the table is being created.
  ///
  /// If false, SQLite is connecting an existing table, because the database has been opened or the schema has
  /// been read again. An eponymous table is never created.
  public let isCreating: Bool

  /// Returns the value of the argument `name=value`, without quotes, or nil if there is no such argument.
  ///
  /// The comparison of names ignores case.
  public func value(_ name: String) -> String? {
    for text in values {
      guard let (key, value) = Self.split(text) else { continue }
      if key.lowercased() == name.lowercased() { return Self.unquoted(value) }
    }
    return nil
  }

  /// The names of all arguments of the form `name=value`, in lowercase.
  ///
  /// Use this property to find misspelled names.
  public var names: [String] { values.compactMap { Self.split($0)?.name.lowercased() } }

  /// Returns text without the SQL quotes around it, and with each doubled quote inside reduced to one.
  public static func unquoted(_ text: String) -> String {
    let scalars = Array(trimmed(text).unicodeScalars)
    let closings: [Unicode.Scalar: Unicode.Scalar] = ["'": "'", "\"": "\"", "`": "`", "[": "]"]
    guard scalars.count >= 2, let closing = closings[scalars[0]], scalars.last == closing else {
      return trimmed(text)
    }
    var result = String.UnicodeScalarView()
    var index = 1
    while index < scalars.count - 1 {
      result.append(scalars[index])
      let isDoubled = scalars[index] == closing && scalars[index + 1] == closing
      index += isDoubled && index + 1 < scalars.count - 1 ? 2 : 1
    }
    return String(result)
  }

  private static func split(_ text: String) -> (name: String, value: String)? {
    guard let sign = text.unicodeScalars.firstIndex(of: "=") else { return nil }
    let name = trimmed(String(text[..<sign]))
    let isName = name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
    guard isName, !name.isEmpty else { return nil }
    return (name, String(text[sign...].unicodeScalars.dropFirst()))
  }

  private static func trimmed(_ text: String) -> String {
    var rest = Substring(text)
    while let first = rest.utf8.first, isSpace(first) { rest = Substring(rest.utf8.dropFirst()) }
    while let last = rest.utf8.last, isSpace(last) { rest = Substring(rest.utf8.dropLast()) }
    return String(rest)
  }
}

@available(*, unavailable)
extension VirtualTableArguments: Sendable {}
