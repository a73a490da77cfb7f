/** Answers without asking anybody. */
import type { Ask } from '#bench/asks.ts'
import { large, small } from '#bench/payloads.ts'
import type { Scenario, Stage } from '#bench/stage.ts'

/** A path whose GET answers this. */
export const staticPath = (body: unknown) => ({
  get: { action: { type: 'static', body }, response: { on_result: {}, on_error: {} } },
})

/** What is asked, and the path that answers it. */
const about = (value: unknown) => ({
  asks: [{ path: '/about', expected: { body: JSON.stringify(value) } }] satisfies readonly Ask[],
  paths: { '/about': staticPath(value) },
})

async function build(stage: Stage, value: unknown): Promise<void> {
  const { asks, paths } = about(value)
  const body = JSON.stringify(value)
  const [http, koa, ours] = await Promise.all([
    stage.peer('bare', 'static-http.ts', body),
    stage.peer('koa', 'static-koa.ts', body),
    stage.gateway('ours', paths),
  ])
  const formers = await stage.formers(paths)
  stage.compare('bare node:http', http, asks)
  stage.compare('bare Koa', koa, asks)
  stage.compare('ours', ours, asks)
  for (const { name, gateway } of formers) stage.compare(name, gateway, asks)
}

/** Small JSON. */
export const staticSmall: Scenario = {
  about: 'a fixed answer of 50 bytes',
  build: async (stage) => {
    await build(stage, small)
    const { asks, paths } = about(small)
    const logging = await stage.gateway('ours, logging', paths, { 'log.access': 'true' })
    stage.compare('ours, access log', logging, asks)
  },
}

/** 10 kB JSON. */
export const staticLarge: Scenario = {
  about: 'a fixed answer of 10 kB',
  build: (stage) => build(stage, large),
}
