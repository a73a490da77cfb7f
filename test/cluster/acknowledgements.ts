/** What the nodes acknowledged, and what must therefore be served: the judge of the cluster tests, who knows nothing of how nodes agree. */

/** A load or delete that was sent. */
export interface Operation {
  readonly id: string
  /** Names the version that a load brings; undefined for a delete. */
  readonly version: number | undefined
}

/** What an acknowledged operation said of itself. */
interface Acknowledged extends Operation {
  /** Milliseconds since the epoch: the first part of its stamp. */
  readonly ts: number
}

/** What a node shows of a document. */
export interface Shown {
  readonly id: string
  readonly version: number
  readonly ts: number
}

/** The books of one run. */
export class Acknowledgements {
  readonly #acknowledged = new Map<string, Acknowledged[]>()
  /** Whether these happened, nobody knows: the node died, or did not respond in time. */
  readonly #unknown = new Map<string, Operation[]>()

  get count(): number {
    let count = 0
    for (const operations of this.#acknowledged.values()) count += operations.length
    return count
  }

  acknowledge(operation: Operation, ts: number): void {
    append(this.#acknowledged, { ...operation, ts })
  }

  doubt(operation: Operation): void {
    append(this.#unknown, operation)
  }

  /** What is wrong with what a node shows: one sentence for each document. */
  judge(shown: readonly Shown[]): string[] {
    const byId = new Map(shown.map((document) => [document.id, document]))
    const ids = new Set([...this.#acknowledged.keys(), ...this.#unknown.keys(), ...byId.keys()])
    return [...ids].flatMap((id) => this.#judgeOne(id, byId.get(id)))
  }

  #judgeOne(id: string, shown: Shown | undefined): string[] {
    const acknowledged = this.#acknowledged.get(id) ?? []
    const unknown = this.#unknown.get(id) ?? []
    const last = Math.max(0, ...acknowledged.map(({ ts }) => ts))
    // stamps of one millisecond are told apart by what is not shown
    const winners = acknowledged.filter(({ ts }) => ts === last)
    if (shown === undefined) {
      const isDeleted = winners.length === 0 || winners.some(({ version }) => version === undefined)
      const mayBe = isDeleted || unknown.some(({ version }) => version === undefined)
      return mayBe ? [] : [`${id}: version ${winners[0]?.version} was acknowledged, it is gone`]
    }
    if (winners.some(({ version, ts }) => version === shown.version && ts === shown.ts)) return []
    if (shown.ts >= last && unknown.some(({ version }) => version === shown.version)) return []
    const expected = winners.map(({ version }) => version ?? 'deleted').join(' or ')
    return [`${id}: ${expected} of ${last} was acknowledged, found ${shown.version} of ${shown.ts}`]
  }
}

function append<T extends Operation>(operations: Map<string, T[]>, operation: T): void {
  const list = operations.get(operation.id)
  if (list) list.push(operation)
  else operations.set(operation.id, [operation])
}

/**
 * What the routes answer: of the documents that claim one route, the greatest stamp has it.
 * @param routeOf the route of an id
 * @returns the ids that may answer: several only where their `ts` is equal
 */
export function routeOwners(
  shown: readonly Shown[],
  routeOf: (id: string) => string,
): Map<string, readonly Shown[]> {
  const owners = new Map<string, Shown[]>()
  for (const document of shown) {
    const route = routeOf(document.id)
    const rivals = owners.get(route) ?? []
    const last = Math.max(document.ts, ...rivals.map(({ ts }) => ts))
    owners.set(
      route,
      [...rivals, document].filter(({ ts }) => ts === last),
    )
  }
  return owners
}
