/** Random schedules of a cluster: what clients ask, what the network, the stores and the processes do meanwhile. */
import fc from 'fast-check'
import { seeded } from '#test/unit/sync/time.ts'
import { Cluster, type Mutation, type Node } from './cluster.ts'

const nodeCount = 3

const node = fc.nat(nodeCount - 1)
const id = fc.constantFrom('x', 'y', 'z')

const command = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.nat(1_500) }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('load' as const), node, id }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('delete' as const), node, id }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cut' as const), node }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('rejoin' as const), node }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('kill' as const), node, isDone: fc.boolean() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('start' as const), node, backMs: fc.nat(5_000) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('store' as const), node, isAway: fc.boolean() }),
  },
)

type Command = typeof command extends fc.Arbitrary<infer T> ? T : never

const share = fc.constantFrom(0, 0.1, 0.5)

/** What happens to a cluster whose clocks are up to 5 s off, and whose first two nodes may share a store. */
export const schedule = fc.record({
  offsets: fc.array(fc.integer({ min: -5_000, max: 5_000 }), {
    minLength: nodeCount,
    maxLength: nodeCount,
  }),
  isShared: fc.boolean(),
  /** Parts of the messages that never come, and that come twice; and what they and the stores take at most, in milliseconds. */
  network: fc.record({
    lost: share,
    repeated: share,
    delayMs: fc.constantFrom(1, 100, 2_000),
    storeMs: fc.constantFrom(0, 50, 1_000),
    seed: fc.nat(),
  }),
  commands: fc.array(command, { minLength: 1, maxLength: 60, size: 'max' }),
})

type Schedule = typeof schedule extends fc.Arbitrary<infer T> ? T : never

/** Longer than anybody waits for an answer. Milliseconds. */
const neverMs = 1_000_000

function trouble(cluster: Cluster, { network }: Schedule): void {
  const { bus } = cluster
  const random = seeded(network.seed)
  bus.delay = ({ kind }) =>
    kind === 'call' && random() < network.lost ? neverMs : random() * network.delayMs
  bus.copies = () => (random() < network.lost ? 0 : 1 + Number(random() < network.repeated))
  cluster.storeDelay = () => random() * network.storeMs
}

function follow(cluster: Cluster, node: Node, command: Command, step: number) {
  switch (command.do) {
    case 'pass':
      return cluster.time.advance(command.ms)
    case 'load':
      return cluster.ask(node, command.id, `text ${step}`)
    case 'delete':
      return cluster.ask(node, command.id, null)
    case 'cut':
      return cluster.cut(node)
    case 'rejoin':
      return cluster.rejoin(node)
    case 'kill':
      return cluster.kill(node, command.isDone)
    case 'start':
      return cluster.start(node, command.backMs)
    case 'store':
      node.store.isAway = command.isAway
  }
}

/** Everything is in order again: what was under way between the nodes is lost, all run, and each rejoins. */
async function heal(cluster: Cluster): Promise<void> {
  const { bus, nodes, time } = cluster
  bus.delay = () => 1
  bus.copies = () => 1
  cluster.storeDelay = () => 0
  for (const one of nodes) {
    cluster.cut(one)
    one.store.isAway = false
  }
  await time.advance(6_000) // what the stores were at is done, and all have noticed that they are back
  for (const one of nodes) await cluster.start(one)
  for (const one of nodes) cluster.rejoin(one)
}

/**
 * What is wrong when a schedule has run, everything is in order again, and some time has gone by.
 * @param waitMs after the nodes have rejoined
 */
export async function run(
  found: Schedule,
  mutation: Mutation,
  waitMs: number,
): Promise<readonly string[]> {
  const cluster = new Cluster(found.offsets, found.isShared, mutation)
  const { acknowledgements, nodes, time, wrongs } = cluster
  for (const one of nodes) await cluster.start(one)
  trouble(cluster, found)
  for (const [step, next] of found.commands.entries()) {
    const one = nodes['node' in next ? next.node : 0]
    if (one) await follow(cluster, one, next, step)
    cluster.check()
  }
  await heal(cluster)
  await time.advance(waitMs)
  cluster.check()
  const digests = new Set(nodes.map(({ process }) => process?.replica.digest()))
  if (digests.size > 1) wrongs.push(`there are ${digests.size} digests`)
  for (const { name, process } of nodes) {
    const held = new Map(process?.replica.entries('api_spec').map((entry) => [entry.id, entry]))
    wrongs.push(...acknowledgements.judge(held).map((wrong) => `${name} ${wrong}`))
    const notLive = [...held.values()].filter((entry) => process?.live.get(entry.id) !== entry)
    wrongs.push(...notLive.map((entry) => `${name} has not made ${entry.id} live`))
  }
  return wrongs
}
