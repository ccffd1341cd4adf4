import SluiceCore
import SluiceExtras
import TestSupport
import Testing

@Suite(.tags(.functions)) struct `SHA-3 functions` {
  private let connection: Connection

  init() throws {
    connection = try Connection()
    try connection.addSHA3Functions()
  }

  private func hexadecimal(_ expression: String) throws -> DatabaseValue {
    try connection.value("SELECT lower(hex(\(expression)))")
  }

  @Test(arguments: [
    ("'', 224", "6b4e03423667dbb73b6e15454f0eb1abd4597f9a1b078e3f5b5a6bc7"),
    ("'abc', 224", "e642824c3f8cf24ad09234ee7d3c766fc9a3a5168d0c94ad73b46fdf"),
    ("''", "a7ffc6f8bf1ed76651c14756a061d662f580ff4de43b49fa82d80a4b80f8434a"),
    ("'abc', 256", "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532"),
    ("x'616263'", "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532"),
    ("'abc', '256'", "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532"),
    ("123", "a03ab19b866fc585b5cb1812a2f63ca861e7e7643ee5d43fd7106b623725fd67"),
    ("1.5, 256.5", "331a267242613d2e77c52cbcfa51cf06a40b3a8f37ed2916d99253acedfff747"),
    (
      "'abc', 384",
      "ec01498288516fc926459f58e2c6ad8df9b473cb0fc08c25"
        + "96da7cf0e49be4b298d88cea927ac7f539f1edf228376d25"
    ),
    (
      "'abc', 512",
      "b751850b1a57168a5693cd924b6b096e08f621827444f70d884f5d0240d2712e"
        + "10e116e9192af3c91a7ec57647e3934057340b4cf408d5a56592f8274eec53f0"
    ),
  ])
  func `sha3 returns the hashes that the SHA-3 standard specifies`(
    _ arguments: String, _ hash: String
  ) throws {
    #expect(try hexadecimal("sha3(\(arguments))") == .text(hash))
  }

  @Test(arguments: [
    (224, "221d9b6c939acd11db7250bb139edd5e65ddc18bdfe5df33180a5d98"),
    (256, "69fd44e84eaa578a3fbe34556c6fb7edc16373be06260aadfb158090326efefd"),
    (
      384,
      "5abc6eff7e90d5d38e9e83f22afb2e3cdaf2ae6c1050ff33"
        + "9f577390f0c1c70df881413bb59710e715d0c43036a18111"
    ),
    (
      512,
      "b32985df6c8042bded2d632b2216e39e4f502a38817064ceeb4fdbe5fd5d5fbc"
        + "4b0c84cf6815c531567e8919184e6ddacc0eddcd620be11c88536507f4c8c7a9"
    ),
  ])
  func `sha3 hashes inputs of 0 to 300 bytes correctly`(_ bits: Int, _ hash: String) throws {
    let statement = try connection.prepare(sql: "SELECT sha3(?, \(bits))")
    var hashes: [UInt8] = []
    for length in 0...300 {
      let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 * 7 + length) }
      hashes += try #require(try statement.bind(.bytes(bytes)).first(.column(.bytes)))
    }
    let all = try connection.value("SELECT lower(hex(sha3(?, \(bits))))", .bytes(hashes))
    #expect(all == .text(hash))
  }

  @Test func `sha3 hashes a megabyte and invalid UTF-8, and returns NULL for NULL`() throws {
    #expect(
      try hexadecimal("sha3(replace(hex(zeroblob(500000)), '0', 'a'))")
        == "5c8875ae474a3634ba4fd55ec85bffd661f32aca75c6d699d0cdcb6c115891c1")
    #expect(
      try connection.value("SELECT sha3(CAST(x'ff0061' AS TEXT)) = sha3(x'ff0061')") == 1)
    #expect(try connection.value("SELECT sha3(NULL)") == .null)
    #expect(try connection.value("SELECT sha3(NULL, 512)") == .null)
  }

  @Test(arguments: ["100", "-1", "0", "NULL", "'x'", "9223372036854775807", "4294967552"])
  func `sha3 throws for an unsupported hash size`(_ size: String) throws {
    for call in ["sha3('a', \(size))", "sha3_query('SELECT 1', \(size))"] {
      let error = failure { try connection.value("SELECT \(call)") }
      #expect(error?.code == .error)
      #expect(error?.message.contains("224, 256, 384 or 512") == true)
    }
  }

  @Test func `an index can use sha3`() throws {
    try connection.execute(sql: "CREATE TABLE t(x); CREATE INDEX i ON t(sha3(x))")
  }
}
