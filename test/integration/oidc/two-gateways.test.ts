/** A login that two gateways with a SQLite store each know: the one that did it is asked. */
import { testTwoGateways } from './two-gateways.suite.ts'

testTwoGateways('a SQLite store each', async () => ({}))
