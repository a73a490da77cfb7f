/** No secret leaves a gateway: not in logs, errors, metrics or listings, and not into its store as text. */
import { expect } from 'chai'
import { SecretBox } from '#component/secret-box.ts'
import { rounds } from '#test/support/running/rounds.ts'
import { planted, secretProbe, upstreamToken } from './documents.ts'
import { runWithSecrets, type Written } from './run.ts'
import { SecretSearch } from './search.ts'

const storeKey = 'store key 5f0c9b1e77aa4d12'
const clusterKey = 'cluster key 81d2e6c09f3b4a57'

const many = rounds(2_000, 10_000)

const everyStatus = [200, 400, 401, 403, 404, 405, 406, 413, 415, 417, 429, 431, 500, 501, 502, 504]

/** The private keys of realms, opened as the gateway does. */
function signingKeys({ rows }: Written, box: SecretBox): string[] {
  return rows
    .split('\n')
    .filter((row) => row.includes('"private_jwk"'))
    .map((row) => {
      const { kid, private_jwk } = JSON.parse(row) as { kid: string; private_jwk: string }
      return (JSON.parse(box.open(private_jwk, `realm_key ${kid}`) ?? 'null') as { d: string }).d
    })
}

/** What is stored in the place of passwords: it is for nobody to see either. */
const storedSecrets = ({ rows }: Written): string[] =>
  Array.from(rows.matchAll(/"(?:argon2id|sealed)":"([^"]+)"/g), ([, text = '']) => text.slice(-40))

describe('the search for secrets', () => {
  const search = new SecretSearch()
  search.add('secret', `${secretProbe} +/ü"`)
  const noise = Buffer.from(Array.from({ length: 300 }, (_, index) => (index * 37) % 256))

  it('finds each form of one, and nothing where there is none', () => {
    for (const { form, bytes } of search.forms('secret')) {
      const found = search.find(Buffer.concat([noise, bytes, noise]))
      expect(found.join(), form).to.include(form)
    }
    expect(search.find(noise)).to.deep.equal([])
  })

  for (const encoding of ['base64', 'base64url', 'hex'] as const) {
    it(`finds one within what was encoded as ${encoding}`, () => {
      for (let before = 0; before < 3; before += 1) {
        const text = `${'x'.repeat(before)}${secretProbe} +/ü"${'y'.repeat(5)}`
        expect(search.find(Buffer.from(text).toString(encoding))).to.have.length(1)
      }
    })
  }
})

for (const [title, count, settings] of [
  [`with ${many} requests`, many, { 'store.key': storeKey, 'cluster.key': clusterKey }],
  ['that keeps its key in a file', 1_000, {}],
] as const) {
  describe(`a gateway ${title}, right ones and wrong ones, that logs everything`, function () {
    this.timeout(180_000)
    const search = new SecretSearch()
    /** What the store holds, and nobody else. */
    const outside = new SecretSearch()
    const mark = new SecretSearch()
    let written: Written
    before(async () => {
      written = await runWithSecrets(settings, count)
      search.add('a secret of the test', secretProbe)
      search.add('store.key', storeKey)
      search.add('cluster.key', clusterKey)
      if (written.storeKey) search.add('the file store.key', written.storeKey)
      for (const [name, text] of written.made) search.add(name, text)
      const keys = signingKeys(written, new SecretBox(written.storeKey || storeKey))
      for (const [index, key] of keys.entries()) search.add(`signing key ${index}`, key)
      for (const [index, text] of storedSecrets(written).entries())
        outside.add(`stored ${index}`, text)
      outside.add('the token for an upstream', upstreamToken)
      mark.add('mark', planted)
    })

    it('has answered with every status that it knows', () => {
      expect([...written.statuses.keys()]).to.include.members(everyStatus)
      const all = [...written.statuses.values()].reduce((sum, one) => sum + one, 0)
      expect(all).to.be.at.least(count)
      expect(written.places.log.toString().split('\n')).to.have.length.of.at.least(count)
    })

    it('has made keys, tokens and what it checks passwords by', () => {
      expect(search.size).to.be.at.least(15)
      expect(outside.size).to.be.at.least(10)
      expect(written.storeKey === '').to.equal('store.key' in settings)
    })

    for (const place of ['log', 'errors', 'metrics', 'shown', 'store'] as const) {
      it(`leaves none in ${place}, where what is no secret is found`, () => {
        expect(mark.find(written.places[place])).to.not.deep.equal([])
        expect(search.find(written.places[place])).to.deep.equal([])
        if (place !== 'store') expect(outside.find(written.places[place])).to.deep.equal([])
      })
    }
  })
}
