import SluiceCore

/// The statements of a script that are not executed as they are written.
enum ScriptRules {
  /// The pragmas that tune a connection, which a script does not change.
  static let skippedPragmas: Set = [
    "auto_vacuum", "automatic_index", "busy_timeout", "cache_size", "foreign_keys",
    "journal_mode", "journal_size_limit", "locking_mode", "mmap_size", "page_size",
    "secure_delete", "synchronous", "temp_store", "threads", "wal_autocheckpoint",
    "writable_schema",
  ]

  /// The pragmas that a script can execute with a value or argument.
  private static let pragmas: Set = [
    "application_id", "collation_list", "compile_options", "database_list", "defer_foreign_keys",
    "encoding", "foreign_key_check", "foreign_key_list", "function_list", "index_info",
    "index_list", "index_xinfo", "integrity_check", "module_list", "pragma_list", "quick_check",
    "table_info", "table_list", "table_xinfo", "user_version",
  ]

  /// The pragmas that change a database or the connection even without a value.
  private static let changingPragmas: Set = [
    "incremental_vacuum", "optimize", "shrink_memory", "wal_checkpoint",
  ]

  /// The functions that access files or memory; some exist only in extended builds of SQLite.
  private static let functions: Set = [
    "edit", "fts3_tokenizer", "load_extension", "readfile", "writefile",
  ]

  /// Decides on an action of a script; throws if a script cannot perform it.
  ///
  /// A script changes only the main database. The schema `temp` is a part of the connection, so its objects would
  /// remain after the script: a trigger there can change any database and call any function of the app.
  static func decide(_ request: AuthorizationRequest) throws -> Authorization {
    switch request.action {
    case .attach, .detach: throw refusal("attach or detach files")
    case .function(let name) where functions.contains(name.lowercased()):
      throw refusal("call \(name)")
    // A module reads the page size and other numbers with pragmas without a value.
    case .pragma(let name, nil) where changingPragmas.contains(name.lowercased()):
      throw refusal("execute PRAGMA \(name)")
    case .pragma(let name, _?) where !pragmas.contains(name.lowercased()):
      throw refusal("set PRAGMA \(name)")
    case .read, .select, .function, .recursive, .transaction, .savepoint, .pragma(_, nil):
      return .allow
    // Renaming a table or column also renames it in temporary triggers and views. A script cannot write to this table.
    case .update("sqlite_temp_master", _), .update("sqlite_temp_schema", _): return .allow
    case .alterTable(let schema, _): return try allowChange(of: schema)
    default: return try allowChange(of: request.schema)
    }
  }

  private static func allowChange(of schema: String?) throws -> Authorization {
    switch schema?.lowercased() {
    case nil, "main": return .allow
    case "temp":
      throw refusal("create or change temporary objects, which would remain after it")
    default: throw refusal("change the attached database \(schema ?? "")")
    }
  }

  private static func refusal(_ action: String) -> SQLiteError {
    SQLiteError(.authorization, "A script cannot \(action)")
  }

  /// Returns the name of the pragma in a statement, in lowercase.
  static func pragmaName(in sql: String) -> String {
    var tokens = SQLToken.tokens(of: sql).dropFirst()
    if tokens.dropFirst().first?.is(sign: ".") == true { tokens = tokens.dropFirst(2) }
    return tokens.first.map { String(decoding: $0.content, as: UTF8.self) } ?? ""
  }

  /// Returns the `CREATE VIRTUAL TABLE` that an `INSERT` into the schema table contains, as the `sqlite3` shell writes
  /// it; nil for any other statement.
  static func virtualTable(inInsert sql: String) -> String? {
    let beginnings = ["INSERT INTO sqlite_schema", "INSERT INTO sqlite_master"]
    guard beginnings.contains(where: sql.hasPrefix) else { return nil }
    let tokens = SQLToken.tokens(of: sql)
    let columns = ["type", ",", "name", ",", "tbl_name", ",", "rootpage", ",", "sql"]
    let words = tokens.dropFirst(4).prefix(columns.count).map {
      String(decoding: $0.content, as: UTF8.self)
    }
    guard tokens.count == 26, words == columns, let text = tokens.dropLast().last,
      text.kind == .string
    else { return nil }
    let create = String(decoding: text.content, as: UTF8.self)
    let first = SQLToken.tokens(of: create).prefix(3)
    guard first.count == 3, first[0].is("create"), first[1].is("virtual"), first[2].is("table")
    else { return nil }
    return create
  }
}

extension ScriptRules {
  /// Returns the statement with each literal that is not UTF-8 replaced by a cast of its bytes.
  ///
  /// The `sqlite3` shell writes invalid text as it is, but SQL in a `String` cannot contain it.
  static func castingInvalidText(in sql: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    var rest = sql
    while let mark = rest.first {
      guard let end = self.end(of: rest) else { return result + rest }
      let token = rest[..<end]
      rest = rest[end...]
      if mark == quote, !PlainText.isUTF8(token) {
        result += cast(token)
      } else {
        result += token
      }
    }
    return result
  }

  private static let quote = UInt8(ascii: "'")

  /// Returns the end of the quoted text, comment or byte at the beginning of the SQL; nil if the text or comment does
  /// not end.
  private static func end(of sql: ArraySlice<UInt8>) -> Int? {
    let start = sql.startIndex
    switch sql.first {
    case quote, UInt8(ascii: "\""), UInt8(ascii: "`"): return endOfQuoted(sql, sql[start])
    case UInt8(ascii: "["): return endOfQuoted(sql, UInt8(ascii: "]"))
    case UInt8(ascii: "-") where sql.starts(with: "--".utf8):
      return sql.firstIndex(of: UInt8(ascii: "\n"))
    case UInt8(ascii: "/") where sql.starts(with: "/*".utf8):
      var index = start + 2
      while index + 1 < sql.endIndex {
        if sql[index...].starts(with: "*/".utf8) { return index + 2 }
        index += 1
      }
      return nil
    default: return start + 1
    }
  }

  /// Returns the end of quoted text; a doubled mark is a part of the text.
  private static func endOfQuoted(_ sql: ArraySlice<UInt8>, _ mark: UInt8) -> Int? {
    var index = sql.startIndex + 1
    while index < sql.endIndex {
      if sql[index] == mark {
        guard index + 1 < sql.endIndex, sql[index + 1] == mark, mark != UInt8(ascii: "]") else {
          return index + 1
        }
        index += 1
      }
      index += 1
    }
    return nil
  }

  private static func cast(_ literal: ArraySlice<UInt8>) -> [UInt8] {
    var text = "CAST(x'"
    var isSecondQuote = false
    for byte in literal.dropFirst().dropLast() {
      isSecondQuote = byte == quote && !isSecondQuote
      guard !isSecondQuote else { continue }
      text += byte < 16 ? "0" : ""
      text += String(byte, radix: 16)
    }
    return Array((text + "' AS TEXT)").utf8)
  }
}
