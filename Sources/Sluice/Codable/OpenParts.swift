/// The parameters that are encoded part by part, in the order in which their encoding began.
struct OpenParts {
  private(set) var all: [ColumnEncoding] = []
  /// The parts by the bytes of the property's name, because equal Swift strings can be different property names.
  private var properties: [[UInt8]: ColumnEncoding] = [:]

  /// Returns the part for a parameter, and creates it if necessary.
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
