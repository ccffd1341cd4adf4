import Sluice
import SluiceTesting
import Testing

@Suite struct `identified differences` {
  struct Item: Identifiable, Equatable {
    var id: Int
    var text = ""
  }

  private func difference(_ old: [Int], _ new: [Int]) -> IdentifiedDifference {
    IdentifiedDifference(from: old.map { Item(id: $0) }, to: new.map { Item(id: $0) })
  }

  @Test func `removals, insertions, moves and updates are told apart`() {
    let old = [Item(id: 1), Item(id: 2), Item(id: 3), Item(id: 4)]
    let new = [Item(id: 4), Item(id: 1), Item(id: 5), Item(id: 3, text: "new")]
    let found = IdentifiedDifference(from: old, to: new)
    #expect(found.removals == [1])
    #expect(found.insertions == [2])
    #expect(found.moves.map(\.from) == [3] && found.moves.map(\.to) == [0])
    #expect(found.updates == [3])
    #expect(!found.isEmpty)
    #expect(IdentifiedDifference(from: old, to: old).isEmpty)
  }

  @Test func `one element that moves is one move`() {
    let found = difference([1, 2, 3, 4, 5], [2, 3, 4, 5, 1])
    #expect(found.moves.map(\.from) == [0] && found.moves.map(\.to) == [4])
  }

  @Test func `removals are in ascending order`() {
    #expect(difference(Array((0..<20).reversed()), []).removals == Array(0..<20))
    #expect(difference([9, 4, 7, 1, 8], [7]).removals == [0, 1, 3, 4])
  }

  @Test func `elements with the same identity correspond in the order of the lists`() {
    let items = ["x", "y", "z"].map { Item(id: 1, text: $0) }
    #expect(IdentifiedDifference(from: items, to: items).isEmpty)
    let shorter = IdentifiedDifference(from: items, to: [items[0]])
    #expect(shorter.removals == [1, 2])
    #expect(shorter.updates == [])
    let changed = IdentifiedDifference(from: items, to: [items[1], items[2]])
    #expect(changed.removals == [2])
    #expect(changed.updates == [0, 1])
    #expect(changed.moves == [])
  }

  @Test(arguments: [
    ([1, 2], [2, 1]), ([1], []), ([], [1]), ([1, 1], [1]), ([1, 2, 3], [3, 1, 2]),
  ])
  func `lists with other elements or another order are different`(old: [Int], new: [Int]) {
    #expect(!difference(old, new).isEmpty)
    #expect(difference(old, old).isEmpty)
  }

  @Test func `lists with another content of an element are different`() {
    let found = IdentifiedDifference(from: [Item(id: 1)], to: [Item(id: 1, text: "new")])
    #expect(found.updates == [0])
    #expect(!found.isEmpty)
  }

  @Test func `the difference turns the old list into the new one`() {
    var generator = SeededGenerator(seed: 7)
    for round in 0..<2_000 {
      let range = 0...(round % 12)
      func list() -> [Item] {
        (0..<Int.random(in: 0...10, using: &generator)).map { _ in
          Item(
            id: .random(in: range, using: &generator),
            text: .random(using: &generator) ? "a" : "b")
        }
      }
      let (old, new) = (list(), list())
      let found = IdentifiedDifference(from: old, to: new)

      let leaving = Set(found.removals + found.moves.map(\.from))
      var items = old.indices.filter { !leaving.contains($0) }.map { old[$0] }
      let arriving =
        found.insertions.map { ($0, new[$0]) } + found.moves.map { ($0.to, old[$0.from]) }
      for (offset, item) in arriving.sorted(by: { $0.0 < $1.0 }) { items.insert(item, at: offset) }
      #expect(items.map(\.id) == new.map(\.id))
      #expect(
        found.updates
          == new.indices.filter { items[$0] != new[$0] && !found.insertions.contains($0) })
      for offset in found.updates { items[offset] = new[offset] }
      #expect(items == new)
      #expect(found.moves.count == fewestMoves(old.map(\.id), new.map(\.id), found))
    }
  }

  /// Returns the smallest possible number of moves: all common elements except for a longest common subsequence.
  private func fewestMoves(_ old: [Int], _ new: [Int], _ found: IdentifiedDifference) -> Int {
    let common = old.count - found.removals.count
    guard Set(old).count == old.count, Set(new).count == new.count else { return found.moves.count }
    let difference = new.difference(from: old)
    return common - (old.count - difference.removals.count)
  }
}
