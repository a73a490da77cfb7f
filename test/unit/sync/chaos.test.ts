/** Random loads and deletes under random harm: when all is well again, all nodes hold every acknowledged change that was not overtaken. */
import { expect } from 'chai'
import { compareEntries } from '#component/replica/conflict-resolution.ts'
import type { Entry } from '#component/replica/entry.ts'
import { rounds } from '#test/support/running/rounds.ts'
import type { MemoryStore } from '#test/unit/replica/memory-store.ts'
import { Fleet } from './fleet.ts'

const runs = rounds(10, 40)
const steps = 80
/** One heartbeat, and what an exchange may take. */
const healMs = 6000

/** A fleet of four, what may become of it, and what it has acknowledged. */
class Storm {
  readonly fleet: Fleet
  readonly winners = new Map<string, Entry>()
  readonly #stores = new Map<string, { readonly store: MemoryStore; readonly offset: number }>()

  constructor(seed: number) {
    this.fleet = new Fleet(seed)
  }

  async begin(): Promise<void> {
    for (const [index, offset] of [0, 5000, -5000, 1200].entries()) {
      const name = `n${index}`
      const { store } = await this.fleet.open(name, { offset })
      this.#stores.set(name, { store, offset })
    }
  }

  #below(end: number): number {
    return Math.floor(this.fleet.time.random() * end)
  }

  /** A load or delete, where the node takes it. */
  async #change(): Promise<void> {
    const node = this.fleet.nodes[this.#below(this.fleet.nodes.length)]
    if (!node || node.session.isHeld || node.sync.refusal()) return
    const id = `x${this.#below(12)}`
    const document = this.#below(4) === 0 ? null : { id, text: `${this.fleet.time.now}` }
    const changes = await node.replica.change('api_spec', () => [{ id, document }])
    for (const { entry } of changes) {
      const known = this.winners.get(id)
      if (!known || compareEntries(entry, known) > 0) this.winners.set(id, entry)
    }
  }

  async #harm(): Promise<void> {
    const { bus, nodes, time } = this.fleet
    const node = nodes[this.#below(nodes.length)]
    const kind = this.#below(8)
    if (kind === 0) {
      const loss = time.random()
      bus.copies = () => (time.random() < loss ? 0 : 1 + this.#below(2))
    } else if (kind === 1) {
      const slow = 1 + this.#below(3000)
      bus.delay = () => this.#below(slow)
    } else if (kind === 2) {
      node?.session.cut()
    } else if (kind === 3 && node && !node.session.isOpen) {
      node.session.join()
    } else if (kind === 4 && node) {
      node.session.isHeld = true
    } else if (kind === 5) {
      node?.session.release()
    } else if (kind === 6 && nodes.length > 1) {
      node?.kill()
    } else if (kind === 7) {
      await this.#restart()
    }
  }

  async #restart(): Promise<void> {
    const gone = [...this.#stores.keys()].filter(
      (name) => !this.fleet.nodes.some((node) => node.name === name),
    )
    const name = gone[this.#below(gone.length)]
    if (name !== undefined) await this.fleet.open(name, this.#stores.get(name))
  }

  async rage(): Promise<void> {
    for (let step = 0; step < steps; step++) {
      await this.#change()
      await this.#change()
      await this.#harm()
      await this.fleet.run(this.#below(1500))
    }
  }

  /** All is well again. */
  async heal(): Promise<void> {
    const { bus, nodes } = this.fleet
    bus.copies = () => 1
    bus.delay = () => 1
    for (const { session } of nodes) {
      session.release()
      if (!session.isOpen) session.join()
    }
    while (nodes.length < this.#stores.size) await this.#restart()
  }
}

describe('four gateways after a storm', function () {
  this.timeout(60_000)

  for (let seed = 1; seed <= runs; seed += 10) {
    it(`hold what was acknowledged, and nothing else (seeds ${seed} to ${seed + 9})`, async () => {
      for (let own = seed; own < seed + 10; own++) {
        const storm = new Storm(own)
        await storm.begin()
        await storm.rage()
        await storm.heal()
        expect(await storm.fleet.untilEqual(healMs), `seed ${own}`).to.be.at.most(healMs)
        expect(storm.winners.size).to.be.greaterThan(3)
        for (const { name, replica } of storm.fleet.nodes) {
          for (const [id, winner] of storm.winners) {
            expect(replica.get('api_spec', id), `seed ${own}, ${id} on ${name}`).to.deep.equal(
              winner,
            )
          }
        }
      }
    })
  }
})
