/** Edits of a realm at the same time, in one process and in two that share a store: no edit undoes another one. */
import { expect } from 'chai'
import { deletingUser, settingUser } from '#component/realm/documents/edits.ts'
import { realmsWith } from '#test/unit/realm/doubles.ts'
import { MemoryStore } from '#test/unit/replica/memory-store.ts'
import { document, environment, opened, uri } from './fixture.ts'

describe('edits at the same time', () => {
  it('of one process all take place', async () => {
    const { realms, shown } = await opened()
    const names = Array.from({ length: 10 }, (_, index) => `user-${index}`)
    await Promise.all(names.map((username) => realms.edit(uri, settingUser({ username }))))
    expect(shown().users.map(({ username }) => username)).to.include.members(names)
  })

  it('of two processes on one store all take place', async () => {
    const store = new MemoryStore()
    const one = await opened(document, store)
    const two = await realmsWith(environment, store)
    const names = Array.from({ length: 10 }, (_, index) => `user-${index}`)
    await Promise.all(
      names.map((username, index) =>
        (index % 2 === 0 ? one : two).realms.edit(uri, settingUser({ username, password: 'p' })),
      ),
    )
    await Promise.all([one, two].map(({ replica }) => replica.refresh()))
    for (const { realms } of [one, two]) {
      expect([...(realms.realm(uri)?.users.keys() ?? [])]).to.include.members(names)
    }
    expect(await one.logIn('user-7', 'p')).to.equal(true)
  })

  it('leave a password that another process changes while a document is loaded', async () => {
    const store = new MemoryStore()
    const one = await opened(document, store)
    const two = await realmsWith(environment, store)
    const shown = one.shown()
    let isOver = false
    store.before = async (method) => {
      if (method !== 'replace' || isOver) return
      isOver = true
      await two.realms.changePassword(uri, 'ada', 'anders')
    }
    await one.realms.load({ ...shown, description: 'loaded at the same time' })
    expect(await one.logIn('ada', 'anders')).to.equal(true)
    expect(one.shown()).to.include({ description: 'loaded at the same time' })
  })

  it('are refused when a condition does not hold', async () => {
    const { realms, shown } = await opened()
    const ifMatch = [realms.hashOf(uri)]
    const edit = settingUser({ username: 'new' })
    await realms.edit(uri, edit, 'ada', { ifMatch })
    const cause: unknown = await realms
      .edit(uri, deletingUser('new'), 'ada', { ifMatch })
      .catch((error: unknown) => error)
    expect(cause).to.include({ uri: 'service.error.conflict' })
    expect(shown().users).to.have.length(4)
  })
})
