/** What distributed traces cost: a fixed answer and a call, without traces and with each way of tracing. */
import type { Gateway } from '#bench/gateway.ts'
import { small } from '#bench/payloads.ts'
import type { Scenario, Stage } from '#bench/stage.ts'
import { staticPath } from './static.ts'
import { callPaths, greetingAsks, startCallee } from './wamp.ts'

type Settings = Readonly<Record<string, string>>

/** A way of tracing: its name, and its settings, given the address of a collector. */
const ways: Readonly<Record<string, (collector: string) => Settings>> = {
  off: () => ({}),
  propagate: () => ({ 'telemetry.traces': 'propagate' }),
  'spans of 1 %': (collector) => sampled(collector, 0.01),
  'spans of 5 %': (collector) => sampled(collector, 0.05),
  'spans of all': (collector) => sampled(collector, 1),
}

const sampled = (collector: string, share: number): Settings => ({
  'telemetry.traces': 'otlp',
  'telemetry.endpoint': collector,
  'telemetry.sample': String(share),
})

const fixed = [{ path: '/about', expected: { body: JSON.stringify(small) } }]
const paths = { '/about': staticPath(small), ...callPaths }

/** One gateway, which answers both. */
async function compare(stage: Stage, way: string, gateway: Gateway): Promise<void> {
  await startCallee(stage, gateway.routerUrl, 'Hello, {}!')
  stage.compare(`static, ${way}`, gateway, fixed, { against: 'static, off' })
  stage.compare(`call, ${way}`, gateway, greetingAsks('Hello, Ada!'), { against: 'call, off' })
}

/** All ways beside each other. */
export const telemetry: Scenario = {
  about: 'a fixed answer of 50 bytes, and a WAMP call over the embedded router, by way of tracing',
  build: async (stage) => {
    const { url } = await stage.peer('collector', 'otlp-sink.ts')
    for (const [way, settingsOf] of Object.entries(ways)) {
      await compare(stage, way, await stage.gateway(`ours, ${way}`, paths, settingsOf(url)))
    }
    // without traces it should cost as much as these
    for (const { version, gateway } of await stage.formers(paths)) {
      await compare(stage, version, gateway)
    }
  },
}
