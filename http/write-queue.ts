/** Answers that are ready leave together, at the end of their turn of the event loop. */
import type { ServerResponse } from 'node:http'

/** An answer whose head has been made; its content ends it. */
interface Departure {
  readonly response: Pick<ServerResponse, 'end' | 'destroy'>
  readonly content: string | Uint8Array | undefined
  readonly encoding: BufferEncoding
}

let departures: Departure[] = []

/**
 * Lets an answer go at the end of the turn, one after the other: a client that is woken by the first finds the others, too, and
 * need not be woken for each of them (a forward takes a tenth less CPU time).
 */
export function depart(departure: Departure): void {
  if (departures.length === 0) setImmediate(departAll)
  departures.push(departure)
}

/** Lets go what is ready, where the end of the turn is too late: something else happens to a socket. */
export function departAll(): void {
  const all = departures
  departures = []
  for (const { response, content, encoding } of all) {
    try {
      response.end(content, encoding)
    } catch {
      // whatever is wrong with one of them, the others leave
      response.destroy()
    }
  }
}
