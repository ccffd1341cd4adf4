import SluiceModels
import TestSupport
import Testing

@Suite(.tags(.models)) struct `foreign key actions` {
  struct Pet: Codable, Model, Equatable {
    @TaskLocal static var action = ForeignKeyAction.noAction
    @TaskLocal static var isDeferred = false
    /// Each test sets a different table.
    static var table: ModelTable<Pet, Int> {
      ModelTable(
        "pet", key: \Pet.id,
        .column(
          \.owner, .default(2),
          .references(Person.self, onDelete: action, onUpdate: action, isDeferred: isDeferred)))
    }
    var id: Int
    var owner: Int64?
  }

  @Test(arguments: ForeignKeyAction.allCases)
  func `each foreign key action behaves as in SQLite`(_ action: ForeignKeyAction) throws {
    try Pet.$action.withValue(action) {
      let db = try Connection.with(Person.self, Pet.self)
      try db.insert([Person("Ada", id: 1), Person("Eve", id: 2), Person("Bob", id: 3)])
      try db.insert([Pet(id: 1, owner: 1), Pet(id: 2, owner: 3), Pet(id: 3, owner: nil)])
      let change = failureOrNil { try db.execute("UPDATE person SET id = 9 WHERE id = 1") }
      let deletion = failureOrNil { try db.delete(Person.self, key: 3) }
      let owners = try db.fetch(Pet.order(by: \.id)).map(\.owner)
      switch action {
      case .noAction, .restrict:
        #expect(change?.code.primary == .constraint)
        #expect(deletion?.code.primary == .constraint)
        #expect(owners == [1, 3, nil])
      case .setNull: #expect(owners == [nil, nil, nil])
      case .setDefault: #expect(owners == [2, 2, nil])
      case .cascade: #expect(owners == [9, nil])
      }
      #expect(failureOrNil { try db.insert(Pet(id: 9, owner: 99)) }?.code == .constraintForeignKey)
    }
  }

  @Test func `a deferred foreign key is checked when the transaction commits`() throws {
    try Pet.$isDeferred.withValue(true) {
      let db = try Connection.with(Person.self, Pet.self)
      try db.transaction { db, _ in
        try db.insert(Pet(id: 1, owner: 1))
        try db.insert(Person("Ada", id: 1))
      }
      #expect(
        failureOrNil { try db.transaction { db, _ in try db.insert(Pet(id: 2, owner: 9)) } }?.code
          == .constraintForeignKey)
      #expect(try db.count(Pet.all) == 1)
    }
  }

  private func failureOrNil<T>(_ body: () throws -> T) -> SQLiteError? {
    do {
      _ = try body()
      return nil
    } catch { return error as? SQLiteError }
  }
}
