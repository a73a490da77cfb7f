/** Lines of the log as people see them. */
import { expect } from 'chai'
import { openLog } from '#component/log.ts'
import { logLine } from '#component/terminal/log-line.ts'

const plain = { hasColor: false, hasNode: false }
const time = new Date(2026, 0, 2, 3, 4, 5).toISOString()

/** The text of an entry, without its time. */
const told = (entry: object, style = plain) =>
  logLine({ level: 'info', time, node: 'a-1', ...entry }, style).replace(/^03:04:05 /, '')

const hash = '2c962c200ef72f97254c895ca73011e982823f33c0491778e0e57441ab48e33c'
const request = {
  msg: 'request',
  ...{ request_id: 'r1', method: 'get', route: '/hello/:name', status: 200 },
  ...{ duration: 3.128, bytes: 213, peer: '127.0.0.1:4242' },
}

const cases: readonly (readonly [fact: string, entry: object, text: string])[] = [
  ['begins with level and message', { msg: 'stopped' }, 'info  stopped\n'],
  [
    'shows fields as words, hashes as commands take them, and other text in quotes',
    { msg: 'loaded', api_spec: 'a.b', hash, by: 'file /a b.json', more: [1, 'x'], wait: 1.25 },
    'info  loaded api_spec=a.b hash=2c962c20 by="file /a b.json" more=1,x wait=1.3\n',
  ],
  ['shows a request in the form of its first line', request, 'info  GET /hello/:name 200 3.1 ms\n'],
  [
    'names the error and the id of a request that failed',
    { ...request, status: 502, error: 'wamp.error.net_failure', route: '' },
    'info  GET (no route) 502 3.1 ms request_id=r1 error=wamp.error.net_failure\n',
  ],
  [
    'shows a reason behind the message',
    { level: 'warn', msg: 'trying again', reason: 'it is away', realm: 'a' },
    'warn  trying again: it is away realm=a\n',
  ],
  [
    'lists the issues of a document below',
    {
      level: 'error',
      msg: 'the file was refused',
      file: '/a.json',
      reason: 'expected a map (and 1 more)',
      issues: [
        { path: '', message: 'expected a map' },
        { path: '/id', message: 'expected text' },
      ],
    },
    'error the file was refused file=/a.json\n               (document): expected a map\n               /id: expected text\n',
  ],
  [
    'shows a hint below',
    { level: 'fatal', msg: 'it failed', hint: 'do this' },
    'fatal it failed\n               hint: do this\n',
  ],
  [
    'shows the message of an error with a code without its stack',
    {
      level: 'error',
      msg: 'a listener failed',
      err: { code: 'EMFILE', message: 'too many', stack: 'Error\n    at x' },
    },
    'error a listener failed: too many\n',
  ],
  [
    'shows the stack of an error that nobody expected',
    {
      level: 'error',
      msg: 'a bug',
      err: { message: 'boom', stack: 'Error: boom\n    at x (y:1)\n    at z' },
    },
    'error a bug: boom\n               at x (y:1)\n               at z\n',
  ],
  [
    'leaves out the stack of a warning',
    { level: 'warn', msg: 'odd', err: { message: 'boom', stack: 'Error: boom\n    at x' } },
    'warn  odd: boom\n',
  ],
  [
    'shows what would control the terminal as escapes',
    { msg: 'a\u001B[2Jb\r\nc\u202E', user: 'x\u0007\u009By', 'na\nme': 1 },
    'info  a\\u001b[2Jb\\u000d\\u000ac\\u202e user=x\\u0007\\u009by na\\u000ame=1\n',
  ],
]

describe('a line of the log for people', () => {
  for (const [fact, entry, text] of cases) {
    it(fact, () => expect(told(entry)).to.equal(text))
  }

  it('begins with the local time of day', () => {
    expect(logLine({ level: 'info', time, msg: 'x' }, plain)).to.equal('03:04:05 info  x\n')
  })

  it('names the node where several processes share the terminal', () => {
    expect(told({ msg: 'started' }, { ...plain, hasNode: true })).to.equal(
      'info  started node=a-1\n',
    )
  })

  it('has colors on request, and the same text below them', () => {
    const entry = { level: 'error', time, msg: 'x', file: '/a', hint: 'do' }
    const colored = logLine(entry, { ...plain, hasColor: true })
    expect(colored).to.include('\u001B[31merror\u001B[39m')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the colors themselves
    expect(colored.replace(/\u001B\[\d+m/g, '')).to.equal(logLine(entry, plain))
  })

  it('masks what pino masks', () => {
    let text = ''
    const log = openLog('info', {
      write(line) {
        text += logLine(JSON.parse(line), plain)
      },
    })
    log.info({ password: 'tunafish', user: { secret: 'tunafish' } }, 'x')
    expect(text).to.include('password=[masked]').and.not.include('tunafish')
  })
})
