import Sluice

/// Structs inside the struct of a row.
extension QueryChecker {
  /// Returns the parts of the row that are structs, and the text of each result column.
  mutating func parts(
    of text: QueryText, _ names: [String], _ facts: ProgramFacts, _ source: SourceText
  ) -> (parts: [EmbeddedPart], written: [ArraySlice<SQLToken>]) {
    guard let first = text.embeds.first else { return ([], text.writtenColumns) }
    guard let result = ResultText(text.tokens), !names.isEmpty else {
      complain(
        names.isEmpty
          ? "this statement returns no rows: remove @embed"
          : "no column of the result is written as \(first.name.value).…", first.name.offset, source
      )
      return ([], [])
    }
    guard let items = items(of: text, result, names.count) else {
      complain(
        "the columns of a star cannot be counted: write the columns instead of it", text.offset,
        source)
      return ([], [])
    }
    let parts = text.embeds.compactMap { embed in
      part(embed, of: text, result, items, names, facts, source)
    }
    return (parts, items.map(\.tokens))
  }

  /// Returns the item from which each column of the result comes; nil if a star cannot be expanded.
  private func items(
    of text: QueryText, _ result: ResultText, _ width: Int
  ) -> [ResultText.Item]? {
    let stars = result.items.indices.filter { result.items[$0].isStar }
    var widths = result.items.map { _ in 1 }
    var rest = width - result.items.count + stars.count
    for star in stars.dropLast() {
      guard let own = self.width(of: result.items[star], text, result, width) else { return nil }
      widths[star] = own
      rest -= own
    }
    if let last = stars.last { widths[last] = rest }
    let items = zip(result.items, widths).flatMap { Array(repeating: $0, count: max($1, 0)) }
    return items.count == width ? items : nil
  }

  /// Returns the number of columns of a star, by which a result grows that contains the star twice.
  private func width(
    of star: ResultText.Item, _ text: QueryText, _ result: ResultText, _ width: Int
  ) -> Int? {
    guard let range = star.range else { return nil }
    let sql =
      text[text.offset..<range.upperBound] + ", " + text[range.lowerBound..<result.end]
    // A statement that cannot be prepared provides no information.
    return (try? schema.connection.prepare(sql: sql)).map { $0.columnCount - width }
  }

  private mutating func part(
    _ embed: QueryText.Embed, of text: QueryText, _ result: ResultText,
    _ items: [ResultText.Item], _ names: [String], _ facts: ProgramFacts, _ source: SourceText
  ) -> EmbeddedPart? {
    let (name, place) = (embed.name.value, embed.name.offset)
    let content = name.nameContent
    let columns = items.indices.filter { items[$0].table?.content == content }
    guard let first = columns.first, let last = columns.last else {
      complain(
        "no column of the result is written as \(name).…\(hint(for: name, text, result))", place,
        source)
      return nil
    }
    if let gap = zip(columns, first...).first(where: { $0 != $1 })?.0 {
      complain(
        "the columns of \(name) are not consecutive: move this one next to the others",
        items[gap].range?.lowerBound ?? place, source)
      return nil
    }
    let tables = result.sources.sources.filter { $0.name.content == content }
    let table = tables.first
    guard tables.count < 2 else {
      complain(
        "two parts of the result are \(name): give each table its own alias in FROM", place, source)
      return nil
    }
    guard let label = embed.label else {
      complain(
        "\(name) cannot be the name of a property: give the table an alias", place, source)
      return nil
    }
    let values = Array(facts.results[first...last])
    let declared = table.flatMap { table in
      result.isReturning || result.isCompound
        ? nil : self.facts(of: table, columns.map { items[$0] }, text, result)
    }
    let mayBeNull = values.indices.map {
      values[$0].mayBeNull && declared?[$0].mayBeNull != false
    }
    // A column that a star reads from another table does not show that a row is missing.
    let own = values.indices.filter { index in
      !items[first + index].isStar
        || table.map { result.sources.mayShare(names[first + index].withoutNumber, of: $0) } != true
    }
    let present = own.filter { declared?[$0].mayBeNull == false }
    // A constant of a subquery is there even if an aggregate has no row to take the other columns from.
    let marker = present.first { values[$0].mayBeNull }
    let part = { (absence: [Int]?) in
      EmbeddedPart(
        embed: embed, label: label, columns: first..<(last + 1), mayBeNull: mayBeNull,
        absence: absence)
    }
    if embed.type?.value.isOptional == true, !own.isEmpty {
      return part(marker.map { [$0] } ?? own)
    }
    guard present.isEmpty else { return part(marker.map { [$0] }) }
    if !result.isReturning, table?.canBeMissing != false,
      own.allSatisfy({ values[$0].mayBeNull })
    {
      complain(
        own.count < values.count
          ? "\(name) may be missing, but \(name).* reads the common columns of the join from either table: write the columns"
            + " instead of the star"
          : "\(name) may be missing, but none of its columns in the result is NOT NULL: add such a column, or write"
            + " \"-- @embed \(name): \(embed.structName)?\", which is nil if all columns are NULL",
        place, source)
      return nil
    }
    return part(nil)
  }

  /// Returns the values of a table's columns as the table or subquery alone contains them; nil if they are unknown.
  private func facts(
    of table: FromText.Source, _ items: [ResultText.Item], _ text: QueryText, _ result: ResultText
  ) -> [AbstractValue]? {
    var columns: [Range<Int>] = []
    for range in items.compactMap(\.range) where columns.last != range { columns.append(range) }
    let sql =
      text[text.offset..<result.start] + "SELECT "
      + columns.map { text[$0] }.joined(separator: ", ") + " FROM " + text[table.range]
    // A source that refers to another one cannot be prepared alone.
    guard let statement = try? schema.connection.prepare(sql: sql),
      statement.columnCount == items.count
    else { return nil }
    return self.facts(of: sql, statement, false).results
  }

  private func hint(for name: String, _ text: QueryText, _ result: ResultText) -> String {
    // An annotation contains names without quotes.
    let plain = name.filter { !"\"`[]".contains($0) }
    let written = { (token: SQLToken) in
      let name = text[token.range]
      return token.kind == .word ? name : String(name.dropFirst().dropLast())
    }
    let columns = suggestion(for: plain, among: result.items.compactMap(\.table).map(written))
    guard columns.isEmpty else { return columns }
    let tables = result.sources.sources.map(\.name)
    if tables.contains(where: { $0.content == name.nameContent }) {
      let hasStar = result.items.contains { $0.isStar && $0.table == nil }
      return hasStar ? "; write \(name).* instead of *" : "; add \(name).* to it"
    }
    return suggestion(for: plain, among: tables.map(written))
  }
}

extension QueryText {
  /// The part of the statement in a range of byte offsets in the file.
  fileprivate subscript(range: Range<Int>) -> String {
    String(
      decoding: sql.utf8.dropFirst(range.lowerBound - offset).prefix(range.count), as: UTF8.self)
  }
}

extension String {
  /// The name of a column, without the number that SQLite adds to it in a join in parentheses, as in `id:1`.
  var withoutNumber: String { replacing(/:[0-9]+$/, with: "") }
}
