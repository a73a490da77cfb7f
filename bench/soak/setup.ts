/** What the soak runs on: a gateway with an inspector, a realm with users, and an API with enough routes to count series by. */
import { type Ask, checkAnswers } from '#bench/asks.ts'
import {
  documentOf,
  type Gateway,
  gatewayCommand,
  post,
  prepareGateway,
  realm,
} from '#bench/gateway.ts'
import { small } from '#bench/payloads.ts'
import { forwardPath, startUpstream } from '#bench/scenarios/forward.ts'
import { staticPath } from '#bench/scenarios/static.ts'
import { callPaths, startCallee } from '#bench/scenarios/wamp.ts'
import type { Stage } from '#bench/stage.ts'

/** Paths that are served all the time. */
const livePaths = 60

/** Users of the realm. */
export const users = Array.from({ length: 4 }, (_, index) => ({
  username: `user-${index}`,
  password: `secret-${index}`,
}))

/** The realm; `revision` makes it another one each time. */
export const realmDocument = (revision: number) => ({
  uri: realm,
  description: `revision ${revision}`,
  authmethods: ['anonymous', 'wampcra'],
  users,
  sources: [
    { usernames: 'all', authmethod: 'wampcra', cidr: '0.0.0.0/0' },
    { usernames: ['anonymous'], authmethod: 'anonymous', cidr: '0.0.0.0/0' },
  ],
})

/** A gateway under soak. */
export interface Soaked {
  readonly gateway: Gateway
  /** Where its inspector listens (Chrome DevTools Protocol). */
  readonly inspector: string
  readonly asks: readonly Ask[]
  /** How many routes are served all the time. */
  readonly liveRoutes: number
}

/** Starts it. @param folder its data_dir @param settings as `--set` takes them */
export async function startSoaked(
  stage: Stage,
  folder: string,
  settings: Readonly<Record<string, string>>,
): Promise<Soaked> {
  const body = JSON.stringify(small)
  const upstream = await startUpstream(stage, '/quotes/1', body)
  const paths: Record<string, unknown> = {
    ...callPaths,
    '/about': staticPath(small),
    '/quotes/:id': forwardPath(upstream.url, { path: '/quotes/{{request.bindings.id}}' }),
    '/waves': {
      post: {
        action: { type: 'static', body: { received: '{{request.body.name}}' } },
        response: { on_result: { status_code: 200 }, on_error: {} },
      },
    },
    '/own/:name': { ...callPaths['/hello/:name'], security: { type: 'basic' } },
  }
  for (let index = Object.keys(paths).length; index < livePaths; index += 1) {
    paths[`/live-${index}`] = staticPath(small)
  }
  const command = gatewayCommand('soaked', { data_dir: folder, ...settings })
  const process = stage.start({
    ...command,
    args: (ownFolder) => ['--inspect=127.0.0.1:0', ...command.args(ownFolder)],
  })
  const gateway = await prepareGateway(process, paths)
  // the last one: the command says it, too, before it becomes the gateway
  const inspector = await process.says(/.*Debugger listening on (ws:\S+)/s)
  await post(`${gateway.admin}/services/load_realm`, realmDocument(0))
  await startCallee(stage, gateway.routerUrl, 'Hello, {}!')
  const live = Object.keys(paths).filter((path) => path.startsWith('/live-'))
  const asks: Ask[] = [
    { path: '/about', expected: { body } },
    { path: '/hello/Ada', expected: { body: JSON.stringify({ greeting: 'Hello, Ada!' }) } },
    { path: '/quotes/1', expected: { body } },
    {
      method: 'POST',
      path: '/waves',
      body,
      expected: { body: JSON.stringify({ received: 'bench' }) },
    },
    ...live.map((path) => ({ path, expected: { body } })),
  ]
  await checkAnswers('soaked', gateway.url, asks)
  return { gateway, inspector, asks, liveRoutes: livePaths }
}

/** A document with one path of its own. */
export const smallDocument = (id: string, path: string) =>
  documentOf(id, { [path]: staticPath(small) })
