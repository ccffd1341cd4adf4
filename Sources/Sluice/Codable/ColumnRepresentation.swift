import Foundation

/// The stored representation of one property, in place of the one that the strategies define for its type.
///
/// ```swift
/// var strategies = connection.codingStrategies
/// strategies.representations["born"] = .date(as: .julianDay)
/// ```
///
/// The key is the coding key of the property. In a row whose columns belong to parts, such as `author.born`, it is the
/// name of the part and of the property: `"author.born"`. The table of a model declares them for its columns.
public struct ColumnRepresentation: Sendable {
  private let content: Content

  private enum Content {
    case date(DateStrategy)
    case data(DataStrategy)
    case uuid(UUIDStrategy)
    case nested(NestedStrategy)
  }

  /// Stores the date of a property, or the dates of its nested value, as a strategy specifies.
  public static func date(as strategy: DateStrategy) -> ColumnRepresentation {
    ColumnRepresentation(content: .date(strategy))
  }

  /// Stores the `Data` of a property as a strategy specifies.
  public static func data(as strategy: DataStrategy) -> ColumnRepresentation {
    ColumnRepresentation(content: .data(strategy))
  }

  /// Stores the UUID of a property as a strategy specifies.
  public static func uuid(as strategy: UUIDStrategy) -> ColumnRepresentation {
    ColumnRepresentation(content: .uuid(strategy))
  }

  /// Stores the array, dictionary or struct of a property as a strategy specifies.
  public static func nested(as strategy: NestedStrategy) -> ColumnRepresentation {
    ColumnRepresentation(content: .nested(strategy))
  }
}

extension CodingStrategies {
  /// Returns the strategies for a property whose representation a table may declare.
  package func strategies(
    of property: String, _ declared: ColumnRepresentation?
  ) -> CodingStrategies {
    (declared ?? representations[property])?.replacing(in: self) ?? self
  }
}

extension ColumnRepresentation {
  /// Returns strategies in which the representation replaces the one for its type.
  func replacing(in strategies: CodingStrategies) -> CodingStrategies {
    var strategies = strategies
    switch content {
    case .date(let dates): strategies.dates = dates
    case .data(let data): strategies.data = data
    case .uuid(let uuids): strategies.uuids = uuids
    case .nested(let nested): strategies.nested = nested
    }
    return strategies
  }

  /// The name of the function that creates the representation.
  package var name: String {
    switch content {
    case .date: "date"
    case .data: "data"
    case .uuid: "uuid"
    case .nested: "nested"
    }
  }

  /// Returns whether values of a type can have the representation; a type that encodes itself may have it.
  package func suits(_ type: Any.Type) -> Bool {
    let type = (type as? any OptionalType.Type)?.wrappedType ?? type
    guard RowReader.reads(type) else { return true }
    return switch content {
    case .date: type == Date.self
    case .data: type == Data.self
    case .uuid: type == UUID.self
    case .nested: false
    }
  }

  /// Returns whether the representation decides how SQLite stores an example of a type that encodes itself.
  package func decides(_ example: some Encodable) -> Bool {
    func stored(_ representation: ColumnRepresentation) -> String? {
      let encoder = StatementEncoder(representation.replacing(in: CodingStrategies()))
      // An error tells as little as NULL does.
      let parameter = (try? encoder.parameter(for: example)) ?? SQLParameter(.null)
      let description = "\(parameter)"
      return description == "\(SQLParameter(.null))" ? nil : description
    }
    func differ(_ first: ColumnRepresentation, _ second: ColumnRepresentation) -> Bool {
      guard let first = stored(first), let second = stored(second) else { return true }
      return first != second
    }
    let isNested = differ(.nested(as: .json), .nested(as: .propertyList))
    return switch content {
    // An example may contain no date where other values do, as an empty array does.
    case .date: isNested || differ(.date(as: .timeIntervalSince1970), .date(as: .iso8601))
    case .data: differ(.data(as: .blob), .data(as: .base64))
    case .uuid: differ(.uuid(as: .text), .uuid(as: .bytes))
    case .nested: isNested
    }
  }
}
