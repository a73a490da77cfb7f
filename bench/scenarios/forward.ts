/** Requests passed on to an upstream. */
import type { Ask } from '#bench/asks.ts'
import { startHaproxy, startNginxProxy, startNginxUpstream } from '#bench/native.ts'
import { large, small } from '#bench/payloads.ts'
import { isInstalled } from '#bench/processes.ts'
import { formerName, type Scenario, type Stage } from '#bench/stage.ts'

const target = '/quotes/1'

/** A path that forwards. @param action members that it has beside its type and host */
export const forwardPath = (host: string, action: Readonly<Record<string, unknown>>) => ({
  get: { action: { type: 'forward', host, ...action }, response: { on_result: {}, on_error: {} } },
})

/** The fastest upstream that is installed, so that it is not the limit. */
export const startUpstream = (stage: Stage, path: string, body: string) =>
  isInstalled('nginx')
    ? startNginxUpstream(stage, path, body)
    : stage.peer('upstream', 'upstream.ts', path, body)

async function build(stage: Stage, value: unknown) {
  const body = JSON.stringify(value)
  const asks: readonly Ask[] = [{ path: target, expected: { body } }]
  const { url } = await startUpstream(stage, target, body)
  const paths = {
    '/quotes/:id': forwardPath(url, { path: '/quotes/{{request.bindings.id}}' }),
  }
  const [undici, ours, fastify, httpProxy3] = await Promise.all([
    stage.peer('bare', 'forward-undici.ts', url),
    stage.gateway('ours', paths),
    stage.peer('fastify', 'forward-fastify.ts', url),
    stage.peer('http-proxy-3', 'forward-http-proxy-3.ts', url),
  ])
  const former = await stage.former(paths)
  stage.compare('bare node:http + undici', undici, asks)
  stage.compare('ours', ours, asks)
  if (former) stage.compare(formerName, former, asks)
  stage.compare('@fastify/http-proxy', fastify, asks)
  stage.compare('http-proxy-3', httpProxy3, asks)
  for (const [name, program, start] of [
    ['nginx, one worker', 'nginx', startNginxProxy],
    ['HAProxy, one thread', 'haproxy', startHaproxy],
  ] as const) {
    if (isInstalled(program)) stage.compare(name, await start(stage, url), asks)
    else stage.missing.push({ name, why: `not installed: apt-get install ${program}` })
  }
  return { asks, paths }
}

/** Small JSON, also with an access log. */
export const forwardSmall: Scenario = {
  about: 'forwarded to an upstream that answers 50 bytes',
  build: async (stage) => {
    const { asks, paths } = await build(stage, small)
    const logging = await stage.gateway('ours, logging', paths, { 'log.access': 'true' })
    stage.compare('ours, access log', logging, asks)
  },
}

/** 10 kB JSON. */
export const forwardLarge: Scenario = {
  about: 'forwarded to an upstream that answers 10 kB',
  build: async (stage) => void (await build(stage, large)),
}
