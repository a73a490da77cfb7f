/** `delivery_endpoint`: the endpoints that the user of a request has at a delivery of the document. */
import type { Action } from '#component/action/action.ts'
import { FieldError } from '#component/action/field-error.ts'
import { ServiceError } from '#component/errors.ts'
import type { Identity } from '#component/identity.ts'
import { type EndpointVerb, endpointVerbOf, endpointVerbs } from './kind.ts'

/** What is asked of the endpoints of a user. */
export interface EndpointRequest {
  readonly verb: EndpointVerb
  readonly realm_uri: string
  readonly api_spec: string
  readonly name: string
  readonly identity: Identity
  /** The URL or the id that the verb needs. */
  readonly given: string
}

/** The parts that keep endpoints. */
export interface EndpointPorts {
  /** @returns the members of `action.result`. Rejects with ServiceError */
  manageEndpoint(request: EndpointRequest): Promise<Readonly<Record<string, unknown>>>
}

/** Makes the action. */
export const deliveryEndpointAction = (ports: EndpointPorts): Action => ({
  async perform(fields, run) {
    const { identity, realm_uri } = run
    if (identity.authmethod === 'anonymous') {
      const message = 'an endpoint belongs to a user, and the request has none'
      throw new ServiceError('wamp.error.not_authorized', message)
    }
    const verb = endpointVerbOf(fields.do) ?? 'list'
    const needed = endpointVerbs[verb].key
    const given = needed === undefined ? '' : fields[needed]
    if (typeof given !== 'string' || (needed !== undefined && given === '')) {
      throw new FieldError([needed ?? ''], 'a text')
    }
    const named = { realm_uri, api_spec: run.target.api, name: String(fields.delivery) }
    return { result: await ports.manageEndpoint({ verb, ...named, identity, given }) }
  },
})
