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

  /// A schema with these columns.
  public init(_ columns: [Column]) { source = .columns(columns) }

  public init(arrayLiteral columns: Column...) { self.init(columns) }

  /// A schema by a `CREATE TABLE` statement, which may be `WITHOUT ROWID`; the name of the table does
  /// not matter.
  ///
  /// Names in it have to be quoted, unlike those of columns.
  public init(sql: String) { source = .sql(sql) }

  /// What SQLite gets.
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
    /// The name, which can be any text without a NUL.
    public let name: String
    /// The declared type, such as `INTEGER`, or nothing.
    public let type: String
    /// Whether it is left out of `SELECT *` and takes an argument if the table is used as a function.
    public let isHidden: Bool

    private init(_ name: String, _ type: String, isHidden: Bool) {
      self.name = name
      self.type = type
      self.isHidden = isHidden
    }

    public init(stringLiteral name: String) { self.init(name, "", isHidden: false) }

    /// A column, with a declared type if that matters.
    public static func column(_ name: String, type: String = "") -> Column {
      Column(name, type, isHidden: false)
    }

    /// A column that is left out of `SELECT *`, and takes an argument if the table is used as a
    /// function.
    public static func hidden(_ name: String, type: String = "") -> Column {
      Column(name, type, isHidden: true)
    }

    fileprivate var sql: String {
      get throws {
        // It stands in SQL as it is, but only in this statement, which can do nothing but declare.
        guard type.utf8.allSatisfy(Self.standsInType) else {
          throw SQLiteError(.misuse, "A column cannot have the type \(type)")
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
