/** `node --disable-proto=delete test/support/peers/router-process.ts PORT`: the embedded router as a process of its own, to be killed. */
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { Router } from '#component/router/router.ts'
import { openPolicy } from '#test/support/examples/open-policy.ts'
import { testRealms } from '#test/support/examples/realms.ts'

const policy = openPolicy(testRealms)

const router = new Router({ policy })
const server = createServer()
server.on('upgrade', (request, socket: Socket, head) => {
  router.handleUpgrade(request, socket, head, '127.0.0.1')
})
process.once('SIGTERM', () => process.exit(0))
server.listen(Number(process.argv[2] ?? 0), '127.0.0.1', () => {
  process.stdout.write(`listening ${(server.address() as AddressInfo).port}\n`)
})
