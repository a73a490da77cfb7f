/**
 * Up to a hundred gateways, each the real replica and the real sync, in a simulated network with simulated clocks and disks. All that
 * happens follows from the seed: clients change documents, while messages are lost, delayed, repeated and overtaken, the network
 * is partitioned, sessions are cut, and processes hang, crash and start again with what is on their disk and a clock that was set.
 */
import { compareEntries } from '#component/replica/conflict-resolution.ts'
import type { Entry } from '#component/replica/entry.ts'
import { Cluster, type Mutation, type Node } from '#test/unit/replica/cluster.ts'
import { seeded } from '#test/unit/sync/time.ts'

/** What is simulated. */
export interface Plan {
  readonly seed: number
  readonly nodes: number
  /** How many changes clients ask for, some of them of nodes that are not there. */
  readonly changes: number
  /** What is left out of the product, to see that it is missed. */
  readonly fault?: Mutation
}

/** What came of it. */
export interface Outcome {
  /** Empty unless something is wrong. */
  readonly wrongs: readonly string[]
  /** From the moment when all was well again until all nodes held the same; milliseconds, `Infinity` for never. */
  readonly healedMs: number
  /** Of clients. */
  readonly acknowledged: number
}

/** How many documents there are: each is changed several times, on several nodes. */
const documents = 24
/** From one change to the next one; milliseconds at most. */
const changeMs = 200
/** So many changes to one misfortune. */
const changesToHarm = 6
/** Longest that the clocks are off, and that one is set back while its node is down. Milliseconds. */
const skewMs = 9_000
/** Longer than anybody waits for an answer. Milliseconds. */
const neverMs = 1_000_000
/** Within this time after all is well again, all nodes hold the same. Milliseconds. */
const healMs = 60_000
/** How often it is looked at whether they do. Milliseconds. */
const lookMs = 500

