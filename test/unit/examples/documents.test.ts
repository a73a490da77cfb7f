/** The examples of whole documents: their counts, what a load makes of those that fail, and their time. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Clock } from '#component/clock.ts'
import { InvalidSpecError, ServiceError } from '#component/errors.ts'
import { Examples } from '#component/examples/examples.ts'
import { documentOf, fixed } from '#test/unit/gateway/fake-exchange.ts'
import { examplePorts } from './ports.ts'

const examples = new Examples(examplePorts)

describe('the examples', () => {
  const document = JSON.parse(
    readFileSync(join(import.meta.dirname, '../../cases/examples/orders.json'), 'utf8'),
  )
  const failing = JSON.parse(JSON.stringify(document).replace('"status":404', '"status":405'))
  const at =
    '/versions/1.0/paths/~1orders~1:id/get/examples/unknown/expect/status: expected 405, found 404'

  it('of a document are counted, and so are operations without any', async () => {
    const { results, ...counts } = await examples.test(failing)
    expect(counts).to.deep.equal({
      ...{ passed: 2, failed: 1, operations: 1, without: 0, uncovered: [] },
    })
    expect(results.map(({ name, passed }) => [name, passed])).to.deep.equal([
      ['an order', true],
      ['unknown', false],
      ['not a number', true],
    ])
    const without = await examples.test(documentOf({ '/x': { get: fixed() } }))
    expect(without).to.deep.equal({
      ...{ passed: 0, failed: 0, operations: 1, without: 1, results: [] },
      uncovered: ['/versions/1.0/paths/~1x/get'],
    })
  })

  it('of a document that does not load are its issues', async () => {
    const error = await examples.test({ id: 'a' }).catch((cause: unknown) => cause)
    expect(error).to.be.instanceOf(InvalidSpecError)
  })

  it('that fail are nothing, warnings or a refusal, as a load asks', async () => {
    expect(await examples.judge(failing, 'off')).to.deep.equal([])
    const warned = await examples.judge(failing, 'warn')
    expect(warned.map(({ path, message }) => `${path}: ${message}`)).to.deep.equal([at])
    const error = await examples.judge(failing, 'refuse').catch((cause: unknown) => cause)
    expect(error).to.be.instanceOf(InvalidSpecError).and.to.have.property('issues').with.length(1)
    expect(await examples.judge(document, 'refuse')).to.deep.equal([])
  })

  it('are given up after 10 seconds, with the name of the one that would be next', async () => {
    let time = 0
    const clock: Pick<Clock, 'now' | 'after'> = {
      now: () => (time += 4_000),
      after: () => () => undefined,
    }
    const slow = new Examples({ ...examplePorts, clock })
    const error = await slow.test(document).catch((cause: unknown) => cause)
    expect(error)
      .to.be.instanceOf(ServiceError)
      .and.to.have.property('message')
      .that.includes('/get/examples/not a number was not run')
    expect(error).to.have.property('status', 503)
  })

  it('let other work run between them', async () => {
    let turns = 0
    const yieldTurn = () => {
      turns += 1
      return undefined
    }
    await new Examples({ ...examplePorts, yieldTurn }).test(document)
    expect(turns).to.be.greaterThan(3)
  })
})
