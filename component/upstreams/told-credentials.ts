/** The credentials of an upstream where nothing is sent: which they are, and where they stand; none is opened or fetched. */
import { redacted } from '#component/syntax/redacted.ts'
import type { JsonMap } from '#component/syntax/values.ts'
import type { Credential, Credentials } from './credentials.ts'

/** What each type sends: by default `Authorization`. */
const places: Readonly<Record<string, (name: string) => Omit<Credential, 'type' | 'secrets'>>> = {
  header: (name) => ({ field: { name: name.toLowerCase(), value: redacted } }),
  query: (name) => ({ parameter: { name, value: redacted } }),
}

/** @param auth as the realm has it */
export function toldCredentials(auth: JsonMap): Credentials {
  const type = String(auth.type)
  const place = places[type] ?? (() => ({ field: { name: 'authorization', value: redacted } }))
  const credential: Credential = { type, secrets: [], ...place(String(auth.name)) }
  return {
    ...{ type, key: '', isRenewed: false, isOfUser: false, token: undefined },
    of: () => credential,
    refuse: () => false,
    close: () => undefined,
  }
}
