/// Something that SQLite keeps beside statements, and that has to go before its connection can close.
@safe class Dependent {
  /// Nil once it has ended. The connection ends it before it goes.
  private var owner: Unmanaged<Connection>?

  init(of connection: Connection) {
    unsafe owner = Unmanaged.passUnretained(connection)
    unsafe connection.dependents[ObjectIdentifier(self)] = Unmanaged.passUnretained(self)
  }

  /// Lets go of what SQLite keeps; a subclass does this when it goes, too.
  final func end() {
    guard let connection = unsafe owner?.takeUnretainedValue() else { return }
    unsafe owner = nil
    unsafe connection.dependents[ObjectIdentifier(self)] = nil
    letGo(of: connection)
  }

  /// What a subclass does, once, when it ends.
  func letGo(of connection: Connection) {}
}

extension Connection {
  /// All that have not ended, each with a reference that keeps it.
  var livingDependents: [Dependent] {
    unsafe dependents.values.map { unsafe $0.takeUnretainedValue() }
  }

  func endDependents() {
    for dependent in livingDependents { dependent.end() }
  }
}
