import Foundation
import Sluice
import SluiceCommand
import TestSupport
import Testing

@Suite(.tags(.checkedSQL)) struct `completions and the manual` {
  let folder: TestFolder

  init() throws {
    folder = try TestFolder()
    for name in ["app.db", "other file.csv", "Migrations/1.sql"] {
      let url = folder.url.appending(path: name)
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data().write(to: url)
    }
  }

  /// Runs a program of the system in the folder; nil if it is not installed.
  private func output(of program: String, _ arguments: [String]) throws -> String? {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [program] + arguments
    process.currentDirectoryURL = folder.url
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    // The status with which env reports a missing program.
    return process.terminationStatus == 127 ? nil : String(decoding: data, as: UTF8.self)
  }

  /// Returns the words that bash's function offers for the last word.
  private func completions(_ words: [String]) throws -> [String] {
    let script =
      Run("completions", "bash").output + """
        COMP_WORDS=("$@")
        COMP_CWORD=$(($# - 1))
        _sluice
        printf '%s\\n' "${COMPREPLY[@]}"
        """
    let output = try #require(try output(of: "bash", ["-c", script, "bash"] + words))
    return output.split(separator: "\n").map(String.init).sorted()
  }

  @Test(arguments: [
    (["im"], ["import"]), (["--v"], ["--version"]),
    (["help", "sta"], ["status"]),
    (["import", "--fo"], ["--format"]),
    (["import", "--format", ""], ["csv", "json", "jsonl", "tsv"]),
    (["import", "--format", "=", "j"], ["json", "jsonl"]),
    (["import", "--format", "="], ["csv", "json", "jsonl", "tsv"]),
    (["schema", "--format", ""], ["dot", "mermaid", "svg"]),
    (["migrate", "--adopting", "f"], ["fluent"]),
    (["import", "--encoding", "w"], ["windows-1252"]),
    (["completions", ""], ["bash", "fish", "zsh"]),
    (["import", "a"], ["app.db"]),
    (["import", "--key", "id", "app.db", ""], []),
    (["import", "--key", "=", "id", "app.db", "t", "o"], ["other file.csv"]),
    (["import", "--refused", "o"], ["other file.csv"]),
    (["load", "--", "a"], ["app.db"]), (["load", "app.db", "--", "o"], ["other file.csv"]),
    (["check", ""], ["Migrations"]), (["migrate", "app.db", ""], ["Migrations"]),
    (["generate", "--output", ""], ["Migrations"]),
  ]) func `bash completes commands, options, their words and files`(
    words: [String], expected: [String]
  ) throws {
    #expect(try completions(["sluice"] + words) == expected)
  }

  @Test func `bash completes all commands and all options`() throws {
    let names = SluiceCommand.commands.map(\.name)
    #expect(try completions(["sluice", ""]) == (names + ["--help", "--version", "help"]).sorted())
    for command in SluiceCommand.commands {
      #expect(
        try completions(["sluice", command.name, "-"])
          == (command.options.map(\.name) + ["--help"]).sorted())
    }
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func `each script names all commands, options, and words of values`(shell: String) throws {
    let script = Run("completions", shell).output
    for command in SluiceCommand.commands {
      #expect(script.contains(command.name))
      for option in command.options {
        let name = shell == "fish" ? " -l \(option.name.dropFirst(2)) " : option.name
        #expect(script.contains(name))
        let words = option.words.joined(separator: " ")
        #expect(words.isEmpty || script.contains(words))
      }
    }
    // Help texts with quotes and apostrophes leave no quote open.
    let url = folder.url.appending(path: "script")
    try Data(script.utf8).write(to: url)
    if let problems = try output(of: shell, ["-n", url.path(percentEncoded: false)]) {
      #expect(problems == "")
    }
  }

  @Test func `fish completes words and files`() throws {
    let script = Run("completions", "fish").output
    #expect(
      script.contains(
        "complete -c sluice -n '__sluice_command import' -l encoding -r -f -a 'utf-8 windows-1252' -d 'utf-8 (default) or windows-1252'\n"
      ))
    #expect(
      script.contains(
        "complete -c sluice -n '__sluice_command completions' -f -a 'bash zsh fish'\n"))
    func words(_ line: String) throws -> [Substring]? {
      try output(of: "fish", ["-N", "-c", "\(script)\ncomplete -C '\(line)'"])?
        .split(separator: "\n").map { $0.prefix { $0 != "\t" } }
    }
    guard let commands = try words("sluice im") else { return }
    #expect(commands == ["import"])
    #expect(try words("sluice export --format=j") == ["--format=json", "--format=jsonl"])
    #expect(try words("sluice load ap") == ["app.db"])
  }

  @Test func `zsh describes words, files and repeated options`() {
    let script = Run("completions", "zsh").output
    #expect(script.hasPrefix("#compdef sluice\n"))
    #expect(
      script.contains(
        "'--format=[csv, tsv, jsonl (an object per line) or json (an array of objects)]:FORMAT:(csv tsv jsonl json)'"
      ))
    #expect(
      script.contains(
        "'*--key=[A column of the key: a row whose key exists updates that row; can be repeated]:NAME: '"
      ))
    #expect(script.contains("'2::FILE:_files'"))
    #expect(script.contains("'1:FOLDER:_files -/'"))
    #expect(
      script.contains(
        "'--separator=[The character between fields, such as '\\'';'\\'']:CHAR: '"))
  }

  @Test func `the manual contains the help of all commands`() throws {
    let manual = Run("manual").output
    for command in SluiceCommand.commands {
      #expect(manual.contains(".SS \"sluice \(command.name) "))
      for option in command.options {
        let name = option.name.replacing("-", with: "\\-")
        #expect(manual.contains(".TP\n\\fB\(name)\\fR"))
      }
      for operand in command.operands { #expect(manual.contains(".TP\n\\fI\(operand.name)\\fR\n")) }
    }
    // Only requests begin with a period, and no other line begins with an apostrophe.
    let requests = ["\\\"", "TH", "SH", "SS", "TP", "PP", "B", "br"]
    for line in manual.split(separator: "\n") where line.hasPrefix(".") || line.hasPrefix("'") {
      let request = line.dropFirst().prefix { $0 != " " }
      #expect(requests.contains { request == $0 }, "\(line)")
    }
    let page = folder.url.appending(path: "sluice.1")
    try Data(manual.utf8).write(to: page)
    if let problems = try output(
      of: "groff", ["-man", "-ww", "-z", page.path(percentEncoded: false)])
    {
      #expect(problems == "")
    }
  }
}
