/** Client certificates at the listener: who passes, over TLS 1.2 and 1.3, in resumed sessions, and when the authorities change. */
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { type ConnectionOptions, connect, type SecureVersion, type TLSSocket } from 'node:tls'
import { expect } from 'chai'
import { Authority } from '#test/support/tls/authority.ts'
import {
  billing,
  type ClientGateway,
  fieldOf,
  ofBilling,
  startClientGateway,
  statusOn,
  workload,
} from '#test/support/tls/client-gateway.ts'

const root = new Authority('Root')
const other = new Authority('Other')
const namesake = new Authority('Root')
const middle = new Authority('Middle', root)
const good = root.issue(ofBilling)
const revoked = root.issue(ofBilling)
const viaMiddle = middle.issue(ofBilling)
const fingerprint = new X509Certificate(good.cert).fingerprint256.replaceAll(':', '').toLowerCase()
const crl = root.revocations([revoked.serial]) + middle.revocations([])

const settings = (folder: string) => ({
  'gateway.tls': JSON.stringify({
    certificates: ['server', 'second'].map((name) => ({
      cert: `${folder}/${name}.pem`,
      key: `${folder}/${name}.key`,
    })),
    client_ca: `${folder}/ca.pem`,
    client_crl: `${folder}/crl.pem`,
  }),
})

let count = 0
/** The log tells only some refusals of one address in a second. */
const nextAddress = () => {
  count += 1
  return ['--interface', `127.0.1.${count}`]
}

