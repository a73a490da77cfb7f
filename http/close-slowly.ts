/** Closes connections so that their clients read the last answer. */
import type { Duplex } from 'node:stream'

/** How long a client may go on sending after its answer; milliseconds. */
const lingerTime = 2000

/**
 * Closes a socket whose writing side has ended, without a reset: a client that is still sending would lose the answer to it.
 * The client's bytes are read and dropped for a while (RFC 9112 §9.6).
 * @param isRead whether the client's bytes are read; if not, its sending blocks, and it reads the answer meanwhile
 */
export function closeSlowly(socket: Duplex, isRead = true): void {
  const timer = setTimeout(() => socket.destroy(), lingerTime)
  socket.once('close', () => clearTimeout(timer))
  socket.once('end', () => socket.destroy())
  if (isRead) socket.resume()
  else socket.pause()
}
