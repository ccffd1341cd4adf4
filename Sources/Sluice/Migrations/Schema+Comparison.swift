import SluiceCore

extension Schema {
  private struct Key: Hashable {
    let isTrigger: Bool
    let name: String
    let kind: SchemaObject.Kind
  }

  /// Returns the differences between this schema and `found`.
  func differences(from found: Schema) throws -> [SchemaDifference] {
    let (mine, others) = (byName, found.byName)
    var differences: [SchemaDifference] = []
    for object in objects {
      guard let other = others[key(object)] else {
        // Do not report the indexes and triggers of a missing table separately.
        if isStandingAlone(object, amid: others) { differences.append(.missing(object)) }
        continue
      }
      let details = try details(object, other, found.connection)
      if !details.isEmpty {
        differences.append(.different(expected: object, found: other, details: details))
      }
    }
    for object in found.objects where mine[key(object)] == nil {
      if isStandingAlone(object, amid: mine) { differences.append(.unexpected(object)) }
    }
    return differences
  }

  private var byName: [Key: SchemaObject] {
    Dictionary(objects.map { (key($0), $0) }) { first, _ in first }
  }

  private func key(_ object: SchemaObject) -> Key {
    Key(isTrigger: object.kind == .trigger, name: foldedName(object.name), kind: object.kind)
  }

  /// Returns whether the object is a table or view, or belongs to one that the other schema also has.
  private func isStandingAlone(_ object: SchemaObject, amid others: [Key: SchemaObject]) -> Bool {
    guard object.kind == .index || object.kind == .trigger else { return true }
    let table = foldedName(object.table)
    return [SchemaObject.Kind.table, .view].contains {
      others[Key(isTrigger: false, name: table, kind: $0)] != nil
    }
  }

  private func details(
    _ mine: SchemaObject, _ other: SchemaObject, _ otherConnection: Connection
  ) throws -> [String] {
    let (tokens, otherTokens) = (SQLToken.tokens(of: mine.sql), SQLToken.tokens(of: other.sql))
    guard tokens != otherTokens else { return [] }
    // `ALTER TABLE` writes different SQL than `CREATE TABLE`, so compare the structure instead.
    switch mine.kind {
    case .table where tokens.dropFirst().first?.is("virtual") == false:
      return try TableStructure(of: mine, tokens, on: connection).details(
        TableStructure(of: other, otherTokens, on: otherConnection))
    case .index:
      guard foldedName(mine.table) == foldedName(other.table) else {
        return ["it is an index of \"\(other.table)\" instead of \"\(mine.table)\""]
      }
      let isSame =
        try IndexStructure(of: mine, tokens, on: connection)
        == IndexStructure(of: other, otherTokens, on: otherConnection)
      return isSame ? [] : ["its SQL differs"]
    default: return ["its SQL differs"]
    }
  }
}
