import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.observation)) struct `rows that a connection publishes` {
  private func numbers(_ count: Int) throws -> Connection {
    let connection = try Connection()
    try connection.execute(sql: "CREATE TABLE t(a)")
    for number in 0..<count {
      try connection.execute(sql: "INSERT INTO t VALUES (?)", parameters: .int(number))
    }
    return connection
  }

  @Test func `a sink gets all rows, as values, and the end`() throws {
    let connection = try numbers(5)
    var log: [String] = []
    connection.rowPublisher(sql: "SELECT a FROM t WHERE a >= ?1") {
      try $0.bind(.int(2), toParameter: 1)
    }.mapRows(.column(.int)).map { "\($0)" }.sink { completion in
      if case .finished = completion { log.append("end") }
    } receiveValue: {
      log.append($0)
    }
    #expect(log == ["2", "3", "4", "end"])
  }

  @Test func `SQL with values is published`() throws {
    let connection = try numbers(3)
    let recorder = Recorder<Int>(.unlimited)
    let one = 1
    connection.rowPublisher("SELECT a FROM t WHERE a > \(one)").mapRows(.column(.int))
      .subscribe(recorder)
    #expect(recorder.values == [2])
  }

  @Test func `values are mapped, passed over, and freed of repetitions`() throws {
    let connection = try Connection()
    let numbers = connection.rowPublisher(sql: "VALUES (1), (1), (2), (3), (3), (13), (4)")
      .mapRows(.column(.int))
    let recorder = Recorder<String>(.unlimited)
    numbers.removeDuplicates().removeDuplicates { $0 % 10 == $1 % 10 }
      .compactMap { $0 == 3 ? nil : $0 * 10 }.map { "\($0)" }.subscribe(recorder)
    #expect(recorder.values == ["10", "20", "40"])
    #expect(recorder.ends == 1)
  }

  @Test func `what an operator throws is the end`() throws {
    struct Refused: Error {}
    let connection = try numbers(3)
    let recorder = Recorder<Int>(.unlimited)
    connection.rowPublisher(sql: "SELECT a FROM t").mapRows(.column(.int)).compactMap { value in
      if value == 1 { throw Refused() }
      return value
    }.subscribe(recorder)
    #expect(recorder.values == [0])
    #expect(recorder.error is Refused)
    #expect(recorder.ends == 1)
    try connection.execute(sql: "DROP TABLE t")
  }

  @Test func `no more rows are read than were asked for`() throws {
    let connection = try numbers(5)
    let calls = SharedLog<Int>()
    try connection.addFunction("noted") { (number: Int) in
      calls.append(number)
      return number
    }
    let recorder = Recorder<Int>(.max(2))
    let feed = connection.rowPublisher(sql: "SELECT noted(a) FROM t").mapRows(.column(.int))
      .subscribe(recorder)
    #expect(recorder.values == [0, 1])
    #expect(calls.entries == [0, 1])
    recorder.subscription?.request(.max(1))
    recorder.subscription?.request(.max(1))
    #expect(recorder.values == [0, 1])
    feed.resume()
    #expect(recorder.values == [0, 1, 2, 3])
    #expect(recorder.ends == 0)
    recorder.subscription?.request(.max(9))
    feed.resume()
    #expect(recorder.values == [0, 1, 2, 3, 4])
    #expect(recorder.ends == 1)
    recorder.subscription?.request(.max(9))
    feed.resume()
    #expect(recorder.log.entries.count == 7)
  }

  @Test func `a request from inside does not call the subscriber in the midst of a call`() throws {
    let connection = try numbers(4)
    let depth = SharedLog<String>()
    let recorder = Recorder<Int>(.max(1)) { me, value in
      depth.append("in \(value)")
      me.subscription?.request(.max(1))
      depth.append("out \(value)")
      return .none
    }
    connection.rowPublisher(sql: "SELECT a FROM t").mapRows(.column(.int)).subscribe(recorder)
    #expect(
      depth.entries == ["in 0", "out 0", "in 1", "out 1", "in 2", "out 2", "in 3", "out 3"])
    #expect(recorder.ends == 1)
  }

  @Test func `cancelling from inside ends it, and lets go of the statement`() throws {
    let connection = try numbers(4)
    let recorder = Recorder<Int>(.unlimited) { me, value in
      if value == 1 { me.subscription?.cancel() }
      return .unlimited
    }
    let feed = connection.rowPublisher(sql: "SELECT a FROM t").mapRows(.column(.int))
      .subscribe(recorder)
    #expect(recorder.values == [0, 1])
    #expect(recorder.ends == 0)
    try connection.execute(sql: "DROP TABLE t")
    feed.resume()
    #expect(recorder.values == [0, 1])
  }

  @Test func `a feed that is cancelled lets go of the statement`() throws {
    let connection = try numbers(4)
    let recorder = Recorder<Int>(.max(1))
    let feed = connection.rowPublisher(sql: "SELECT a FROM t").mapRows(.column(.int))
      .subscribe(recorder)
    feed.cancel()
    try connection.execute(sql: "DROP TABLE t")
    feed.resume()
    #expect(recorder.values == [0])
    #expect(recorder.ends == 0)
  }

  @Test(arguments: ["SELECT b FROM t", "SELECT 'x' FROM t", "SELECT ?1 FROM t"])
  func `what goes wrong is told once`(sql: String) throws {
    let connection = try numbers(3)
    let recorder = Recorder<Int>(.unlimited)
    let feed = connection.rowPublisher(sql: sql).mapRows(.column(.int)).subscribe(recorder)
    feed.resume()
    recorder.subscription?.request(.unlimited)
    feed.resume()
    #expect(recorder.error is SQLiteError)
    #expect(recorder.log.entries.count == 2)
  }

  @Test func `each subscription begins anew`() throws {
    let connection = try numbers(2)
    let publisher = connection.rowPublisher(sql: "SELECT a FROM t").mapRows(.column(.int))
    for _ in 0..<2 {
      let recorder = Recorder<Int>(.unlimited)
      publisher.subscribe(recorder)
      #expect(recorder.values == [0, 1])
    }
  }

  @Test func `a closed connection is told as a failure`() throws {
    let connection = try numbers(2)
    let recorder = Recorder<Int>(.max(1))
    let feed = connection.rowPublisher(sql: "SELECT a FROM t").mapRows(.column(.int))
      .subscribe(recorder)
    try connection.close()
    recorder.subscription?.request(.max(1))
    feed.resume()
    #expect((recorder.error as? SQLiteError)?.code == .misuse)
  }
}
