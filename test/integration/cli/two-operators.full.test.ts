/** A folder of 50 documents that two operators sync at once while its routes are requested: nothing is lost, and no request fails. */
import { expect } from 'chai'
import { send } from '#test/support/http-request.ts'
import { rounds } from '#test/support/running/rounds.ts'
import { documentOf, FolderFixture } from './folder-fixture.ts'

const documents = 50
const changedInRound = 10

describe('two operators who sync one folder', function () {
  this.timeout(300_000)
  const fixture = new FolderFixture()
  before(() => fixture.start())
  after(() => fixture.stop())
  beforeEach(() => fixture.begin())
  afterEach(() => fixture.end())

  const idOf = (at: number) => `com.example.d${at}`
  const write = (at: number, version: number) =>
    fixture.write(`d${at}.json`, documentOf(idOf(at), { [`/d${at}`]: version }))
  const versionsOf = async (at: number) => {
    const path = `/api_specs/${idOf(at)}/versions`
    return (await send(fixture.gateway.adminUrl, path)).json() as { hash: string }[]
  }

  it('make each change once; the one who is late is told 412, and finds everything done', async () => {
    const written = Array.from({ length: documents }, () => 0)
    for (const at of written.keys()) write(at, 0)
    expect((await fixture.run('sync', '--owner', 'team')).code).to.equal(0)

    let isDone = false
    let requests = 0
    const seen = [...written]
    /** Requests each route in turn: its version is never older than one that was seen before. */
    const request = async (start: number) => {
      for (let at = start; !isDone; at = (at + 7) % documents) {
        const least = seen[at] ?? 0
        const version = Number(await fixture.bodyOf(`/d${at}`))
        expect(version).to.be.within(least, written[at] ?? 0)
        seen[at] = Math.max(seen[at] ?? 0, version)
        requests++
      }
    }
    const requesting = Promise.all([0, 1, 2, 3].map(request))
    // a failure is told at the end, and ends no round
    requesting.catch(() => undefined)

    let conflicts = 0
    const times = rounds(2, 60)
    for (let round = 1; round <= times; round++) {
      for (let i = 0; i < changedInRound; i++) {
        const at = (round * 13 + i * 3) % documents
        written[at] = round
        write(at, round)
      }
      const operators = await Promise.all([1, 2].map(() => fixture.ask('sync', '--owner', 'team')))
      const outcomes = operators.flatMap(({ value }) => value.documents) as {
        readonly outcome: string
        readonly error?: string
        readonly findings: readonly { readonly message: string }[]
      }[]
      expect(outcomes.filter(({ outcome }) => outcome === 'changed')).to.have.length(changedInRound)
      const refused = outcomes.filter(({ outcome }) => outcome === 'refused')
      for (const { error, findings } of refused) {
        expect(error).to.equal('service.error.conflict')
        expect(findings[0]?.message).to.match(/^If-Match: the current version has the ETag "/)
      }
      conflicts += refused.length
      for (const { code, value } of operators) {
        const isRefused = value.documents.some(
          ({ outcome }: { outcome: string }) => outcome === 'refused',
        )
        expect(code).to.equal(isRefused ? 1 : 0)
      }
      const again = await fixture.ask('sync', '--owner', 'team')
      expect([again.code, again.value.documents.length]).to.deep.equal([0, documents])
      expect((await fixture.run('diff', '--owner', 'team')).code).to.equal(0)
    }
    isDone = true
    await requesting
    expect(conflicts).to.be.greaterThan(0)
    expect(requests).to.be.greaterThan(documents)
    for (const [at, version] of written.entries()) {
      expect(await fixture.bodyOf(`/d${at}`)).to.equal(version)
      const hashes = (await versionsOf(at)).map(({ hash }) => hash)
      expect(new Set(hashes).size, 'each version once').to.equal(hashes.length)
    }
  })
})
