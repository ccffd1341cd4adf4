import Sluice

/// Structs inside the struct of a row.
extension QueryChecker {
  /// Returns the parts of the row that are structs, and the text of each result column.
  mutating func parts(
    of text: QueryText, _ facts: ProgramFacts, _ source: SourceText
  ) -> (parts: [EmbeddedPart], written: [ArraySlice<SQLToken>]) {
    let width = facts.results.count
    guard !text.embeds.isEmpty else { return ([], text.writtenColumns) }
    guard width > 0, let result = ResultText(text.tokens) else {
      complain("this statement returns no rows: remove @embed", text.embeds[0].name.offset, source)
      return ([], [])
    }
    guard let items = items(of: text, result, width) else {
      complain(
        "the columns of a star cannot be counted: write the columns instead of it", text.offset,
        source)
      return ([], [])
    }
    let parts = text.embeds.compactMap { embed in
      part(embed, of: text, result, items, facts, source)
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
    let place = range.upperBound - text.offset
    let sql =
      text[0..<place] + ", " + text[range.moved(by: -text.offset)]
      + text[place..<(result.end - text.offset)]
    // A statement that cannot be prepared provides no information.
    return (try? schema.connection.prepare(sql: sql)).map { $0.columnCount - width }
  }

  private mutating func part(
    _ embed: QueryText.Embed, of text: QueryText, _ result: ResultText,
    _ items: [ResultText.Item], _ facts: ProgramFacts, _ source: SourceText
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
    guard tables.count < 2 else {
      complain(
        "two parts of the result are \(name): give each table its own alias in FROM", place, source)
      return nil
    }
    guard let label = name.propertyLabel else {
      complain(
        "\(name) cannot be the name of a property: give the table an alias", place, source)
      return nil
    }
    let values = Array(facts.results[first...last])
    let declared = tables.first.flatMap { table in
      result.isReturning || result.isCompound
        ? nil : self.facts(of: table, columns.map { items[$0] }, text, result)
    }
    let mayBeNull = values.indices.map {
      values[$0].mayBeNull && declared?[$0].mayBeNull != false
    }
    let certain = (declared ?? []).indices.filter { declared?[$0].mayBeNull == false }
    let part = { (absence: RowStruct.Absence?) in
      EmbeddedPart(
        embed: embed, label: label, columns: first..<(last + 1), mayBeNull: mayBeNull,
        absence: absence)
    }
    if embed.type?.value.isOptional == true {
      let all = certain.isEmpty
      let markers = all ? Array(values.indices) : result.sources.markers(certain)
      return part(.init(columns: markers, needsAll: all))
    }
    if certain.contains(where: { values[$0].mayBeNull }) {
      return part(
        .init(columns: result.sources.markers(certain), needsAll: false))
    }
    if certain.isEmpty, !result.isReturning, tables.first?.canBeMissing != false,
      values.allSatisfy(\.mayBeNull)
    {
      complain(
        "\(name) may be missing, but none of its columns in the result is NOT NULL: add such a column, or write"
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
      text[0..<(result.start - text.offset)] + "SELECT "
      + columns.map { text[$0.moved(by: -text.offset)] }.joined(separator: ", ")
      + " FROM " + text[table.range.moved(by: -text.offset)]
    // A source that refers to another one cannot be prepared alone.
    guard let statement = try? schema.connection.prepare(sql: sql),
      statement.columnCount == items.count
    else { return nil }
    return self.facts(of: sql, statement, false).results
  }

  private func hint(for name: String, _ text: QueryText, _ result: ResultText) -> String {
    let written = { (token: SQLToken) in text[token.range.moved(by: -text.offset)] }
    if let best = nearest(to: name, among: result.items.compactMap(\.table).map(written)) {
      return "; did you mean \(best)?"
    }
    let tables = result.sources.sources.map(\.name)
    if tables.contains(where: { $0.content == name.nameContent }) {
      let hasStar = result.items.contains { $0.isStar && $0.table == nil }
      return hasStar ? "; write \(name).* instead of *" : "; add \(name).* to it"
    }
    return nearest(to: name, among: tables.map(written)).map { "; did you mean \($0)?" } ?? ""
  }
}

extension FromText {
  /// Returns the columns that are NULL exactly if the row is missing, of those that are otherwise never NULL.
  fileprivate func markers(_ certain: [Int]) -> [Int] {
    // With USING, a star reads a column that both tables have from whichever row exists.
    sharesColumns ? certain : Array(certain.prefix(1))
  }
}

extension ResultText.Item {
  /// The range of the item in the file.
  var range: Range<Int>? {
    guard let first = tokens.first, let last = tokens.last else { return nil }
    return first.range.lowerBound..<last.range.upperBound
  }
}

extension QueryText {
  /// The part of the statement in a range of byte offsets.
  fileprivate subscript(range: Range<Int>) -> String {
    String(decoding: sql.utf8.dropFirst(range.lowerBound).prefix(range.count), as: UTF8.self)
  }
}

extension Range<Int> {
  fileprivate func moved(by distance: Int) -> Range {
    (lowerBound + distance)..<(upperBound + distance)
  }
}

extension String {
  /// The content of the token that is this name.
  fileprivate var nameContent: [UInt8] {
    SQLToken.tokens(of: quotedName).first?.content ?? Array(utf8)
  }
}
