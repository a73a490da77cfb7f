/** Requests passed on to an upstream. */
import type { Ask } from '#bench/asks.ts'
import { startHaproxy, startNginxProxy, startNginxUpstream } from '#bench/native.ts'
import { large, small } from '#bench/payloads.ts'
import { absentPackage, absentProgram, isInstalled } from '#bench/processes.ts'
import type { Scenario, Stage } from '#bench/stage.ts'

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
  const [undici, ours] = await Promise.all([
    stage.peer('bare', 'forward-undici.ts', url),
    stage.gateway('ours', paths),
  ])
  const formers = await stage.formers(paths)
  stage.compare('bare node:http + undici', undici, asks)
  stage.compare('ours', ours, asks)
  for (const { name, gateway } of formers) stage.compare(name, gateway, asks)
  for (const [name, file] of [
    ['@fastify/http-proxy', 'forward-fastify.ts'],
    ['http-proxy-3', 'forward-http-proxy-3.ts'],
  ] as const) {
    await stage.comparePeer(name, absentPackage(name), () => stage.peer(name, file, url), asks)
  }
  for (const [name, program, start] of [
    ['nginx, one worker', 'nginx', startNginxProxy],
    ['HAProxy, one thread', 'haproxy', startHaproxy],
  ] as const) {
    await stage.comparePeer(name, absentProgram(program), () => start(stage, url), asks)
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
