/** A callee of progressive results: `node bench/peers/pieces-callee.ts ROUTER_URL REALM PROCEDURE COUNT TEXT`; it sends the text so often, where it is asked to, and then `end`. */
import { openLink } from './wamp-link.ts'

const register = 64
const registered = 65
const invocation = 68
const yielded = 70

const [url = '', realm = '', procedure = '', count = '', text = ''] = process.argv.slice(2)

const link = await openLink(url, realm)
link.listen(([type, request, , details]) => {
  if (type === invocation) {
    const { receive_progress } = details as { readonly receive_progress?: boolean }
    for (let sent = 0; receive_progress === true && sent < Number(count); sent += 1) {
      link.send([yielded, request, { progress: true }, [text]])
    }
    link.send([yielded, request, {}, ['end']])
  } else if (type === registered) {
    process.stdout.write('listening 0\n')
  } else {
    throw new Error(`unexpected message ${type}`)
  }
})
link.send([register, 1, {}, procedure])
