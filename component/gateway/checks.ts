/** The stages between a matched route and its action that a document does not name: what is checked and chosen, and the body. */
import { ServiceError } from '#component/errors.ts'
import type { Identity } from '#component/identity.ts'
import type { Method } from '#component/request.ts'
import { admit } from '#component/security/admission.ts'
import { type Protection, schemeOf } from '#component/security/scheme.ts'
import { isInRanges } from '#component/syntax/ip-address.ts'
import { charsetOf, essenceOf, formOf, hasKnownCharset } from '#component/syntax/media-type.ts'
import type { AdmittedNetworks, CompiledOperation, InheritedValues } from './api.ts'
import { noBody } from './context.ts'
import type { Exchange } from './exchange.ts'
import { joinVary } from './header-layers.ts'
import { stage } from './stage.ts'
import type { RequestState } from './state.ts'

/** Methods whose body is checked even when no expression reads it. */
export const bodyMethods: ReadonlySet<Method> = new Set(['post', 'put', 'patch'])

/** Whether each list has the address. */
export const isAdmittedFrom = (address: string, lists: readonly AdmittedNetworks[]): boolean =>
  lists.every(({ ranges }) => isInRanges(address, ranges))

/** Whether the stages {@link scheme} and {@link network} let a request pass. */
export const isAdmitted = (
  exchange: Exchange,
  { admitsHttp, allowFrom }: InheritedValues,
): boolean =>
  (admitsHttp || exchange.scheme === 'https') &&
  (allowFrom === undefined || isAdmittedFrom(exchange.client, allowFrom))

/** 405 with `Allow`. */
export const method = stage('method', {
  enter({ target }) {
    const { allow } = target.path
    const message = 'the path does not serve this method'
    throw new ServiceError('service.error.method_not_allowed', message, { headers: { allow } })
  },
  facts: ({ exchange, target }) => ({ method: exchange.method, allow: target.path.allow }),
})

/** 403 for plain http where `schemes` does not name it; https is admitted wherever http is. */
export const scheme = stage('scheme', {
  enter({ exchange }) {
    if (exchange.scheme === 'https') return undefined
    throw new ServiceError('wamp.error.not_authorized', 'the path is served over https only')
  },
  facts: ({ exchange }) => ({ scheme: exchange.scheme }),
})

/** 403 for clients outside of `allow_from`. */
export const network = stage('network', {
  enter({ exchange, inherited }) {
    if (isAdmittedFrom(exchange.client, inherited.allowFrom ?? [])) return undefined
    const message = 'the path is not served to the network of the client'
    throw new ServiceError('wamp.error.not_authorized', message)
  },
  facts: ({ exchange, inherited }) => ({
    address: exchange.client,
    lists: inherited.allowFrom ?? [],
  }),
})

/** Keeps caches from giving the answer to nobody to a user, where a request may come without credentials. */
export const vary = stage('vary', {
  leave(state, reply) {
    const { fields = '' } = protectionOf(state).alternatives ?? {}
    const names = joinVary(String(reply.headers.vary ?? ''), fields)
    return { ...reply, headers: { ...reply.headers, vary: names } }
  },
  facts: () => ({}),
})

/** 401 or 403 for clients that `security` does not let pass. */
export const security = stage('security', {
  enter(state) {
    const { exchange, parts } = state
    const protection = protectionOf(state)
    const passed = admit(parts.schemes, exchange.secured ?? exchange, protection)
    // waits only for an identity that is not known yet
    if (passed instanceof Promise) return passed.then((identity) => tell(state, identity))
    return tell(state, passed)
  },
  facts(state) {
    const { exchange, parts, identity } = state
    const protection = protectionOf(state)
    const scheme = schemeOf(parts.schemes, protection)
    const brought = scheme.told?.(exchange.secured ?? exchange, protection)
    return { protection, identity, ...(brought && { brought }) }
  },
})

/** A route with the stage {@link security} has one. */
const protectionOf = ({ inherited }: RequestState) => inherited.protection as Protection

function tell(state: RequestState, identity: Identity): undefined {
  state.exchange.trace?.tellUser?.(identity.authid)
  state.identity = identity
  state.security = state.parts.secured.of(protectionOf(state), identity)
}

/** Chooses among several languages: a request is never refused for its language, the first one is for all. */
export const language = stage('language', {
  enter(state) {
    state.language = state.exchange.negotiateLanguage(state.target.path.version.languages)
    return undefined
  },
  facts: ({ language }) => ({ language }),
})

/** Checks the arguments of a tool, for a client that has passed. 400. */
export const toolArguments = stage('arguments', {
  enter({ exchange }) {
    return exchange.checkArguments?.()
  },
  facts: ({ exchange }) => ({ tool: exchange.tool }),
})

