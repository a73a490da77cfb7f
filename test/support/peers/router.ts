/** The router that the tests run against: the one that `WAMP_ROUTER_URL` names, else the embedded one on a free port. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { RealmPolicy } from '#component/router/ports.ts'
import { Router } from '#component/router/router.ts'
import type { OpenLink } from '#component/wamp/link.ts'
import { openPolicy } from '#test/support/examples/open-policy.ts'
import { testRealms } from '#test/support/examples/realms.ts'

/** A router with the realms of realms.ts, open to anonymous sessions. */
export interface TestRouter {
  readonly url: string
  /** Into the embedded router; absent where the router is another process. */
  readonly openLink?: OpenLink
  /** Ends it in order, with GOODBYE; what is not ours stays. */
  stop(): Promise<void>
  /** Cuts every connection as SIGKILL would; the port is closed. The embedded router only. */
  kill(): Promise<void>
  /** After {@link stop} or {@link kill}: a fresh router on the same port. The embedded router only. */
  restart(): Promise<void>
}

class EmbeddedRouter implements TestRouter {
  readonly #policy: RealmPolicy
  #router: Router
  #server: Server = createServer()
  readonly #sockets = new Set<Socket>()
  #port = 0

  constructor(policy: RealmPolicy) {
    this.#policy = policy
    this.#router = new Router({ policy: this.#policy })
  }

  get url(): string {
    return `ws://127.0.0.1:${this.#port}/ws`
  }

  readonly openLink = () => this.#router.openLink()

  async restart(): Promise<void> {
    const router = new Router({ policy: this.#policy })
    this.#router = router
    this.#server = createServer()
    this.#server.on('upgrade', (request, socket: Socket, head) => {
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
      router.handleUpgrade(request, socket, head, '127.0.0.1')
    })
    this.#server.listen(this.#port, '127.0.0.1')
    await once(this.#server, 'listening')
    this.#port = (this.#server.address() as AddressInfo).port
  }

  async stop(): Promise<void> {
    this.#server.close()
    await this.#router.close()
  }

  async kill(): Promise<void> {
    this.#server.close()
    for (const socket of this.#sockets) socket.resetAndDestroy()
    await this.#router.close()
  }
}

const external = (url: string): TestRouter => {
  const notOurs = () => Promise.reject(new TypeError('the router is not ours to end'))
  return { url, stop: async () => undefined, kill: notOurs, restart: notOurs }
}

/**
 * Starts the embedded router whatever the environment says: for tests that kill it, reach it in this process, or need realms or rules of
 * their own.
 * @param policy what it does not allow everybody
 */
export async function openEmbeddedRouter(
  realms: readonly string[] = testRealms,
  policy: Partial<RealmPolicy> = {},
): Promise<TestRouter & { readonly openLink: OpenLink }> {
  const router = new EmbeddedRouter({ ...openPolicy(realms), ...policy })
  await router.restart()
  return router
}

/** Gives the router of this run. */
export async function openRouter(): Promise<TestRouter> {
  const url = process.env.WAMP_ROUTER_URL
  return url ? external(url) : openEmbeddedRouter()
}
