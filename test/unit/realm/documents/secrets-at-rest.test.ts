/** Secrets of realm documents in the store: hashed, or sealed when they must be read again. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { SecretBox } from '#component/secret-box.ts'
import { realmsWith } from '#test/unit/realm/doubles.ts'
import { MemoryStore } from '#test/unit/replica/memory-store.ts'

const uri = 'com.example.test'

/** `${name}`, which linters take for a template. */
const variable = (name: string) => `$${'{'}${name}}`

const provider = (client_secret: unknown) => ({
  uri,
  info: {
    oidc_providers: {
      default: { issuer: 'https://x', token_endpoint: 'https://x/token', client_secret },
    },
  },
})

type Opened = Awaited<ReturnType<typeof realmsWith>>

/** The secret as the realm has it. */
const secretIn = ({ realms }: Opened, of = uri): unknown => {
  const info = realms.realm(of)?.info as ReturnType<typeof provider>['info']
  return info.oidc_providers.default.client_secret
}

const text = (store: MemoryStore) => JSON.stringify([...store.rows.values()])

describe('secrets that are read again', () => {
  it('are sealed in the store, and open for the realm', async () => {
    const opened = await realmsWith()
    await opened.realms.load(provider('sssh'))
    expect(text(opened.store)).to.not.include('sssh')
    expect(text(opened.store)).to.include('https://x/token')
    expect(secretIn(opened)).to.have.all.keys('sealed')
    expect(await opened.realms.openSecret(uri, secretIn(opened))).to.equal('sssh')
    expect(JSON.stringify(opened.realms.list())).to.not.include('sealed')
  })

  it('stay sealed as they are when they are loaded again', async () => {
    const opened = await realmsWith()
    await opened.realms.load(provider('sssh'))
    const first = secretIn(opened)
    await opened.realms.load(provider('sssh'))
    expect(secretIn(opened)).to.deep.equal(first)
    await opened.realms.load(provider('other'))
    expect(await opened.realms.openSecret(uri, secretIn(opened))).to.equal('other')
  })

  it('open for those that inherit them, and for no other realm', async () => {
    const opened = await realmsWith()
    await opened.realms.load([
      provider('sssh'),
      { uri: 'com.heir', prototype_uri: uri },
      { uri: 'com.other' },
    ])
    const secret = secretIn(opened, 'com.heir')
    expect(await opened.realms.openSecret('com.heir', secret)).to.equal('sssh')
    expect(await opened.realms.openSecret('com.other', secret)).to.equal(undefined)
  })

  it('do not open with another store.key', async () => {
    const opened = await realmsWith()
    await opened.realms.load(provider('sssh'))
    const box = new SecretBox('another store key of the tests')
    const others = await realmsWith({}, opened.store, { box })
    expect(await others.realms.openSecret(uri, secretIn(others))).to.equal(undefined)
  })

  it('are kept as references where they are references, and read from there', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'realm-secrets-'))
    const file = join(folder, 'secret')
    writeFileSync(file, 'from a file\n')
    try {
      const opened = await realmsWith({ NAME: 'from outside' })
      for (const [written, kept, found] of [
        [{ env: 'NAME' }, { env: 'NAME' }, 'from outside'],
        [{ file }, { file }, 'from a file'],
        [variable('NAME'), 'from outside', 'from outside'], // filled in where the realm is made
      ] as const) {
        await opened.realms.load(provider(written))
        expect(secretIn(opened)).to.deep.equal(kept)
        expect(await opened.realms.openSecret(uri, secretIn(opened))).to.equal(found)
        expect(text(opened.store)).to.not.include('from outside')
      }
      expect(await opened.realms.openSecret(uri, { env: 'NOPE' })).to.equal(undefined)
      expect(await opened.realms.openSecret(uri, undefined)).to.equal(undefined)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('of private_keys are sealed, those of meta are whose they are', async () => {
    const opened = await realmsWith()
    await opened.realms.load({
      uri,
      private_keys: [{ kid: 'a', d: 'sssh' }],
      users: [{ username: 'u', client_secret: 'sssh', meta: { api_key: 'mine' } }],
    })
    expect(text(opened.store)).to.not.include('sssh')
    expect(opened.realms.realm(uri)?.users.get('u')?.meta).to.deep.equal({ api_key: 'mine' })
  })

  for (const key of ['password', 'API_KEYS', 'refresh_tokens', 'passphrases', 'credentials']) {
    it(`under ${key} are sealed, and not shown`, async () => {
      const opened = await realmsWith()
      await opened.realms.load({ uri, info: { mail: { [key]: ['sssh'], host: 'mail.example' } } })
      expect(text(opened.store)).to.not.include('sssh')
      expect(opened.realms.get(uri)).to.have.nested.property('info.mail').that.deep.equals({
        host: 'mail.example',
      })
    })
  }

  for (const name of ['token', 'password', 'client_secret', 'azure-secret']) {
    it(`are told from the name of a provider: ${name}`, async () => {
      const opened = await realmsWith()
      const entry = {
        issuer: 'https://x',
        token_endpoint_auth_method: 'none',
        role_mapping: { [name]: 'writers' },
      }
      const oidc_providers = { [name]: { ...entry, client_secret: 'sssh' } }
      await opened.realms.load({ uri, info: { oidc_providers } })
      expect(text(opened.store)).to.not.include('sssh')
      const kept = opened.realms.realm(uri)?.info.oidc_providers as Record<string, object>
      expect(kept[name]).to.deep.include(entry)
      expect(kept[name]).to.have.property('client_secret').that.has.all.keys('sealed')
      expect(opened.realms.get(uri).info).to.deep.equal({ oidc_providers: { [name]: entry } })
    })
  }

  it('in the place of a provider are sealed, and not shown', async () => {
    const opened = await realmsWith()
    const oidc_providers = { client_id: 'app', client_secret: 'sssh' }
    await opened.realms.load({ uri, info: { oidc_providers } })
    expect(text(opened.store)).to.not.include('sssh')
    expect(opened.realms.get(uri)).to.have.deep.nested.property('info.oidc_providers', {
      client_id: 'app',
    })
  })
})

