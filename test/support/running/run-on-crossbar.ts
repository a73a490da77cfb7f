/** `npm run test:crossbar`: the suites that take any router, once more against Crossbar.io, and the tests with Python peers and generated clients. */
import { globSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { openapiProgram, pythonProgram } from '#test/support/peers/python-environment.ts'
import { recordCosts } from './costs.ts'
import { mocha, sideBySide } from './mocha.ts'

/** A file and the files of `test/` that it imports, one after the other. */
function reach(file: string, found: Map<string, string> = new Map()): Map<string, string> {
  if (found.has(file)) return found
  const text = readFileSync(file, 'utf8')
  found.set(file, text)
  for (const [, name = ''] of text.matchAll(/from '([^']+\.ts)'/g)) {
    if (name.startsWith('#test/')) reach(join('test', name.slice('#test/'.length)), found)
    else if (name.startsWith('.')) reach(join(dirname(file), name), found)
  }
  return found
}

/** Whether each gateway and peer of a test is on a router that the test starts itself, whatever the run is for. */
function hasOwnRouters(text: string): boolean {
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0
  const starts = count(/\b(?:startGateway|startGatewayProcess|npmStart|startWorkers)\(/g)
  const own = count(/isEmbedded: true|'wamp\.url': /g)
  const opened = count(/\b(?:openEmbeddedRouter|KillableRouter\.\w+|startRouterProcess)\(/g)
  return own + opened > 0 && own >= starts && !text.includes('openRouter(')
}

/** Whether a test talks to the router of the run: as a peer that takes it, or through a gateway on it. */
function needsRouter(file: string): boolean {
  const texts = reach(file)
  if (hasOwnRouters(texts.get(file) ?? '')) return false
  if (texts.has('test/support/peers/router.ts')) return true
  const takesIt = [...texts.values()].some((text) => text.includes('process.env.WAMP_ROUTER_URL'))
  const talks = /routerUrl|WAMP_ROUTER_URL|'wamp_call'|'wamp_publish'/
  return takesIt && talks.test(texts.get(file) ?? '')
}

const files = globSync(['test/{contract,integration}/**/*.test.ts']).sort().filter(needsRouter)
pythonProgram('crossbar')
openapiProgram('python')
process.exitCode = await recordCosts(() =>
  mocha(
    // they wait for routers for the most part
    [
      ...sideBySide(availableParallelism() + 2),
      '--require',
      'test/support/running/own-crossbar.ts',
    ],
    [
      // the packages of a generated client have tests of their own
      ...globSync('test/{python,clients}/**/*.test.ts', { exclude: ['**/node_modules/**'] }),
      ...files,
    ],
  ),
)
