/** Stored passwords that come from elsewhere: what may be asked of the one who checks them. */
import { argon2, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { isPassword } from '#component/realm/documents/password.ts'

const password = 'the password'

/** A hash of the password that is right, whatever it costs. */
async function hashed(memory: number, passes: number, parallelism: number, [salt, tag] = [16, 32]) {
  const nonce = randomBytes(salt)
  const costs = { memory, passes, parallelism }
  const found = await promisify(argon2)('argon2id', {
    ...{ message: password, nonce, tagLength: tag, ...costs },
  })
  const [start, end] = [nonce, found].map((bytes) => bytes.toString('base64').replaceAll('=', ''))
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${start}$${end}`
}

describe('a stored password', () => {
  const wampcra = { salt: '', iterations: 1, keylen: 32, secret: { sealed: '' } }
  const isRight = (argon2id: string, text = password) => isPassword(text, { argon2id, wampcra })

  it('is checked with the costs that it was made with', async () => {
    for (const argon2id of [await hashed(64, 1, 1), await hashed(32, 10, 4)]) {
      expect(await isRight(argon2id), argon2id).to.equal(true)
      expect(await isRight(argon2id, 'wrong'), argon2id).to.equal(false)
    }
  })

  for (const [what, memory, passes, lanes] of [
    ['memory', 262_145, 1, 1],
    ['passes', 8, 11, 1],
    ['lanes', 40, 1, 5],
  ] as const) {
    it(`is refused when it asks for more ${what} than is borne`, async () => {
      expect(await isRight(await hashed(memory, passes, lanes))).to.equal(false)
    })
  }

  it('is refused when it is none', async () => {
    const right = await hashed(64, 1, 1)
    for (const argon2id of [
      '',
      'the password',
      right.replace('m=64', 'm=4294967296'),
      right.replace('m=64', 'm=1'),
      right.replace('t=1', 't=0'),
      right.replace('t=1', 't=many'),
      right.replace('p=1', 'p=0.5'),
      right.slice(0, -8),
      await hashed(64, 1, 1, [16, 64]),
      right.replace(/\$[^$]*(?=\$[^$]*$)/, '$c2FsdA'),
    ]) {
      expect(await isRight(argon2id), argon2id).to.equal(false)
    }
  })
})
