/** Requests to an upstream whose targets are silent, or answer wrongly, but one; and to an upstream that answers slowly. */
import { once } from 'node:events'
import { Agent } from 'node:http'
import { send } from '#test/support/http-request.ts'
import type { Attack } from './attack.ts'
import { openSocket, pause } from './sockets.ts'

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

export const upstreamSlow: Attack = {
  name: 'upstream-slow',
  about: `${clients} clients of an upstream that sends its answers by a byte in 100 ms, half of which go away after 1 s`,
  async run(target, signal, report) {
    let [begun, whole] = [0, 0]
    const client = async (isPatient: boolean): Promise<void> => {
      while (!signal.aborted) {
        const socket = openSocket(target)
        socket.write(
          `GET ${target.paths.sockets}/drip HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
        )
        let received = ''
        socket.on('data', (bytes: Buffer) => {
          received += bytes.toString('latin1')
        })
        begun += 1
        const waits = [once(socket, 'close'), pause(isPatient ? 5000 : 1000, signal)]
        await Promise.race(waits).catch(() => undefined)
        if (received.includes('the last drop')) whole += 1
        socket.destroy()
      }
    }
    await Promise.all(Array.from({ length: clients }, (_, at) => client(at % 2 === 0)))
    if (begun > clients && whole === 0) report('no client has got a slow answer')
  },
}
