/** The backend of my-api: what it registers, the paths of api-spec.json call. It knows nothing of HTTP. */
import autobahn from 'autobahn'

const realm = 'com.example.my_api'
const [url = 'ws://127.0.0.1:18080/ws'] = process.argv.slice(2)

function hello([name]) {
  if (name === 'nobody')
    throw new autobahn.Error('com.example.my_api.error.not_found', ['there is nobody of that name'])
  return `Hello, ${name}!`
}

const connection = new autobahn.Connection({
  ...{ url, realm, max_retries: -1, initial_retry_delay: 0.1, max_retry_delay: 2 },
})

connection.onopen = async (session) => {
  await session.register('com.example.my_api.hello', hello)
  console.log('com.example.my_api.hello is registered')
}

// autobahn joins again after a lost connection, but not after a GOODBYE, as when the router restarts
connection.onclose = (_cause, { reason }) => {
  if (reason) setTimeout(() => connection.open(), 1000)
}

connection.open()
