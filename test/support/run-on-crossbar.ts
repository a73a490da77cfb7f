/** `npm run test:crossbar`: the suites that take any router, once more against Crossbar.io, and the tests with Python peers. */
import { spawn } from 'node:child_process'
import { startCrossbar } from './crossbar.ts'

const crossbar = await startCrossbar()
const suites = [
  'test/contract/*-session.test.ts',
  'test/integration/**/*.test.ts',
  'test/python/**/*.test.ts',
]
const mocha = spawn(
  'mocha',
  [
    '--no-config',
    '--extension',
    'ts',
    '--timeout',
    '20000',
    '--node-option',
    'disable-proto=delete',
    ...suites,
  ],
  { stdio: 'inherit', env: { ...process.env, WAMP_ROUTER_URL: crossbar.url } },
)
const code = await new Promise<number>((resolve) =>
  mocha.once('exit', (status) => resolve(status ?? 1)),
)
await crossbar.stop()
process.exitCode = code
