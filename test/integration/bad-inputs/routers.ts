/** A router that can be killed, and a line to it that can go dead without a word. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'

const script = join(import.meta.dirname, '../../support/peers/router-process.ts')

/** The embedded router in a process of its own. */
export interface RouterProcess {
  readonly url: string
  /** SIGKILL. */
  kill(): Promise<void>
  /** After {@link kill}: a fresh one on the same port. */
  restart(): Promise<void>
}

/** Starts one on a free port. */
export async function openRouterProcess(): Promise<RouterProcess> {
  let child: ChildProcess | undefined
  let port = 0
  const restart = async () => {
    const started = spawn(process.execPath, ['--disable-proto=delete', script, String(port)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    child = started
    const [line] = await once(started.stdout, 'data')
    port = Number(String(line).slice('listening '.length))
  }
  await restart()
  return {
    url: `ws://127.0.0.1:${port}/ws`,
    restart,
    async kill() {
      if (!child || child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** A TCP line to a router. */
export interface Line {
  readonly url: string
  /** Nothing passes any more, in either direction, and nothing is closed: packets are lost. */
  pause(): void
  /** What comes in from now on, and what had been held back, passes. */
  resume(): void
  stop(): void
}

/** Opens a line to the router at a URL. */
export async function openLine(target: string): Promise<Line> {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  let isPaused = false
  const pass = (from: Socket, to: Socket) => {
    sockets.add(from)
    from.on('data', (data) => to.write(data))
    from.on('error', () => undefined)
    from.once('close', () => {
      sockets.delete(from)
      to.destroy()
    })
    if (isPaused) from.pause()
  }
  const server = createServer((client) => {
    const router = connect(Number(port), hostname)
    pass(client, router)
    pass(router, client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/ws`,
    pause() {
      isPaused = true
      for (const socket of sockets) socket.pause()
    },
    resume() {
      isPaused = false
      for (const socket of sockets) socket.resume()
    },
    stop() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
