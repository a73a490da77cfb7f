/** Tells which paths a document adds to those that it declares (tokens, logins, docs, tools), and the redirect URIs to register at providers. */
import { concretePath } from '#component/routes/concrete-path.ts'
import type { RouteEntry } from '#component/routes/routing-table.ts'
import { parseHostPattern } from '#component/syntax/host-pattern.ts'
import type { JsonMap } from '#component/syntax/values.ts'
import type { EndpointKind, Route } from './api.ts'

/** The redirect URI of the logins at one provider. */
interface RedirectUri {
  readonly provider: string
  readonly uri: string
  /** Whether neither the provider's settings nor `gateway.public_base_url` fix it, so that it follows the address that the gateway listens on. */
  readonly is_guessed: boolean
}

/** A path that a document adds. */
export interface AddedPath {
  readonly kind: EndpointKind
  /** Upper case. */
  readonly methods: readonly string[]
  /** The host pattern of the document. */
  readonly host: string
  /** The path pattern, base_path included. */
  readonly path: string
  /** Of the callback of logins. */
  readonly redirect_uris?: readonly RedirectUri[]
}

/** What redirect URIs are made of. */
export interface RedirectSettings {
  /** Without a slash at the end. */
  readonly address: string
  /** Whether the address is `gateway.public_base_url`. */
  readonly isConfigured: boolean
  /** The providers of a realm by name, each with its `redirect_uri`. @param security the object that adds the path */
  providers(realm_uri: string, security: JsonMap): Readonly<Record<string, string | undefined>>
}

/** Parts of a page, which nobody opens by their address. */
const hidden: ReadonlySet<string> = new Set(['openapi.asset'])

/** The paths in the order of the entries; none for a document that adds none. */
export const addedPaths = (
  entries: readonly RouteEntry<Route>[],
  settings: RedirectSettings,
): readonly AddedPath[] =>
  entries.flatMap((entry) => {
    const { host, pattern, realm_uri, routes } = entry
    const [endpoint] = Object.values(routes)
    if (endpoint?.kind === undefined || hidden.has(endpoint.kind)) return []
    const { kind, security } = endpoint
    const methods = Object.keys(routes)
      .filter((method) => method !== 'options')
      .map((method) => method.toUpperCase())
    const added = { kind, methods, host, path: pattern }
    if (kind !== 'oidc.callback') return [added]
    const redirect_uris = Object.entries(settings.providers(realm_uri, security)).map(
      ([provider, redirect_uri]): RedirectUri => ({
        provider,
        uri: redirect_uri ?? addressOf(host, settings) + callbackPath(pattern, provider),
        is_guessed: redirect_uri === undefined && !settings.isConfigured,
      }),
    )
    return [{ ...added, redirect_uris }]
  })

/** The path of the callback at one provider; other bindings of base_path stay as they are written. */
const callbackPath = (pattern: string, provider: string): string =>
  concretePath(pattern, { provider }) || pattern.replace(':provider', encodeURIComponent(provider))

/** The address where browsers reach the document: one host that it names is theirs. */
function addressOf(host: string, { address, isConfigured }: RedirectSettings): string {
  const url = isConfigured ? undefined : (URL.parse(address) ?? undefined)
  const parsed = parseHostPattern(host)
  if (url === undefined || 'problem' in parsed || parsed.kind === 'any') return address
  const [form = [undefined], ...others] = parsed.forms
  if (others.length > 0 || form.includes(undefined)) return address
  return `${url.protocol}//${form.join('.')}${url.port === '' ? '' : `:${url.port}`}`
}
