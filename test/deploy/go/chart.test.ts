/** deploy/chart, as Helm renders it and Kubernetes' schemas and this gateway judge the result. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { parse, parseAllDocuments, stringify } from 'yaml'
import { readConfig } from '#component/config/config.ts'
import { deployFolder } from '#test/deploy/programs.ts'
import { run } from '#test/support/command.ts'
import { writeSchemas } from './schemas.ts'
import { goTool } from './tools.ts'

const chart = join(deployFolder, 'chart')

/** The newest version of Kubernetes whose OpenAPI documents are at hand. */
const kubernetes = '1.30'

/** An object of Kubernetes, as far as the tests read it. */
type Rendered = { readonly kind: string; readonly metadata: { readonly name: string } } & Record<
  string,
  // biome-ignore lint/suspicious/noExplicitAny: the schemas of Kubernetes judge the shape
  any
>

/** What people set: the default, and two gateways on PostgreSQL with everything that can be switched on. */
const variants: Readonly<Record<string, object>> = {
  'its defaults': {},
  'two gateways on PostgreSQL': {
    replicas: 2,
    store: { kind: 'postgresql', urlSecret: { name: 'gateway', key: 'store-url' } },
    config: {
      wamp: {
        url: 'ws://crossbar:8080/ws',
        auth: {
          authmethod: 'ticket',
          authid: 'gateway',
          secret: { file: '/run/secrets/gateway/ticket' },
        },
      },
      cluster: { key: { file: '/run/secrets/gateway/cluster-key' } },
      gateway: { trusted_proxies: ['10.0.0.0/8'], drain_delay: 5000 },
      limits: { buffered_bytes: 268435456 },
    },
    secrets: ['gateway'],
    specs: { 'hello.json': { id: 'com.example.hello' } },
    realms: { 'all.json': [{ uri: 'com.example.hello' }] },
    networkPolicy: {
      clients: [{ podSelector: { matchLabels: { app: 'ingress' } } }],
      scrapers: [{ namespaceSelector: {} }],
    },
    serviceMonitor: { enabled: true },
    nodeSelector: { 'kubernetes.io/arch': 'amd64' },
    tolerations: [{ key: 'a', operator: 'Exists' }],
    affinity: { podAntiAffinity: {} },
    podAnnotations: { a: 'b' },
    imagePullSecrets: [{ name: 'registry' }],
  },
}

