extension Configuration {
  /// Pragmas by name, in the order in which a connection that opens runs them.
  ///
  /// ```swift
  /// var configuration = Configuration()
  /// configuration.pragmas = ["cache_size": -8_000, "temp_store": "memory"]
  /// configuration.pragmas["mmap_size"] = 0
  /// ```
  ///
  /// The connection runs them before it reads the file for the first time, and after it sets ``encryptionKey``, where
  /// SQLCipher expects its own; ``CipherSettings`` has the usual ones. A value is an integer or text.
  ///
  /// Opening throws if SQLite refuses a pragma, and the message begins with its name. A name that SQLite does not know
  /// throws ``ResultCode/notFound``, unless the linked library has ``SQLiteCapability/encryption`` and so knows more
  /// pragmas than it lists. A connection that can only read runs the pragmas as well, and throws for one that writes to the
  /// file. SQLite ignores some values that it does not understand: ``Connection/setPragma(_:to:)`` compares the setting
  /// with the value afterwards.
  ///
  /// The corresponding SQL is `PRAGMA`.
  public struct Pragmas: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    struct Element: Hashable, Sendable {
      let name: String
      var value: DatabaseValue
    }

    private(set) var elements: [Element] = []

    /// Makes a list of pragmas; the last value of a name counts.
    public init(dictionaryLiteral elements: (String, DatabaseValue)...) {
      for (name, value) in elements { self[name] = value }
    }

    /// The value of the pragma with this name, in capitals or not; nil if the list does not have it.
    ///
    /// A new name comes last. Nil takes a pragma out of the list.
    public subscript(name: String) -> DatabaseValue? {
      get { elements.first { $0.name.withoutCase == name.withoutCase }?.value }
      set {
        let index = elements.firstIndex { $0.name.withoutCase == name.withoutCase }
        switch (index, newValue) {
        case (let index?, let value?): elements[index].value = value
        case (let index?, nil): elements.remove(at: index)
        case (nil, let value?): elements.append(Element(name: name, value: value))
        case (nil, nil): break
        }
      }
    }

    /// The pragmas without which SQLCipher may not open a file.
    var ofCipher: Pragmas {
      var pragmas = self
      pragmas.elements.removeAll {
        let name = $0.name.withoutCase
        return !name.hasPrefix("cipher_") && name != "kdf_iter"
      }
      return pragmas
    }
  }
}

extension Connection {
  /// Runs the pragmas of a configuration.
  func run(_ pragmas: Configuration.Pragmas) throws {
    guard !pragmas.elements.isEmpty else { return }
    // Empty if the linked SQLite lacks the list.
    let known = Set(try prepare(sql: "PRAGMA pragma_list").query(.column(.string)))
    for element in pragmas.elements {
      do {
        let sql = try "\(checked(element.name)) = \(literal(element.value))"
        let hasAnswer = try pragmaAnswer(sql) != nil
        guard
          hasAnswer || known.isEmpty || known.contains(element.name.withoutCase)
            || SQLiteLibrary.has(.encryption)
        else {
          throw SQLiteError(.notFound, "SQLite \(SQLiteLibrary.version) does not know the pragma")
        }
      } catch let error as SQLiteError {
        throw error.saying("PRAGMA \(element.name): \(error.message)", sql: error.sql)
      }
    }
  }

  private func checked(_ name: String) throws -> String {
    let isName = name.utf8.allSatisfy { byte in
      byte == UInt8(ascii: "_") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
    guard isName, !name.isEmpty else {
      throw SQLiteError(.misuse, "The name of a pragma has letters, digits and underscores only")
    }
    return name
  }

  private func literal(_ value: DatabaseValue) throws -> String {
    switch value {
    case .integer(let number): return String(number)
    case .text(let text): return text.quoted("'")
    case .real, .blob, .null:
      throw SQLiteError(
        .mismatch, "The value of a pragma is an integer or text, not \(value.storageClass)")
    }
  }

  /// Sets the size of the pages of a database that has none yet.
  func choosePageSize(_ size: Int) throws {
    guard (512...65_536).contains(size), size.nonzeroBitCount == 1 else {
      throw SQLiteError(
        .range, "A page size is a power of two from 512 to 65,536 (got \(size))")
    }
    try runPragma("main.page_size = \(size)")
  }

  /// Throws if a database without pages has not taken a page size; one that has pages keeps its own.
  func checkPageSize(_ size: Int) throws {
    // The count reads the file, from which SQLite learns the page size of a database that has pages.
    let isNew = try pragmaAnswer("main.page_count") == .integer(0)
    let now: Int = try pragma(.pageSize)
    guard now != size else { return }
    guard !isNew else {
      throw SQLiteError(.misuse, "The new database keeps its page size of \(now), not \(size)")
    }
    // Otherwise the next VACUUM would change it.
    try runPragma("main.page_size = \(now)")
  }
}
