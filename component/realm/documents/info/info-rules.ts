/** The keys of `info` in a realm document that the gateway reads: identity providers, issuers of access tokens, senders and signers of webhooks, and upstreams. */
import { pointer } from '#component/codec/json.ts'
import { type Rule, rule } from '#component/spec/rules.ts'
import { isMap } from '#component/syntax/values.ts'
import { issuers } from './issuer-rules.ts'
import { provider } from './provider-rules.ts'
import { signer } from './signer-rules.ts'
import { upstreams } from './upstream-rules.ts'
import { sender } from './webhook-rules.ts'

/** Validates `info`, which may hold anything else. Wrong values of a provider are warned of, and reported by a login; those of an issuer, a sender, a signer and an upstream by the load. */
export const info: Rule = rule(
  {
    type: 'object',
    properties: {
      oidc_providers: {
        type: 'object',
        description: 'Providers by the names that paths and login addresses give them.',
        additionalProperties: provider.schema,
      },
      jwt_issuers: {
        ...issuers.schema,
        description: 'Issuers by the names that paths give them.',
      },
      webhook_senders: {
        type: 'object',
        description: 'Senders by the names that paths give them.',
        additionalProperties: sender.schema,
      },
      webhook_signers: {
        type: 'object',
        description: 'Signers by the names that deliveries give them.',
        additionalProperties: signer.schema,
      },
      upstreams: {
        ...upstreams.schema,
        description: 'Upstreams by the names that forwards give them.',
      },
    },
  },
  (value, path, report) => {
    if (!isMap(value)) return report.expected(path, 'a map', value)
    const { jwt_issuers, oidc_providers, upstreams: ofForwards } = value
    if (jwt_issuers !== undefined) issuers(jwt_issuers, pointer(path, 'jwt_issuers'), report)
    if (ofForwards !== undefined) upstreams(ofForwards, pointer(path, 'upstreams'), report)
    if (isMap(oidc_providers)) {
      for (const [name, entry] of Object.entries(oidc_providers)) {
        provider(entry, pointer(path, 'oidc_providers', name), report)
      }
    }
    if (!isMap(oidc_providers) && (oidc_providers ?? undefined) !== undefined) {
      report.warn(pointer(path, 'oidc_providers'), 'expected a map of providers: no login succeeds')
    }
    for (const [key, known, what] of [
      ['webhook_senders', sender, 'senders'],
      ['webhook_signers', signer, 'signers'],
    ] as const) {
      const entries = value[key]
      const at = pointer(path, key)
      if (isMap(entries)) {
        for (const [name, entry] of Object.entries(entries)) known(entry, pointer(at, name), report)
      } else if (entries !== undefined) report.expected(at, `a map of names to ${what}`, entries)
    }
  },
)