describe('passwords', () => {
  const users = (password: string) => ({ uri, users: [{ username: 'u', password }] })
  const hashIn = ({ realms }: Opened) => realms.realm(uri)?.users.get('u')?.password

  it('that are loaded again keep their hash', async () => {
    const opened = await realmsWith()
    await opened.realms.load(users('geheim'))
    const first = hashIn(opened)
    await opened.realms.load(users('geheim'))
    expect(hashIn(opened)).to.deep.equal(first)
    await opened.realms.load(users('anders'))
    expect(hashIn(opened)?.argon2id).to.not.equal(first?.argon2id)
  })

  it('are not kept themselves unless a router needs them', async () => {
    const opened = await realmsWith()
    await opened.realms.load(users('geheim'))
    expect(hashIn(opened)).to.have.all.keys('argon2id', 'wampcra')
    expect(await opened.realms.plainPassword(uri, 'u')).to.equal(undefined)
  })

  it('are kept sealed for a router that needs them, and never shown', async () => {
    const store = new MemoryStore()
    await (await realmsWith({}, store)).realms.load(users('geheim'))
    const keeping = await realmsWith({}, store, { keepsPasswords: true })
    const before = hashIn(keeping)
    await keeping.realms.load(users('geheim'))
    expect(await keeping.realms.plainPassword(uri, 'u')).to.equal('geheim')
    expect(hashIn(keeping)?.argon2id).to.equal(before?.argon2id)
    expect(text(store)).to.not.include('geheim')
    expect(JSON.stringify(keeping.realms.list())).to.not.include('sealed')
    expect(await keeping.realms.plainPassword(uri, 'nobody')).to.equal(undefined)
  })

  it('are forgotten where no router needs them any more', async () => {
    const store = new MemoryStore()
    await (await realmsWith({}, store, { keepsPasswords: true })).realms.load(users('geheim'))
    const opened = await realmsWith({}, store)
    await opened.realms.load(users('geheim'))
    expect(hashIn(opened)).to.have.all.keys('argon2id', 'wampcra')
  })
})
