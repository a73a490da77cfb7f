/** The embedded router as a process of its own, to be killed and started again. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

const program = join(import.meta.dirname, 'router-process.ts')

/** A router in another process. */
export interface KillableRouter {
  readonly url: string
  /** SIGKILL. */
  kill(): Promise<void>
  /** Starts it again at the same URL; resolves when it listens. */
  restart(): Promise<void>
  stop(): Promise<void>
}

class RouterProcess implements KillableRouter {
  #child: ChildProcess | undefined
  #port = 0

  get url(): string {
    return `ws://127.0.0.1:${this.#port}/ws`
  }

  async restart(): Promise<void> {
    const child = spawn(process.execPath, ['--disable-proto=delete', program, String(this.#port)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    this.#child = child
    const [line] = (await once(child.stdout, 'data')) as [Buffer]
    this.#port = Number(String(line).replace('listening ', ''))
  }

  kill(): Promise<void> {
    return this.#end('SIGKILL')
  }

  stop(): Promise<void> {
    return this.#end('SIGTERM')
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }
}

/** Starts it on a free port, with the realms of realms.ts. */
export async function startKillableRouter(): Promise<KillableRouter> {
  const router = new RouterProcess()
  await router.restart()
  return router
}
