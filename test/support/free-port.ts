/** Ports for servers that must be told theirs before they start. */
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below the ports that the kernel gives to connections and to servers without a port of their own. */
const first = 20_000
const count = 12_000

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return false
  }
  server.close()
  await once(server, 'close')
  return true
}

/** A port of 127.0.0.1 that was free a moment ago: another test process takes it with a chance of 1 in 12,000. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = first + Math.floor(Math.random() * count)
    if (await isFree(port)) return port
  }
}
