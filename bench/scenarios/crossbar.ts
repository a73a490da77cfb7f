/** WAMP calls over Crossbar.io, which is the limit of all of them. */
import type { Ask } from '#bench/asks.ts'
import { crossbarMissing, startCrossbar } from '#bench/crossbar.ts'
import { realm } from '#bench/gateway.ts'
import { defaultConnections, type Scenario } from '#bench/stage.ts'
import { callPaths, greetingAsks, procedure, startCallee } from './wamp.ts'

const result = 'Hello, Ada!'

/** The bridge takes one kind of request only. */
const bridgeAsks: readonly Ask[] = [
  {
    method: 'POST',
    path: '/call',
    body: JSON.stringify({ procedure, args: ['Ada'] }),
    expected: { body: JSON.stringify({ args: [result] }) },
  },
]

const names = {
  bridge: 'Crossbar.io’s caller bridge',
  bare: 'bare node:http + wampy on Crossbar.io',
  ours: 'ours on Crossbar.io',
  raw: 'raw WAMP calls on Crossbar.io',
}

/** One Crossbar.io for all. */
export const crossbar: Scenario = {
  about: 'a WAMP call over Crossbar.io; for the bridge and raw calls the CPU time is Crossbar.io’s',
  build: async (stage) => {
    if (crossbarMissing) {
      const why = crossbarMissing
      stage.missing.push(...Object.values(names).map((name) => ({ name, why })))
      return
    }
    const { process, url, routerUrl } = await startCrossbar(stage)
    await startCallee(stage, routerUrl, 'Hello, {}!')
    const bare = await stage.peer('bare', 'wamp-http.ts', routerUrl, realm, procedure)
    const ours = await stage.gateway('ours', callPaths, { 'wamp.url': routerUrl })
    stage.compare(names.bridge, { process, url }, bridgeAsks)
    stage.compare(names.bare, bare, greetingAsks(result))
    stage.compare(names.ours, ours, greetingAsks(result))
    const load = { routerUrl, realm, procedure, inFlight: defaultConnections }
    stage.candidates.push({ name: names.raw, process, load })
  },
}
