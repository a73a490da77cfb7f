/** Which changed options a running gateway does not take over. */
import { expect } from 'chai'
import { optionsForRestart } from '#component/reload/restart-options.ts'

const tls = { cert: 'cert.pem', key: 'key.pem' }

describe('the options that need a restart', () => {
  for (const [title, running, read, names] of [
    [
      'are none when nothing has changed',
      { specs: ['a'], workers: 2 },
      { specs: ['a'], workers: 2 },
      [],
    ],
    [
      'are none of those that are taken over',
      { specs: ['a'], realms: ['b'], log: { level: 'info' }, watch: false, gateway: { tls } },
      {
        ...{ specs: ['c'], realms: [], log: { level: 'debug' }, watch: true },
        gateway: { tls: { cert: 'other.pem', key: 'other.pem' } },
      },
      [],
    ],
    [
      'are none of several certificates that become others, in whatever form they are written',
      { gateway: { tls: [tls, { cert: 'b.pem', key: 'b.key' }] } },
      { gateway: { tls: { certificates: [tls] } } },
      [],
    ],
    [
      'are whether clients are asked for certificates, and the names of the files that judge them',
      { gateway: { tls: { ...tls, client_ca: 'ca.pem' } } },
      { gateway: { tls: { certificates: [tls], client_ca: 'b.pem', client_crl: 'crl.pem' } } },
      ['gateway.tls.client_ca', 'gateway.tls.client_crl'],
    ],
    [
      'have their full names, in order',
      { workers: 2, log: { level: 'info', access: true }, gateway: { listen: 1 } },
      { workers: 3, log: { level: 'warn', access: false }, gateway: { listen: 2 } },
      ['gateway.listen', 'log.access', 'workers'],
    ],
    [
      'are a section as a whole when it comes or goes',
      { gateway: { tls } },
      { gateway: {}, store: { url: 'sqlite:a.db' } },
      ['gateway.tls', 'store'],
    ],
    ['are lists by their content', { trusted: ['a', 'b'] }, { trusted: ['a'] }, ['trusted']],
  ] as const) {
    it(title, () => {
      expect(optionsForRestart(running, read)).to.deep.equal(names)
    })
  }
})
