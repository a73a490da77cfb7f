/** The folder that `wamp-gateway new` makes from the first example. */
import { expectServed } from './new-folder.setup.ts'

describe('a folder that wamp-gateway new makes', () => {
  it('from hello is valid, and is served by start --config', () =>
    expectServed('hello', '/v1.0/about', 200))
})
