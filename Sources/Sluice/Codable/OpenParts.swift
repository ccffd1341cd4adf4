/// The encoders of parameters that are encoded part by part, in the order in which the encoding began.
struct OpenParts {
  private(set) var all: [ColumnEncoding] = []
  /// The encoders by the bytes of the property's name; equal Swift strings can be different property names.
  private var properties: [[UInt8]: ColumnEncoding] = [:]

  /// Returns the encoder of a parameter, and creates it if necessary.
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
