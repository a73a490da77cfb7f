/** `node test/cluster/router-main.ts [--drop-changes]`: the embedded router as a process; it may refuse the events of changes. */
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { RealmPolicy } from '#component/router/ports.ts'
import { Router } from '#component/router/router.ts'
import { openPolicy } from '#test/support/examples/open-policy.ts'
import { testRealms } from '#test/support/examples/realms.ts'

const isDropping = process.argv.includes('--drop-changes')
const open: RealmPolicy = openPolicy(testRealms)
const policy: RealmPolicy = {
  hasRealm: (realm) => open.hasRealm(realm),
  authmethods: (realm, peer) => open.authmethods(realm, peer),
  authenticate: (hello) => open.authenticate(hello),
  isWelcome: (session) => open.isWelcome(session),
  isAllowed: (session, action, uri, match) =>
    !(isDropping && action === 'publish' && /\.on_(load|delete)$/.test(uri)) &&
    open.isAllowed(session, action, uri, match),
}

const router = new Router({ policy })
const server = createServer()
server.on('upgrade', (request, socket: Socket, head) => {
  router.handleUpgrade(request, socket, head, '127.0.0.1')
})
process.once('SIGTERM', () => process.exit(0))
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/ws\n`)
})
