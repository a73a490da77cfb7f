/** The parts that paths of a version share: its identity, the slots of its actions, and the headers of every answer. */
import type { CompiledVersion } from '#component/gateway/api.ts'
import type { Headers } from '#component/gateway/header-layers.ts'
import { anonymous } from '#component/identity.ts'
import { Semaphore } from '#component/limits/semaphore.ts'
import { methods } from '#component/request.ts'
import type { ApiSpec, Version } from '#component/spec/model.ts'
import type { JsonMap } from '#component/syntax/values.ts'
import type { Interner } from './interner.ts'
import { type Lifetime, lifetimeHeaders } from './lifetime.ts'

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

/** The headers of every answer of a place of the version, unless a path declares others. */
export function versionHeaders({ languages }: Version, lifetime: Lifetime): Headers {
  const [language] = languages
  return {
    ...lifetimeHeaders(lifetime),
    ...(languages.length === 1 && language && { 'content-language': language }),
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
