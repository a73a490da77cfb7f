/** The options that a person has changed. */
import { expect } from 'chai'
import { changedOptions } from '#component/config/changed-options.ts'
import { configOf } from '#component/config/config.ts'

describe('changedOptions', () => {
  it('is empty for the defaults', () => {
    expect(changedOptions(configOf({ log: { level: 'info' } }))).to.deep.equal({})
  })

  it('has dotted keys, lists as a whole, and masked secrets', () => {
    const config = configOf({
      workers: 2,
      specs: ['a.json', 'b.json'],
      gateway: { listen: 8080, cors: { max_age: 5 } },
      cluster: { key: 'a secret of the cluster' },
      egress: { proxy: 'https://proxy', proxy_username: 'gw', proxy_password: 'tunafish' },
      store: { url: 'postgres://user:tunafish@db/app' },
    })
    expect(changedOptions(config)).to.deep.equal({
      workers: 2,
      specs: ['a.json', 'b.json'],
      'gateway.listen': 8080,
      'gateway.cors.max_age': 5,
      'cluster.key': '[masked]',
      'egress.proxy': 'https://proxy',
      'egress.proxy_username': 'gw',
      'egress.proxy_password': '[masked]',
      'store.url': 'postgres://user:masked@db/app',
    })
  })
})
