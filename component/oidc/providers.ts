/** The identity providers of all realms, each discovered and with its secrets opened. */
import { type ClientKey, readClientKey } from '#component/oidc/client/client-key.ts'
import { Discovery, type DiscoveryPorts, why } from '#component/oidc/client/discovery.ts'
import { siteOf } from '#component/oidc/client/site.ts'
import { OidcError } from '#component/oidc-error.ts'
import type { Realms } from '#component/realm/realms.ts'
import { Provider } from './provider.ts'
import { type ProviderSettings, settingsOf } from './settings.ts'

/** The dependencies of providers. */
export interface ProviderPorts extends DiscoveryPorts {
  readonly realms: Pick<Realms, 'realm' | 'openSecret' | 'secretOrigins'>
}

/** The providers of all realms. */
export class Providers {
  readonly #ports: ProviderPorts
  readonly #discovery: Discovery

  constructor(ports: ProviderPorts) {
    this.#ports = ports
    this.#discovery = new Discovery(ports)
  }

  /** @throws OidcError unknown_provider, provider_unavailable */
  async get(realm_uri: string, name: string): Promise<Provider> {
    const { realms, fetch, clock } = this.#ports
    const settings = settingsOf(realms, realm_uri, name)
    const origins = realms.secretOrigins(realm_uri, 'oidc_providers', name)
    const secret = await this.#open(realm_uri, settings, 'client_secret')
    const key = await this.#key(realm_uri, settings)
    const site = await siteOf(settings)
    const discovered = await this.#discovery.get(site)
    const secrets = { secret, key }
    return new Provider({ settings, origins, site, secrets, discovered, fetch, clock })
  }

  /**
   * The JWK Set by which a provider verifies what the gateway signs as its client (RFC 7517 §5); empty without a private key.
   * @throws OidcError unknown_provider, provider_unavailable
   */
  async publicKeys(realm_uri: string, name: string): Promise<{ readonly keys: readonly object[] }> {
    const key = await this.#key(realm_uri, settingsOf(this.#ports.realms, realm_uri, name))
    return { keys: key ? [key.public_jwk] : [] }
  }

  async #key(realm_uri: string, settings: ProviderSettings): Promise<ClientKey | undefined> {
    const pem = await this.#open(realm_uri, settings, 'private_key')
    return pem === undefined
      ? undefined
      : readClientKey(pem).catch((cause: unknown) => {
          const place = `info.oidc_providers.${settings.name}.private_key`
          throw new OidcError('provider_unavailable', `${place}: ${why(cause)}`)
        })
  }

  /** A secret of the settings; undefined where they have none. */
  async #open(
    realm_uri: string,
    settings: ProviderSettings,
    key: 'client_secret' | 'private_key',
  ): Promise<string | undefined> {
    if (settings[key] === undefined) return undefined
    const problem = (cause?: unknown) => {
      const message = `info.oidc_providers.${settings.name}.${key} cannot be read`
      return new OidcError('provider_unavailable', message, { cause })
    }
    const { realms } = this.#ports
    try {
      const to = realms.secretOrigins(realm_uri, 'oidc_providers', settings.name)
      const secret = await realms.openSecret(realm_uri, settings[key], to)
      if (!secret) throw problem()
      return secret
    } catch (cause) {
      throw cause instanceof OidcError ? cause : problem(cause)
    }
  }
}
