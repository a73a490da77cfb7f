/** Which certificates come from an authority, and which do not. */
import { X509Certificate } from 'node:crypto'
import { expect } from 'chai'
import { judgePath } from '#http/tls/certificate-path.ts'
import { Authority } from '#test/support/tls/authority.ts'

const now = Date.UTC(2026, 10, 24)
const root = new Authority('Root')
const other = new Authority('Other')
const namesake = new Authority('Root')
const middle = new Authority('Middle', root)
const low = new Authority('Low', middle)
const last = new Authority('Last', root, { pathLength: 0 })
const beyond = new Authority('Beyond', last)
const former = new Authority('Former', root, { notAfter: '20250101000000Z' })

const leaf = root.issue({ name: 'a', usage: 'client' })
const viaLow = low.issue({ name: 'b', usage: 'client' })
const viaLast = last.issue({ name: 'c', usage: 'client' })
const noAuthority = root.issue({ name: 'd', usage: 'client' })

const judge = (
  cert: string,
  others: readonly string[] = [],
  ca: readonly string[] = [root.cert],
  crl: readonly string[] = [],
) =>
  judgePath(
    new X509Certificate(cert),
    others.map((one) => new X509Certificate(one)),
    { file: 'ca.pem', ca, crl },
    now,
  )

const noIssuer = 'no authority of client_ca has issued the certificate'
const noList = 'an authority has no revocation list that is valid now'

describe('a certificate of a client', () => {
  for (const [title, found] of [
    ['of the authority', () => judge(leaf.cert)],
    ['without extended usages', () => judge(root.issue({ name: 'e' }).cert)],
    ['of an authority below it', () => judge(viaLow.cert, [middle.cert, low.cert])],
    ['with its chain in another order', () => judge(viaLow.cert, [low.cert, middle.cert])],
    ['beside certificates that lead nowhere', () => judge(leaf.cert, [other.cert, low.cert])],
    ['of one of several authorities', () => judge(leaf.cert, [], [other.cert, root.cert])],
    ['of an authority that allows no other below it', () => judge(viaLast.cert, [last.cert])],
    ['that no list revokes', () => judge(leaf.cert, [], [root.cert], [root.revocations([99])])],
  ] as const) {
    it(`is trusted: ${title}`, async () => {
      expect(await found()).to.deep.include({ expiresAt: Date.UTC(2099, 11, 31, 23, 59, 59) })
    })
  }

  it('ends with the first certificate of its path', async () => {
    const short = new Authority('Short', root, { notAfter: '20300101000000Z' })
    const { cert } = short.issue({ name: 'f', usage: 'client' })
    expect(await judge(cert, [short.cert])).to.deep.include({
      expiresAt: Date.UTC(2030, 0, 1),
    })
  })

  for (const [title, found, reason] of [
    ['of another authority', () => judge(leaf.cert, [], [other.cert]), noIssuer],
    [
      'of an authority of the same name with another key',
      () => judge(namesake.issue({ name: 'g' }).cert),
      noIssuer,
    ],
    ['that has signed itself', () => judge(other.cert), noIssuer],
    [
      'that brings its own authority',
      () => judge(other.issue({ name: 'h' }).cert, [other.cert]),
      noIssuer,
    ],
    ['whose chain has a gap', () => judge(viaLow.cert, [low.cert]), noIssuer],
    [
      'that has expired',
      () => judge(root.issue({ name: 'i', notAfter: '20260101000000Z' }).cert),
      'a certificate has expired',
    ],
    [
      'that is not valid yet',
      () => judge(root.issue({ name: 'j', notBefore: '20270101000000Z' }).cert),
      'a certificate is not valid yet',
    ],
    [
      'below an authority that has expired',
      () => judge(former.issue({ name: 'k' }).cert, [former.cert]),
      'a certificate has expired',
    ],
    [
      'of a server',
      () => judge(root.issue({ name: 'l', usage: 'server' }).cert),
      'a certificate is not for clients',
    ],
    [
      'with a critical extension that nobody knows',
      () => judge(root.issue({ name: 'm', isOdd: true }).cert),
      'a certificate has a critical extension that is not known here',
    ],
    [
      'below an authority that its own authority does not allow',
      () => judge(beyond.issue({ name: 'n' }).cert, [beyond.cert, last.cert]),
      'the chain is longer than one of its authorities allows',
    ],
    [
      'that is revoked',
      () => judge(leaf.cert, [], [root.cert], [root.revocations([leaf.serial])]),
      'a certificate is revoked',
    ],
    [
      'below an authority that is revoked',
      () =>
        judge(
          viaLast.cert,
          [last.cert],
          [root.cert],
          [
            root.revocations(
              [new X509Certificate(last.cert).serialNumber].map((one) => Number(`0x${one}`)),
            ),
            last.revocations([]),
          ],
        ),
      'a certificate is revoked',
    ],
    [
      'whose authority has no list',
      () => judge(viaLast.cert, [last.cert], [root.cert], [root.revocations([])]),
      noList,
    ],
    [
      'whose list has ended',
      () => judge(leaf.cert, [], [root.cert], [root.revocations([], '20260101000000Z')]),
      noList,
    ],
    [
      'whose list another authority of that name has signed',
      () => judge(leaf.cert, [], [root.cert], [namesake.revocations([])]),
      noList,
    ],
  ] as const) {
    it(`is refused: ${title}`, async () => expect(await found()).to.equal(reason))
  }

  it('is refused that an ordinary certificate has issued', async () => {
    const wrong = new Authority('Wrong', root)
    const { cert } = wrong.issue({ name: 'o' })
    expect(await judge(cert, [noAuthority.cert])).to.equal(noIssuer)
  })
})
