/** A callee whose result comes in pieces: `node bench/peers/progress-callee.ts ROUTER_URL REALM PROCEDURE PIECES`; to callers that want one result, it gives the last piece. */
import { openLink } from './wamp-link.ts'

const register = 64
const registered = 65
const invocation = 68
const yielded = 70

const [url = '', realm = '', procedure = '', pieces = ''] = process.argv.slice(2)
const count = Number(pieces)

const link = await openLink(url, realm)
link.listen(([type, request, , details]) => {
  if (type === registered) process.stdout.write('listening 0\n')
  else if (type === invocation) {
    const { receive_progress } = details as { receive_progress?: boolean }
    for (let piece = 1; receive_progress && piece < count; piece++) {
      link.send([yielded, request, { progress: true }, [`piece ${piece}`]])
    }
    link.send([yielded, request, {}, [`piece ${count}`]])
  } else throw new Error(`unexpected message ${type}`)
})
link.send([register, 1, {}, procedure])
