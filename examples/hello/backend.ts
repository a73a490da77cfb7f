/** The backend of the hello example: a WAMP callee and subscriber, and a small upstream: an HTTP API, and a WebSocket. */
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import autobahn from 'autobahn'

const [url = 'ws://127.0.0.1:18080/ws', realm = 'com.example.hello', port = '18082'] =
  process.argv.slice(2)

const greetings: Readonly<Record<string, string>> = { en: 'Hello', es: 'Hola', de: 'Hallo' }

let waves = 0

function greet([name]: readonly unknown[], { language }: { language?: string }): string {
  if (name === 'nobody') {
    throw new autobahn.Error('com.example.hello.error.too_shy', ['nobody is too shy'], { name })
  }
  return `${greetings[language ?? 'en'] ?? 'Hello'}, ${String(name)}!`
}

const quotes = [
  'Simplicity is prerequisite for reliability.',
  'Make it work, make it right.',
  'Less is more.',
]

/** A page of the quotes, and how many there are. */
function listQuotes(
  _args: readonly unknown[],
  { limit = 10, offset = 0 }: { limit?: number; offset?: number },
): object {
  return { quotes: quotes.slice(offset, offset + limit), total: quotes.length }
}

/** All quotes one by one, for callers who want them so, and how many there are. */
function recite(
  _args: readonly unknown[],
  _kwargs: object,
  { progress }: { progress?: (args: readonly unknown[]) => void },
): number {
  for (const quote of quotes) progress?.([quote])
  return quotes.length
}

const connection = new autobahn.Connection({
  url,
  realm,
  max_retries: -1,
  initial_retry_delay: 0.1,
  max_retry_delay: 2,
})
let hasJoined = false

// autobahn tries again after a lost connection, but neither after a GOODBYE, as when the gateway restarts, nor after a refusal
connection.onclose = (_cause, { reason, message }) => {
  if (!reason) return
  if (hasJoined) {
    setTimeout(() => connection.open(), 1000)
    return
  }
  process.stderr.write(
    `the router refuses this backend on the realm ${realm}: load the realm, or name another one (${reason}: ${message})\n`,
  )
  process.exit(1)
}

connection.onopen = async (session) => {
  hasJoined = true
  await session.register('com.example.hello.greet', greet)
  await session.register('com.example.hello.count_waves', () => waves)
  await session.register('com.example.hello.list_quotes', listQuotes)
  await session.register('com.example.hello.recite', recite)
  await session.subscribe('com.example.hello.on_wave', () => {
    waves += 1
  })
  process.stdout.write('com.example.hello.greet and com.example.hello.count_waves are registered\n')
  process.send?.('ready')
}

/** `/quotes?id=1&id=2` is a list, `/quotes/1` one quote. */
const upstream = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
  const isList = pathname === '/quotes'
  const ids = isList ? searchParams.getAll('id') : [pathname.split('/').at(-1)]
  const found = ids.map(Number).flatMap((id) => {
    const quote = quotes[id - 1]
    return quote ? [{ id, quote }] : []
  })
  const [one] = found
  response.writeHead(isList || one ? 200 : 404, { 'content-type': 'application/json' })
  response.end(
    JSON.stringify(isList ? found : (one ?? { code: 'no_such_quote', id: Number(ids[0]) })),
  )
})
// a WebSocket that says one word and closes: RFC 6455, sections 4.2.2 and 5.2
upstream.on('upgrade', ({ headers }, socket) => {
  const key = `${headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`
  const accept = createHash('sha1').update(key).digest('base64')
  socket.on('error', () => socket.destroy())
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  )
  socket.end(Buffer.from('\x81\x05hello\x88\x00', 'latin1'))
})
upstream.on('error', ({ message }) => {
  process.stderr.write(
    `the upstream of the example cannot listen on port ${port}: stop what uses it (${message})\n`,
  )
  process.exit(1)
})
// started by `npm start`: ends with it, whatever ended that
process.once('disconnect', () => process.exit())
upstream.listen(Number(port), '127.0.0.1', () => connection.open())
