/** What JSON Schemas take of memory: gateways at rest that have loaded and used 10,000 paths with schemas, beside ones without. */
import { setTimeout as wait } from 'node:timers/promises'
import { Figures } from '#bench/figures.ts'
import { documentOf, post } from '#bench/gateway.ts'
import type { Stage, Trial } from '#bench/stage.ts'

const documents = 5
const pathsOfDocument = 2_000
const names = 100

/** Milliseconds without work, after which garbage has been collected and pages have been given back. */
const rest = 20_000

/** Starts, loads and asks take longer than any round, so there are few. */
const mostRounds = 3

const schemaOf = (number: number) => ({
  type: 'object',
  required: ['customer', `n${number}`],
  properties: {
    customer: { type: 'string', minLength: 1 },
    [`n${number}`]: { type: 'integer', minimum: 1, maximum: number + 10 },
    tags: { type: 'array', items: { enum: ['a', 'b'] } },
  },
})

/** The kinds of documents, by what an operation has of schemas, and what its document has. */
const kinds = {
  none: { of: () => undefined, named: undefined },
  distinct: { of: (number: number) => ({ body: schemaOf(number) }), named: undefined },
  named: {
    of: (number: number) => ({ body: { $ref: `#/schemas/s${number % names}` } }),
    named: Object.fromEntries(
      Array.from({ length: names }, (_, number) => [`s${number}`, schemaOf(number)]),
    ),
  },
} as const

type Kind = (typeof kinds)[keyof typeof kinds]

const documentWith = ({ of, named }: Kind, document: number) => ({
  ...documentOf(
    `com.example.large-${document}`,
    Object.fromEntries(
      Array.from({ length: pathsOfDocument }, (_, path) => {
        const request = of(document * pathsOfDocument + path)
        const action = { type: 'static', body: '{{request.body.customer}}' }
        const post = { ...(request && { request }), action, response: { on_result: {} } }
        return [`/d${document}/p${path}`, { post }]
      }),
    ),
  ),
  ...(named && { schemas: named }),
})

/** The memory of a new gateway at rest, once every path was asked; MB. */
async function restingRss(stage: Stage, kind: Kind): Promise<number> {
  const { process, url, admin } = await stage.gateway('ours', {})
  for (let document = 0; document < documents; document++) {
    await post(`${admin}/api_specs`, documentWith(kind, document))
  }
  for (let number = 0; number < documents * pathsOfDocument; number++) {
    const path = `/d${Math.floor(number / pathsOfDocument)}/p${number % pathsOfDocument}`
    const asked = kind.named === undefined ? number : number % names
    await post(url + path, { customer: 'x', [`n${asked}`]: 3 })
  }
  await wait(rest)
  const rss = process.rss()
  await process.stop()
  return rss
}

/** Each kind in turn, so that all meet the same neighbours. */
export const schemasMemory: Trial = {
  about: `10,000 paths with a schema each, or with ${names} named ones, beside paths without: loaded, every one asked, ${rest / 1000} s of rest`,
  attempt: async (stage, rounds) => {
    const figures = new Figures()
    for (let round = 0; round < Math.min(rounds, mostRounds); round++) {
      const base = await restingRss(stage, kinds.none)
      figures.add('RSS without schemas', 'MB', base)
      const distinct = (await restingRss(stage, kinds.distinct)) - base
      figures.add('RSS with 10,000 distinct schemas, more than without', 'MB', distinct)
      const named = (await restingRss(stage, kinds.named)) - base
      figures.add('RSS with 100 named schemas, more than without', 'MB', named)
    }
    return figures.all()
  },
}