describe('the Helm chart', function () {
  this.timeout(1_200_000)
  let folder: string
  let helm: string

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-chart-'))
    helm = goTool('helm')
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  /** Renders the chart with values. */
  const template = (values: object) => {
    const file = join(folder, 'values.yaml')
    writeFileSync(file, stringify(values))
    const version = ['--kube-version', `${kubernetes}.0`]
    return run(helm, ['template', 'blue', chart, '--values', file, ...version], folder)
  }

  it('passes helm lint --strict', async () => {
    const { code, stdout, stderr } = await run(helm, ['lint', '--strict', chart], folder)
    expect(code, `${stdout}${stderr}`).to.equal(0)
  })

  it('has the version of the package', () => {
    const { version } = JSON.parse(readFileSync(join(deployFolder, '../package.json'), 'utf8'))
    const described = parse(readFileSync(join(chart, 'Chart.yaml'), 'utf8'))
    expect(described).to.include({ version, appVersion: version })
  })

  for (const [title, values] of Object.entries(variants)) {
    describe(`with ${title}`, () => {
      let text: string
      let objects: Rendered[]
      const named = (kind: string): Rendered => {
        const found = objects.find((object) => object.kind === kind)
        if (found === undefined) throw new Error(`the chart makes no ${kind}`)
        return found
      }
      const workload = () => named(title === 'its defaults' ? 'StatefulSet' : 'Deployment')
      const pod = () => workload().spec.template.spec

      before(async () => {
        const { code, stdout, stderr } = await template(values)
        expect(code, stderr).to.equal(0)
        text = stdout
        objects = parseAllDocuments(stdout).map((document) => document.toJS() as Rendered)
      })

      it(`fits the schemas of Kubernetes ${kubernetes}`, async () => {
        const file = join(folder, 'rendered.yaml')
        writeFileSync(file, text)
        const schemas = writeSchemas(join(folder, 'schemas'), kubernetes)
        // the schema of the Prometheus Operator is not among them
        const words = [
          '-strict',
          '-summary',
          '-skip',
          'ServiceMonitor',
          '-schema-location',
          schemas,
        ]
        const { code, stdout, stderr } = await run(goTool('kubeconform'), [...words, file], folder)
        expect(code, `${stdout}${stderr}`).to.equal(0)
        expect(stdout).to.match(/Invalid: 0, Errors: 0/)
      })

      it('makes a configuration that the gateway accepts', () => {
        const file = join(folder, 'gateway.yaml')
        // the files of secrets are in the pod only
        const settings = String(named('ConfigMap').data['gateway.yaml']).replace(
          /file: \/run\/secrets\/gateway\//g,
          `file: ${folder}/`,
        )
        writeFileSync(file, settings)
        for (const name of ['ticket', 'cluster-key'])
          writeFileSync(join(folder, name), `${name}-0123456789`)
        const environment = { GATEWAY_NODE: 'blue-wamp-gateway-0' }
        const config = readConfig(file, environment)
        expect(config.data_dir).to.equal('/data')
        expect(config.gateway.drain_timeout).to.equal(30_000)
        const [{ ports }] = pod().containers
        const portOf = (listen: unknown) => Number(String(listen).split(':').at(-1))
        expect(ports).to.deep.equal([
          { name: 'http', containerPort: portOf(config.gateway.listen) },
          { name: 'health', containerPort: portOf(config.health.listen) },
        ])
        // management stays within the pod
        expect(config.admin.listen).to.equal('127.0.0.1:18081')
      })

      it('runs without privileges, on a file system that only volumes can be written on', () => {
        const { containers, securityContext, enableServiceLinks, automountServiceAccountToken } =
          pod()
        expect(securityContext).to.include({ runAsNonRoot: true, runAsUser: 65532 })
        expect(containers[0].securityContext).to.deep.equal({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        })
        expect([enableServiceLinks, automountServiceAccountToken]).to.deep.equal([false, false])
      })

      it('probes the health listener, at paths that it serves', () => {
        const [{ startupProbe, livenessProbe, readinessProbe }] = pod().containers
        expect(readinessProbe.httpGet).to.deep.equal({ path: '/ready', port: 'health' })
        for (const { httpGet } of [startupProbe, livenessProbe])
          expect(httpGet).to.deep.equal({ path: '/ping', port: 'health' })
      })

      it('mounts volumes that are there', () => {
        const [{ volumeMounts }] = pod().containers
        const claims = (workload().spec.volumeClaimTemplates ?? []) as readonly Rendered[]
        const volumes = [
          ...(pod().volumes as readonly { readonly name: string }[]).map(({ name }) => name),
          ...claims.map(({ metadata }) => metadata.name),
        ]
        const mounted = (volumeMounts as readonly { readonly name: string }[]).map(
          ({ name }) => name,
        )
        expect(volumes).to.have.members(mounted)
      })

      it('selects its pods everywhere by the same labels', () => {
        const labels = workload().spec.selector.matchLabels
        expect(workload().spec.template.metadata.labels).to.include(labels)
        for (const { kind, spec } of objects) {
          if (kind === 'Service') expect(spec.selector).to.deep.equal(labels)
          if (kind === 'NetworkPolicy') expect(spec.podSelector.matchLabels).to.deep.equal(labels)
          if (kind === 'PodDisruptionBudget')
            expect(spec.selector.matchLabels).to.deep.equal(labels)
        }
      })
    })
  }

  it('lets one of several pods be away, and has no budget for a single one', async () => {
    const kinds = async (values: object) =>
      parseAllDocuments((await template(values)).stdout).map((one) => one.get('kind'))
    expect(await kinds({})).to.not.include('PodDisruptionBudget')
    expect(await kinds(variants['two gateways on PostgreSQL'] ?? {})).to.include(
      'PodDisruptionBudget',
    )
  })

  for (const [what, values, sentence] of [
    ['two gateways with a router each', { replicas: 2 }, 'replicas: more than one needs'],
    [
      'gateways without a key on a router that they share',
      { config: { wamp: { url: 'ws://router:8080/ws' } } },
      'config.cluster.key: needed',
    ],
    [
      'a grace period that ends before the drain',
      { terminationGracePeriodSeconds: 54 },
      'terminationGracePeriodSeconds: at least 55',
    ],
    ['another kind of store', { store: { kind: 'mysql' } }, 'store.kind: sqlite or postgresql'],
    [
      'PostgreSQL without its URL',
      { store: { kind: 'postgresql' } },
      'store.urlSecret.name: needed',
    ],
  ] as const) {
    it(`refuses ${what}`, async () => {
      const { code, stderr } = await template(values)
      expect(code).to.equal(1)
      expect(stderr).to.include(sentence)
    })
  }
})
