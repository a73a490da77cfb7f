/** What the example uses of oidc-provider, which brings no types. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  interface Grant {
    addOIDCScope(scope: string): void
    save(): Promise<string>
  }

  interface Context {
    body: unknown
    readonly oidc: {
      readonly client: { readonly clientId: string }
      readonly params: { readonly scope: string }
      readonly session: { readonly accountId: string }
      readonly provider: {
        readonly Grant: new (of: { clientId: string; accountId: string }) => Grant
      }
    }
  }

  interface Configuration {
    readonly clients: readonly Readonly<Record<string, unknown>>[]
    readonly claims: Readonly<Record<string, readonly string[]>>
    readonly cookies: { readonly keys: readonly string[] }
    readonly jwks: { readonly keys: readonly object[] }
    readonly features: {
      readonly backchannelLogout?: { readonly enabled: boolean }
      readonly devInteractions: { readonly enabled: boolean }
      readonly rpInitiatedLogout: {
        readonly enabled: boolean
        /** @param form with the id `op.logoutForm` */
        logoutSource(context: Context, form: string): void
      }
    }
    fetch?(url: string, request: RequestInit & { readonly dispatcher?: unknown }): Promise<Response>
    readonly interactions: { url(context: Context, login: { readonly uid: string }): string }
    findAccount(
      context: Context,
      id: string,
    ): { readonly accountId: string; claims(): Readonly<Record<string, unknown>> } | undefined
    loadExistingGrant(context: Context): Promise<Grant>
  }

  export class Provider {
    constructor(issuer: string, configuration: Configuration)
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>
    /** Sends the browser on to where the login was asked for. @throws Error when no login is under way */
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result:
        | { readonly login: { readonly accountId: string } }
        /** A code of RFC 6749 §4.1.2.1. */
        | { readonly error: string },
    ): Promise<void>
  }
}
