import SluiceCore

/// A writer, and the containers that it has been put into so far.
///
/// Those refer to the writer, which therefore does not refer to them.
final class ParameterWriting {
  let writer: ParameterWriter
  @exclusivity(unchecked) private var containers = KeptContainers()
  @exclusivity(unchecked) private var latest = LatestType()

  init(_ settings: CodingSettings) { writer = ParameterWriter(settings) }

  /// Another view of the same parameters.
  init(sharing writer: ParameterWriter) { self.writer = writer }

  func encode<T: Encodable>(_ value: T, to statement: Statement) throws {
    do { try writer.write(to: statement) { try encode(value) } } catch let error as SQLiteError {
      throw writer.failure(error, value, nil)
    }
  }

  /// Binds a value to the first parameter, or its parts to all of them.
  func encode<T: Encodable>(_ value: T) throws {
    guard unsafe latest.isSingle(T.self) else {
      return try value.encode(to: ParameterEncoding(writing: self))
    }
    try writer.encode(value, .number(1), nil)
  }

  /// The container for keys of a type, the same for all values: to make one takes memory and time.
  func container<Key: CodingKey>(_ type: Key.Type) -> KeyedEncodingContainer<Key> {
    let id = ObjectIdentifier(type)
    if let kept = unsafe containers[id] {
      // What is kept for these keys was made below.
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

/// Parameters as what encodes itself sees them.
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
