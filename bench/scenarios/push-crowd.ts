/** One event to very many streams: when the last one has it, what other requests notice, and what an idle stream takes. */
import { setTimeout as wait } from 'node:timers/promises'
import { realm } from '#bench/gateway.ts'
import { descriptorsLeft } from '#bench/idle.ts'
import { small } from '#bench/payloads.ts'
import { openLink } from '#bench/peers/wamp-link.ts'
import { probeApart } from '#bench/probe.ts'
import type { Figure, Trial } from '#bench/stage.ts'
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
    const group = new StreamGroup(publisherOf(link, topic))
    stage.closing(() => group.close())
    const figure = (name: string, unit: string) => ({ name, unit, values: [] as number[] })
    const last = figure('until the last stream has the event', 'ms')
    const cpu = figure('CPU time of an event', 'ms')
    const p99 = figure('p99 of other requests meanwhile', 'ms')
    const memory = figure('RSS of an idle stream', 'kB')
    const errors = figure('errors', '')
    const path = (number: number) => `/crowd/n${number}`
    await group.open(url, 100, path)
    await wait(rest)
    const before = process.rss()
    await group.open(url, count - group.size, path)
    await wait(rest)
    memory.values.push(((process.rss() - before) * 1024) / count)
    for (let round = 0; round < rounds; round++) {
      const meanwhile = probeApart(`${url}/about`, JSON.stringify(small))
      for (let event = 0; event < events; event++) {
        const cpuBefore = process.cpu()
        last.values.push(await group.once())
        cpu.values.push((process.cpu() - cpuBefore) / 1000)
        await wait(interval)
      }
      const noticed = await meanwhile()
      p99.values.push(noticed.p99)
      errors.values.push(noticed.errors + group.errors)
    }
    const slowest = figure('p99 of that', 'ms')
    slowest.values.push(
      last.values.toSorted((a, b) => a - b).at(-1 - Math.floor(last.values.length / 100)) ??
        Number.NaN,
    )
    return [last, slowest, cpu, p99, memory, errors] satisfies readonly Figure[]
  },
}
