/** What the event about a load tells subscribers of a document that gateways exchange in an envelope. */
import { expect } from 'chai'
import { hashOf } from '#component/replica/entry.ts'
import { envelopeOf } from '#component/replica/envelope.ts'
import { announceChange } from '#component/sync/changes.ts'

const document = { id: 'a', host: '_', realm_uri: 'com.example', versions: {} }
const stamp = { ms: 7, counter: 0, node: 'n' }

describe('the event about a load', () => {
  it('names the hash that the load has answered, and carries the envelope to other gateways', async () => {
    const envelope = envelopeOf(document, hashOf(document), ['request'])
    const entry = {
      ...({ kind: 'api_spec', id: 'a', stamp, parent: null } as const),
      ...{ hash: hashOf(envelope), document: envelope },
    }
    const published: unknown[][] = []
    const wire = { publish: async (...words: unknown[]) => void published.push(words) }
    await announceChange(wire as never, { warn: () => undefined } as never, 'n', entry)
    expect(published).to.deep.equal([
      [
        'service.api_spec.on_load',
        { id: 'a', ts: 7, hash: hashOf(document), node: 'n' },
        { entry },
      ],
    ])
  })
})
