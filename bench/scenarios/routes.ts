/** How the cost of a request grows with the number of routes. */
import type { Ask } from '#bench/asks.ts'
import { small } from '#bench/payloads.ts'
import type { Scenario, Stage } from '#bench/stage.ts'
import { staticPath } from './static.ts'

/** Requests before they repeat; a power of two. */
const asked = 512

const fixed = (number: number) => `/fixed-${number}`
const bound = (number: number) => `/bound-${number}/:id`
const missing = (number: number) => `/missing-${number}`

/** Whole numbers in an order that is always the same, and looks like none. */
function* numbers(): Generator<number> {
  for (let state = 1; ; state = (state * 48_271) % 2_147_483_647) yield state
}

/** The body of the 404; it must not depend on the path, or the bench says so. */
const notFound = async (url: string) => await (await fetch(`${url}${missing(0)}`)).text()

async function compare(stage: Stage, name: string, pairs: number): Promise<void> {
  const body = JSON.stringify(small)
  const patterns = Array.from({ length: pairs }, (_, number) => [
    fixed(number),
    bound(number),
  ]).flat()
  const paths = Object.fromEntries(patterns.map((pattern) => [pattern, staticPath(small)]))
  const gateway = await stage.gateway('ours', paths)
  const none = { status: 404, body: await notFound(gateway.url) }
  const random = numbers()
  const asks = Array.from({ length: asked }, (_, at): Ask => {
    // an eighth asks for the first, an eighth for the last
    const place = random.next().value as number
    const number = [0, pairs - 1][place % 8] ?? place % pairs
    // in turn: without a binding, missing, with one, and three eighths, a quarter, three eighths of all
    const kind = [fixed, bound, missing, fixed, bound, fixed, missing, bound][at % 8] ?? fixed
    const path = kind(number).replace(':id', 'a1')
    return { path, expected: kind === missing ? none : { body } }
  })
  stage.compare(name, gateway, asks)
}

/** One process each. */
export const routes: Scenario = {
  about:
    'the first, the last, any of the routes, and a quarter that do not exist; half of the routes have a binding',
  build: async (stage) => {
    await compare(stage, 'ours, 1 route without and 1 with a binding', 1)
    await compare(stage, 'ours, 100 routes', 50)
    await compare(stage, 'ours, 5000 routes', 2500)
  },
}
