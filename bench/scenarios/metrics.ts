/** A scrape of more routes than metrics.max_series, and what other requests notice of it. */
import { setTimeout as wait } from 'node:timers/promises'
import { Figures } from '#bench/figures.ts'
import { documentOf, post } from '#bench/gateway.ts'
import { small } from '#bench/payloads.ts'
import { probeApart } from '#bench/probe.ts'
import type { Trial } from '#bench/stage.ts'
import { staticPath } from './static.ts'

const documents = 15
const pathsOfDocument = 2_000
const count = documents * pathsOfDocument

/** Scrapes of a round, one after the other. */
const scrapes = 5

/** For comparison: what is noticed when nothing else goes on; milliseconds. */
const quiet = 1_000

/** Routes are asked by this many clients. */
const clients = 16

/** Documents of 30,000 paths are served at once. */
const documentWith = (document: number) =>
  documentOf(
    `com.example.measured-${document}`,
    Object.fromEntries(
      Array.from({ length: pathsOfDocument }, (_, path) => [
        `/d${document}/p${path}`,
        staticPath('ok'),
      ]),
    ),
  )

/** Asks every route once. */
async function askAll(url: string): Promise<void> {
  let next = 0
  const client = async () => {
    for (let number = next++; number < count; number = next++) {
      const path = `/d${Math.floor(number / pathsOfDocument)}/p${number % pathsOfDocument}`
      const answer = await fetch(url + path)
      await answer.arrayBuffer()
      if (!answer.ok) throw new Error(`${path}: ${answer.status}`)
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
}

/** The page of all metrics. */
async function scrape(admin: string): Promise<string> {
  const headers = { accept: 'application/openmetrics-text;version=1.0.0' }
  const answer = await fetch(`${admin}/metrics`, { headers })
  return await answer.text()
}

const numberOf = (page: string, name: string): number =>
  Number(page.match(new RegExp(`^${name} (\\S+)`, 'm'))?.[1] ?? Number.NaN)

/** Each scrape has the same series. */
export const metrics: Trial = {
  about: `scrapes of ${count} routes that were asked for, and requests every 2 ms beside them`,
  attempt: async (stage, rounds) => {
    const ours = await stage.gateway('ours', { '/about': staticPath(small) })
    const figures = new Figures()
    for (let document = 0; document < documents; document += 1) {
      await post(`${ours.admin}/api_specs`, documentWith(document))
    }
    const before = ours.process.rss()
    await askAll(ours.url)
    const asked = ours.process.rss()
    figures.add('RSS, more than before the requests', 'MB', asked - before)
    for (let round = 0; round < rounds + 1; round += 1) {
      const earlier = probeApart(`${ours.url}/about`, JSON.stringify(small))
      await wait(quiet)
      const idle = await earlier()
      const meanwhile = probeApart(`${ours.url}/about`, JSON.stringify(small))
      // until the thread of the probe has started
      await wait(quiet)
      const cpuBefore = ours.process.cpu()
      const began = performance.now()
      let page = ''
      for (let index = 0; index < scrapes; index += 1) page = await scrape(ours.admin)
      const took = (performance.now() - began) / scrapes
      const cpu = (ours.process.cpu() - cpuBefore) / 1000 / scrapes
      const { p99, max, errors } = await meanwhile()
      // the first ones find everything cold
      if (round === 0) continue
      figures.add('scrape', 'ms', took)
      figures.add('CPU time of a scrape, and of answering meanwhile', 'ms', cpu)
      figures.add('p99 of other requests before', 'ms', idle.p99)
      figures.add('p99 of other requests meanwhile', 'ms', p99)
      figures.add('longest of other requests meanwhile', 'ms', max)
      figures.add('errors of other requests', '', errors)
      figures.add('page', 'MB', page.length / 1e6)
      figures.add('series', '', numberOf(page, 'gateway_metrics_series'))
      figures.add('RSS, more than before the scrapes', 'MB', ours.process.rss() - asked)
    }
    return figures.all()
  },
}
