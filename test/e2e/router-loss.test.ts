/** The embedded router, as a process of its own, dies and comes back under load. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { describeRouterLoss, type KillableRouter } from '#test/support/peers/router-loss.ts'

const program = join(import.meta.dirname, '../support/peers/router-process.ts')

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

describeRouterLoss('the embedded router', async () => {
  const router = new RouterProcess()
  await router.restart()
  return router
})
