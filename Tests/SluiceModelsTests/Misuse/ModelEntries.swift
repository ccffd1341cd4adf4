import SluiceModels

/// Each public member of SluiceModels that uses a connection, with at least one use.
enum ModelEntries {
  private static let people = Person.where(\.age >= 18).order(by: \.name).limit(1)
  private static let ada = Person("Ada", id: 1)

  static let all = tables + additions + changes + deletions + reads

  private static let tables: [ModelEntry] = [
    ModelEntry("createTable", .changesAll.without(.withoutTables)) {
      try $0.createTable(of: Tag.self)
    },
    ModelEntry(
      "createTable", .asks.but([.inWritingFunction: .misuse])
    ) {
      try $0.createTable(of: Person.self, ifNotExists: true)
    },
    ModelEntry("tableSQL", .asks) { try $0.tableSQL(of: Person.self) },
    ModelEntry("dropTable", .changes.but([.atRow: .locked, .inWritingFunction: .locked])) {
      try $0.dropTable(of: Person.self)
    },
    ModelEntry("hasTable", .asks) { try $0.hasTable(of: Person.self) },
    ModelEntry("migrationPlan", .migrates.but([.atRow: .locked])) {
      try $0.migrationPlan(of: Person.self, to: 1) { $0.drop("note") }
    },
    ModelEntry("migrate", .migrates.but([.atRow: .locked])) {
      try $0.migrate(Person.self, to: 2, adopting: 1) { $0.drop("note") }
    },
    ModelEntry("lastVersion", .asks) { try $0.lastVersion(of: Person.self) },
  ]

  private static let additions: [ModelEntry] = [
    ModelEntry("insert", .changes) { try $0.insert(Person("Eve")) },
    ModelEntry("insert", .changesAll) { try $0.insert([Person("Eve")]) },
    ModelEntry("insertEach", .changesAll) { try $0.insertEach([Person("Eve")]) },
    ModelEntry("upsert", .changes) { try $0.upsert(ada) },
    ModelEntry("upsert", .changesAll) { try $0.upsert([ada]) },
    ModelEntry("upsert", .changes) { try $0.upsert(ada, where: "1") },
    ModelEntry("upsert", .changesAll) {
      try $0.upsert([ada], returning: .model(Person.self))
    },
    ModelEntry("insert", .changes) { try $0.insert(Person("Eve"), returning: .model(Person.self)) },
    ModelEntry("insert", .changes) { try $0.insert(Person("Eve"), returning: \.age) },
    ModelEntry("insert", .changesAll) {
      try $0.insert([Person("Eve")], returning: .model(Person.self))
    },
    ModelEntry("insertIfAbsent", .changes) { try $0.insertIfAbsent(ada) },
    ModelEntry("insertIfAbsent", .changes) {
      try $0.insertIfAbsent(Person("Eve"), returning: .model(Person.self))
    },
    ModelEntry("upsert", .changes) { try $0.upsert(ada, returning: .model(Person.self)) },
    ModelEntry("upsert", .changes) { try $0.upsert(ada, returning: \.age) },
  ]

  private static let changes: [ModelEntry] = [
    ModelEntry("update", .changes) { try $0.update(ada) },
    ModelEntry("update", .changes) { try $0.update(ada, \.name) },
    ModelEntry("update", .changes) { try $0.update(ada, columns: ["name"]) },
    ModelEntry("update", .changesAll) { try $0.update([ada]) },
    ModelEntry("update", .changesAll) {
      try $0.update([ada], returning: .model(Person.self))
    },
    ModelEntry("updateEach", .changesAll) { try $0.updateEach([ada]) },
    ModelEntry("update", .changes) {
      try $0.update(Person.self, key: 1, .set(\.name, to: "Eve"))
    },
    ModelEntry("update", .changes) { try $0.update(people, .column("name", to: "Eve")) },
    ModelEntry("update", .changes) { try $0.update(ada, returning: .model(Person.self)) },
    ModelEntry("update", .changes) { try $0.update(ada, returning: \.age) },
    ModelEntry("update", .changes) {
      try $0.update(Person.self, key: 1, .set(\.name, to: "Eve"), returning: .model(Person.self))
    },
    ModelEntry("update", .changes) {
      try $0.update(people, .column("name", to: "Eve"), returning: .model(Person.self))
    },
    ModelEntry("updateChanges", .changes) {
      try $0.updateChanges(of: Person("Eve", id: 1), from: ada)
    },
    ModelEntry("updateChanges", .changes) { connection in
      var person = ada
      return try connection.updateChanges(of: &person) { $0.name = "Eve" }
    },
  ]

