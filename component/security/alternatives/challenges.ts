/** The challenges of a path with alternatives: a field line for each, equal ones once, and one `Bearer`. */
import { type Alternative, type Protection, quoted } from '#component/security/scheme.ts'

/** How a challenge for tokens begins. */
export const bearerPrefix = 'Bearer '

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []

/** The scopes of the first member that wants some. */
function scopesOf(members: readonly Protection[]): string | undefined {
  const scopes = members
    .map(({ object }) => textsOf(object.scopes))
    .find(({ length }) => length > 0)
  return scopes?.join(' ')
}

/**
 * The lines of `WWW-Authenticate` (RFC 9110 §11.6.1).
 * @param offered the alternatives that may be asked from where the request comes
 * @param isOfBrowser whether a browser has made the request: a dialog of its own would hide the login of a page
 * @param own the challenge of what was judged, in place of the plain one of its kind
 */
export function challengesOf(
  offered: readonly Alternative[],
  isOfBrowser: boolean,
  own: { readonly of: Protection; readonly challenge: string } | undefined,
): readonly string[] {
  const members = offered.flatMap((one) => one.members)
  const hasLogin = members.some(({ kind }) => kind.hasLogin)
  const lines = new Set<string>()
  let ofBearer: string | undefined
  for (const member of members) {
    const { kind, realm_uri } = member
    if (isOfBrowser && hasLogin && kind.opensDialog) continue
    const plain = kind.challenge(quoted(realm_uri))
    const line = own?.of === member ? own.challenge : plain
    if (!line.startsWith(bearerPrefix)) lines.add(line)
    else {
      // its place is that of the first one
      lines.add(bearerPrefix)
      if (ofBearer === undefined || line !== plain) ofBearer = line
    }
  }
  if (ofBearer === undefined) return [...lines]
  const scopes = scopesOf(members)
  const isScoped = scopes === undefined || ofBearer.includes(', scope=')
  const whole = isScoped ? ofBearer : `${ofBearer}, scope=${quoted(scopes)}`
  return [...lines].map((line) => (line === bearerPrefix ? whole : line))
}
