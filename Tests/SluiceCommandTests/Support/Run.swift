import Foundation
import SluiceCommand

/// The output, messages and exit code of the program when it runs inside this process.
struct Run: Equatable {
  let output: String
  let messages: String
  let code: ExitCode

  private init(_ output: String, _ messages: String, _ code: ExitCode) {
    (self.output, self.messages, self.code) = (output, messages, code)
  }

  /// Returns the same run with each occurrence of `text` replaced by `other`.
  func replacing(_ text: String, _ other: String) -> Run {
    Run(output.replacing(text, with: other), messages.replacing(text, with: other), code)
  }

  init(_ arguments: String..., input: String = "") {
    self.init(arguments, input: input)
  }

  /// Runs the program with standard output and standard error of a kind.
  init(
    _ arguments: [String], input: String = "", output outputTerminal: Terminal = Terminal(),
    messages messageTerminal: Terminal = Terminal()
  ) {
    let output = Sink()
    let messages = Sink()
    let console = Console(
      output: { output.data += $0 }, messages: { messages.data += $0 }, input: { Data(input.utf8) },
      outputTerminal: outputTerminal, messageTerminal: messageTerminal)
    code = SluiceCommand.run(arguments, console)
    self.output = String(decoding: output.data, as: UTF8.self)
    self.messages = String(decoding: messages.data, as: UTF8.self)
  }

  private final class Sink {
    var data = Data()
  }
}
