/** What requests notice of documents that are loaded meanwhile. */
import type { Ask } from '#bench/asks.ts'
import { documentOf, post } from '#bench/gateway.ts'
import { small } from '#bench/payloads.ts'
import type { Scenario } from '#bench/stage.ts'
import { staticPath } from './static.ts'

/** Between two loads, milliseconds. */
const interval = 100

/** An API of so many paths, one of which differs each time. */
export const pathsOf = (count: number, revision: number) => ({
  '/about': staticPath(small),
  '/revision': staticPath({ revision }),
  ...Object.fromEntries(
    Array.from({ length: count - 2 }, (_, number) => [`/other-${number}/:id`, staticPath(small)]),
  ),
})

/** Loads the API that is being asked again and again; at the end, how many loads failed or came too late. */
function reload(admin: string, count: number): () => Promise<number> {
  let planned = 0
  let done = 0
  let running: Promise<void> = Promise.resolve()
  const timer = setInterval(() => {
    planned += 1
    const document = documentOf('com.example.bench', pathsOf(count, planned))
    running = running
      .then(() => post(`${admin}/api_specs`, document))
      .then(() => {
        done += 1
      })
      .catch((cause: unknown) => void process.stderr.write(`${String(cause)}\n`))
  }, interval)
  return async () => {
    clearInterval(timer)
    // one may be under way
    const late = planned - done - 1
    await running
    return Math.max(late, planned - done)
  }
}

/** 10 a second. */
export const reloads: Scenario = {
  about: 'a fixed answer while its own API is loaded 10 times a second, each time changed',
  build: async (stage) => {
    const asks: readonly Ask[] = [{ path: '/about', expected: { body: JSON.stringify(small) } }]
    for (const count of [10, 100]) {
      const gateway = await stage.gateway('ours', pathsOf(count, 0))
      const against = `ours, ${count} paths`
      stage.compare(against, gateway, asks, { against })
      stage.compare(`ours, ${count} paths, 10 loads a second`, gateway, asks, {
        against,
        meanwhile: () => reload(gateway.admin, count),
      })
    }
  },
}
