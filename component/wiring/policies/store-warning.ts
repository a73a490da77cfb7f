/** Warns at a load of a document whose promises the configured store cannot keep. */
import type { CompiledDocument } from '#component/compile/compile-document.ts'
import type { Api } from '#component/gateway/api.ts'

/**
 * The result of compiling, with a warning where requests with an Idempotency-Key may be performed twice.
 * @param url `store.url`
 * @param others gateways that are there
 */
export function withStoreWarning<R extends Pick<CompiledDocument<Api>, 'api' | 'warnings'>>(
  compiled: R,
  url: string | undefined,
  others: number,
): R {
  if (!compiled.api?.features.includes('idempotency')) return compiled
  const message = problemOf(url, others)
  if (message === undefined) return compiled
  return { ...compiled, warnings: [...compiled.warnings, { path: '', message }] }
}

function problemOf(url = 'sqlite:', others: number): string | undefined {
  if (url === 'sqlite::memory:') {
    return 'idempotency: the store is in memory, so the answers under an Idempotency-Key are lost when the process ends'
  }
  if (!url.startsWith('sqlite:') || others === 0) return undefined
  return 'idempotency: other gateways do not know the keys in the SQLite store of this one; behind a balancer use PostgreSQL'
}
