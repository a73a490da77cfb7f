/** Refresh tokens in a process that stood still: who waited there, and has meanwhile got the next token elsewhere, is no thief. */
import { expect } from 'chai'
import { Suspension } from '#component/wiring/suspension.ts'
import { SetClock } from '#test/unit/replica/doubles.ts'
import { ada, openTokens, realm_uri, reasonOf } from './doubles.ts'

const refused = 'the refresh token is not valid'

/** Two nodes with one store; the process of the first one runs while {@link run} is called, and stands still while time passes. */
async function twoNodes() {
  const clock = new SetClock()
  const now = () => clock.now()
  const suspension = new Suspension({ now, after: () => () => undefined }, now)
  const first = await openTokens({ clock, suspension })
  const second = await openTokens({ clock, families: first.families })
  const { token } = await first.refreshTokens.issue(realm_uri, ada)
  return {
    ...{ token, families: first.families, passes: first.pass },
    runs(seconds: number) {
      for (let half = 0; half < 2 * seconds; half++) {
        first.pass(0.5)
        suspension.since()
      }
    },
    onFirst: (text: string) => first.refreshTokens.rotate(text, realm_uri),
    refusal: (text: string) => reasonOf(() => first.refreshTokens.rotate(text, realm_uri)),
    onSecond: (text: string) => second.refreshTokens.rotate(text, realm_uri),
  }
}

describe('a refresh token that waited in a process that stood still', () => {
  it('is refused and ends nothing, when its successor was given meanwhile', async () => {
    const { token, passes, onSecond, onFirst, refusal, families } = await twoNodes()
    passes(5)
    const next = await onSecond(token)
    passes(45)
    expect(await refusal(token)).to.equal(refused)
    expect(families.rows).to.have.length(1)
    expect((await onFirst(next.token)).family.generation).to.equal(2)
  })

  it('is refused and ends nothing, when its successor has been used as well', async () => {
    const { token, passes, onSecond, onFirst, refusal } = await twoNodes()
    passes(5)
    const next = await onSecond(token)
    passes(15)
    const last = await onSecond(next.token)
    passes(30)
    expect(await refusal(token)).to.equal(refused)
    expect((await onFirst(last.token)).family.generation).to.equal(3)
  })

  it('gives its successor as ever, when nobody has used it meanwhile', async () => {
    const { token, passes, onFirst } = await twoNodes()
    passes(50)
    expect((await onFirst(token)).family.generation).to.equal(1)
  })

  it('ends its family, when its successor was given long before', async () => {
    const { token, passes, runs, onSecond, refusal, families } = await twoNodes()
    await onSecond(token)
    runs(60)
    passes(50)
    expect(await refusal(token)).to.equal(refused)
    expect(families.rows).to.deep.equal([])
  })

  it('ends its family, when the clock of a process that runs is set forward', async () => {
    const clock = new SetClock()
    const now = () => clock.now()
    const suspension = new Suspension({ now, after: () => () => undefined }, () => 0)
    const { families, pass, refreshTokens } = await openTokens({ clock, suspension })
    const { token } = await refreshTokens.issue(realm_uri, ada)
    await refreshTokens.rotate(token, realm_uri)
    pass(20)
    expect(await reasonOf(() => refreshTokens.rotate(token, realm_uri))).to.equal(refused)
    expect(families.rows).to.deep.equal([])
  })

  it('ends its family, when it comes some time after the process has gone on', async () => {
    const { token, passes, runs, onSecond, refusal, families } = await twoNodes()
    passes(5)
    await onSecond(token)
    passes(45)
    runs(11)
    expect(await refusal(token)).to.equal(refused)
    expect(families.rows).to.deep.equal([])
  })
})
