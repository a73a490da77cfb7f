/** The OpenTelemetry Collector as its users build it: OTLP in, OTLP out. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { freePort } from '#test/support/free-port.ts'
import { go, goCache } from '#test/support/go.ts'

/** Of the builder and the components: the newest release whose modules the module proxy has whole. */
const version = 'v0.162.0'
/** Of what reads its configuration, in the same release. */
const providerVersion = 'v1.68.0'

const manifest = (folder: string) => `
dist: {name: collector, output_path: ${folder}}
receivers: [{gomod: go.opentelemetry.io/collector/receiver/otlpreceiver ${version}}]
processors: [{gomod: go.opentelemetry.io/collector/processor/batchprocessor ${version}}]
exporters:
  - {gomod: go.opentelemetry.io/collector/exporter/debugexporter ${version}}
  - {gomod: go.opentelemetry.io/collector/exporter/otlphttpexporter ${version}}
providers:
  - {gomod: go.opentelemetry.io/collector/confmap/provider/envprovider ${providerVersion}}
  - {gomod: go.opentelemetry.io/collector/confmap/provider/fileprovider ${providerVersion}}
`

/** Makes a configuration of the port that takes OTLP over HTTP, and the base address of what takes its spans. */
type Configure = (port: number, target: string) => string

const passingOn: Configure = (port, target) => `
receivers: {otlp: {protocols: {http: {endpoint: '127.0.0.1:${port}'}}}}
exporters:
  otlp_http:
    endpoint: ${target}
    sending_queue: {enabled: false}
    retry_on_failure: {enabled: false}
service:
  telemetry: {metrics: {level: none}, logs: {level: info}}
  pipelines: {traces: {receivers: [otlp], exporters: [otlp_http]}}
`

/** The path of the program; the first call builds it, which takes some minutes. */
export function collectorProgram(): string {
  const cache = goCache('collector')
  const parts = createHash('sha256').update(manifest('')).digest('hex').slice(0, 8)
  const program = join(cache, `collector-${version}-${parts}`)
  if (existsSync(program)) return program
  const folder = join(cache, 'source')
  mkdirSync(folder, { recursive: true })
  const file = join(cache, 'manifest.yaml')
  writeFileSync(file, manifest(folder))
  const builder = `go.opentelemetry.io/collector/cmd/builder@${version}`
  go(['run', builder, '--config', file, '--ldflags', '-s -w'], { GOWORK: 'off' }, cache)
  renameSync(join(folder, 'collector'), program)
  return program
}

/** A collector that passes spans on to a receiver of the test; it can be killed, and started again at the same address. */
export class Collector {
  readonly port: number
  /** The lines of its log, those of the exporter `debug` among them. */
  readonly said: string[] = []
  readonly #folder: string
  #child: ChildProcess | undefined

  private constructor(port: number, configuration: string) {
    this.port = port
    this.#folder = mkdtempSync(join(tmpdir(), 'collector-'))
    writeFileSync(join(this.#folder, 'collector.yaml'), configuration)
  }

  /** @param target base address of what takes its spans */
  static async start(target: string, configure = passingOn): Promise<Collector> {
    const port = await freePort()
    const collector = new Collector(port, configure(port, target))
    await collector.start()
    return collector
  }

  /** Where it takes OTLP over HTTP, as `telemetry.endpoint` wants it. */
  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  /** Resolves once it takes spans. */
  async start(): Promise<void> {
    const child = spawn(collectorProgram(), ['--config', join(this.#folder, 'collector.yaml')], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    this.#child = child
    const lines = createInterface(child.stderr)
    lines.on('line', (line) => this.said.push(line))
    await new Promise<void>((resolve, reject) => {
      lines.on('line', (line) => line.includes('Everything is ready') && resolve())
      lines.once('close', () =>
        reject(new Error(`the collector did not start: ${this.said.join('\n')}`)),
      )
    })
  }

  /** Ends it at once, with whatever it holds. */
  async kill(): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }

  async stop(): Promise<void> {
    await this.kill()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

// test files run side by side: they find the program built
if (import.meta.main) collectorProgram()
