import SluiceCore

/// What decoders and encoders are set up with; two of them are the same if they are one object.
final class CodingSettings: Sendable {
  let strategies: CodingStrategies
  let userInfo: [CodingUserInfoKey: any Sendable]

  static let standard = CodingSettings(CodingStrategies())

  init(_ strategies: CodingStrategies, userInfo: [CodingUserInfoKey: any Sendable] = [:]) {
    self.strategies = strategies
    self.userInfo = userInfo
  }
}

/// What a statement keeps for those who decode its rows and encode its parameters.
final class StatementCoding {
  /// The settings of the statement itself.
  var settings: CodingSettings? { didSet { forget() } }
  /// Those of the connection, as they were last.
  @exclusivity(unchecked) private var inherited: CodingSettings?
  @exclusivity(unchecked) private var reading: RowReading?
  @exclusivity(unchecked) private var writing: ParameterWriting?
  /// What a decoder has last used that has settings of its own.
  private var otherReading: RowReading?
  /// What an encoder has last used that has settings of its own.
  private var otherWriting: ParameterWriting?
  /// What has last decoded a type that names its columns itself.
  var naming: (base: CodingSettings, type: ObjectIdentifier, reading: RowReading)?

  /// What decodes rows by the settings of the statement.
  @inline(__always)
  func reading(for statement: Statement) -> RowReading {
    if unsafe statement.inherits(inherited), let reading = unsafe reading { return reading }
    let reading = RowReading(refresh(statement))
    unsafe self.reading = reading
    return reading
  }

  /// What encodes parameters by the settings of the statement.
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
    // What is in there may refer to the queue that owns the connection, whose cache would keep it.
    if !settings.userInfo.isEmpty { statement.willDropClientState() }
    let reading = RowReading(settings)
    otherReading = reading
    return reading
  }

  func writing(_ settings: CodingSettings) -> ParameterWriting {
    // One that is in the middle of a value is not used for another.
    if let otherWriting, otherWriting.writer.settings === settings, !otherWriting.writer.isActive {
      return otherWriting
    }
    let writing = ParameterWriting(settings)
    otherWriting = writing
    return writing
  }

  /// The settings that count for the statement.
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
  /// What is kept with the statement.
  @inline(__always)
  var coding: StatementCoding {
    if let clientState = clientState {
      // Nothing else is ever attached to a statement.
      return unsafe unsafeDowncast(clientState, to: StatementCoding.self)
    }
    let coding = StatementCoding()
    clientState = coding
    return coding
  }
}

extension Connection {
  var codingSettings: CodingSettings? { clientState?.object as? CodingSettings }
}
