/** The faults, each as data: what is struck, how it is healed, and what the spared gateway says meanwhile. */

import { rounds } from '#test/support/running/rounds.ts'
import type { FaultSetup } from './setup.ts'

/** One fault. */
export interface Fault {
  readonly name: string
  /** How long it lasts at least; milliseconds. */
  readonly lastsMs: number
  /** Belongs to the short form. */
  readonly isShort?: true
  /** Calls must go on at the gateway that is spared, while it lasts. */
  readonly sparesCalls: boolean
  /** What `/ready` or `/registry` of the spared gateway holds while it lasts. */
  readonly told?: { readonly path: '/ready' | '/registry'; readonly text: string }
  strike(setup: FaultSetup): unknown
  heal(setup: FaultSetup): unknown
}

const nothing = () => undefined

const frozenGateway = (lastsMs: number): Fault => ({
  name: `a gateway is frozen for ${lastsMs / 1000} s`,
  lastsMs,
  sparesCalls: true,
  strike: ({ gateways: [struck] }) => struck.pause(),
  heal: ({ gateways: [struck] }) => struck.resume(),
})

const frozenWorker = (lastsMs: number): Fault => ({
  name: `a worker is frozen for ${lastsMs / 1000} s`,
  lastsMs,
  sparesCalls: true,
  strike: ({ gateways: [struck] }) => struck.signalWorker('SIGSTOP'),
  heal: ({ gateways: [struck] }) => struck.signalWorker('SIGCONT'),
})

const frozenStore = (lastsMs: number): Fault => ({
  name: `PostgreSQL is frozen for ${lastsMs / 1000} s`,
  lastsMs,
  sparesCalls: true,
  told: { path: '/ready', text: 'the store is away' },
  strike: ({ postgres }) => postgres.pause(),
  heal: ({ postgres }) => postgres.resume(),
})

const frozenRouter = (lastsMs: number): Fault => ({
  name: `Crossbar.io is frozen for ${lastsMs / 1000} s`,
  lastsMs,
  sparesCalls: false,
  strike: ({ router }) => router.crossbar.pause(),
  heal: ({ router }) => router.crossbar.resume(),
})

/** Gives back the room that a full disk lacks. */
let free: () => void = nothing

export const faults: readonly Fault[] = [
  { ...frozenGateway(15_000), isShort: true },
  frozenGateway(50_000),
  {
    name: 'a gateway is stopped',
    lastsMs: 10_000,
    sparesCalls: true,
    strike: ({ gateways: [struck] }) => struck.end('SIGTERM'),
    heal: ({ gateways: [struck] }) => struck.start(),
  },
  {
    name: 'a gateway is killed',
    lastsMs: 10_000,
    sparesCalls: true,
    strike: ({ gateways: [struck] }) => struck.end('SIGKILL'),
    heal: ({ gateways: [struck] }) => struck.start(),
  },
  {
    name: 'the clock of a gateway is 60 s ahead',
    lastsMs: rounds(8_000, 15_000),
    sparesCalls: true,
    isShort: true,
    told: { path: '/registry', text: '"clock":"agrees"' },
    async strike({ gateways: [struck] }) {
      await struck.end('SIGTERM')
      await struck.start(60_000)
    },
    async heal({ gateways: [struck] }) {
      await struck.end('SIGTERM')
      await struck.start()
    },
  },
  {
    name: 'a worker is killed',
    lastsMs: 10_000,
    sparesCalls: true,
    strike: ({ gateways: [struck] }) => struck.signalWorker('SIGKILL'),
    heal: nothing,
  },
  frozenWorker(15_000),
  frozenWorker(50_000),
  { ...frozenStore(rounds(8_000, 15_000)), isShort: true },
  frozenStore(50_000),
  {
    name: 'PostgreSQL is stopped',
    lastsMs: 10_000,
    sparesCalls: true,
    told: { path: '/ready', text: 'the store is away' },
    strike: ({ postgres }) => postgres.stop(),
    heal: ({ postgres }) => postgres.start(),
  },
  {
    name: 'PostgreSQL is killed',
    lastsMs: 10_000,
    sparesCalls: true,
    told: { path: '/ready', text: 'the store is away' },
    strike: ({ postgres }) => postgres.kill(),
    heal: ({ postgres }) => postgres.start(),
  },
  {
    name: 'all connections of PostgreSQL are terminated',
    lastsMs: 5_000,
    sparesCalls: true,
    strike: ({ postgres }) =>
      postgres.run(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'wamp-gateway'",
      ),
    heal: nothing,
  },
  {
    name: 'the disk of PostgreSQL is full',
    lastsMs: rounds(8_000, 15_000),
    sparesCalls: true,
    isShort: true,
    told: { path: '/registry', text: '"store":"full"' },
    strike({ disk }) {
      free = disk.fill()
    },
    heal: () => free(),
  },
  {
    name: 'Crossbar.io is killed',
    lastsMs: 10_000,
    sparesCalls: false,
    told: { path: '/ready', text: 'the router is away' },
    isShort: true,
    strike: ({ router }) => router.crossbar.kill(),
    heal: ({ router }) => router.crossbar.restart(),
  },
  {
    name: 'Crossbar.io is stopped',
    lastsMs: 10_000,
    sparesCalls: false,
    told: { path: '/ready', text: 'the router is away' },
    strike: ({ router }) => router.crossbar.stop(),
    heal: ({ router }) => router.crossbar.restart(),
  },
  frozenRouter(15_000),
  frozenRouter(50_000),
]