  private static let deletions: [ModelEntry] = [
    ModelEntry("delete", .changes) { try $0.delete(ada) },
    ModelEntry("delete", .changesAll) { try $0.delete([ada]) },
    ModelEntry("deleteEach", .changesAll) { try $0.deleteEach([ada]) },
    ModelEntry("delete", .changes) { try $0.delete(Person.self, key: 1) },
    ModelEntry("delete", .changesAll) { try $0.delete(Person.self, keys: [1]) },
    ModelEntry("delete", .changes) { try $0.delete(people) },
    ModelEntry("delete", .changes) { try $0.delete(ada, returning: .model(Person.self)) },
    ModelEntry("delete", .changes) {
      try $0.delete(Person.self, key: 1, returning: .model(Person.self))
    },
    ModelEntry("delete", .changes) { try $0.delete(people, returning: .model(Person.self)) },
    ModelEntry("deleteEach", .changesAll) { try $0.deleteEach(Person.self, keys: [1]) },
    ModelEntry("deleteAll", .changes) { try $0.deleteAll(Person.self) },
  ]

  private static let reads: [ModelEntry] = [
    ModelEntry("fetch", .reads) { try $0.fetch(Person.self, key: 1) },
    ModelEntry("fetch", .reads) { try $0.fetch(Person.self, keys: [1]) },
    ModelEntry("fetch", .reads) { try $0.fetch(people) },
    ModelEntry("fetchFirst", .reads) { try $0.fetchFirst(people) },
    ModelEntry("forEach", .reads) { try $0.forEach(people) { _ in } },
    ModelEntry("fetch", .reads) { try $0.fetch(people.select(\.name)) },
    ModelEntry("fetch", .reads) { try $0.fetch(Person.all, of: [ada], by: \.id) },
    ModelEntry("fetch", .reads) { try $0.fetch(Person.all, of: [Tag(name: "Ada")], by: \.name) },
    ModelEntry("fetch", .reads) {
      try $0.fetch(Person.all, of: [Pair(first: "a", second: "b")], by: \.name, and: \.name)
    },
    ModelEntry("fetch", .reads) {
      try $0.fetch(Knows.all, of: [Pair(first: "a", second: "b")], by: \.note, and: \.note)
    },
    ModelEntry("fetch", .reads) {
      try $0.fetch(Person.all, of: [(parent: 1, children: [ada])], by: \.id)
    },
    ModelEntry("fetch", .reads) {
      try $0.fetch(Person.all, of: [(parent: 1, children: [Tag(name: "Ada")])], by: \.name)
    },
    ModelEntry("fetch", .reads) {
      try $0.fetch(Person.all, of: [Tag(name: "Ada")], through: \Knows.tag, \Knows.person)
    },
    ModelEntry("fetchFirst", .reads) { try $0.fetchFirst(people.select(\.name)) },
    ModelEntry("value", .reads) { try $0.value(.count, of: people) },
    ModelEntry("sql", .never) { try $0.sql(of: people.select(\.name)) },
    ModelEntry("sql", .never) { try $0.sql(of: people) },
    ModelEntry("sql", .never) { try $0.sql(of: \Person.age >= 18, as: "p") },
    ModelEntry("exists", .reads) { try $0.exists(ada) },
    ModelEntry("exists", .reads) { try $0.exists(Person.self, key: 1) },
    ModelEntry("exists", .reads) { try $0.exists(people) },
    ModelEntry("count", .reads) { try $0.count(people) },
    ModelEntry("count", .reads) { try $0.count(Person.all, of: [ada], by: \.id) },
    ModelEntry("count", .reads) { try $0.count(Person.all, of: [Tag(name: "Ada")], by: \.name) },
    ModelEntry("count", .reads) {
      try $0.count(Person.all, of: [Tag(name: "Ada")], through: \Knows.tag, \Knows.person)
    },
  ]

  /// A model whose table does not exist at first.
  struct Tag: Codable, Model {
    static let table = ModelTable("tag", key: \Tag.name)
    var name: String
  }

  /// A model whose rows are never read: its keys are those of parents.
  struct Pair: Codable, Model {
    static let table = ModelTable("pair", key: \Pair.first, and: \.second)
    var first: String
    var second: String
  }

  /// A model of the same table as a person, which links a name to an age.
  struct Knows: Codable, Model {
    static let table = ModelTable("person", key: \Knows.person, .column(\.tag, .type(.text)))
    var person: Int64
    var tag: String
    var note: String?
    enum CodingKeys: String, CodingKey {
      case note
      case person = "id"
      case tag = "name"
    }
  }
}
