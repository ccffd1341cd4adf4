import SluiceCore

/// A parameter writer, and the containers that were created for it.
///
/// The containers refer to the writer, so the writer must not refer to them.
final class ParameterWriting {
  let writer: ParameterWriter
  @exclusivity(unchecked) private var containers = KeptContainers()
  @exclusivity(unchecked) private var latest = LatestType()

  init(_ settings: CodingSettings, columns: WrittenColumns? = nil) {
    writer = ParameterWriter(settings, columns: columns)
  }

  /// Creates another set of containers for the parameters of `writer`.
  init(sharing writer: ParameterWriter) { self.writer = writer }

  func encode<T: Encodable>(_ value: T, to statement: Statement) throws {
    do { try writer.write(to: statement) { try encode(value) } } catch let error as SQLiteError {
      throw writer.failure(error, value, nil)
    }
  }

  /// Binds a single value to the first parameter, or the parts of a value to all parameters.
  func encode<T: Encodable>(_ value: T) throws {
    guard unsafe latest.isSingle(T.self) else {
      return try value.encode(to: ParameterEncoding(writing: self))
    }
    try writer.encode(value, .number(1), nil)
  }

  /// Returns the container for a key type; all values share it, because creating one takes memory and time.
  func container<Key: CodingKey>(_ type: Key.Type) -> KeyedEncodingContainer<Key> {
    let id = ObjectIdentifier(type)
    if let kept = unsafe containers[id] {
      // `make` creates every container that is stored for this key type.
      return unsafe unsafeDowncast(kept, to: KeptContainer<KeyedEncodingContainer<Key>>.self)
        .value()
    }
    return make(type)
  }

  @inline(never)
  private func make<Key: CodingKey>(_ type: Key.Type) -> KeyedEncodingContainer<Key> {
    let container = KeyedEncodingContainer(ParameterContainer<Key>(writer: writer))
    unsafe containers.keep(KeptContainer(container), for: ObjectIdentifier(type))
    return container
  }
}

/// An encoder for a value that encodes itself into the parameters.
struct ParameterEncoding: Encoder {
  let writing: ParameterWriting
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { writing.writer.settings.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    writing.container(type)
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    ParameterSequence(writer: writing.writer)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    ParameterValue(writing: writing)
  }
}
