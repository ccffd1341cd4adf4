/// Swift code that reads and binds values of a type.
extension TypeText {
  /// The code for the converter that reads the type.
  private var converter: String {
    if representation == "json" { return ".json()" }
    if let dateStrategy { return ".date(as: .\(dateStrategy))" }
    if let name = representation ?? Self.names[name] { return ".\(name)" }
    return "ColumnValueConverter<\(name)>.default"
  }

  /// Returns the code that reads the type from a column.
  func reading(_ index: Int) -> String {
    if name == "DatabaseValue", representation == nil { return "row.value(at: \(index))" }
    return "row.\(isOptional ? "optional" : "get")(\(converter), at: \(index))"
  }

  /// The code for the converter of rows with a single column.
  var column: String {
    let converter =
      name == "DatabaseValue" && representation == nil ? ".value" : self.converter
    return ".column(\(isOptional ? ".optional(\(converter))" : converter))"
  }

  /// Returns the code for the parameter that binds a value.
  func binding(_ value: String) -> String {
    guard let representation else { return value }
    if let elementRepresentation {
      let element =
        "{ SQLParameter\(TypeText(elementName, as: elementRepresentation).parameter("$0")) }"
      let elements = { (array: String) in
        "\(array).map \(name.hasSuffix("?]") ? "{ $0.map \(element) }" : element)"
      }
      return isOptional
        ? "\(value).map { .\(representation)(\(elements("$0"))) }"
        : ".\(representation)(\(elements(value)))"
    }
    let parameter = parameter(isOptional ? "$0" : value)
    return isOptional ? "\(value).map { \(parameter) }" : parameter
  }

  /// The type of the elements of an array.
  private var elementName: String {
    String(name.dropFirst().dropLast()).replacing("?", with: "")
  }

  /// Returns the code for the parameter that binds a value that is not optional.
  private func parameter(_ value: String) -> String {
    if let dateStrategy { return ".date(\(value), as: .\(dateStrategy))" }
    return ".\(representation ?? "")(\(value))"
  }

  /// The name of the strategy for dates that is the representation; nil for any other representation.
  private var dateStrategy: String? {
    guard name == "Date", let representation, Self.dateStrategies.contains(representation) else {
      return nil
    }
    return representation
  }

  /// The strategies for dates that have no converter of the same name.
  private static let dateStrategies: Set<String> = [
    "sqlite", "grdb", "julianDay", "millisecondsSince1970",
  ]

  /// The names of converters and parameters for the types that Sluice supports.
  static let names: [String: String] = [
    "Int": "int", "Int8": "int8", "Int16": "int16", "Int32": "int32", "Int64": "int64",
    "UInt": "uint", "UInt8": "uint8", "UInt16": "uint16", "UInt32": "uint32", "UInt64": "uint64",
    "Bool": "bool", "Float": "float", "Double": "double", "String": "string", "[UInt8]": "bytes",
    "Data": "data", "DatabaseValue": "value",
  ]

  /// Whether the type may be declared in a module other than Sluice and Foundation.
  var isForeign: Bool { representation != nil || Self.names[name] == nil && !isFoundation }

  /// Whether the type is declared in Foundation.
  var isFoundation: Bool { Self.typesOfFoundation.contains(name) }

  /// Whether the type, or a part of it such as the element of an array, is declared in Foundation.
  var needsFoundation: Bool {
    name.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
      .contains { Self.typesOfFoundation.contains(String($0)) }
  }

  private static let typesOfFoundation: Set<String> = ["Data", "Date", "Decimal", "URL", "UUID"]
}
