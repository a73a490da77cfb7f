/** `kill -9` in the middle of loads: what was acknowledged is there after a restart, and serves, with and without the router. */
import { expect } from 'chai'
import { randomFrom } from '#test/fuzz/random.ts'
import { TcpProxy } from '#test/support/peers/tcp-proxy.ts'
import { rounds } from '#test/support/running/rounds.ts'
import { Acknowledgements, type Shown } from './acknowledgements.ts'
import { clusterKey, holdsWithin, postJson, shownBy } from './cluster.ts'
import { ClusterNode } from './cluster-node.ts'
import { startRouterProcess } from './router-process.ts'

const realm = 'com.example.test'
const kills = rounds(8, 100)
const ids = 20
const loaders = 4
/** How long a start may take on a busy machine; milliseconds. */
const patience = 60_000

const documentOf = (id: string, version: number) => ({
  id,
  host: '_',
  realm_uri: realm,
  variables: { version },
  versions: {
    '1.0.0': {
      base_path: `/${id}`,
      paths: {
        '/version': {
          get: { action: { type: 'static', body: '{{variables.version}}' }, response: {} },
        },
      },
    },
  },
})

/** Loads on one node, killed at random moments. */
class Kills {
  readonly #node: ClusterNode
  readonly #random: () => number
  readonly #acknowledgements = new Acknowledgements()
  #version = 0

  constructor(node: ClusterNode, seed: number) {
    this.#node = node
    this.#random = randomFrom(seed)
  }

  get acknowledged(): number {
    return this.#acknowledgements.count
  }

  /** Loads until the process is dead. */
  async loadAndKill(): Promise<void> {
    let isOver = false
    const load = async () => {
      while (!isOver) {
        const id = `${this.#node.name}-${Math.floor(this.#random() * ids)}`
        const operation = { id, version: ++this.#version }
        try {
          const { status, body } = await postJson(
            `${this.#node.adminUrl}/api_specs`,
            documentOf(id, operation.version),
          )
          expect([200, 201, 503]).to.include(status)
          if (status !== 503) this.#acknowledgements.acknowledge(operation, Number(body.ts))
        } catch {
          this.#acknowledgements.doubt(operation)
        }
      }
    }
    const before = this.acknowledged
    const loading = Array.from({ length: loaders }, load)
    // each time there is something to be lost, however long the node takes to join the router
    await holdsWithin(patience, async () => this.acknowledged > before)
    await new Promise((resolve) => setTimeout(resolve, 20 + this.#random() * 250))
    await this.#node.end('SIGKILL')
    isOver = true
    await Promise.all(loading)
  }

  /** What the node shows and serves is what was acknowledged. */
  async judge(): Promise<void> {
    const isReady = () =>
      fetch(`${this.#node.adminUrl}/ready`).then(
        ({ ok }) => ok,
        () => false,
      )
    expect(await holdsWithin(patience, isReady), 'it serves').to.equal(true)
    // those of other nodes are theirs to judge
    const ofNode = ({ id }: Shown) => id.startsWith(this.#node.name)
    const shown = (await shownBy(this.#node)).filter(ofNode)
    expect(this.#acknowledgements.judge(shown)).to.deep.equal([])
    for (const { id, version } of shown) {
      const answer = await fetch(`${this.#node.url}/${id}/version`)
      expect(`${answer.status} ${await answer.text()}`, id).to.equal(`200 ${version}`)
    }
  }
}

describe('kill -9 in the middle of loads', function () {
  this.timeout(900_000)

  it(`loses nothing that was acknowledged, ${kills} times on the embedded router`, async () => {
    const node = await ClusterNode.make({ name: 'alone' })
    const killed = new Kills(node, 4101)
    try {
      await node.start()
      await postJson(`${node.adminUrl}/realms`, { uri: realm })
      for (let round = 0; round < kills; round++) {
        await killed.loadAndKill()
        await node.start()
        await killed.judge()
      }
      expect(killed.acknowledged).to.be.at.least(kills)
    } finally {
      await node.discard()
    }
  })

  it(`loses nothing, ${kills} times, when the router is absent after it`, async () => {
    const router = await startRouterProcess()
    const { port } = new URL(router.url)
    try {
      // most of a round is waiting for the router
      const seeds = [4102, 4103, 4104, 4105]
      await Promise.all(seeds.map((seed) => cutOff(Number(port), seed, kills / seeds.length)))
    } finally {
      await router.stop()
    }
  })
})

/** One node that is killed with the router there, and comes back without it. */
async function cutOff(port: number, seed: number, times: number): Promise<void> {
  const link = await TcpProxy.open(port)
  const settings = { 'wamp.url': `ws://127.0.0.1:${link.port}/ws`, 'cluster.key': clusterKey }
  const node = await ClusterNode.make({ name: `cut-off-${seed}`, settings })
  const killed = new Kills(node, seed)
  try {
    for (let round = 0; round < times; round++) {
      link.heal()
      await node.start()
      await killed.loadAndKill()
      link.cut()
      await node.start()
      await killed.judge()
      await node.end('SIGKILL')
    }
    expect(killed.acknowledged).to.be.at.least(times)
  } finally {
    await node.discard()
    await link.close()
  }
}
