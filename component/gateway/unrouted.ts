/** The stages that answer where no operation of a document does: a generated endpoint, or OPTIONS that is not declared. */
import type { Endpoint } from './api.ts'
import { isWithinCors } from './cors.ts'
import { applyLayers } from './header-layers.ts'
import { stage } from './stage.ts'
import type { RequestState } from './state.ts'

/** Answers OPTIONS where the document declares none (Fetch standard: CORS-preflight request). */
export const preflight = stage('preflight', {
  enter({ target, cors, context }) {
    const { path } = target
    const headers = { ...cors, ...path.headers }
    applyLayers(headers, [path.layer], context)
    return { status: 204, headers, body: { kind: 'none' } }
  },
  facts: () => ({}),
})

/** Answers by a generated endpoint. */
export const endpoint = stage('endpoint', {
  async enter(state) {
    const { exchange, bindings, cors, parts } = state
    const endpoint = endpointOf(state)
    const { [endpoint.kind]: serve } = parts.endpoints
    if (serve === undefined) throw new TypeError(`${endpoint.kind} is not served`)
    const reply = await serve(exchange, endpoint, bindings)
    // the endpoints outside CORS decide on OPTIONS themselves
    const shared = isWithinCors(endpoint) ? cors : {}
    const headers = { ...shared, ...endpoint.path.headers, ...reply.headers }
    return { ...reply, headers }
  },
  facts: (state) => ({ kind: endpointOf(state).kind }),
})

/** A request with the stage {@link endpoint} has one. */
const endpointOf = ({ target }: RequestState) => target as Endpoint
