import SluiceCommand
import TestSupport
import Testing

@Suite(.tags(.checkedSQL)) struct `sluice schema --format` {
  @Test func `schema draws diagrams`() throws {
    let project = try ProjectFolder.migrated()
    let mermaid = project.run("schema", "--format", "mermaid", "@/app.db")
    #expect(mermaid.code == .success)
    #expect(mermaid.output.hasPrefix("erDiagram\n  \"city\" {\n    INTEGER id PK\n"))
    #expect(mermaid.output.contains("  \"city\" |o--o{ \"person\" : \"city\"\n"))
    #expect(!mermaid.output.contains("adult"))
    #expect(project.run("schema", "--format", "mermaid", "@/Migrations") == mermaid)
    let svg = project.run("schema", "--format=svg", "--views", "@/app.db").output
    #expect(svg.hasPrefix("<svg ") && svg.contains(">adult<"))
    #expect(
      project.run("schema", "--format=dot", "@/app.db").output.hasPrefix("digraph schema {\n"))
  }

  @Test func `a diagram can show some tables`() throws {
    let project = try ProjectFolder.migrated()
    let run = project.run(
      "schema", "--format", "mermaid", "--table", "ADULT", "--table", "city", "@/app.db")
    #expect(run.output.contains("\"adult\" {") && run.output.contains("\"city\" {"))
    #expect(!run.output.contains("person"))
    #expect(
      project.run("schema", "--format", "dot", "--table", "persn", "@/app.db").messages
        == "sluice: error: There is no table or view persn; did you mean person?\n")
  }

  @Test func `an unknown format and options that exclude each other are refused`() throws {
    let project = try ProjectFolder.migrated()
    for (arguments, message) in [
      (["--format", "png"], "--format must be svg, mermaid or dot (got \"png\")"),
      (["--format", "svg", "--json"], "--format and --json cannot be combined"),
      (["--format", "svg", "--sql"], "--format and --sql cannot be combined"),
      (["--views"], "--views needs --format"),
    ] {
      let run = project.run(["schema"] + arguments + ["@/app.db"])
      #expect(run.code == .usage)
      #expect(run.messages.contains(message))
    }
  }
}
