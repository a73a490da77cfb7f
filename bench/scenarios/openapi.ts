/** The OpenAPI description of a document with 10,000 paths: made once beside other requests, then sent like a fixed answer of its size. */
import { documentOf, type Gateway, post } from '#bench/gateway.ts'
import { small } from '#bench/payloads.ts'
import { probe } from '#bench/probe.ts'
import type { Trial } from '#bench/stage.ts'
import { staticPath } from './static.ts'
import { callPaths } from './wamp.ts'

const count = 10_000

/** A description of this size is compared with a fixed answer: a document, and so a fixed answer, is at most 4 MiB. */
const comparedPaths = 1_500
const comparedAsks = 40

const publishedDocument = (revision: number, paths: number, more: object = {}) => {
  const all = Array.from({ length: paths }, (_, number) => [
    `/v${revision}/things-${number}/:name`,
    callPaths['/hello/:name'],
  ])
  const document = documentOf('com.example.large', { ...Object.fromEntries(all), ...more })
  const [version] = Object.values(document.versions)
  return { ...document, versions: { '1.0.0': { ...version, openapi: { path: '/openapi' } } } }
}

/** Milliseconds, and characters of the answer. */
async function ask(url: string): Promise<readonly [took: number, size: number]> {
  const began = performance.now()
  const answer = await fetch(url)
  const { byteLength } = await answer.arrayBuffer()
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`)
  return [performance.now() - began, byteLength]
}

/** Of the gateway, for some answers. */
async function cpuOf({ process, url }: Gateway, path: string): Promise<number> {
  const before = process.cpu()
  for (let asked = 0; asked < comparedAsks; asked += 1) await ask(url + path)
  return process.cpu() - before
}

/** Each round describes a document that is new to the gateway. */
export const openapi: Trial = {
  about: 'GET of the OpenAPI description of 10,000 paths, and requests every 2 ms beside it',
  attempt: async (stage, rounds) => {
    const ours = await stage.gateway('ours', { '/about': staticPath(small) })
    const figures = {
      first: { name: 'first answer', unit: 'ms', values: [] as number[] },
      p99: { name: 'p99 of other requests meanwhile', unit: 'ms', values: [] as number[] },
      ratio: {
        name: 'CPU time of the description, against a fixed answer of its size',
        unit: '×',
        values: [] as number[],
      },
    }
    for (let round = 0; round < rounds + 1; round += 1) {
      await post(`${ours.admin}/api_specs`, publishedDocument(round, count))
      const meanwhile = probe(`${ours.url}/about`, JSON.stringify(small))
      const [took] = await ask(`${ours.url}/openapi.json`)
      const { p99 } = await meanwhile()
      // the first one finds everything cold
      if (round > 0) figures.first.values.push(took)
      if (round > 0) figures.p99.values.push(p99)
    }
    await post(`${ours.admin}/api_specs`, publishedDocument(0, comparedPaths))
    const [, size] = await ask(`${ours.url}/openapi.json`)
    const fixed = { '/fixed': staticPath('x'.repeat(size - '""'.length)) }
    await post(`${ours.admin}/api_specs`, publishedDocument(0, comparedPaths, fixed))
    for (let round = 0; round < rounds; round += 1) {
      const described = await cpuOf(ours, '/openapi.json')
      figures.ratio.values.push(described / (await cpuOf(ours, '/fixed')))
    }
    return Object.values(figures)
  },
}
