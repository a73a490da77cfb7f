/** A callee: `node bench/peers/callee.ts ROUTER_URL REALM PROCEDURE RESULT`; RESULT is JSON. In a text `{}` is the first argument; `"{args}"` is the list of all. */
import { openLink } from './wamp-link.ts'

const register = 64
const registered = 65
const invocation = 68
const yielded = 70

const [url = '', realm = '', procedure = '', result = ''] = process.argv.slice(2)
const pattern = JSON.parse(result) as unknown

function answer(args: readonly unknown[]): unknown {
  if (pattern === '{args}') return args
  return typeof pattern === 'string' ? pattern.replace('{}', String(args[0])) : pattern
}

const link = await openLink(url, realm)
link.listen(([type, request, , , args]) => {
  if (type === invocation) {
    link.send([yielded, request, {}, [answer(args as unknown[])]])
  } else if (type === registered) {
    process.stdout.write('listening 0\n')
  } else {
    throw new Error(`unexpected message ${type}`)
  }
})
link.send([register, 1, {}, procedure])
