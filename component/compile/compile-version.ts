/** The parts that paths of a version share: its identity, the slots of its actions, and the headers of every answer. */
import type { CompiledVersion } from '#component/gateway/api.ts'
import type { Headers } from '#component/gateway/header-layers.ts'
import { anonymous } from '#component/identity.ts'
import { Semaphore } from '#component/limits/semaphore.ts'
import { methods } from '#component/request.ts'
import type { ApiSpec, Version } from '#component/spec/model.ts'
import { readDate } from '#component/spec/syntax.ts'
import type { JsonMap } from '#component/syntax/values.ts'
import type { Interner } from './interner.ts'

/** Requests that wait, for each action that may run (behaviour §1, `pool_size`). */
const waitingPerSlot = 10

/** One object for all paths of the version. */
export const compileVersion = (
  { id, realm_uri }: ApiSpec,
  {
    label,
    base_path,
    languages,
    pool_size,
    problem_base,
    cors,
  }: Pick<Version, 'label' | 'base_path' | 'languages' | 'pool_size' | 'problem_base' | 'cors'>,
): CompiledVersion => ({
  api: id,
  label,
  realm_uri,
  base: base_path,
  languages,
  problemBase: problem_base,
  cors,
  anonymous: anonymous(realm_uri),
  pool: new Semaphore({
    atOnce: pool_size,
    waiting: pool_size * waitingPerSlot,
    refusal: 'too many requests are already waiting for this API',
  }),
})

/**
 * RFC 9745 §2.1: the date of the deprecation, which may lie ahead. Where the document does not say it, the date is the epoch: in
 * the past, and never after a Sunset.
 */
const deprecation = (since = 0): string => `@${Math.floor(since / 1000)}`

/** The moment an author wrote, as HTTP-date (RFC 9110 §5.6.7); undefined when it is not a date. */
function httpDate(text: unknown): string | undefined {
  const time = typeof text === 'string' ? readDate(text) : undefined
  return time === undefined ? undefined : new Date(time).toUTCString()
}

/** Behaviour, API Specifications: `is_deprecated`, `deprecated_at`, `info.sunset` (RFC 8594). Lower-case names. */
export function lifetimeHeaders({ is_deprecated, deprecated_at, info }: Version): Headers {
  if (!is_deprecated) return {}
  const sunset = httpDate(info.sunset)
  return { deprecation: deprecation(deprecated_at), ...(sunset !== undefined && { sunset }) }
}

/** The headers of every answer of the version, unless a path declares others. */
export function versionHeaders(version: Version): Headers {
  const [language] = version.languages
  return {
    ...lifetimeHeaders(version),
    ...(version.languages.length === 1 && language && { 'content-language': language }),
  }
}

/** Behaviour, Requests: HEAD is implied by GET; OPTIONS is always answered. */
export function allowOf(document: JsonMap, interner: Interner): string {
  const declared = methods.filter(
    (method) => method === 'options' || Object.hasOwn(document, method),
  )
  return interner.share(`allow ${declared}`, () => {
    const names = declared.flatMap((method) =>
      method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()],
    )
    return [...new Set(names)].join(', ')
  })
}
