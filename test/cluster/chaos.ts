/** Random loads and deletes on random nodes, while nodes are killed, paused and cut off; then what must hold when all is well again. */
import { expect } from 'chai'
import { randomFrom } from '#test/fuzz/random.ts'
import { rounds } from '#test/support/running/rounds.ts'
import { Acknowledgements, type Operation, routeOwners, type Shown } from './acknowledgements.ts'
import { askJson, type Cluster, holdsWithin, type Member, postJson, shownBy } from './cluster.ts'

/** How much is done. */
export interface ChaosPlan {
  /** Acknowledged ones. */
  readonly operations: number
  readonly seed: number
  /** Are nodes killed, paused and cut off meanwhile? */
  readonly isHarmful: boolean
}

const ids = 200
/** Ids that share a route with one other. */
const rivals = 40
const clients = 6
/** Those of a parted cluster. */
const lastOperations = rounds(40, 150)
/** How long the nodes of a busy machine have to agree when all is well again; milliseconds. */
const convergence = 60_000
/** From one digest until all nodes show and serve the same; milliseconds. */
const settling = 60_000
/** How long a node may be away from its peers before it is well again; milliseconds. */
const longestHarm = 4000

const idOf = (index: number) => `com.example.doc-${index}`

/** The route of a document: the first ids go in pairs. */
const routeOf = (id: string): string => {
  const index = Number(id.slice(idOf(0).length - 1))
  return index < rivals ? `/shared-${index >> 1}` : `/own-${index}`
}

const documentOf = (id: string, version: number) => ({
  id,
  host: '_',
  realm_uri: 'com.example.test',
  variables: { version },
  versions: {
    '1.0.0': {
      base_path: routeOf(id),
      paths: {
        '/who': {
          get: {
            action: { type: 'static', body: { id, version: '{{variables.version}}' } },
            response: {},
          },
        },
      },
    },
  },
})

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** What may happen to a node for some milliseconds. */
const harms: Readonly<Record<string, (member: Member, ms: number) => Promise<void>>> = {
  async kill({ node }, ms) {
    await node.end('SIGKILL')
    await wait(ms / 4)
    await node.start()
  },
  async pause({ node }, ms) {
    node.pause()
    await wait(ms)
    node.resume()
  },
  async cut({ link }, ms) {
    link.cut()
    await wait(ms)
    link.heal()
  },
  async hold({ link }, ms) {
    link.hold()
    await wait(ms)
    link.heal()
  },
}

/** One run: made, run, then judged. */
export class Chaos {
  readonly acknowledgements = new Acknowledgements()
  /** What a node showed after it had shown something newer. */
  readonly steps: string[] = []
  /** Responses by status, and what else became of operations. */
  readonly outcomes = new Map<string, number>()
  readonly harms = new Map<string, number>()
  readonly #cluster: Cluster
  readonly #plan: ChaosPlan
  readonly #random: () => number
  readonly #seen = new Map<string, number>()
  #version = 0

  constructor(cluster: Cluster, plan: ChaosPlan) {
    this.#cluster = cluster
    this.#plan = plan
    this.#random = randomFrom(plan.seed)
  }

