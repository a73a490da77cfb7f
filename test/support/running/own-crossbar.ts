/** Required by mocha: each process of a parallel run starts a Crossbar.io of its own, the router of its tests. */
import { startCrossbar } from '#test/support/peers/crossbar.ts'

if (process.env.MOCHA_WORKER_ID !== undefined) {
  const { url } = await startCrossbar()
  process.env.WAMP_ROUTER_URL = url
}
