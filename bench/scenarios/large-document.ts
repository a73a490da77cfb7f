/** The load of a document with 10,000 paths, and what other requests notice of it. */
import { setTimeout as wait } from 'node:timers/promises'
import { documentOf, post } from '#bench/gateway.ts'
import { small } from '#bench/payloads.ts'
import { probe } from '#bench/probe.ts'
import type { Trial } from '#bench/stage.ts'
import { staticPath } from './static.ts'
import { callPaths } from './wamp.ts'

const count = 10_000

/** For comparison: what is noticed when nothing else goes on; milliseconds. */
const quiet = 1000

/** Every path calls a procedure with its binding. */
const text = (revision: number) =>
  JSON.stringify(
    documentOf(
      'com.example.large',
      Object.fromEntries(
        Array.from({ length: count }, (_, number) => [
          `/v${revision}/things-${number}/:name`,
          callPaths['/hello/:name'],
        ]),
      ),
    ),
  )

/** The first load finds everything cold; each later one replaces the one before. */
export const largeDocument: Trial = {
  about: 'POST of a document with 10,000 paths, and requests every 2 ms beside it',
  attempt: async (stage, rounds) => {
    const ours = await stage.gateway('ours', { '/about': staticPath(small) })
    const figures = {
      first: { name: 'first load', unit: 'ms', values: [] as number[] },
      later: { name: 'later loads, each in place of the last', unit: 'ms', values: [] as number[] },
      cpu: {
        name: 'CPU time of a load, and of answering meanwhile',
        unit: 'ms',
        values: [] as number[],
      },
      quiet: { name: 'p99 of other requests before', unit: 'ms', values: [] as number[] },
      p99: { name: 'p99 of other requests meanwhile', unit: 'ms', values: [] as number[] },
      max: { name: 'longest of other requests meanwhile', unit: 'ms', values: [] as number[] },
      errors: { name: 'errors of other requests', unit: '', values: [] as number[] },
      rss: { name: 'RSS afterwards', unit: 'MB', values: [] as number[] },
    }
    for (let round = 0; round < rounds + 1; round += 1) {
      const body = text(round)
      const before = probe(`${ours.url}/about`, JSON.stringify(small))
      await wait(quiet)
      figures.quiet.values.push((await before()).p99)
      const meanwhile = probe(`${ours.url}/about`, JSON.stringify(small))
      const cpuBefore = ours.process.cpu()
      const began = performance.now()
      await post(`${ours.admin}/api_specs`, body)
      const took = performance.now() - began
      figures.cpu.values.push((ours.process.cpu() - cpuBefore) / 1000)
      const { p99, max, errors } = await meanwhile()
      const load = round === 0 ? figures.first : figures.later
      load.values.push(took)
      figures.p99.values.push(p99)
      figures.max.values.push(max)
      figures.errors.values.push(errors)
      figures.rss.values.push(ours.process.rss())
    }
    return Object.values(figures)
  },
}