/** One run. */
class Simulation {
  readonly cluster: Cluster
  readonly #plan: Plan
  readonly #random: () => number
  #asked = 0
  readonly #harms: readonly (() => unknown)[] = [
    () => this.#trouble(),
    () => this.#partition(2 + this.#below(2)),
    () => this.#partition(1),
    () => this.#some((node) => this.cluster.cut(node)),
    () => this.#all((node) => this.cluster.rejoin(node)),
    () => this.#some((node) => this.cluster.kill(node, this.#below(2) === 0)),
    () => this.#all((node) => this.#restart(node)),
    () => this.#some((node) => this.#hold(node)),
    () => this.#all((node) => node.process?.session.release()),
    () => this.#some((node) => this.#setAway(node)),
  ]

  constructor(plan: Plan) {
    const random = seeded(plan.seed)
    const offsets = Array.from({ length: plan.nodes }, () =>
      Math.round((random() * 2 - 1) * skewMs),
    )
    this.#plan = plan
    this.#random = random
    this.cluster = new Cluster(offsets, random() < 0.3, plan.fault, plan.seed)
    const { bus } = this.cluster
    bus.isWatched = false
    // nothing changes an entry
    for (const { store } of this.cluster.nodes) store.copy = (value) => value
  }

  #below(end: number): number {
    return Math.floor(this.#random() * end)
  }

  /** Up to a tenth of the nodes, at least one. */
  async #some(harm: (node: Node) => unknown): Promise<void> {
    const { nodes } = this.cluster
    for (let count = 1 + this.#below(nodes.length / 10); count > 0; count--) {
      const node = nodes[this.#below(nodes.length)]
      if (node) await harm(node)
    }
  }

  async #all(help: (node: Node) => unknown): Promise<void> {
    for (const node of this.cluster.nodes) await help(node)
  }

  /** Messages are lost, repeated and late from now on, and disks are slow. */
  #trouble(): void {
    const { bus } = this.cluster
    const random = this.#random
    const lost = random() ** 3
    const repeated = random() * 0.2
    const delayMs = 10 ** (random() * 3.5)
    const storeMs = this.#below(3) === 0 ? random() * 500 : 0
    bus.copies = () => (random() < lost ? 0 : 1 + Number(random() < repeated))
    bus.delay = ({ kind }) =>
      kind === 'call' && random() < lost ? neverMs : Math.ceil(random() * delayMs)
    this.cluster.storeDelay = () => Math.floor(random() * storeMs)
  }

  #partition(parts: number): void {
    for (const { process } of this.cluster.nodes) {
      if (process) process.session.part = this.#below(parts)
    }
  }

  /** Its clients come back at once. */
  async #restart(node: Node): Promise<void> {
    if (node.process) return
    await this.cluster.start(node, this.#below(skewMs))
    this.#ask(node)
  }

  #hold({ process }: Node): void {
    if (process) process.session.isHeld = true
  }

  #setAway(node: Node): void {
    node.store.isAway = !node.store.isAway
  }

  /** A client changes a document, or deletes it. */
  #ask(node: Node): void {
    const number = this.#below(documents)
    const id = `${'xyz'[number % 3]}${number}`
    this.#asked++
    this.cluster.ask(node, id, this.#below(4) === 0 ? null : `text ${this.#asked}`)
  }

  async #storm(): Promise<void> {
    const { cluster } = this
    for (let step = 0; step < this.#plan.changes; step++) {
      const node = cluster.nodes[this.#below(cluster.nodes.length)] as Node
      this.#ask(node)
      if (this.#below(changesToHarm) === 0) await this.#harms[this.#below(this.#harms.length)]?.()
      await cluster.time.advance(this.#below(changeMs))
      cluster.check([node])
    }
  }

  /** All is well again: what was lost stays lost. */
  async #heal(): Promise<void> {
    const { cluster } = this
    const { bus } = cluster
    bus.copies = () => 1
    bus.delay = () => 1
    cluster.storeDelay = () => 0
    this.#partition(1)
    for (const node of cluster.nodes) {
      node.store.isAway = false
      node.process?.session.release()
      await cluster.start(node)
      cluster.rejoin(node)
    }
  }

  #areEqual(): boolean {
    const [first, ...others] = this.cluster.nodes.map(heldBy)
    return others.every((held) => isSame(first, held))
  }

  async run(): Promise<Outcome> {
    const { acknowledgements, nodes, time, wrongs } = this.cluster
    for (const node of nodes) await this.cluster.start(node)
    await time.advance(1_000)
    await this.#storm()
    await this.#heal()
    const begin = time.now
    do await time.advance(lookMs)
    while (!this.#areEqual() && time.now - begin < healMs)
    const isEqual = this.#areEqual()
    this.cluster.check()
    if (!isEqual) wrongs.push('the nodes do not hold the same')
    for (const { name, process } of nodes) {
      const held = new Map(process?.replica.entries('api_spec').map((entry) => [entry.id, entry]))
      wrongs.push(...acknowledgements.judge(held).map((wrong) => `${name} ${wrong}`))
      const isLive = (entry: { readonly id: string }) => process?.live.get(entry.id) === entry
      if (![...held.values()].every(isLive)) wrongs.push(`${name} has not made all live`)
    }
    return {
      wrongs,
      healedMs: isEqual ? time.now - begin : Number.POSITIVE_INFINITY,
      acknowledged: acknowledgements.count,
    }
  }
}

/** The versions that a node holds. */
const heldBy = ({ process }: Node): readonly Entry[] => process?.replica.entries('api_spec') ?? []

/** Whether two nodes hold the same: not by their digests, which may be wrong. */
function isSame(ours: readonly Entry[] = [], theirs: readonly Entry[]): boolean {
  const byId = new Map(ours.map((entry) => [entry.id, entry]))
  return (
    ours.length === theirs.length &&
    theirs.every((entry) => {
      const other = byId.get(entry.id)
      return other !== undefined && compareEntries(entry, other) === 0
    })
  )
}

/** Runs a plan: the same one always comes out the same. */
export const simulate = (plan: Plan): Promise<Outcome> => new Simulation(plan).run()
