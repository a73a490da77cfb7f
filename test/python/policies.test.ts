/** Rate limits and ETags for clients in Python: what the fields tell is enough to be refused never, or once. */
import { join } from 'node:path'
import { expect } from 'chai'
import { run } from '#test/support/command.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { pythonProgram } from '#test/support/peers/python-environment.ts'

const program = join(import.meta.dirname, 'policies_client.py')

const answer = (body: unknown) => ({ action: { type: 'static', body }, response: {} })

const limited = (name: string, amount: number, window: number) => ({
  [`/${name}`]: { rate_limit: { name, amount, window }, get: answer(name) },
})

const document = {
  ...{ id: 'python-policies', host: '_', realm_uri: 'com.example.test' },
  versions: {
    1: {
      base_path: '/python',
      paths: {
        ...limited('steady', 10, 1),
        ...limited('retried', 2, 2),
        ...limited('crowded', 20, 3600),
        '/tagged/:id': { etag: true, get: answer({ id: '{{request.bindings.id}}' }) },
      },
    },
  },
}

describe('the policies of a gateway for a client in Python', () => {
  let gateway: TestGateway
  before(async () => {
    gateway = await startGateway({}, { isEmbedded: true })
    await gateway.load(document)
  })
  after(() => gateway.stop())

  /** What a client of policies_client.py prints. */
  async function client(name: string): Promise<unknown> {
    const words = [program, `${gateway.url}/python`, name]
    const { stdout, stderr } = await run(pythonProgram('python'), words, import.meta.dirname)
    expect(stderr).to.equal('')
    return JSON.parse(stdout)
  }

  it('never refuse one that waits when RateLimit tells that nothing is left', async () => {
    expect(await client('obedient')).to.deep.equal(Array(30).fill(200))
  })

  it('never refuse one twice in a row that waits for Retry-After', async () => {
    const statuses = (await client('impatient')) as number[]
    expect(statuses).to.include(200).and.to.include(429)
    for (const [index, status] of statuses.entries()) {
      if (status === 429) expect(statuses[index + 1] ?? 200, String(statuses)).to.equal(200)
    }
  })

  it('serve a crowd that comes at once the amount, and refuse the others', async () => {
    expect(await client('crowd')).to.deep.equal({ 200: 20, 429: 40 })
  })

  it('answer 304 without a body to one that has the answer', async () => {
    const [notModified, other] = [
      [304, false, true],
      [200, true, false],
    ]
    expect(await client('conditional')).to.deep.equal({
      ...{ equal: notModified, weak: notModified, 'one of several': notModified },
      ...{ any: notModified, another: [200, true, true], 'without quotes': [200, true, true] },
      ...{ 'another type': other, 'another answer': other },
    })
  })
})
