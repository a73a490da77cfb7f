/** The backend of the OAuth2 example: logs in with WAMP-CRA, and answers orders to whoever the router lets call it. */
import { createHmac, pbkdf2 } from 'node:crypto'
import { promisify } from 'node:util'
import autobahn from 'autobahn'

const [url = 'ws://127.0.0.1:18080/ws'] = process.argv.slice(2)
const secret = process.env.ORDERS_SECRET ?? ''

const deriveKey = promisify(pbkdf2)

/** The answer to a challenge of salted WAMP-CRA (WAMP: Salted Passwords). */
async function sign(extra: Readonly<Record<string, unknown>>): Promise<string> {
  const { challenge, salt, iterations, keylen } = extra
  const key = await deriveKey(secret, String(salt), Number(iterations), Number(keylen), 'sha256')
  return createHmac('sha256', key.toString('base64')).update(String(challenge)).digest('base64')
}

interface Caller {
  readonly caller_authid?: string
  readonly caller_authrole?: string
}

function getOrder([id]: readonly unknown[], _kwargs: unknown, caller: Caller) {
  if (id === '0')
    throw new autobahn.Error('service.error.not_found', ['there is no such order'], {})
  return { id, asked_by: caller.caller_authid, role: caller.caller_authrole }
}

const connection = new autobahn.Connection({
  url,
  realm: 'com.example.realm',
  authmethods: ['wampcra'],
  authid: 'orders',
  onchallenge: (_session, _method, extra) => sign(extra),
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
    `the router refuses this backend on the realm com.example.realm: load the realm, and give both ORDERS_SECRET the same value (${reason}: ${message})\n`,
  )
  process.exit(1)
}

connection.onopen = async (session) => {
  hasJoined = true
  await session.register('com.example.order.get', getOrder)
  process.stdout.write('orders are served\n')
}
connection.open()
