/** Failed starts: what a person reads. */
import { expect } from 'chai'
import { explain, textOf } from '#component/cli/start/failure.ts'
import { ConfigError, configOf } from '#component/config/config.ts'

const system = (code: string, more: object, message = `${code}: it failed`) =>
  Object.assign(new Error(message), { code, ...more })

const listening = { syscall: 'listen', address: '127.0.0.1', port: 18081 }
const inOption = (option: string, code: string) => {
  const cause = system(code, {})
  return new ConfigError([`option "${option}": ${cause.message}`], { cause })
}

const cases: readonly (readonly [fact: string, cause: unknown, text: RegExp])[] = [
  [
    'a port in use, by the option that has it',
    system('EADDRINUSE', listening),
    /^port 18081 is in use \(127\.0\.0\.1:18081\): stop the other process, .*--set admin\.listen=HOST:PORT$/,
  ],
  [
    'a port for root only',
    system('EACCES', { ...listening, port: 80 }),
    /^the user \S+ may not listen on 127\.0\.0\.1:80: .*--set gateway\.listen=.*CAP_NET_BIND_SERVICE$/,
  ],
  [
    'an address of another machine',
    system('EADDRNOTAVAIL', { ...listening, address: '192.0.2.1' }),
    /^this machine has no address 192\.0\.2\.1: choose one that it has/,
  ],
  [
    'a host without an address',
    system('ENOTFOUND', { syscall: 'getaddrinfo', hostname: 'nowhere' }),
    /^the host name nowhere is not known: correct the address/,
  ],
  [
    'a data_dir that cannot be written',
    inOption('data_dir', 'EACCES'),
    /^option "data_dir": EACCES: it failed: let the user \S+ write there, .*--set data_dir=FOLDER$/,
  ],
  ['a file in the place of data_dir', inOption('data_dir', 'EEXIST'), /: it must be a folder: /],
  ['a full disk', inOption('store.key', 'ENOSPC'), /: free some space, /],
  [
    'a missing file that another process has told',
    new ConfigError(['option "gateway.tls": ENOENT: no such file, open \'a.pem\'']),
    /^option "gateway\.tls": ENOENT: .*: a path begins at the working folder, which is \//,
  ],
  ['a file that cannot be read', inOption('gateway.tls', 'EACCES'), /: let the user \S+ read it$/],
]

describe('a start that fails explains', () => {
  for (const [fact, cause, text] of cases) {
    it(fact, () => expect(textOf(explain(cause, configOf({})))).to.match(text))
  }

  it('nothing more than the message of an error that it does not know', () => {
    expect(explain(new Error('store: broken'))).to.deep.equal({ problem: 'store: broken' })
    expect(explain(system('EWEIRD', {})).hint).to.equal(undefined)
    expect(explain('text')).to.deep.equal({ problem: 'text' })
  })
})
