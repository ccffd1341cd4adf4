import SluiceCore

/// The decoders and encoders that a statement retains for its rows and parameters.
final class StatementCoding {
  /// The settings that were set on the statement.
  var settings: CodingSettings? { didSet { forget() } }
  /// The connection's settings when they were last read.
  @exclusivity(unchecked) private var inherited: CodingSettings?
  @exclusivity(unchecked) private var reading: RowReading?
  @exclusivity(unchecked) private var writing: ParameterWriting?
  /// The reader and containers that a decoder with its own settings used last.
  private var otherReading: RowReading?
  /// The writer and containers that an encoder with its own settings used last.
  private var otherWriting: ParameterWriting?
  /// The answer that `remember` keeps, what it is about, and the number of re-preparations at that time.
  fileprivate var answer: (value: Bool, subject: String, version: Int)?
  /// The writer and containers that wrote columns last, with the connection's settings at that time.
  private var columnWriting: (base: CodingSettings, writing: ParameterWriting)?
  /// The readers and containers for types that specify their own column names.
  var named: [(base: CodingSettings, type: ObjectIdentifier, reading: RowReading)] = []

  /// Returns the reader and containers for decoding rows with the statement's settings.
  @inline(__always)
  func reading(for statement: Statement) -> RowReading {
    if unsafe statement.inherits(inherited), let reading = unsafe reading { return reading }
    let reading = RowReading(refresh(statement))
    unsafe self.reading = reading
    return reading
  }

  /// Returns the writer and containers for encoding parameters with the statement's settings.
  @inline(__always)
  func writing(for statement: Statement) -> ParameterWriting {
    if unsafe statement.inherits(inherited), let writing = unsafe writing,
      !writing.writer.isActive
    {
      return writing
    }
    let writing = ParameterWriting(refresh(statement))
    unsafe self.writing = writing
    return writing
  }

  func reading(_ settings: CodingSettings, for statement: Statement) -> RowReading {
    if let otherReading, otherReading.reader.settings === settings { return otherReading }
    // `userInfo` may refer to the queue that owns the connection, which a cached statement must not retain.
    if !settings.userInfo.isEmpty { statement.willDropClientState() }
    let reading = RowReading(settings)
    otherReading = reading
    return reading
  }

  func writing(_ settings: CodingSettings) -> ParameterWriting {
    // An encoder in the middle of a value cannot encode another value.
    if let otherWriting, otherWriting.writer.settings === settings, !otherWriting.writer.isActive {
      return otherWriting
    }
    let writing = ParameterWriting(settings)
    otherWriting = writing
    return writing
  }

  func writing(to columns: WrittenColumns, for statement: Statement) -> ParameterWriting {
    let base = statement.connection.codingSettings ?? .standard
    if let (known, writing) = columnWriting, known === base, writing.writer.columns === columns,
      !writing.writer.isActive
    {
      return writing
    }
    let writing = ParameterWriting(columns.settings(base), columns: columns)
    columnWriting = (base, writing)
    return writing
  }

  /// Returns the settings that apply to the statement.
  @inline(never)
  func refresh(_ statement: Statement) -> CodingSettings {
    if unsafe !statement.inherits(inherited) {
      forget()
      unsafe inherited = statement.connection.codingSettings
    }
    return unsafe settings ?? inherited ?? .standard
  }

  private func forget() {
    unsafe reading = nil
    unsafe writing = nil
  }
}

extension Statement {
  /// The decoders and encoders that the statement retains.
  @inline(__always)
  var coding: StatementCoding {
    if let clientState = clientState {
      // The client state of a statement is always a `StatementCoding`.
      return unsafe unsafeDowncast(clientState, to: StatementCoding.self)
    }
    let coding = StatementCoding()
    clientState = coding
    return coding
  }
}

extension Statement {
  /// Returns the answer of `ask` to the question about a column, and asks again after SQLite has re-prepared the statement.
  ///
  /// All callers must ask the same question.
  package func remember(_ column: String, _ ask: () throws -> Bool) throws -> Bool {
    let coding = coding
    let version = try count(of: .repreparations)
    if let answer = coding.answer, answer.version == version,
      StringIdentity(answer.subject) == StringIdentity(column)
        || answer.subject.utf8.elementsEqual(column.utf8)
    {
      return answer.value
    }
    let answer = try ask()
    coding.answer = (answer, column, version)
    return answer
  }
}
