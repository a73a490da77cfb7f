/** The first message of a client of TLS (RFC 8446 §4.1.2), for clients that send it and do not go on. */
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { type ConnectionOptions, connect } from 'node:tls'

/** The bytes of it. With `requestOCSP` it asks for the state of the certificate. */
export async function helloOf(options: ConnectionOptions): Promise<Buffer> {
  const recorder = createServer().listen(0, '127.0.0.1')
  await once(recorder, 'listening')
  const client = connect({ ...options, host: '127.0.0.1', port: portOf(recorder) })
  client.on('error', () => undefined)
  const [socket]: Socket[] = await once(recorder, 'connection')
  const [hello]: Buffer[] = socket ? await once(socket, 'data') : []
  client.destroy()
  recorder.close()
  if (hello === undefined) throw new Error('the client has sent nothing')
  return hello
}

/** Where a server listens. */
export function portOf(server: Pick<ReturnType<typeof createServer>, 'address'>): number {
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}
