/** The user in whose name the gateway sends a message: the entry of `forward_for`, which Crossbar.io discloses as caller or publisher. */

/** A user of a realm with the roles of now. */
export interface Principal {
  readonly authid: string
  readonly authroles: readonly string[]
}

/** An entry of the option `forward_for`. Crossbar.io passes `authroles` on beside what it reads. */
export interface Forwarded extends Principal {
  /** A session id that no session has: what is addressed to that of the gateway would reach, or end, the session of all users. */
  readonly session: number
  /** The first role; empty where the user has none. */
  readonly authrole: string
}

/** The entry for a user. */
export const forwardedAs = (session: number, { authid, authroles }: Principal): Forwarded => ({
  session,
  authid,
  authrole: authroles[0] ?? '',
  authroles,
})
