public import Foundation
import SluiceCore

/// A reader of JSON lines, or of a JSON array, one value at a time.
///
/// ```swift
/// let reader = try JSONReader(url)
/// while let person = try reader.next(Person.self) {
///   print(person.name)
/// }
/// ```
///
/// The reader retains one value at a time. Its memory does not depend on the size of the file, and its data can come
/// in chunks that end anywhere. After a value that cannot be decoded, reading continues with the next value. An array
/// that is not complete throws ``ResultCode/mismatch``.
public final class JSONReader {
  private var elements: JSONElements

  /// The decoder of the values.
  public var decoder = JSONDecoder()

  /// The structure of the data.
  public enum Structure: Hashable, Sendable {
    /// One value per line.
    case lines
    /// The elements of one array.
    case array
  }

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - url: The URL of the file.
  ///   - structure: The structure of the file; nil for an array if the file's extension is `json`, and lines
  ///     otherwise.
  /// - Throws: ``ResultCode/cantOpen`` if the file cannot be opened.
  public init(_ url: URL, _ structure: Structure? = nil) throws {
    let structure = structure ?? (url.pathExtension.lowercased() == "json" ? .array : .lines)
    elements = JSONElements(try ByteChunks(url), hasArray: structure == .array)
  }

  /// Creates a reader of chunks of bytes.
  public init(chunks: some Sequence<some Sequence<UInt8>>, _ structure: Structure) {
    elements = JSONElements(ByteChunks(chunks), hasArray: structure == .array)
  }

  /// Decodes the next value, or returns nil at the end.
  ///
  /// - Throws: A `DecodingError` whose description begins with the line.
  public func next<T: Decodable>(_ type: T.Type) throws -> T? {
    guard try elements.advance() else { return nil }
    do { return try decoder.decode(type, from: Data(elements.bytes)) } catch let error
      as DecodingError
    { throw error.onLine(elements.line) }
  }

  /// Decodes all remaining values.
  ///
  /// - Throws: An error for the first value that cannot be decoded, as ``next(_:)`` does.
  public func decode<T: Decodable>(_ type: T.Type) throws -> [T] {
    var values: [T] = []
    while let value = try next(type) { values.append(value) }
    return values
  }
}

@available(*, unavailable)
extension JSONReader: Sendable {}
