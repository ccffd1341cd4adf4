import SluiceCore

/// The settings of decoders and encoders; two of them are equal if they are one object.
final class CodingSettings: Sendable {
  let strategies: CodingStrategies
  let userInfo: [CodingUserInfoKey: any Sendable]

  static let standard = CodingSettings(CodingStrategies())

  init(_ strategies: CodingStrategies, userInfo: [CodingUserInfoKey: any Sendable] = [:]) {
    self.strategies = strategies
    self.userInfo = userInfo
  }
}

/// The decoders and encoders that a statement keeps for its rows and parameters.
final class StatementCoding {
  /// The settings of the statement itself.
  var settings: CodingSettings? { didSet { forget() } }
  /// Those of the connection, as they were last.
  @exclusivity(unchecked) private var inherited: CodingSettings?
  @exclusivity(unchecked) private var reading: RowReading?
  @exclusivity(unchecked) private var writing: ParameterWriting?
  /// What a decoder has last used that has settings of its own.
  private var otherReading: RowReading?
  /// The context that an encoder with settings of its own used last.
  private var otherWriting: ParameterWriting?
  /// The decoder of the last type that names its columns itself.
  var naming: (base: CodingSettings, type: ObjectIdentifier, reading: RowReading)?

  /// Returns the decoder of rows, with the settings of the statement.
  @inline(__always)
  func reading(for statement: Statement) -> RowReading {
    if unsafe statement.inherits(inherited), let reading = unsafe reading { return reading }
    let reading = RowReading(refresh(statement))
    unsafe self.reading = reading
    return reading
  }

  /// Returns the encoder of parameters, with the settings of the statement.
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
    // An encoder in the middle of a value is not used for another value.
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
  /// The decoders and encoders that are kept with the statement.
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
