/// Parameters that are given part by part, in the order in which they were begun.
struct OpenParts {
  private(set) var all: [ColumnEncoding] = []
  /// By bytes, as text is equal to Swift if it only looks the same, which two properties may do.
  private var properties: [[UInt8]: ColumnEncoding] = [:]

  /// The part for a parameter, which is made if there is none.
  mutating func part(
    _ target: ParameterWriter.Target, _ make: () -> ColumnEncoding
  ) -> ColumnEncoding {
    guard case .property(let property) = target else { return add(make()) }
    let name = Array(property.utf8)
    if let part = properties[name] { return part }
    let part = add(make())
    properties[name] = part
    return part
  }

  private mutating func add(_ part: ColumnEncoding) -> ColumnEncoding {
    all.append(part)
    return part
  }
}