describe('client certificates', () => {
  let clients: ClientGateway
  before(async () => {
    clients = await startClientGateway(root, settings, { fingerprint, crl })
  })
  after(() => clients?.stop())

  it('let their users call as themselves, whatever names them', async () => {
    const options = clients.write('good', good)
    for (const [path, authid] of [
      ['/dns', billing],
      ['/uri', workload],
      ['/cn', 'ada'],
      ['/fingerprint', fingerprint],
    ] as const) {
      expect(await clients.curl(path, ...options)).to.deep.equal([200, `"${authid}"`])
    }
  })

  for (const version of ['1.2', '1.3'] as const) {
    const ofVersion = [`--tlsv${version}`, '--tls-max', version]

    for (const [title, pair, others, reason] of [
      ['a good one', good, '', undefined],
      ['one with its intermediate', viaMiddle, middle.cert, undefined],
      ['one without its intermediate', viaMiddle, '', /UNABLE_TO_/],
      [
        'an expired one',
        root.issue({ ...ofBilling, notAfter: '20210101000000Z' }),
        '',
        /CERT_HAS_EXPIRED/,
      ],
      ['one of another authority', other.issue(ofBilling), '', /UNABLE_TO_|SELF_SIGNED/],
      ['one that has signed itself', other, '', /UNABLE_TO_|SELF_SIGNED/],
      ['one of a server', root.issue({ ...ofBilling, usage: 'server' }), '', /INVALID_PURPOSE/],
      ['a revoked one', revoked, '', /is revoked/],
      [
        'one that names nobody',
        root.issue({ ...ofBilling, dns: ['nobody.example.com'] }),
        '',
        /names no user/,
      ],
      [
        'one without such a name',
        root.issue({ name: billing, usage: 'client' }),
        '',
        /names no user/,
      ],
      [
        'one that names several users',
        root.issue({ ...ofBilling, dns: [billing, 'ada'] }),
        '',
        /names several users/,
      ],
    ] as const) {
      it(`${reason ? 'refuse' : 'admit'} ${title} over TLS ${version}, and open paths are served`, async () => {
        const options = [...ofVersion, ...nextAddress(), ...clients.write('client', pair, others)]
        clients.reasons()
        const [status, body] = await clients.curl('/dns', ...options)
        const reasons = clients.reasons()
        expect([status, reasons.length], body).to.deep.equal(reason ? [401, 1] : [200, 0])
        if (reason) expect(reasons[0]).to.match(reason)
        expect(await clients.curl('/open', ...options)).to.deep.equal([200, '"open"'])
      })
    }

    it(`never admit one that another key than that of the authority has signed, over TLS ${version}`, async () => {
      const options = [...ofVersion, ...clients.write('client', namesake.issue(ofBilling))]
      // OpenSSL may take its own error for one of the connection, which then ends
      expect((await clients.curl('/dns', ...options))[0]).to.be.oneOf([400, 401])
    })

    it(`are asked for and not required over TLS ${version}`, async () => {
      const [status, body] = await clients.curl('/dns', ...ofVersion, '-i')
      expect(status).to.equal(401)
      expect(body.toLowerCase()).to.include(
        'www-authenticate: clientcertificate realm="com.example.mtls"',
      )
      expect(await clients.curl('/open', ...ofVersion)).to.deep.equal([200, '"open"'])
    })

    it(`are not taken from the header fields of clients over TLS ${version}`, async () => {
      const field = ['-H', `Client-Cert: ${fieldOf(good.cert)}`]
      expect((await clients.curl('/dns', ...ofVersion, ...field))[0]).to.equal(401)
    })

    describe(`in sessions that are resumed over TLS ${version}`, () => {
      const open = async (options: ConnectionOptions) => {
        const { port } = new URL(clients.gateway.url)
        const only = `TLSv${version}` as SecureVersion
        const socket = connect({
          ...{ port: Number(port), host: '127.0.0.1', ca: root.cert, servername: 'localhost' },
          ...{ minVersion: only, maxVersion: only, ...options },
        })
        let session: Buffer | undefined
        socket.on('session', (one) => {
          session = one
        })
        await once(socket, 'secureConnect')
        return { socket, session: () => session }
      }
      const twice = async (options: ConnectionOptions, path: string) => {
        const first = await open(options)
        const statuses = [await statusOn(first.socket, path)]
        first.socket.destroy()
        const session = first.session()
        const second = await open({ ...options, ...(session && { session }) })
        expect(second.socket.isSessionReused()).to.equal(true)
        statuses.push(await statusOn(second.socket, path))
        second.socket.destroy()
        return statuses
      }

      it('are kept, for each certificate of the listener', async () => {
        for (const servername of ['localhost', 'b.example']) {
          for (const { cert, key } of [
            good,
            { ...viaMiddle, cert: viaMiddle.cert + middle.cert },
          ]) {
            expect(await twice({ cert, key, servername }, '/dns')).to.deep.equal([200, 200])
          }
        }
      })

      it('are not made of nothing', async () => {
        expect(await twice({}, '/dns')).to.deep.equal([401, 401])
        expect(await twice({}, '/open')).to.deep.equal([200, 200])
      })

      it('are refused as they were before', async () => {
        const { cert, key } = other.issue(ofBilling)
        expect(await twice({ cert, key }, '/dns')).to.deep.equal([401, 401])
      })
    })
  }

  describe('of connections that are open when the authorities change', () => {
    const openWith = async ({ cert, key }: { cert: string; key: string }): Promise<TLSSocket> => {
      const { port } = new URL(clients.gateway.url)
      const socket = connect({
        ...{ port: Number(port), host: '127.0.0.1', ca: root.cert, servername: 'localhost' },
        ...{ cert, key },
      })
      await once(socket, 'secureConnect')
      return socket
    }
    const change = (authority: { ca?: readonly string[]; crl?: readonly string[] }) => {
      const setup = clients.gateway.component.tls()
      if (!setup?.clients) throw new TypeError('no client is asked for a certificate')
      clients.gateway.component.useTls({ ...setup, clients: { ...setup.clients, ...authority } })
      return () => clients.gateway.component.useTls(setup)
    }

    it('hold as long as an authority of now has issued them, and no list revokes them', async () => {
      const pair = middle.issue(ofBilling)
      const socket = await openWith({ ...pair, cert: pair.cert + middle.cert })
      expect(await statusOn(socket, '/dns')).to.equal(200)
      for (const [authority, status] of [
        [{ ca: [other.cert, root.cert] }, 200],
        [{ crl: [root.revocations([]), middle.revocations([pair.serial])] }, 401],
        [{ ca: [other.cert] }, 401],
        [{ crl: [root.revocations([])] }, 401],
      ] as const) {
        const restore = change(authority)
        expect(await statusOn(socket, '/dns'), JSON.stringify(authority)).to.equal(status)
        expect(await statusOn(socket, '/open')).to.equal(200)
        restore()
      }
      expect(await statusOn(socket, '/dns')).to.equal(200)
      socket.destroy()
    })

    it('hold for no longer than the certificate', async () => {
      const socket = await openWith(good)
      const restore = change({ ca: [other.cert] })
      expect(await statusOn(socket, '/dns')).to.equal(401)
      restore()
      const next = await openWith(good)
      expect(await statusOn(next, '/dns')).to.equal(200)
      for (const one of [socket, next]) one.destroy()
    })
  })
})