  /** Runs until enough has been acknowledged; every node is running and connected when it resolves. */
  async run(): Promise<void> {
    const loops = Array.from({ length: clients }, () => this.#whileBusy(() => this.#operate()))
    loops.push(this.#whileBusy(() => this.#sample()))
    if (this.#plan.isHarmful) loops.push(this.#whileBusy(() => this.#harm()))
    await Promise.all(loops)
    if (this.#plan.isHarmful) await this.#part()
  }

  /** The last loads are made while one node is cut off and another one believes that it is not. */
  async #part(): Promise<void> {
    const [one, other] = this.#cluster.members
    one?.link.cut()
    other?.link.hold()
    const goal = this.acknowledgements.count + lastOperations
    const loops = Array.from({ length: clients }, async () => {
      while (this.acknowledgements.count < goal) await this.#operate()
    })
    await Promise.all(loops)
    one?.link.heal()
    other?.link.heal()
  }

  async #whileBusy(step: () => Promise<void>): Promise<void> {
    while (this.acknowledgements.count < this.#plan.operations) await step()
  }

  #below(end: number): number {
    return Math.floor(this.#random() * end)
  }

  #pick<T>(list: readonly T[]): T {
    return list[this.#below(list.length)] as T
  }

  #count(counts: Map<string, number>, what: string): void {
    counts.set(what, (counts.get(what) ?? 0) + 1)
  }

  async #operate(): Promise<void> {
    const { node } = this.#pick(this.#cluster.members)
    const id = idOf(this.#below(ids))
    const isDelete = this.#below(100) < 15
    const version = isDelete ? undefined : ++this.#version
    const operation: Operation = { id, version }
    const path = isDelete ? '/services/delete_api_spec' : '/api_specs'
    const body = version === undefined ? { id } : documentOf(id, version)
    try {
      const answer = await postJson(`${node.adminUrl}${path}`, body)
      this.#count(this.outcomes, `${answer.status} ${answer.body.code ?? ''}`.trim())
      const isDone = answer.status === 200 || answer.status === 201
      if (isDone) this.acknowledgements.acknowledge(operation, Number(answer.body.ts))
      else await wait(10)
    } catch (cause) {
      const isRefused = String(cause instanceof Error ? cause.cause : cause).includes(
        'ECONNREFUSED',
      )
      this.#count(this.outcomes, isRefused ? 'refused connection' : 'no answer')
      if (!isRefused) this.acknowledgements.doubt(operation)
      await wait(20)
    }
  }

  /** What one node shows of one document never goes back. */
  async #sample(): Promise<void> {
    const { node } = this.#pick(this.#cluster.members)
    const id = idOf(this.#below(ids))
    const shown = await askJson(`${node.adminUrl}/api_specs/${id}/info`).catch(() => undefined)
    await wait(5)
    if (shown === undefined) return // deleted, or the node is away
    const { ts } = shown as { ts: number }
    const key = `${node.name} ${id}`
    const before = this.#seen.get(key) ?? 0
    if (ts < before) this.steps.push(`${key}: ${ts} after ${before}`)
    this.#seen.set(key, Math.max(ts, before))
  }

  async #harm(): Promise<void> {
    const member = this.#pick(this.#cluster.members)
    const [kind, harm] = this.#pick(Object.entries(harms))
    this.#count(this.harms, kind)
    const duration = 200 + this.#below(longestHarm - 200)
    await harm(member, duration)
    await wait(this.#below(800))
  }

  /** All nodes agree within the time, on what was acknowledged, and serve it. */
  async judge(): Promise<void> {
    const start = Date.now()
    const isEqual = await holdsWithin(convergence, () => this.#cluster.isConverged())
    const took = Date.now() - start
    expect(isEqual, `one digest within ${convergence} ms; seed ${this.#plan.seed}`).to.equal(true)
    // a change whose client had no answer may still be made, and routes follow the digest
    const deadline = Date.now() + settling
    while (!(await this.#agree().catch(() => false)) && Date.now() < deadline) await wait(100)
    await this.#agree()
    expect(this.steps).to.deep.equal([])
    const told = (counts: Map<string, number>) =>
      [...counts].map(([what, count]) => `${what}: ${count}`).join(', ')
    process.stdout.write(
      `        one digest after ${took} ms; ${told(this.outcomes)}; harms: ${told(this.harms) || 'none'}\n`,
    )
  }

  /** Rejects unless all nodes show and serve the same, and all that was acknowledged. */
  async #agree(): Promise<true> {
    const [first = [], ...others] = await Promise.all(
      this.#cluster.members.map(({ node }) => shownBy(node)),
    )
    for (const other of others) expect(other).to.deep.equal(first)
    expect(this.acknowledgements.judge(first)).to.deep.equal([])
    await this.#judgeRoutes(first)
    return true
  }

  /** Each route answers by the greatest stamp that claims it, the same on all nodes; the others are 404. */
  async #judgeRoutes(shown: readonly Shown[]): Promise<void> {
    const owners = routeOwners(shown, routeOf)
    const routes = new Set(Array.from({ length: ids }, (_, index) => routeOf(idOf(index))))
    for (const route of routes) {
      const answers = await Promise.all(
        this.#cluster.members.map(async ({ node }) => {
          const answer = await fetch(`${node.url}${route}/who`)
          return answer.status === 200 ? await answer.text() : String(answer.status)
        }),
      )
      expect(new Set(answers).size, `${route}: ${answers.join(' ')}`).to.equal(1)
      const expected = owners.get(route)?.map(({ id, version }) => JSON.stringify({ id, version }))
      expect(expected ?? ['404'], route).to.include(answers[0])
    }
  }
}
