/** The children of a node of a path tree that are segments of text and bindings, in the order in which they are matched. */
import { type PartSegment, partsIn, segmentKey } from '#component/syntax/path-pattern.ts'
import { forkOf, type TextMap } from './fork-map.ts'

/** A segment, and the node below it. */
export interface PartChild<N> {
  readonly segment: PartSegment
  readonly node: N
}

/** The children whose first texts are equally long, and whose last ones are. */
interface Pair<N> {
  readonly before: number
  readonly after: number
  /** By the first text and the last one, which have the lengths of the pair; those with more text in all first. */
  readonly byText: TextMap<readonly PartChild<N>[]>
}

const beforeOf = ({ texts }: PartSegment): string => texts[0] ?? ''
const afterOf = ({ texts }: PartSegment): string => texts.at(-1) ?? ''
const keyOf = (segment: PartSegment): string => beforeOf(segment) + afterOf(segment)
const lengthOf = ({ texts }: PartSegment): number =>
  texts.reduce((length, text) => length + text.length, 0)

/**
 * Less than 0 where the first segment is matched before the other: longer text before its first binding, longer text after its
 * last one, more text in all, by text.
 */
function comparePartSegments(one: PartSegment, other: PartSegment): number {
  const byLength =
    beforeOf(other).length - beforeOf(one).length ||
    afterOf(other).length - afterOf(one).length ||
    lengthOf(other) - lengthOf(one)
  if (byLength !== 0) return byLength
  const [a, b] = [segmentKey(one), segmentKey(other)]
  return a < b ? -1 : Number(a > b)
}

/** A text that is the same for segments of one rank that both match some text. */
export const partRank = (segment: PartSegment): string =>
  `${beforeOf(segment)}/${afterOf(segment)}/${lengthOf(segment)}`

/** The lengths that {@link PartChildren} tries, as a text. */
export const partLengths = (segment: PartSegment): string =>
  `${beforeOf(segment).length}/${afterOf(segment).length}`

/** A text that is the same for segments that {@link PartChildren} tries one after the other. */
export const partEnds = (segment: PartSegment): string => `${beforeOf(segment)}/${afterOf(segment)}`

/** Changed by the tree that owns it, then only read. */
export class PartChildren<N> {
  /** The longest texts first. */
  readonly #pairs: Pair<N>[]

  constructor(pairs: Pair<N>[] = []) {
    this.#pairs = pairs
  }

  /** The same children: changing it leaves this one as it is. */
  fork(): PartChildren<N> {
    return new PartChildren(
      this.#pairs.map(({ before, after, byText }) => ({ before, after, byText: forkOf(byText) })),
    )
  }

  get isEmpty(): boolean {
    return this.#pairs.length === 0
  }

  /** The node of a segment. */
  get(segment: PartSegment): N | undefined {
    const key = segmentKey(segment)
    const same = this.#pairOf(segment)?.byText.get(keyOf(segment))
    return same?.find((child) => segmentKey(child.segment) === key)?.node
  }

  /** Puts a node in the place of that of the segment. */
  set(segment: PartSegment, node: N): void {
    const pair = this.#pairOf(segment) ?? this.#add(segment)
    const others = this.#others(pair, segment)
    const all = [...others, { segment, node }]
    pair.byText.set(
      keyOf(segment),
      all.sort((one, other) => comparePartSegments(one.segment, other.segment)),
    )
  }

  /** Removes the node of a segment. */
  delete(segment: PartSegment): void {
    const pair = this.#pairOf(segment)
    if (pair === undefined) return
    const left = this.#others(pair, segment)
    if (left.length > 0) pair.byText.set(keyOf(segment), left)
    else pair.byText.delete(keyOf(segment))
    if (pair.byText.size === 0) this.#pairs.splice(this.#pairs.indexOf(pair), 1)
  }

  /** All of them. */
  *values(): Generator<PartChild<N>> {
    for (const { byText } of this.#pairs) for (const children of byText.values()) yield* children
  }

  /**
   * Calls a function for each child that a text matches, in their order, until it returns something. One access of a map for each pair of lengths.
   * @param text decoded
   * @param visit its second argument: what the bindings are
   */
  findMatch<V>(
    text: string,
    visit: (node: N, values: readonly string[]) => V | undefined,
  ): V | undefined {
    const { length } = text
    for (const { before, after, byText } of this.#pairs) {
      if (before + after >= length) continue
      const children = byText.get(text.slice(0, before) + text.slice(length - after))
      if (children === undefined) continue
      for (const { segment, node } of children) {
        const values = partsIn(segment, text)
        const found = values && visit(node, values)
        if (found !== undefined) return found
      }
    }
    return undefined
  }

  /** The pairs of children of two nodes of which the first texts may begin, and the last texts end, one segment. */
  *meeting<O>(other: PartChildren<O>): Generator<readonly [N, O]> {
    for (const mine of this.#pairs) {
      for (const theirs of other.#pairs) {
        const before = Math.min(mine.before, theirs.before)
        const after = Math.min(mine.after, theirs.after)
        const endsOf = ({ segment }: PartChild<unknown>): string => {
          const [first, last] = [beforeOf(segment), afterOf(segment)]
          return `${first.slice(0, before)}/${last.slice(last.length - after)}`
        }
        const byEnds = Map.groupBy([...mine.byText.values()].flat(), endsOf)
        for (const children of theirs.byText.values()) {
          for (const child of children) {
            for (const { node } of byEnds.get(endsOf(child)) ?? []) yield [node, child.node]
          }
        }
      }
    }
  }

  #pairOf(segment: PartSegment): Pair<N> | undefined {
    const [before, after] = [beforeOf(segment).length, afterOf(segment).length]
    return this.#pairs.find((pair) => pair.before === before && pair.after === after)
  }

  #add(segment: PartSegment): Pair<N> {
    const [before, after] = [beforeOf(segment).length, afterOf(segment).length]
    const pair: Pair<N> = { before, after, byText: new Map() }
    this.#pairs.push(pair)
    this.#pairs.sort((a, b) => b.before - a.before || b.after - a.after)
    return pair
  }

  #others({ byText }: Pair<N>, segment: PartSegment): readonly PartChild<N>[] {
    const key = segmentKey(segment)
    return (byText.get(keyOf(segment)) ?? []).filter((child) => segmentKey(child.segment) !== key)
  }
}
