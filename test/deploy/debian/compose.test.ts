/** deploy/compose.yaml and its files: what docs/clustering.md shows, on the ports that the image has; and the balancers of that page. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { parse } from 'yaml'
import { readConfig } from '#component/config/config.ts'
import { debianProgram, deployFolder } from '#test/deploy/programs.ts'
import { run } from '#test/support/command.ts'

const read = (path: string) => readFileSync(join(deployFolder, path), 'utf8')
const page = `${read('../docs/clustering.md')}\n${read('../docs/crossbar.md')}`

/** The first block of the page in a language that holds a text. */
function block(language: string, containing = ''): string {
  const blocks = [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))]
  const found = blocks.map(([, text = '']) => text).find((text) => text.includes(containing))
  if (found === undefined) throw new Error(`the page shows no ${language} with ${containing}`)
  return found
}

/** The port of an address. */
const portOf = (listen: unknown) => Number(String(listen).split(':').at(-1))

describe('compose.yaml', () => {
  const { services, secrets, volumes, networks } = parse(read('compose.yaml'))
  const settings = parse(read('compose/gateway.yaml'))
  let folder: string

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-compose-'))
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  /** The configuration, with secrets that are here. */
  const config = () => {
    for (const name of ['ticket', 'cluster-key'])
      writeFileSync(join(folder, name), `${name}-0123456789`)
    const file = join(folder, 'gateway.yaml')
    writeFileSync(file, read('compose/gateway.yaml').replaceAll('/run/secrets', folder))
    return readConfig(file, services.gateway.environment)
  }

  it('gives its gateways a configuration that they accept, with management in the container alone', () => {
    const { health, admin, gateway } = config()
    expect([health.listen, admin.listen]).to.deep.equal(['0.0.0.0:8082', '127.0.0.1:18081'])
    expect(gateway.trusted_proxies).to.deep.equal([networks.default.ipam.config[0].subnet])
  })

  it('joins the router as docs/clustering.md shows', () => {
    const moved = block('yaml', 'com.example.hello')
      .replace('127.0.0.1', 'crossbar')
      .replaceAll('{ file: ', '{ file: /run/secrets/')
    const { wamp, cluster } = parse(moved)
    expect(settings).to.deep.include({ wamp, cluster })
  })

  it('has the configuration of Crossbar.io that docs/crossbar.md shows, for other containers', () => {
    const shown = block('json', '"principals"').replace('"interface": "127.0.0.1", ', '')
    expect(JSON.parse(read('compose/crossbar.json'))).to.deep.equal(JSON.parse(shown))
  })

  it('has the version of Crossbar.io that the tests have', () => {
    const tested = read('../test/support/peers/python-environment.ts')
    const version = /const crossbar = '([\d.]+)'/.exec(tested)?.[1]
    expect(services.crossbar.build.dockerfile_inline).to.match(
      new RegExp(`install .* crossbar==${version}\n`),
    )
  })

  it('has the HAProxy that docs/clustering.md shows, in front of the containers', () => {
    const servers = `  # the containers of the service, as Docker's name server tells them
  server-template gateway- 4 gateway:8080 check port 8082 resolvers docker init-addr none
`
    const shown = block('haproxy')
      .replace('bind 127.0.0.1:8000', 'bind :8000')
      .replace(/(?: +server gateway-\d \S+ check port \d+\n)+/, servers)
    expect(read('compose/haproxy.cfg')).to.equal(
      `${shown}\nresolvers docker\n  nameserver docker 127.0.0.11:53\n  hold valid 1s\n`,
    )
    const { gateway, health } = config()
    expect(servers).to.include(`:${portOf(gateway.listen)} check port ${portOf(health.listen)} `)
  })

  it('names secrets, volumes and services that it declares', () => {
    expect(services.gateway.secrets).to.have.members(Object.keys(secrets))
    expect(volumes).to.have.keys('postgres')
    for (const { depends_on = {} } of Object.values(services) as { depends_on?: object }[])
      expect(services).to.include.keys('gateway', ...Object.keys(depends_on))
  })

  it('mounts files that are there', () => {
    const all = Object.values(services) as { volumes?: readonly string[] }[]
    const paths = all.flatMap((one) => one.volumes ?? []).map((mount) => mount.split(':')[0] ?? '')
    for (const path of paths.filter((name) => name.startsWith('.')))
      expect(read(path), path).to.not.equal('')
  })

  it('lets gateways drain before it kills them', () => {
    const { gateway } = config()
    const seconds = Number.parseInt(services.gateway.stop_grace_period, 10)
    expect(seconds * 1000).to.be.at.least(gateway.drain_delay + gateway.drain_timeout + 15_000)
  })
})

describe('the image', () => {
  it('has a configuration that the gateway accepts, at the ports that it exposes and checks', () => {
    const { gateway, health, data_dir } = readConfig(join(deployFolder, 'gateway.yaml'), {})
    const dockerfile = read('Dockerfile')
    expect(dockerfile).to.include(`EXPOSE ${portOf(gateway.listen)} ${portOf(health.listen)}\n`)
    expect(dockerfile).to.include(`http://127.0.0.1:${portOf(health.listen)}/ready`)
    expect(dockerfile).to.include(`VOLUME ${data_dir}\n`)
  })
})

describe('nginx', () => {
  it('accepts what docs/clustering.md shows', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gateway-nginx-'))
    const file = join(folder, 'nginx.conf')
    const own = `pid ${folder}/nginx.pid;\nerror_log ${folder}/error.log;\nevents {}\n`
    writeFileSync(file, `${own}http {\naccess_log off;\n${block('nginx')}}\n`)
    const nginx = debianProgram('nginx', 'nginx-light')
    const { code, stderr } = await run(nginx, ['-t', '-c', file], folder)
    rmSync(folder, { recursive: true })
    expect(code, stderr).to.equal(0)
  })
})

describe('HAProxy', () => {
  const haproxy = (file: string) =>
    run(debianProgram('haproxy', 'haproxy'), ['-c', '-f', file], deployFolder)

  it('accepts compose/haproxy.cfg', async () => {
    const { code, stderr } = await haproxy(join(deployFolder, 'compose/haproxy.cfg'))
    expect(code, stderr).to.equal(0)
  })

  it('accepts what docs/clustering.md shows', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gateway-haproxy-'))
    const file = join(folder, 'haproxy.cfg')
    writeFileSync(file, block('haproxy'))
    const { code, stderr } = await haproxy(file)
    rmSync(folder, { recursive: true })
    expect(code, stderr).to.equal(0)
  })
})
