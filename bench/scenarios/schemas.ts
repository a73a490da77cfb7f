/** What JSON Schemas cost: requests that are checked beside the same ones unchecked, and the load of a large document with and without. */
import type { Ask } from '#bench/asks.ts'
import { documentOf, type Gateway, post } from '#bench/gateway.ts'
import { small } from '#bench/payloads.ts'
import type { Scenario, Stage, Trial } from '#bench/stage.ts'
import { staticPath } from './static.ts'
import { callPaths, procedure, startCallee } from './wamp.ts'

const item = {
  type: 'object',
  required: ['sku', 'count'],
  additionalProperties: false,
  properties: {
    sku: { type: 'string', pattern: '^[A-Z0-9-]{3,20}$' },
    count: { type: 'integer', minimum: 1, maximum: 1000 },
  },
}

const newOrder = {
  type: 'object',
  required: ['customer', 'items'],
  properties: {
    customer: { type: 'string', format: 'uuid' },
    items: { type: 'array', minItems: 1, maxItems: 100, items: item },
  },
}

const order = {
  customer: '6e6f6e65-0000-4000-8000-000000000000',
  items: [
    { sku: 'ABC-1', count: 2 },
    { sku: 'DEF-22', count: 10 },
  ],
}

const create = {
  action: { type: 'wamp_call', procedure, args: ['{{request.body}}'] },
  response: { on_result: { body: '{{action.result.args |> head |> head}}' }, on_error: {} },
}

const page = {
  properties: {
    limit: { type: 'integer', minimum: 1, maximum: 100 },
    is_open: { type: 'boolean' },
  },
}

const { get } = staticPath(small)

const paths = {
  '/orders': { post: create },
  '/checked-orders': { post: { ...create, request: { body: newOrder } } },
  '/pages': { get },
  '/checked-pages': { get: { ...get, request: { query_params: page } } },
}

const ordersAt = (path: string): readonly Ask[] => {
  const body = JSON.stringify(order)
  return [{ method: 'POST', path, body, expected: { body } }]
}
const pagesAt = (path: string): readonly Ask[] => [
  { path: `${path}?limit=20&is_open=true`, expected: { body: JSON.stringify(small) } },
]

/** A call and a fixed answer. */
export const schemas: Scenario = {
  about:
    'a call with the schema of its body, a fixed answer with two query parameters that are read as types',
  build: async (stage: Stage) => {
    const gateway = await stage.gateway('ours', paths)
    await startCallee(stage, gateway.routerUrl, '{args}')
    stage.compare('call, no schema', gateway, ordersAt('/orders'))
    stage.compare('call, schema of the body', gateway, ordersAt('/checked-orders'))
    const against = 'static, no schema'
    stage.compare(against, gateway, pagesAt('/pages'), { against })
    stage.compare('static, two parameters read', gateway, pagesAt('/checked-pages'), { against })
  },
}

const count = 10_000
const names = 100

/** A large document whose paths use named schemas, or none. */
const textOf = (revision: number, hasSchemas: boolean): string => {
  const call = callPaths['/hello/:name'].get
  const paths = Array.from({ length: count }, (_, number) => {
    const query_params = { $ref: `#/schemas/page-${number % names}` }
    const operation = hasSchemas ? { ...call, request: { query_params } } : call
    return [`/v${revision}/things-${number}/:name`, { get: operation }]
  })
  const schemas = Array.from({ length: names }, (_, number) => [
    `page-${number}`,
    { properties: { ...page.properties, [`at-${number}`]: newOrder } },
  ])
  return JSON.stringify({
    ...documentOf('com.example.large', Object.fromEntries(paths)),
    ...(hasSchemas && { schemas: Object.fromEntries(schemas) }),
  })
}

/** Milliseconds. */
async function load({ admin }: Gateway, text: string): Promise<number> {
  const began = performance.now()
  await post(`${admin}/api_specs`, text)
  return performance.now() - began
}

/** Two gateways in turn, so that both meet the same neighbours. */
export const largeSchemas: Trial = {
  about: `POST of a document with 10,000 paths that use ${names} named schemas, beside one without`,
  attempt: async (stage, rounds) => {
    const plain = await stage.gateway('without', { '/about': staticPath(small) })
    const checked = await stage.gateway('with', { '/about': staticPath(small) })
    const time = {
      name: 'time of a load with schemas, against one without',
      unit: '×',
      values: [] as number[],
    }
    for (let round = 0; round < rounds + 1; round += 1) {
      const without = await load(plain, textOf(round, false))
      const took = await load(checked, textOf(round, true))
      // the first one finds everything cold
      if (round === 0) continue
      time.values.push(took / without)
    }
    return [time]
  },
}
