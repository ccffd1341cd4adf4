import Sluice
import SluiceModels
import SluiceTesting

/// A row of a table that every fixture has.
private struct Thing: Codable, Model {
  static let table = ModelTable("thing", key: \Thing.id)
  var id: Int64?
  var name: String
}

extension MisuseMatrix {
  /// Members that the higher-level modules add.
  ///
  /// `ModelMisuseTests` covers the members of connections for models.
  static let above: [Entry<Connection>] = [
    Entry("RowConverter.model(_:)", .works) { connection in
      try connection.query(.model(Thing.self), sql: "SELECT * FROM thing")
    },
    Entry("RowConverter.models(_:_:_:)", .works) { connection in
      try connection.query(
        .models(Thing.self, Thing?.self),
        "SELECT \(columns: Thing.self), \(columns: Thing.self) FROM thing")
    },
    Entry("RowConverter.models(_:_:_:)", .works) { connection in
      try connection.query(
        .models(Thing.self, Thing?.self, Thing.self),
        "SELECT \(columns: Thing.self), \(columns: Thing.self), \(columns: Thing.self) FROM thing")
    },
    Entry("RowConverter.models(_:_:)", .works) { connection in
      try connection.query(
        .models(Thing.self, Thing?.self),
        "SELECT \(columns: Thing.self), \(columns: Thing.self) FROM thing")
    },
    Entry("RowConverter.models(_:_:and:)", .works) { connection in
      try connection.query(
        .models(Thing.self, Thing?.self, and: .int),
        "SELECT \(columns: Thing.self), \(columns: Thing.self), 1 FROM thing")
    },
    Entry("RowConverter.models(_:_:and:)", .works) { connection in
      try connection.query(
        .models(Thing.self, Thing?.self, Thing.self, and: .int),
        """
        SELECT \(columns: Thing.self), \(columns: Thing.self), \(columns: Thing.self), 1 FROM thing
        """)
    },
    Entry("RowConverter.models(_:and:)", .works) { connection in
      try connection.query(
        .models(Thing.self, and: .int), "SELECT \(columns: Thing.self), 1 FROM thing")
    },
    Entry("Connection.expect(index:sql:parameters:_:_:_:_:_:_:)", .works) {
      try $0.expect(
        index: "thing_by_name", sql: "SELECT * FROM thing WHERE name = ?", parameters: "a")
    },
    Entry("Connection.expectNoFullScan(sql:parameters:_:_:_:_:_:_:)", .works) {
      try $0.expectNoFullScan(sql: "SELECT * FROM thing WHERE id = ?", parameters: 1)
    },
    Entry("Connection.expect(index:sql:parameters:)", .works) {
      try $0.expect(
        index: "thing_by_name", sql: "SELECT * FROM thing WHERE name = ?", parameters: ["a"])
    },
    Entry("Connection.expectNoFullScan(sql:parameters:)", .works) {
      try $0.expectNoFullScan(sql: "SELECT * FROM thing WHERE id = ?", parameters: [1])
    },
  ]

  /// Members of both kinds of queues that observe models.
  static let observedModels: [QueueEntry<ConnectionQueue>] = [
    .awaits("DatabaseReader.observe(_:)") { try await first($0.observe(Thing.all)) },
    .awaits("DatabaseReader.observe(_:)") { try await first($0.observe(Thing.all.select(\.id))) },
    .awaits("DatabaseReader.observe(_:key:)") {
      try await first($0.observe(Thing.self, key: 1))
    },
    .awaits("DatabaseReader.observeCount(of:)") {
      try await first($0.observeCount(of: Thing.all))
    },
    .awaits("DatabaseReader.rows(_:)") { try await first($0.rows(Thing.all)) },
    .awaits("DatabaseReader.rows(_:)") { try await first($0.rows(Thing.all.select(\.id))) },
    .awaits("DatabaseReader.live(_:)") { try await $0.live(Thing.all).load() },
    .awaits("DatabaseReader.live(_:)") { try await $0.live(Thing.all.select(\.id)).load() },
    .awaits("DatabaseReader.live(window:_:)") {
      try await $0.live(window: 0..<1, Thing.all).load()
    },
    .awaits("DatabaseReader.live(_:key:)") { try await $0.live(Thing.self, key: 1).load() },
    .awaits("DatabaseReader.liveCount(of:)") { try await $0.liveCount(of: Thing.all).load() },
  ]
}

extension NumberMatrix {
  /// Members with numbers that the higher-level modules add.
  static let above: [NumberEntry<Connection>] = [
    NumberEntry("ModelQuery.limit(_:offset:)", refusal: negative) {
      try $0.fetch(Thing.all.limit($1))
    },
    NumberEntry("ModelQuery.limit(_:offset:)", refusal: negative) {
      try $0.fetch(Thing.all.limit(1, offset: $1))
    },
    NumberEntry("ModelQuery.offset(_:)", refusal: negative) { try $0.fetch(Thing.all.offset($1)) },
    NumberEntry("ModelSelection.limit(_:offset:)", refusal: negative) {
      try $0.fetch(Thing.all.select(\.id).limit($1))
    },
    NumberEntry("ModelSelection.limit(_:offset:)", refusal: negative) {
      try $0.fetch(Thing.all.select(\.id).limit(1, offset: $1))
    },
    NumberEntry("ModelSelection.offset(_:)", refusal: negative) {
      try $0.fetch(Thing.all.select(\.id).offset($1))
    },
    NumberEntry("FaultyFileSystem.failEachCall(with:step:_:)", refusal: lessThanOne) {
      _ = try FaultyFileSystem().failEachCall(step: $1) { _ = try $0.failing {} }
    },
    NumberEntry("PowerCutRecorder.forEachState(seed:randomStates:_:)", refusal: butAFew) {
      try PowerCutRecorder().forEachState(seed: UInt64(bitPattern: Int64($1)), randomStates: $1) {
        _ in
      }
    },
  ]

  private static let butAFew: @Sendable (Int) -> ResultCode? = { $0 == 128 ? nil : .range }
}
