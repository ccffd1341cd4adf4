import Foundation
import PackagePlugin

/// A build plugin that checks the `.sql` files of a target with SQLite, and generates Swift code for them.
///
/// The target's folder contains `Migrations/*.sql`, `Queries/*.sql`, and optionally `Declarations.sql` and
/// `Attached/name/*.sql`. The plugin creates one command for each file with queries, and one for the code that
/// these files share. A build therefore runs only the commands whose files have changed.
@main
struct SluiceQueries: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    try commands(
      for: target.name, in: target.directoryURL, tool: context.tool(named: "SluiceTool").url,
      output: context.pluginWorkDirectoryURL)
  }
}

#if canImport(XcodeProjectPlugin)
  import XcodeProjectPlugin

  /// This extension has never run. The folder of a target is the one with its name beside the project.
  extension SluiceQueries: XcodeBuildToolPlugin {
    func createBuildCommands(context: XcodePluginContext, target: XcodeTarget) throws -> [Command] {
      try commands(
        for: target.displayName,
        in: context.xcodeProject.directoryURL.appending(path: target.displayName),
        tool: context.tool(named: "SluiceTool").url, output: context.pluginWorkDirectoryURL)
    }
  }
#endif

extension SluiceQueries {
  private func commands(for target: String, in folder: URL, tool: URL, output: URL) throws
    -> [Command]
  {
    let migrations = try sqlFiles(in: folder.appending(path: "Migrations"))
    let queries = try sqlFiles(in: folder.appending(path: "Queries"))
    guard !(migrations + queries).isEmpty else {
      Diagnostics.error(
        "There are no .sql files in the folders Migrations and Queries of the target \(target)")
      return []
    }
    let declarations = folder.appending(path: "Declarations.sql")
    // Include files in folders that are never read, so that a new file there is reported.
    let all = try ["Migrations", "Attached"].flatMap {
      try allFiles(in: folder.appending(path: $0))
    }
    let shared =
      all + (FileManager.default.fileExists(atPath: declarations.path) ? [declarations] : [])
    func command(_ name: String, _ inputs: [URL], _ file: String) -> Command {
      .buildCommand(
        displayName: "Checking \(name) of \(target)", executable: tool,
        arguments: ["generate", "--output=\(output.path)", "--only=\(name)", "--", folder.path],
        inputFiles: inputs, outputFiles: [output.appending(path: file)])
    }
    // The first command writes the migrations and the shared rows, and checks that all names are unique.
    let allQueries = try allFiles(in: folder.appending(path: "Queries"))
    return [command("Shared", shared + allQueries, "Shared.generated.swift")]
      + queries.map { file in
        command(file.lastPathComponent, shared + [file], "\(file.lastPathComponent).swift")
      }
  }

  /// Returns the `.sql` files in a folder and its subfolders; empty if the folder does not exist.
  private func allFiles(in folder: URL) throws -> [URL] {
    guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
    return try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
      .filter { $0.lowercased().hasSuffix(".sql") }.map { folder.appending(path: $0) }
  }

  /// Returns the `.sql` files directly in a folder; empty if the folder does not exist.
  private func sqlFiles(in folder: URL) throws -> [URL] {
    guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
    return try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil, options: .skipsHiddenFiles
    ).filter { $0.pathExtension.lowercased() == "sql" }
      .sorted { $0.lastPathComponent < $1.lastPathComponent }
  }
}
