/** `node --disable-proto=delete test/support/router-process.ts PORT`: the embedded router as a process of its own, to be killed. */
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { RealmPolicy } from '#component/router/ports.ts'
import { Router } from '#component/router/router.ts'
import { testRealms } from './realms.ts'

/** Every realm of the tests, open to anonymous sessions that may do anything. */
const policy: RealmPolicy = {
  hasRealm: (realm) => (testRealms as readonly string[]).includes(realm),
  authmethods: () => ['anonymous'],
  authenticate: async () => ({
    kind: 'welcome',
    authid: 'anonymous',
    authroles: ['anonymous'],
  }),
  isAllowed: () => true,
}

const router = new Router({ policy })
const server = createServer()
server.on('upgrade', (request, socket: Socket, head) => {
  router.handleUpgrade(request, socket, head, '127.0.0.1')
})
process.once('SIGTERM', () => process.exit(0))
server.listen(Number(process.argv[2] ?? 0), '127.0.0.1', () => {
  process.stdout.write(`listening ${(server.address() as AddressInfo).port}\n`)
})
