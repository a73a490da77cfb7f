/** The issuer of a version's tokens and tickets: the public base URL and the concrete base_path (RFC 8414 §2). */
import type { Endpoint } from '#component/gateway/api.ts'
import { concretePath } from '#component/routes/concrete-path.ts'

/**
 * The issuer's URL, without a slash at the end.
 * @param issuerBase without a slash at the end
 * @param bindings of the request; base_path may have some
 */
export const issuerOf = (
  issuerBase: string,
  { base }: Pick<Endpoint, 'base'>,
  bindings: Readonly<Record<string, string>>,
): string => issuerBase + concretePath(base, bindings)
