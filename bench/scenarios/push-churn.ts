/** Streams that are opened and closed all the time: what remains of them. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { Figures } from '#bench/figures.ts'
import type { Trial } from '#bench/stage.ts'
import { streamOf, streamSettings } from './push.ts'

/** Streams of a round. */
const count = 5_000
/** That are open at once. */
const clients = 32
/** Each has a source, which ends and is made again. */
const topics = 50
/** How long a source outlives its last stream, milliseconds. */
const replayMs = 100
/** Milliseconds without work before memory is read. */
const rest = 500

const path = streamOf('com.example.test.churn.{{request.bindings.name}}', {
  replay_timeout: replayMs,
})

/** Opens a stream and closes it. @returns whether it was taken; a busy machine may be refused @throws Error when the answer is neither */
async function visit(port: number, number: number): Promise<boolean> {
  const socket: Socket = connect(port, '127.0.0.1')
  const request = `GET /churn/n${number % topics} HTTP/1.1\r\nHost: bench\r\n\r\n`
  socket.write(request)
  const [head] = (await once(socket, 'data')) as [Buffer]
  const answer = head.toString('latin1')
  const isTaken = answer.startsWith('HTTP/1.1 200 ')
  if (!isTaken && !answer.includes('this node is overloaded')) throw new Error(answer)
  // clients leave in both ways
  if (number % 2 === 0) socket.resetAndDestroy()
  else socket.destroy()
  return isTaken
}

async function sourcesOf(admin: string): Promise<number> {
  const text = await (await fetch(`${admin}/metrics`)).text()
  return Number(text.match(/^gateway_stream_sources (\d+)/m)?.[1] ?? Number.NaN)
}

/** Round after round, on one gateway. */
export const pushChurn: Trial = {
  about: `${count} streams of ${topics} topics opened and closed in each round, ${clients} at once`,
  attempt: async (stage, rounds) => {
    const { process, url, admin } = await stage.gateway(
      'ours',
      { '/churn/:name': path },
      streamSettings,
    )
    const figures = new Figures()
    const rss: number[] = []
    let refused = 0
    const port = Number(new URL(url).port)
    for (let round = 0; round < rounds; round++) {
      const [began, cpuBefore] = [performance.now(), process.cpu()]
      let next = 0
      const client = async () => {
        while (next < count) if (!(await visit(port, next++))) refused++
      }
      await Promise.all(Array.from({ length: clients }, client))
      const perSecond = (count * 1000) / (performance.now() - began)
      figures.add('streams opened and closed a second', '1/s', perSecond)
      figures.add('CPU time of one', 'µs', (process.cpu() - cpuBefore) / count)
      await wait(rest)
      const now = process.rss()
      rss.push(now)
      figures.add('RSS', 'MB', now)
    }
    await wait(replayMs + rest)
    const third = Math.max(1, Math.floor(rss.length / 3))
    const mean = (values: readonly number[]) =>
      values.reduce((sum, value) => sum + value, 0) / values.length
    const growth = mean(rss.slice(-third)) - mean(rss.slice(-2 * third, -third))
    figures.add('RSS, the last third of the rounds against the middle one', 'MB', growth)
    figures.add('sources that are left', '', await sourcesOf(admin))
    figures.add('refused, for overload', '', refused)
    return figures.all()
  },
}
