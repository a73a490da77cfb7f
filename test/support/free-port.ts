/** Ports for servers that must be told theirs before they start. */
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below the ports that the kernel gives to connections and to servers without a port of their own. */
const first = 20_000
const count = 12_000

/** Processes that run at the same time begin far from each other: a port stays theirs until their server opens it. */
let next = (process.pid * 97) % count

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

/** A port of 127.0.0.1 that was free a moment ago, and that this process has not been given before. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = first + next
    next = (next + 1) % count
    if (await isFree(port)) return port
  }
}
