/** What it costs that a console is open and operators watch requests: a fixed answer, and a call. */
import { small } from '#bench/payloads.ts'
import type { Scenario } from '#bench/stage.ts'
import { staticPath } from './static.ts'
import { callPaths, greetingAsks, startCallee } from './wamp.ts'

/** A watch is renewed before it ends, and is over by then; milliseconds. */
const times = { renew: 500, over: 2_100 } as const

/** Opens a console and watches as it does. @returns what ends both, and tells how much of it failed */
function watch(admin: string): () => Promise<number> {
  const closing = new AbortController()
  let failures = 0
  const fail = () => {
    if (!closing.signal.aborted) failures += 1
  }
  const read = async () => {
    const { body } = await fetch(`${admin}/events`, { signal: closing.signal })
    for await (const _ of body ?? []);
  }
  const renew = async () => {
    const answer = await fetch(`${admin}/services/watch_requests`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ seconds: 1 }),
    })
    if (!answer.ok) fail()
    await answer.arrayBuffer()
  }
  void read().catch(fail)
  void renew().catch(fail)
  const timer = setInterval(() => void renew().catch(fail), times.renew)
  return async () => {
    clearInterval(timer)
    closing.abort()
    await new Promise((resolve) => setTimeout(resolve, times.over))
    return failures
  }
}

/** One gateway, in turn with a console and without. */
export const watching: Scenario = {
  about:
    'a fixed answer of 50 bytes, and a WAMP call over the embedded router, while requests are watched: 50 a second are told',
  build: async (stage) => {
    const gateway = await stage.gateway('ours', { '/about': staticPath(small), ...callPaths })
    await startCallee(stage, gateway.routerUrl, 'Hello, {}!')
    const kinds = {
      static: [{ path: '/about', expected: { body: JSON.stringify(small) } }],
      call: greetingAsks('Hello, Ada!'),
    }
    for (const [kind, asks] of Object.entries(kinds)) {
      const against = `${kind}, nobody watches`
      stage.compare(against, gateway, asks, { against })
      stage.compare(`${kind}, watched`, gateway, asks, {
        against,
        meanwhile: () => watch(gateway.admin),
      })
    }
  },
}
