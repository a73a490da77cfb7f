/** Edits of a realm that set or delete one grant; all else stays as it is. */
import { expect } from 'chai'
import type { InvalidSpecError } from '#component/errors.ts'
import { deletingGrant, settingGrant } from '#component/realm/documents/edits.ts'
import { opened, read, uri, write } from './fixture.ts'

describe('setting a grant', () => {
  it('adds one for other roles, other URIs or another match', async () => {
    const { realms, shown } = await opened()
    const added = [
      { ...read, roles: ['others'] },
      { ...read, uri: 'com.films.' },
      { ...read, match: 'wildcard' },
      { permissions: ['wamp.call'], uri: 'com.books.', roles: 'readers' },
    ]
    for (const grant of added) {
      expect(await realms.edit(uri, settingGrant(grant))).to.include({ isNewPart: true })
    }
    expect(shown().grants).to.deep.equal([read, write, ...added])
  })

  it('takes the place of the one for the same roles on the same URIs, whatever their order', async () => {
    const { realms, shown } = await opened()
    const permissions = ['wamp.register']
    const edited = await realms.edit(uri, settingGrant({ ...read, roles: 'readers', permissions }))
    expect(edited).to.include({ isNewPart: false })
    const [resource, other] = write.resources
    await realms.edit(
      uri,
      settingGrant({
        ...{ permissions, roles: ['editors', 'writers', 'editors'] },
        resources: [other, { ...resource, match: 'exact' }],
      }),
    )
    expect(shown().grants.map((grant) => grant.permissions)).to.deep.equal([
      permissions,
      permissions,
    ])
  })

  it('keeps the keys that are absent, removes those that are null, and leaves one of equal grants', async () => {
    const described = { ...read, description: 'of books', meta: { a: 1 } }
    const { realms, shown } = await opened({ uri, grants: [described, write, read] })
    const { permissions: _, ...named } = read
    await realms.edit(uri, settingGrant({ ...named, meta: null }))
    expect(shown().grants).to.deep.equal([{ ...read, description: 'of books' }, write])
  })

  it('tells issues by pointers into the grant', async () => {
    const { refusal } = await opened()
    const wrong = { roles: ['x'], uri: 'a', match: 'regex', permissions: [5] }
    const refused = (await refusal(settingGrant(wrong))) as InvalidSpecError
    expect(refused.issues.map(({ path }) => path)).to.have.members(['/permissions/0', '/match'])
  })

  for (const [what, grant] of [
    ['without roles', { uri: 'a' }],
    ['without a URI', { roles: ['a'] }],
    ['without resources', { roles: ['a'], resources: [] }],
  ] as const) {
    it(`refuses one ${what}`, async () => {
      const { refusal } = await opened()
      for (const edit of [settingGrant(grant), deletingGrant(grant)]) {
        expect((await refusal(edit)).uri).to.equal('wamp.error.invalid_argument')
      }
    })
  }

  it('says that a first grant closes a realm that allowed everything', async () => {
    const { realms } = await opened({ uri })
    const { warnings } = await realms.edit(uri, settingGrant(read))
    expect(warnings.map(({ path }) => path)).to.deep.equal(['/grants'])
    expect(realms.realm(uri)?.isUnrestricted).to.equal(false)
    for (const security_enabled of [true, false]) {
      const other = await opened({ uri, security_enabled })
      expect((await other.realms.edit(uri, settingGrant(read))).warnings).to.deep.equal([])
    }
  })

  it('is refused where the grants are those of a prototype: they would all be gone', async () => {
    const { refusal, realms } = await opened([
      { uri: 'base', grants: [write] },
      { uri, prototype_uri: 'base' },
    ])
    const { uri: code, message } = await refusal(settingGrant(read))
    expect(code).to.equal('wamp.error.invalid_argument')
    expect(message).to.contain('inherits its grants from base')
    await realms.edit('base', settingGrant(read))
    expect(realms.realm(uri)?.grants).to.have.length(2)
  })
})

describe('deleting a grant', () => {
  it('takes it by its roles and URIs, and the last one leaves a realm that allows nothing', async () => {
    const { realms, shown } = await opened()
    const { permissions: _, ...named } = write
    await realms.edit(uri, deletingGrant(named))
    expect(shown().grants).to.deep.equal([read])
    await realms.edit(uri, deletingGrant(read))
    expect(shown().grants).to.deep.equal([])
    expect(realms.realm(uri)?.isUnrestricted).to.equal(false)
  })

  it('finds none for other roles', async () => {
    const { refusal } = await opened()
    const unknown = await refusal(deletingGrant({ ...read, roles: ['readers', 'others'] }))
    expect(unknown.uri).to.equal('service.error.not_found')
  })
})
