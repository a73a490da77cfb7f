/** What further nodes cost: at rest, and for each change. */
import { setTimeout as wait } from 'node:timers/promises'
import { Figures } from '#bench/figures.ts'
import { documentOf, gatewayCommand, post, prepareGateway } from '#bench/gateway.ts'
import type { Process } from '#bench/processes.ts'
import type { Stage, Trial } from '#bench/stage.ts'
import { pathsOf } from './reloads.ts'
import { startRouter } from './wamp.ts'

const counts = [1, 2, 4]

/** Paths of the API that changes. */
const size = 100

/** How long all are left alone, milliseconds: once to come to rest, once to be measured. */
const rest = 2000

/** Asks until the node serves the revision. */
const serves = (node: Process, url: string, revision: number) =>
  node.until(async () => {
    const answer = await fetch(`${url}/revision`)
    return (await answer.text()) === JSON.stringify({ revision }) || undefined
  })

const cpuOf = (nodes: readonly Process[]) => nodes.reduce((sum, node) => sum + node.cpu(), 0)

/** So many nodes on a router of their own; what they cost, by the name of the figure. */
async function measure(stage: Stage, count: number, rounds: number, add: Add): Promise<void> {
  const router = await startRouter(stage)
  const settings = { 'wamp.url': router.url }
  const nodes = Array.from({ length: count }, (_, number) =>
    stage.start(gatewayCommand(`node ${number}`, settings)),
  )
  const [first, ...others] = nodes
  if (!first) return
  const { url, admin } = await prepareGateway(first, pathsOf(size, 0))
  const urls = await Promise.all(others.map((node) => node.says(/^gateway +(\S+)$/m)))
  const all = [url, ...urls].map((address, at) => ({ node: nodes[at] ?? first, address }))
  const everywhere = (revision: number) =>
    Promise.all(all.map(({ node, address }) => serves(node, address, revision)))
  await everywhere(0)
  await wait(rest)
  for (let round = 1; round <= rounds; round += 1) {
    const atRest = cpuOf(nodes)
    const routerAtRest = router.process.cpu()
    await wait(rest)
    add('CPU time at rest, of each node', 'ms/s', (cpuOf(nodes) - atRest) / count / rest)
    add('CPU time at rest, of the router', 'ms/s', (router.process.cpu() - routerAtRest) / rest)
    const before = cpuOf(nodes)
    const began = performance.now()
    await post(`${admin}/api_specs`, documentOf('com.example.bench', pathsOf(size, round)))
    add('a change, until it is acknowledged', 'ms', performance.now() - began)
    await everywhere(round)
    add('a change, until all nodes serve it', 'ms', performance.now() - began)
    add('a change, CPU time of all nodes', 'ms', (cpuOf(nodes) - before) / 1000)
  }
  await Promise.all([...nodes, router.process].map((process) => process.stop()))
}

type Add = (name: string, unit: string, value: number) => void

/** Requests need no other node, so that only rest and changes are measured. */
export const nodes: Trial = {
  about: `gateways on one router, and changes of an API of ${size} paths, loaded on one of them`,
  attempt: async (stage, rounds) => {
    const figures = new Figures()
    for (const count of counts) {
      await measure(stage, count, rounds, (what, unit, value) => {
        figures.add(`${count} ${count === 1 ? 'node' : 'nodes'}: ${what}`, unit, value)
      })
    }
    return figures.all()
  },
}
