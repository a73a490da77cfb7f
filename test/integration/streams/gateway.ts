/** A gateway with streams of events, and a publisher on its router. */
import { componentSession } from '#component/wamp/autobahn-session.ts'
import type { SupervisedSession } from '#component/wamp/supervisor.ts'
import { basics } from '#test/contract/session/support.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'

/** Both of them. */
export interface StreamingGateway {
  readonly gateway: TestGateway
  /** On the realm com.example.test. */
  readonly backend: SupervisedSession
  /** Publishes with acknowledgement; the id of the publication. */
  publish(topic: string, kwargs?: object, options?: object): Promise<number>
  stop(): Promise<void>
}

/** A document of one version at `/s` in the realm com.example.test. */
const streamDocument = (paths: object, changes: object = {}) => ({
  ...{ id: 'com.example.streams', host: '_', realm_uri: 'com.example.test', ...changes },
  versions: { one: { base_path: '/s', paths } },
})

/** A GET of a stream. */
export const subscribe = (action: object, response: object = {}) => ({
  get: {
    action: { type: 'wamp_subscribe', ...action },
    response: { on_error: {}, ...response },
  },
})

/** Starts both, with the paths of a document. @param settings as of startGateway */
export async function startStreams(
  paths: object,
  settings: Readonly<Record<string, string>> = {},
): Promise<StreamingGateway> {
  const gateway = await startGateway(settings)
  const { status, body } = await gateway.load(streamDocument(paths))
  if (status !== 201) throw new Error(`the document was not loaded: ${JSON.stringify(body)}`)
  const backend = componentSession({ ...basics, url: gateway.routerUrl })
  if (!(await backend.joined(10_000))) throw new Error('the publisher did not join')
  return {
    gateway,
    backend,
    async publish(topic, kwargs = {}, options = {}) {
      const payload = { args: [], kwargs: kwargs as Record<string, unknown> }
      const { publication_id = 0 } = await backend.publish(topic, payload, { ...options }, 5_000)
      return publication_id
    },
    async stop() {
      await backend.leave()
      await gateway.stop()
    },
  }
}
