package import Foundation

/// The standard input, output and error of a command, which tests can replace.
package struct Console {
  private let output: (Data) throws -> Void
  private let messages: (Data) -> Void
  private let input: () throws -> Data

  package init(
    output: @escaping (Data) throws -> Void, messages: @escaping (Data) -> Void,
    input: @escaping () throws -> Data
  ) {
    self.output = output
    self.messages = messages
    self.input = input
  }

  /// The console of the process: its standard input, output and error.
  static var standard: Console {
    Console(
      output: { try FileHandle.standardOutput.write(contentsOf: $0) },
      // If standard error is closed, a failed write cannot be reported.
      messages: { try? FileHandle.standardError.write(contentsOf: $0) },
      input: { try FileHandle.standardInput.readToEnd() ?? Data() })
  }

  /// Writes a part of the result to standard output.
  package func write(_ text: String) throws {
    do { try output(Data(text.withoutControls.utf8)) } catch {
      throw Failure("The result cannot be written")
    }
  }

  /// Writes the result as one line of JSON with sorted keys, and omits keys whose value is nil.
  package func write(json value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let data: Data
    do { data = try encoder.encode(value) } catch {
      throw Failure("The result cannot be encoded as JSON")
    }
    try write(String(decoding: data, as: UTF8.self) + "\n")
  }

  /// Writes a message to standard error.
  package func tell(_ text: String) { messages(Data(text.withoutControls.utf8)) }

  /// Returns all of standard input, which must be UTF-8.
  package func readAll() throws -> String {
    guard let text = String(validating: try input(), as: UTF8.self) else {
      throw Failure("Standard input is not UTF-8")
    }
    return text
  }
}

extension String {
  /// The text with control characters escaped, because they could control a terminal.
  ///
  /// Names in a database can contain any character.
  fileprivate var withoutControls: String {
    guard unicodeScalars.contains(where: Self.isControl) else { return self }
    return unicodeScalars.map { scalar in
      Self.isControl(scalar) ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
    }.joined()
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar != "\n" && scalar != "\t" && scalar.properties.generalCategory == .control
  }
}
