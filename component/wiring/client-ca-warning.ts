/** Warns at a load of a document whose users come by certificates that nobody is asked for. */

import type { CompiledDocument } from '#component/compile/compile-document.ts'
import type { Config } from '#component/config/config.ts'
import { tlsFilesOf } from '#component/config/tls-files.ts'
import type { Api } from '#component/gateway/api.ts'
import { securityKinds } from '#component/security/kinds.ts'

const message =
  'mtls: gateway.tls.client_ca is not set on this gateway, so every request to these paths is refused'

/** What is told of documents with users who come by certificates. */
const ofCertificates = new Set(
  securityKinds.flatMap(({ needsCertificate, feature }) => (needsCertificate ? [feature] : [])),
)

/** The result of compiling, with a warning where paths are closed for want of `gateway.tls.client_ca`. */
export function withClientCaWarning<R extends Pick<CompiledDocument<Api>, 'api' | 'warnings'>>(
  compiled: R,
  { gateway }: Pick<Config, 'gateway'>,
): R {
  const isMissing = tlsFilesOf(gateway.tls)?.clients === undefined
  if (!isMissing || !compiled.api?.features.some((one) => ofCertificates.has(one))) return compiled
  return { ...compiled, warnings: [...compiled.warnings, { path: '', message }] }
}