/** The media type of a success; undefined where nothing is negotiated. 406. */
export function negotiateType(
  exchange: Exchange,
  { negotiated, streams }: Pick<CompiledOperation, 'negotiated' | 'streams'>,
): string | undefined {
  if (negotiated === undefined) return undefined
  // who has no preference gets the stream that the operation declares
  const first = streams?.kind === 'events' ? negotiated[0] : undefined
  const type = exchange.negotiate(negotiated, first)
  if (type !== undefined) return type
  throw new ServiceError(
    'service.error.not_acceptable',
    `expected an Accept header that allows ${negotiated.join(' or ')}`,
  )
}

/** Chooses the media type of a success. 406. */
export const negotiate = stage('negotiate', {
  enter(state) {
    state.type = negotiateType(state.exchange, state.route)
    return undefined
  },
  facts: ({ route, type }) => ({ provides: route.negotiated ?? [], type }),
})

/** Names of charsets (RFC 2978 §2.3). */
const charsetName = /^[\w!#$%&'+^`{}~-]{1,40}$/

/** The beginning of the message of a 415: which charset is not read; `""` where it is not the charset. */
function charsetProblem(type: string): string {
  if (hasKnownCharset(type)) return ''
  const name = charsetName.exec(charsetOf(type) ?? '')?.[0]
  const read = formOf(essenceOf(type)) === 'text' ? '' : ', only utf-8'
  return `${name === undefined ? 'the charset' : `the charset ${name}`} is not read${read}: `
}

/** 415 where `accepts` binds the request; 413 by its Content-Length where the gateway does not read, and count, the body. */
function checkContent(exchange: Exchange, operation: CompiledOperation): void {
  const { inherited, checksType, readsBody } = operation
  const { limits } = inherited
  if (checksType && !exchange.isAccepted(inherited.accepts)) {
    const wanted = `expected a body of type ${inherited.accepts.join(' or ')}`
    const message = `${charsetProblem(exchange.header('content-type') ?? '')}${wanted}`
    throw new ServiceError('service.error.unsupported_media_type', message)
  }
  if (
    operation.streamedBody &&
    (exchange.header('content-encoding') ?? 'identity') !== 'identity'
  ) {
    const message = 'a body that is streamed has no content coding'
    throw new ServiceError('service.error.unsupported_media_type', message)
  }
  if (readsBody || Number(exchange.header('content-length') ?? 0) <= limits.body_max_bytes) return
  throw new ServiceError(
    'service.error.payload_too_large',
    `expected a body of at most ${limits.body_max_bytes} bytes`,
  )
}

/** 415 for a body of a method that needs none where it is neither a value nor of a type that `accepts` names. */
function checkUnnamed(exchange: Exchange, { inherited }: CompiledOperation): void {
  const form = formOf(essenceOf(exchange.header('content-type') ?? ''))
  if (form === 'data' || form === 'form' || exchange.isAccepted(inherited.accepts)) return
  const message = 'the media type is not supported'
  throw new ServiceError('service.error.unsupported_media_type', message)
}

/** Reads the body, decoded where it is read, with its bytes where they are kept: 415, 413, 408, 400. */
export const body = stage('body', {
  enter(state) {
    const { exchange, route } = state
    if (!exchange.hasBody) return undefined
    const { limits } = route.inherited
    if (bodyMethods.has(exchange.method)) checkContent(exchange, route)
    else if (route.readsBody) checkUnnamed(exchange, route)
    const { streamedBody: terms } = route
    if (terms?.form && exchange.streamedForm) {
      const form = { ...terms, form: terms.form }
      return exchange.streamedForm(form).then(({ content, file }): undefined => {
        state.file = file
        state.read(content)
      })
    }
    if (route.readsBody && exchange.method !== 'options') {
      const reading = exchange.readBody(limits, state.onBody, route.keepsBody)
      return reading.then((content): undefined => state.read(content))
    }
    if (!route.keepsBody) return undefined
    return exchange
      .readBytes(limits)
      .then((bytes): undefined => state.read({ ...noBody, held: { bytes, isInflated: false } }))
  },
  facts({ exchange, route, content }) {
    const { method, hasBody } = exchange
    const isChecked = hasBody && route.checksType && bodyMethods.has(method)
    const accepts = isChecked ? route.inherited.accepts : undefined
    return {
      accepts,
      contentType: exchange.header('content-type'),
      isAccepted: accepts === undefined || exchange.isAccepted(accepts),
      isDecoded: hasBody && route.readsBody && method !== 'options',
      bytes: content.body_length,
    }
  },
})
