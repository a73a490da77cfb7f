/** Many connections that are kept alive and say nothing. */
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import type { Gateway } from './gateway.ts'
import type { LoadResult } from './load.ts'

/** Descriptors that a process needs beside those of the connections. */
const spare = 200

/** Connections that are opened at once. */
const batch = 100

/** How many connections this process may open. */
export const descriptorsLeft = (): number => descriptors() - spare

/** How many files a process may have open. */
function descriptors(): number {
  const limits = readFileSync('/proc/self/limits', 'utf8')
  return Number(limits.match(/^Max open files +(\d+)/m)?.[1] ?? Number.POSITIVE_INFINITY)
}

/** A connection that has asked once and been answered. */
async function open(port: number, sockets: Socket[]): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  sockets.push(socket)
  await new Promise((resolve, reject) => {
    socket.once('data', resolve).once('error', reject).once('close', reject)
    socket.write('GET /about HTTP/1.1\r\nHost: bench\r\n\r\n')
  })
  // read on, so that an end is noticed
  socket
    .removeAllListeners('error')
    .on('error', () => undefined)
    .resume()
}

/** Opens them, lets others ask meanwhile, closes them; what came of it, as text. */
export async function holdIdle(
  { process, url }: Gateway,
  count: number,
  load: () => Promise<LoadResult>,
): Promise<string> {
  const most = descriptorsLeft()
  if (most < count) {
    return `${count} idle connections: not possible, a process may open ${most + spare} files (ulimit -n)\n`
  }
  const alone = await load()
  const before = process.rss()
  const sockets: Socket[] = []
  for (let opened = 0; opened < count; opened += batch) {
    const size = Math.min(batch, count - opened)
    await Promise.all(Array.from({ length: size }, () => open(Number(new URL(url).port), sockets)))
  }
  const after = process.rss()
  const beside = await load()
  const lost = sockets.filter((socket) => socket.destroyed).length
  for (const socket of sockets) socket.destroy()
  const kB = ((after - before) * 1024) / count
  const told = ({ answers, seconds, p99, errors }: LoadResult) =>
    `${(answers / seconds).toFixed(0)} requests/s, p99 ${p99.toFixed(1)} ms, ${errors} errors`
  return `${count} idle connections: ${kB.toFixed(1)} kB each (RSS ${before.toFixed(0)} → ${after.toFixed(0)} MB), ${lost} lost
  half load without them: ${told(alone)}
  half load beside them:  ${told(beside)}
`
}
