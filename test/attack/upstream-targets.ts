/** Requests to an upstream whose targets are silent, or answer wrongly, but one. */
import { Agent } from 'node:http'
import { send } from '#test/support/http-request.ts'
import type { Attack } from './attack.ts'

/** Clients at once. */
const clients = 100

export const upstreamTargets: Attack = {
  name: 'upstream-targets',
  about: `${clients} clients of an upstream of three targets: one is silent, one answers no HTTP`,
  async run({ url, paths }, signal, report) {
    const agent = new Agent({ keepAlive: true })
    const counts = new Map<number, number>()
    const client = async (): Promise<void> => {
      while (!signal.aborted) {
        const answer = await send(url, paths.targets, { agent }).catch(() => undefined)
        if (answer) counts.set(answer.status, (counts.get(answer.status) ?? 0) + 1)
      }
    }
    await Promise.all(Array.from({ length: clients }, client))
    agent.destroy()
    const answered = counts.get(200) ?? 0
    const failed = [...counts].reduce((sum, [status, n]) => (status === 200 ? sum : sum + n), 0)
    // those that the silent one had got before it was out, and its probes
    if (failed > answered / 10) report(`of ${answered + failed} requests ${failed} have failed`)
  },
}
