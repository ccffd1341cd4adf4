import Dispatch
import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.observation), .timeLimit(.minutes(10))) struct `publisher operators` {
  private struct Refused: Error {}

  private func publisher(_ values: String) throws -> (ConnectionQueue, ValuePublisher<Int>) {
    let queue = try ConnectionQueue()
    return (queue, queue.rowPublisher(sql: "VALUES \(values)").mapRows(.column(.int)))
  }

  @Test func `map, compactMap and removeDuplicates transform the values of a live query`()
    async throws
  {
    let (_, numbers) = try publisher("(1), (1), (2), (3), (3), (3), (4)")
    var found: [String] = []
    for try await value in numbers.removeDuplicates().compactMap({ $0 == 3 ? nil : $0 * 10 })
      .map({ "\($0)" })
    {
      found.append(value)
    }
    #expect(found == ["10", "20", "40"])
  }

  @Test func `compactMap requests another value for each value that it drops`() throws {
    let (queue, numbers) = try publisher("(1), (2), (3), (4), (5), (6)")
    let recorder = Recorder<Int>(.max(2))
    numbers.compactMap { $0 % 2 == 0 ? $0 : nil }.subscribe(recorder)
    queue.settle()
    #expect(recorder.values == [2, 4])
    #expect(recorder.ends == 0)
    recorder.subscription?.cancel()
  }

  @Test func `an operator that throws ends the subscription with the error`() throws {
    let (queue, numbers) = try publisher("(1), (2), (3)")
    let recorder = Recorder<Int>(.unlimited)
    numbers.map { value in
      if value == 2 { throw Refused() }
      return value
    }.subscribe(recorder)
    queue.settle()
    #expect(recorder.values == [1])
    #expect(recorder.error is Refused)
    #expect(recorder.ends == 1)
  }

  @Test func `removeDuplicates compares only values of the same subscription`() throws {
    let (queue, numbers) = try publisher("(1), (1)")
    let distinct = numbers.removeDuplicates { $0 == $1 }
    for _ in 0..<2 {
      let recorder = Recorder<Int>(.unlimited)
      distinct.subscribe(recorder)
      queue.settle()
      #expect(recorder.values == [1])
    }
  }

  @Test func `receive(on) delivers values in order even on a concurrent dispatch queue`() throws {
    let (_, numbers) = try publisher("(1), (2), (3), (4)")
    let key = DispatchSpecificKey<Int>()
    let target = DispatchQueue(label: "concurrent", attributes: .concurrent)
    target.setSpecific(key: key, value: 7)
    let places = SharedLog<Int?>()
    let done = Gate()
    let recorder = Recorder<Int>(.max(1)) { _, _ in
      places.append(DispatchQueue.getSpecific(key: key))
      return .max(1)
    }
    let subscription = numbers.receive(on: target).sink { _ in
      done.open()
    } receiveValue: { value in
      _ = recorder.receive(value)
    }
    #expect(done.pass())
    #expect(recorder.values == [1, 2, 3, 4])
    #expect(places.entries == [7, 7, 7, 7])
    withExtendedLifetime(subscription) {}
  }

  @Test func `receive(on) delivers nothing after cancellation`() throws {
    let (queue, numbers) = try publisher("(1), (2)")
    let target = DispatchQueue(label: "held")
    target.suspend()
    let recorder = Recorder<Int>(.unlimited)
    let subscription = numbers.receive(on: target).sink { _ in
      _ = recorder.receive(-1)
    } receiveValue: { value in
      _ = recorder.receive(value)
    }
    queue.settle()
    subscription.cancel()
    target.resume()
    // Enough rounds for any requested values to arrive.
    for _ in 0..<3 {
      target.sync {}
      queue.settle()
    }
    target.sync {}
    #expect(recorder.values.isEmpty)
  }
}
