/** Where a provider is reached by the gateway, which may be another address than the one that browsers know, and by whom it is trusted. */
import { readFile } from 'node:fs/promises'
import type { ProviderSettings } from '#component/oidc/settings.ts'
import { OidcError } from '#component/oidc-error.ts'

/** A provider as requests of the gateway see it. */
export interface Site
  extends Pick<ProviderSettings, 'issuer' | 'allow_unsafe_http' | 'internal_issuer_url'> {
  /** The certificates (PEM) that are trusted in place of those of the system. */
  readonly ca?: string
}

/**
 * The site of a provider; its CA file is read each time, so that a file that is replaced holds at once.
 * @throws OidcError provider_unavailable when the file cannot be read, or has no certificate
 */
export async function siteOf(settings: ProviderSettings): Promise<Site> {
  const { name, issuer, allow_unsafe_http, internal_issuer_url, ca_file } = settings
  const site = {
    ...{ issuer, allow_unsafe_http },
    ...(internal_issuer_url !== undefined && { internal_issuer_url }),
  }
  if (ca_file === undefined) return site
  const problem = (message: string, cause?: unknown) =>
    new OidcError('provider_unavailable', `info.oidc_providers.${name}.ca_file ${message}`, {
      cause,
    })
  const ca = await readFile(ca_file, 'utf8').catch((cause: unknown) => {
    throw problem('cannot be read', cause)
  })
  if (!ca.includes('-----BEGIN CERTIFICATE-----')) throw problem('has no certificate in PEM')
  return { ...site, ca }
}

const pathOf = ({ pathname }: URL): string => pathname.replace(/\/$/, '')

/**
 * The URL at which the gateway asks for one of the issuer: its path below the issuer's stays, and so does a path at the same
 * origin that is not below it. Other URLs are returned unchanged.
 */
export function reachedAt(url: string, { issuer, internal_issuer_url }: Site): string {
  const [target, known] = [new URL(url), new URL(issuer)]
  if (internal_issuer_url === undefined || target.origin !== known.origin) return url
  const internal = new URL(internal_issuer_url)
  const isBelow = `${target.pathname}/`.startsWith(`${pathOf(known)}/`)
  const path = isBelow
    ? pathOf(internal) + target.pathname.slice(pathOf(known).length)
    : target.pathname
  return internal.origin + path + target.search
}

/** Whether the realm document names the origin: then its address may be private. */
export const isNamed = (origin: string, { issuer, internal_issuer_url }: Site): boolean =>
  [issuer, internal_issuer_url].some((url) => url !== undefined && new URL(url).origin === origin)
