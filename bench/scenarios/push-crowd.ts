/** One event to very many streams: when the last one has it, what other requests notice, and what an idle stream takes. */
import { setTimeout as wait } from 'node:timers/promises'
import { Figures } from '#bench/figures.ts'
import { realm } from '#bench/gateway.ts'
import { descriptorsLeft } from '#bench/idle.ts'
import { small } from '#bench/payloads.ts'
import { openLink } from '#bench/peers/wamp-link.ts'
import { probeApart } from '#bench/probe.ts'
import type { Process } from '#bench/processes.ts'
import type { Stage, Trial } from '#bench/stage.ts'
import { StreamGroup } from '#bench/stream-group.ts'
import { publisherOf, streamOf, streamSettings } from './push.ts'
import { staticPath } from './static.ts'
import { startRouter } from './wamp.ts'

const count = 10_000
/** Events of a round. */
const events = 10
/** Between two events, milliseconds. */
const interval = 200
/** Milliseconds without work, after which garbage has been collected and pages have been given back. */
const rest = 20_000

const topic = 'com.example.test.crowd'

/** Opens 100 streams and then all, and tells what each of the later ones takes while nothing is sent; bytes. */
async function openCrowd(
  group: StreamGroup,
  { process, url }: { readonly process: Process; readonly url: string },
): Promise<number> {
  const path = (number: number) => `/crowd/n${number}`
  await group.open(url, 100, path)
  await wait(rest)
  const before = process.rss()
  const fresh = count - group.size
  await group.open(url, fresh, path)
  await wait(rest)
  return ((process.rss() - before) * 1024) / fresh
}

const p99Of = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b).at(-1 - Math.floor(values.length / 100)) ?? Number.NaN

/** The same of bare node:http: what an idle answer takes, kB, and how long events take to the last one, milliseconds. */
async function crowdOfBare(stage: Stage, routerUrl: string, publish: (text: string) => void) {
  const bare = await stage.peer('bare', 'push-http.ts', routerUrl, realm, topic)
  const group = new StreamGroup(publish)
  const idle = await openCrowd(group, bare)
  const last: number[] = []
  for (let event = 0; event < 2 * events; event++) {
    last.push(await group.once())
    await wait(interval)
  }
  group.close()
  await bare.process.stop()
  return { idle, last }
}

/** All on one topic. */
export const pushCrowd: Trial = {
  about: `one event at a time to ${count} streams, and requests every 2 ms beside it`,
  attempt: async (stage, rounds) => {
    if (descriptorsLeft() < count) throw new Error(`a process may open too few files (ulimit -n)`)
    const router = await startRouter(stage)
    const link = await openLink(router.url, realm)
    stage.closing(() => link.close())
    const paths = { '/crowd/:name': streamOf(topic), '/about': staticPath(small) }
    const settings = { ...streamSettings, 'wamp.url': router.url }
    const { process, url } = await stage.gateway('ours', paths, settings)
    const publish = publisherOf(link, topic)
    const group = new StreamGroup(publish)
    stage.closing(() => group.close())
    const figures = new Figures()
    const ofBare = await crowdOfBare(stage, router.url, publish)
    figures.add('RSS of an idle answer of bare node:http', 'kB', ofBare.idle)
    figures.add('RSS of an idle stream', 'kB', await openCrowd(group, { process, url }))
    const last: number[] = []
    for (let round = 0; round < rounds; round++) {
      const meanwhile = probeApart(`${url}/about`, JSON.stringify(small))
      for (let event = 0; event < events; event++) {
        const cpuBefore = process.cpu()
        last.push(await group.once())
        figures.add('CPU time of an event', 'ms', (process.cpu() - cpuBefore) / 1000)
        await wait(interval)
      }
      const noticed = await meanwhile()
      figures.add('p99 of other requests meanwhile', 'ms', noticed.p99)
      figures.add('errors', '', noticed.errors + group.errors)
    }
    for (const ms of last) figures.add('until the last stream has the event', 'ms', ms)
    figures.add('p99 of that', 'ms', p99Of(last))
    for (const ms of ofBare.last) figures.add('the same of bare node:http', 'ms', ms)
    figures.add('p99 of that of bare node:http', 'ms', p99Of(ofBare.last))
    return figures.all()
  },
}
