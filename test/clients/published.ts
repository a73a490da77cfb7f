/** An API behind a gateway and a router of its own, with its realm and backend, for clients that read its description. */
import { componentSession } from '#component/wamp/autobahn-session.ts'
import type { InvocationHandler } from '#component/wamp/session.ts'
import { basics } from '#test/contract/session/support.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'

/** An API to publish. */
export interface Published {
  readonly document: unknown
  readonly realm_uri: string
  readonly users: readonly object[]
  readonly procedures: Readonly<Record<string, InvocationHandler>>
}

/** Starts the gateway, loads realm and document, and registers the procedures. @throws Error for what is refused */
export async function publish(api: Published): Promise<TestGateway> {
  const { document, realm_uri, users, procedures } = api
  const gateway = await startGateway({}, { isEmbedded: true })
  const realm = {
    ...{ uri: realm_uri, authmethods: ['anonymous', 'password'], security_enabled: false },
    users,
  }
  const answer = await fetch(`${gateway.adminUrl}/realms`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(realm),
  })
  if (!answer.ok) throw new Error(await answer.text())
  const backend = componentSession({ ...basics, url: gateway.routerUrl, realm_uri })
  if (!(await backend.joined(10_000))) throw new Error('the backend cannot join')
  for (const [uri, serve] of Object.entries(procedures)) await backend.register(uri, serve)
  const { status, body } = await gateway.load(document)
  if (status >= 300) throw new Error(JSON.stringify(body))
  return {
    ...gateway,
    async stop() {
      await backend.leave()
      await gateway.stop()
    },
  }
}
