/// The observers of commits, by the tables that they have read.
///
/// A commit calls only the observers of the tables that it has changed, however many others there are.
struct ObserverIndex {
  /// The observers that every commit concerns.
  private var ofAll: Set<Int> = []
  /// The observers of each table, by its name, which does not tell databases apart.
  private var ofTable: [String: Set<Int>] = [:]
  /// The names of the tables of each observer.
  private var tables: [Int: Set<String>] = [:]

  /// Adds an observer that every commit concerns, or makes one of an observer of tables.
  mutating func insert(_ observer: Int) { ofAll.insert(observer) }

  /// Makes an observer one of only the tables that it has read.
  mutating func limit(_ observer: Int, to region: ReadRegion) {
    guard let names = region.tables else { return insert(observer) }
    ofAll.remove(observer)
    guard tables[observer] != names else { return }
    removeFromTables(observer)
    tables[observer] = names
    for name in names { ofTable[name, default: []].insert(observer) }
  }

  mutating func remove(_ observer: Int) {
    ofAll.remove(observer)
    removeFromTables(observer)
  }

  /// Returns the observers that these changes may concern; nil for all of them.
  func observers(of changes: TableChangeSummary) -> Set<Int>? {
    guard !changes.isEverything, changes.schemas.isEmpty else { return nil }
    return changes.columns.keys.reduce(into: ofAll) { found, table in
      if let observers = ofTable[table.table] { found.formUnion(observers) }
    }
  }

  private mutating func removeFromTables(_ observer: Int) {
    for name in tables.removeValue(forKey: observer) ?? [] {
      ofTable[name]?.remove(observer)
      if ofTable[name]?.isEmpty == true { ofTable[name] = nil }
    }
  }
}
