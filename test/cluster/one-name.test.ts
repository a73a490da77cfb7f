/** Two gateways of one name on one router: both say so, and neither takes a load that the other one would never serve. */
import { join } from 'node:path'
import { expect } from 'chai'
import { askJson, clusterKey, holdsWithin, postJson } from './cluster.ts'
import { ClusterNode } from './cluster-node.ts'
import { startRouterProcess } from './router-process.ts'

const root = join(import.meta.dirname, '../..')

const document = (id: string) => ({ id, host: '_', realm_uri: 'com.example', versions: {} })

for (const workers of ['1', '2']) {
  describe(`two gateways of one name, with ${workers} worker(s) each`, () => {
    let router: Awaited<ReturnType<typeof startRouterProcess>>
    const nodes: ClusterNode[] = []
    before(async () => {
      router = await startRouterProcess()
      for (const clockOffset of [0, 2_000]) {
        const settings = { 'wamp.url': router.url, 'cluster.key': clusterKey, workers }
        const node = await ClusterNode.make({ name: 'twin', clockOffset, settings })
        nodes.push(node)
        // the command has workers, and the clock of the machine
        if (workers !== '1') node.upgrade(root)
        await node.start()
      }
    })
    after(async () => {
      for (const node of nodes) await node.discard()
      await router.stop()
    })

    const ready = async ({ adminUrl }: ClusterNode) =>
      (await fetch(`${adminUrl}/ready`).catch(() => undefined))?.text() ?? ''
    /** Asked several times: any worker may answer. */
    const all = async (holds: (node: ClusterNode) => Promise<boolean>) => {
      const asked = nodes.flatMap((node) => Array.from({ length: 8 }, () => node))
      return (await Promise.all(asked.map(holds))).every(Boolean)
    }
    const isTold = () =>
      all(async (node) => (await ready(node)).includes('another gateway has the name of this node'))

    it('say so in /ready and /registry, and refuse loads', async () => {
      expect(await holdsWithin(60_000, isTold)).to.equal(true)
      const status = (await askJson(`${nodes[0]?.adminUrl}/registry`)) as { name: string }
      expect(status.name).to.equal('taken')
      for (const [index, { adminUrl }] of nodes.entries()) {
        const answer = await postJson(`${adminUrl}/api_specs`, document(`com.example.x${index}`))
        expect(answer.status).to.equal(503)
      }
    })

    it('are one again when the other one has left', async () => {
      const [stays, goes] = nodes as [ClusterNode, ClusterNode]
      expect(await goes.end('SIGTERM')).to.equal(0)
      await nodes.pop()?.discard()
      expect(await holdsWithin(60_000, async () => !(await isTold()))).to.equal(true)
      const isTaken = async () => {
        const { status } = await postJson(`${stays.adminUrl}/api_specs`, document('com.example.x'))
        return status !== 503
      }
      expect(await holdsWithin(60_000, isTaken)).to.equal(true)
    })
  })
}
