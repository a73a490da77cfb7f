/** An embedded router behind a node:http server on a port of its own, with a policy written by hand. */
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { Router, type RouterOptions } from '#component/router/router.ts'
import { openPolicy } from '#test/support/examples/open-policy.ts'

/** Everybody may do everything in `realm1`. */
export const realm1Policy = openPolicy(['realm1'])

/** Starts one. */
export async function openRouter(options: Partial<RouterOptions> = {}) {
  const router = new Router({ policy: realm1Policy, ...options })
  const server = createServer()
  server.on('upgrade', (request, socket: Socket, head) =>
    router.handleUpgrade(request, socket, head, socket.remoteAddress ?? ''),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    router,
    realm: 'realm1',
    url: `ws://127.0.0.1:${port}`,
    async close() {
      await router.close()
      server.close()
    },
  }
}
