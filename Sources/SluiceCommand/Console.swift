package import Foundation

/// The standard input, output and error of a command, which tests can replace.
package struct Console {
  private let output: (Data) throws -> Void
  private let messages: (Data) -> Void
  private let input: () throws -> Data
  /// The closure that reads a part of standard input, which is empty at the end; nil if only `input` can read it.
  private let inputPart: (() throws -> Data)?
  /// The properties of standard output and of standard error.
  let outputTerminal: Terminal
  let messageTerminal: Terminal
  /// Whether the lines of errors are shown.
  var showsExcerpts = true
  /// The time between two updates of a line that shows progress; nil if standard error is not a terminal.
  let progressInterval: Duration?
  let now: () -> ContinuousClock.Instant

  package init(
    output: @escaping (Data) throws -> Void, messages: @escaping (Data) -> Void,
    input: @escaping () throws -> Data, inputPart: (() throws -> Data)? = nil,
    outputTerminal: Terminal = Terminal(), messageTerminal: Terminal = Terminal(),
    progressInterval: Duration? = nil,
    now: @escaping () -> ContinuousClock.Instant = { .now }
  ) {
    self.output = output
    self.messages = messages
    self.input = input
    self.inputPart = inputPart
    self.outputTerminal = outputTerminal
    self.messageTerminal = messageTerminal
    self.progressInterval = progressInterval
    self.now = now
  }

  /// The console of the process: its standard input, output and error.
  static var standard: Console {
    let messageTerminal = Terminal(of: STDERR_FILENO)
    return Console(
      output: { try FileHandle.standardOutput.write(contentsOf: $0) },
      // If standard error is closed, a failed write cannot be reported.
      messages: { try? FileHandle.standardError.write(contentsOf: $0) },
      input: { try FileHandle.standardInput.readToEnd() ?? Data() },
      inputPart: { try FileHandle.standardInput.read(upToCount: 1 << 17) ?? Data() },
      outputTerminal: Terminal(of: STDOUT_FILENO), messageTerminal: messageTerminal,
      progressInterval: messageTerminal.isTerminal ? .milliseconds(200) : nil)
  }

  /// Writes a part of the result to standard output.
  package func write(_ text: String) throws { try write(StyledText(text)) }

  /// Writes a part of the result to standard output, with colors if it is a terminal.
  func write(_ text: StyledText) throws {
    let text = text.text(isColored: outputTerminal.isColored)
    do { try output(Data(text.utf8)) } catch {
      throw Failure("The result cannot be written")
    }
  }

  /// Writes a part of the result to standard output exactly, because escapes would change names in SQL.
  package func write(sql: Data) throws {
    guard !sql.contains(where: Self.isControl) else {
      throw Failure("The SQL contains control characters; write it to a file instead")
    }
    do { try output(sql) } catch { throw Failure("The result cannot be written") }
  }

  /// Writes a part of exported data to standard output exactly, unless it could control a terminal.
  func write(data: [UInt8]) throws {
    guard !outputTerminal.isTerminal || !data.contains(where: Self.isControl) else {
      throw Failure("The rows contain control characters; pass a FILE to write them to a file")
    }
    do { try output(Data(data)) } catch { throw Failure("The result cannot be written") }
  }

  /// Returns whether a byte could control a terminal, as all control characters do except tabs and line ends.
  private static func isControl(_ byte: UInt8) -> Bool {
    byte < 0x20 && !(9...13).contains(byte) || byte == 0x7f
  }

  /// Replaces the last line of a terminal at standard error.
  func show(line: String) {
    messages(Data("\r\u{1b}[K\(line.withoutControls)".utf8))
  }

  /// Returns a closure that reads standard input in parts, and returns nil at the end.
  func inputParts() -> () throws -> [UInt8]? {
    var isAtEnd = false
    return {
      guard !isAtEnd else { return nil }
      let data: Data
      do { data = try inputPart?() ?? input() } catch {
        throw Failure("Standard input cannot be read")
      }
      isAtEnd = data.isEmpty || inputPart == nil
      return data.isEmpty ? nil : [UInt8](data)
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

  /// Writes text to standard error, with colors if it is a terminal.
  func tell(_ text: StyledText) {
    messages(Data(text.text(isColored: messageTerminal.isColored).utf8))
  }

  /// Returns all of standard input, which must be UTF-8.
  package func readAll() throws -> String {
    guard let text = String(validating: try input(), as: UTF8.self) else {
      throw Failure("Standard input is not UTF-8")
    }
    return text
  }
}
