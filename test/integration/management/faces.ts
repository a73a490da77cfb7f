/** The four ways to load an API Specification, and what each of them says of it. */
import { send } from '#test/support/http-request.ts'
import { CallFailure, plainClients } from '#test/support/peers/wamp-clients.ts'

/** The body of a refusal, over HTTP or as kwargs of the ERROR. */
interface Refusal {
  readonly code: string
  readonly message: string
  readonly description: string
  readonly details?: readonly { readonly path: string; readonly message: string }[]
}

/** The result of a load. */
interface LoadResult {
  readonly id: string
  readonly ts: number
  readonly warnings: readonly { readonly path: string; readonly message: string }[]
}

/** What a load came to, whichever way it was asked for. */
export type Loading =
  | {
      readonly isLoaded: true
      readonly result: LoadResult
      readonly status: number | undefined
      readonly location: string | undefined
    }
  | {
      readonly isLoaded: false
      readonly error: string
      readonly refusal: Refusal
      readonly status: number | undefined
    }

/** Where a gateway is. */
interface Addresses {
  readonly adminUrl: string
  readonly routerUrl: string
}

/** Loads a document. */
export type LoadFace = (at: Addresses, document: unknown) => Promise<Loading>

const overHttp =
  (path: string): LoadFace =>
  async ({ adminUrl }, document) => {
    const answer = await send(adminUrl, path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(document),
    })
    const { status } = answer
    if (status < 300) {
      const { location } = answer.headers
      return { isLoaded: true, result: answer.json() as LoadResult, status, location }
    }
    const refusal = answer.json() as Refusal
    return { isLoaded: false, error: refusal.code, refusal, status }
  }

const overWamp =
  (client: 'autobahn' | 'wampy', isByName: boolean): LoadFace =>
  async ({ routerUrl }, document) => {
    const session = await plainClients[client](routerUrl, 'service.gateway')
    try {
      const [args, kwargs] = isByName ? [[], { api_spec: document }] : [[document], {}]
      const { args: results } = await session.call('service.load_api_spec', args, kwargs)
      const [result] = results as [LoadResult]
      return { isLoaded: true, result, status: undefined, location: undefined }
    } catch (failure) {
      if (!(failure instanceof CallFailure)) throw failure
      const { error, kwargs } = failure
      return { isLoaded: false, error, refusal: kwargs as unknown as Refusal, status: undefined }
    } finally {
      await session.close()
    }
  }

/** Every face by its name. */
export const loadFaces: Readonly<Record<string, LoadFace>> = {
  'POST /api_specs': overHttp('/api_specs'),
  'POST /services/load_api_spec': overHttp('/services/load_api_spec'),
  'wampy, by args': overWamp('wampy', false),
  'wampy, by kwargs': overWamp('wampy', true),
  'autobahn, by args': overWamp('autobahn', false),
  'autobahn, by kwargs': overWamp('autobahn', true),
}

/** A document that serves `body` at `/<name>/body`. */
export const staticDocument = (name: string, body: unknown) => ({
  id: `com.example.${name}`,
  name,
  host: '_',
  realm_uri: 'com.example.test',
  meta: { owner: 'tests' },
  versions: {
    one: {
      base_path: `/${name}`,
      paths: { '/body': { get: { action: { type: 'static', body }, response: {} } } },
    },
  },
})
