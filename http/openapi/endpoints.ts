/** The endpoints that `openapi` of a version generates: its description, the docs page, and the files of that page. */
import { ServiceError } from '#component/errors.ts'
import type { Endpoint, OpenApiKind } from '#component/gateway/api.ts'
import { BodyCodings } from '#component/gateway/encodings.ts'
import type { Exchange, ReplyBody } from '#component/gateway/exchange.ts'
import type { EndpointHandler } from '#component/gateway/parts.ts'
import { titleOf } from '#component/openapi/document.ts'
import { type DescriptionType, descriptionTypes } from '#component/openapi/text.ts'
import type { DescriptionTexts } from '#component/openapi/texts.ts'
import { tagged, tagOf } from '#http/management/conditional.ts'
import { docsPage, initScript } from './docs-page.ts'

/** The dependencies of the endpoints. */
export interface OpenApiPorts {
  readonly texts: Pick<DescriptionTexts, 'of'>
  /** A file of swagger-ui-dist; undefined where this is not installed. */
  readonly docsFile: (name: string) => Promise<Uint8Array | undefined>
}

/** The handlers by kind. */
export const openApiEndpoints = ({
  texts,
  docsFile,
}: OpenApiPorts): Readonly<Record<OpenApiKind, EndpointHandler>> => ({
  'openapi.document': documentEndpoint(texts),
  'openapi.docs': docsEndpoint(docsFile),
  'openapi.asset': assetEndpoint(docsFile),
})

/** What their bodies were asked for in; bodies are the same for every request until they are forgotten. */
const codingsOf = new WeakMap<Uint8Array, BodyCodings>()

function kept(bytes: Uint8Array): ReplyBody {
  const codings = codingsOf.get(bytes) ?? new BodyCodings()
  codingsOf.set(bytes, codings)
  return { kind: 'bytes', bytes, codings }
}

const documentEndpoint =
  (texts: OpenApiPorts['texts']): EndpointHandler =>
  async (exchange, endpoint) => {
    const type = typeOf(exchange, endpoint)
    const { bytes, etag } = await texts.of(endpoint.described, type)
    return tagged(exchange, etag, {
      status: 200,
      headers: { 'content-type': type, vary: 'Accept' },
      body: kept(bytes),
    })
  }

/** By the extension, else by Accept. */
function typeOf(exchange: Exchange, { path, base, security }: Endpoint): DescriptionType {
  const extension = path.pattern.slice(base.length + String(security.path).length)
  if (extension === '.json') return 'application/json'
  if (extension === '.yaml') return 'application/yaml'
  const type = exchange.negotiate(descriptionTypes)
  const found = descriptionTypes.find((known) => known === type)
  if (found !== undefined) return found
  throw new ServiceError(
    'service.error.not_acceptable',
    `expected an Accept header that allows ${descriptionTypes.join(' or ')}`,
  )
}

const notInstalled = (): ServiceError =>
  new ServiceError(
    'service.error.not_implemented',
    'the docs page needs the package swagger-ui-dist, which is not installed',
  )

const bundle = 'swagger-ui-bundle.js'

const docsEndpoint =
  (docsFile: OpenApiPorts['docsFile']): EndpointHandler =>
  async (exchange, { described, security }) => {
    if ((await docsFile(bundle)) === undefined) throw notInstalled()
    return docsPage({
      title: titleOf(described),
      docs: String(security.docs_path),
      document: String(security.path),
      isBelow: exchange.path.endsWith('/'),
    })
  }

const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
}

function assetEndpoint(docsFile: OpenApiPorts['docsFile']): EndpointHandler {
  const tags = new WeakMap<Uint8Array, string>()
  const init = Buffer.from(initScript)
  const knownTag = (bytes: Uint8Array): string => {
    const tag = tags.get(bytes) ?? tagOf(bytes)
    tags.set(bytes, tag)
    return tag
  }
  return async (exchange, { path }) => {
    const name = path.pattern.slice(path.pattern.lastIndexOf('/') + 1)
    const bytes = name === 'init.js' ? init : await docsFile(name)
    if (bytes === undefined) throw notInstalled()
    const type = types[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream'
    return tagged(exchange, knownTag(bytes), {
      status: 200,
      headers: { 'content-type': type },
      body: kept(bytes),
    })
  }
}
