/** Which options leave the demonstration of `start` in place. */
import { expect } from 'chai'
import { isDemonstration } from '#component/cli/start/demo.ts'

describe('the demonstration of start', () => {
  const kept: readonly (readonly string[])[] = [
    [],
    ['workers'],
    ['gateway.listen', 'admin.listen', 'health.listen'],
    ['log'],
    ['log.level', 'log.format'],
  ]
  for (const options of kept) {
    it(`runs with ${options.join(', ') || 'no option'}`, () => {
      expect(isDemonstration(undefined, options)).to.equal(true)
    })
  }

  for (const option of ['specs', 'realms', 'wamp.url', 'store.url', 'data_dir', 'gateway.tls']) {
    it(`does not run with ${option}, whatever stands beside it`, () => {
      expect(isDemonstration(undefined, ['gateway.listen', option])).to.equal(false)
    })
  }

  it('does not run with a configuration file', () => {
    expect(isDemonstration('gateway.yaml', [])).to.equal(false)
  })
})
