/** Which request headers an answer depends on (RFC 9110 §12.5.5). */
import type { CompiledPath, Rules } from './api.ts'

/** `Vary` of what the gateway itself encodes; an upstream's answer that is passed on says so itself. */
export function varyOf(
  { provides }: Rules,
  { languages }: Pick<CompiledPath, 'languages'>,
): Readonly<Record<string, string>> {
  const names: string[] = []
  if (provides.length > 1) names.push('Accept')
  if (languages.length > 1) names.push('Accept-Language')
  return names.length > 0 ? { vary: names.join(', ') } : {}
}
