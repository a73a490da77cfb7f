/** A gateway of our own in this process, on free ports, with the router that the run is for. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Clock, systemClock } from '#component/clock.ts'
import { type Component, startComponent } from '#component/component.ts'
import { readConfig } from '#component/config/config.ts'
import { openLog } from '#component/log.ts'
import { testRealms } from '#test/support/examples/realms.ts'
import { withTestSettings } from './test-settings.ts'

/** A gateway under test. */
export interface TestGateway {
  readonly component: Component
  /** Base address of the gateway listener, without a slash at the end. */
  readonly url: string
  /** Base address of the admin listener. */
  readonly adminUrl: string
  /** Where WAMP clients of the tests connect. */
  readonly routerUrl: string
  readonly dataDir: string
  /** Loads a document over HTTP; the answer's status and body. */
  load(document: unknown): Promise<{ readonly status: number; readonly body: LoadAnswer }>
  /** Loads a document that is new or has changed. @throws with what the gateway says, where it does not take it */
  mustLoad(document: unknown): Promise<void>
  stop(): Promise<void>
}

interface LoadAnswer {
  readonly id?: string
  readonly ts?: number
  readonly code?: string
  readonly message?: string
  readonly warnings?: readonly { readonly path: string; readonly message: string }[]
  readonly details?: readonly { readonly path: string; readonly message: string }[]
}

/** How a gateway differs from the others beside its settings. */
export interface GatewaySetup {
  readonly clock?: Clock
  readonly log?: ReturnType<typeof openLog>
  /** Has it a router of its own whatever the run is for? Another one knows nothing of its users. */
  readonly isEmbedded?: boolean
}

/**
 * Starts a gateway on the router of the run: the embedded one, or the one that `WAMP_ROUTER_URL` names.
 * @param settings options by dotted key, as `--set` takes them
 */
export async function startGateway(
  settings: Readonly<Record<string, string>> = {},
  { clock = systemClock, log, isEmbedded = false }: GatewaySetup = {},
): Promise<TestGateway> {
  const dataDir = settings.data_dir ?? mkdtempSync(join(tmpdir(), 'gateway-test-'))
  const router = isEmbedded ? undefined : process.env.WAMP_ROUTER_URL
  const config = readConfig(
    undefined,
    {},
    withTestSettings({
      'gateway.listen': '127.0.0.1:0',
      'admin.listen': '127.0.0.1:0',
      'log.level': process.env.TEST_LOG_LEVEL ?? 'silent',
      ...(router === undefined ? {} : { 'wamp.url': router }),
      ...settings,
      data_dir: dataDir,
    }),
  )
  const component = await startComponent(config, log ?? openLog(config.log.level), clock)
  const adminUrl = component.adminUrls[0] ?? ''
  const post = (path: string, body: unknown) =>
    fetch(`${adminUrl}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  for (const uri of testRealms) {
    if (uri === 'service.gateway') continue
    const answer = await post('/services/load_realm', { uri, authmethods: ['anonymous'] })
    if (!answer.ok) throw new Error(`realm ${uri}: ${await answer.text()}`)
  }
  const load = async (document: unknown) => {
    const answer = await post('/api_specs', document)
    return { status: answer.status, body: (await answer.json()) as LoadAnswer }
  }
  return {
    component,
    url: component.gatewayUrls[0] ?? '',
    adminUrl,
    routerUrl: component.routerUrl,
    dataDir,
    load,
    async mustLoad(document) {
      const { status, body } = await load(document)
      if (status >= 300) throw new Error(`the document: ${status} ${JSON.stringify(body)}`)
    },
    async stop() {
      await component.stop(0)
      if (settings.data_dir === undefined) rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
