/** Where a connection stands between HELLO and GOODBYE. */
import type { Challenge } from './ports.ts'
import type { Realm } from './realm.ts'
import type { Session } from './session.ts'

/** The HELLO that is being answered. */
export interface Attempt {
  readonly realm: string
  readonly authid: string | undefined
  readonly session: number
  readonly authmethod: string
  readonly roles: unknown
  challenge: Challenge | undefined
}

/** The state of a connection. */
export type ConnectionState =
  | { readonly kind: 'new' }
  | { readonly kind: 'joining'; readonly attempt: Attempt }
  | { readonly kind: 'joined'; readonly session: Session; readonly realm: Realm }
  /** GOODBYE is sent, and not yet answered. */
  | { readonly kind: 'leaving' }
  | { readonly kind: 'closed' }
