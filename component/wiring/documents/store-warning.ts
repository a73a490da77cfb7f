/** Warns at a load of a document whose promises the configured store cannot keep. */
import type { CompiledDocument } from '#component/compile/compile-document.ts'
import type { Api } from '#component/gateway/api.ts'
import { policyKinds } from '#component/policies/kinds.ts'

/**
 * The result of compiling, with the warnings of its policies.
 * @param url `store.url`
 * @param others gateways that are there
 */
export function withStoreWarning<R extends Pick<CompiledDocument<Api>, 'api' | 'warnings'>>(
  compiled: R,
  url = 'sqlite:',
  others: number,
): R {
  const used = policyKinds.filter(
    ({ feature }) => feature !== undefined && compiled.api?.features.includes(feature),
  )
  const warnings = used.flatMap((kind) => {
    const message = kind.warnOfStore(url, others)
    return message === undefined ? [] : [{ path: '', message }]
  })
  if (warnings.length === 0) return compiled
  return { ...compiled, warnings: [...compiled.warnings, ...warnings] }
}
