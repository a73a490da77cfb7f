/** The commands of `wamp-gateway`, as data: the help text, docs/cli.md and the reading of arguments are made from this table. */
import type { Command, Option } from './command.ts'
import { contractCommands } from './contract/contract-commands.ts'
import { holdSignals } from './signals.ts'

/** Options of every command. */
export const globalOptions: Readonly<Record<string, Option>> = {
  format: {
    type: 'string',
    value: 'FORMAT',
    description:
      'human, json, github, sarif or junit. Default: github when GITHUB_ACTIONS is true and the command has findings, else human.',
  },
  quiet: { type: 'boolean', description: 'Prints findings and errors only.' },
  'no-color': {
    type: 'boolean',
    description: 'Prints no colors, as with NO_COLOR and when standard output is no terminal.',
  },
  help: { type: 'boolean', description: 'Prints this text.' },
  version: { type: 'boolean', description: 'Prints the version.' },
}

/** Options of commands that ask a running gateway. */
export const remoteOptions: Readonly<Record<string, Option>> = {
  admin: {
    type: 'string',
    value: 'URL',
    description:
      'The admin listener. Default: the environment variable WAMP_GATEWAY_ADMIN, else http://127.0.0.1:18081.',
  },
  'token-file': {
    type: 'string',
    value: 'FILE',
    description:
      'The file of an access token or API key. Default: the token in the environment variable WAMP_GATEWAY_TOKEN, else no credentials.',
  },
}

const strict: Option = {
  type: 'boolean',
  description: 'Warnings are findings, too: they set the exit code to 1.',
}

const owner: Option = {
  type: 'string',
  value: 'NAME',
  description:
    'Marks documents with meta.managed_by NAME, and deletes those with this mark that DIR lacks.',
}

const ifMatch: Option = {
  type: 'string',
  value: 'HASH',
  description: 'Changes the document only if its current hash is HASH; otherwise exits with 1.',
}

/** Every command by its name, in the order of the help text. */
export const commands: Readonly<Record<string, Command>> = {
  start: {
    summary:
      'Runs the gateway; without a configuration, the hello example with its backend. Addresses, log and workers may be set for it.',
    usage: '[--config FILE] [--set KEY=VALUE]…',
    example: 'wamp-gateway start --config gateway.yaml --set log.level=warn',
    takes: [0, 0],
    options: {
      config: {
        type: 'string',
        value: 'FILE',
        description:
          'The configuration: YAML or JSON. Without it and without options other than gateway.listen, admin.listen, health.listen, log and workers, the hello example runs.',
      },
      set: {
        type: 'string',
        value: 'KEY=VALUE',
        multiple: true,
        description:
          'One option of the configuration; overrides the file and the environment. May be repeated.',
      },
    },
    details: async () => (await import('#component/config/config-docs.ts')).optionsHelp(),
    async load() {
      holdSignals()
      return (await import('./start/start.ts')).start
    },
  },
  new: {
    summary:
      'Makes a folder for an API: its specification, realm, configuration, backend and a README.',
    usage: '[DIR] [--router ROUTER] [--lang LANG] | [DIR] --from EXAMPLE',
    example: 'wamp-gateway new my-api --router crossbar --lang python',
    takes: [0, 1],
    options: {
      router: {
        type: 'string',
        value: 'ROUTER',
        description:
          'embedded (the one of the gateway), or crossbar (Crossbar.io, with its configuration). Default: embedded.',
      },
      lang: {
        type: 'string',
        value: 'LANG',
        description: 'The language of the backend: js or python. Default: js.',
      },
      from: {
        type: 'string',
        value: 'EXAMPLE',
        description: 'A copy of an example instead: hello, live, oauth2, oidc-login or tools.',
      },
    },
    load: async () => (await import('./new/new.ts')).create,
  },
  validate: {
    summary:
      'Checks API Specifications, realm documents and configurations, without a running gateway.',
    usage: '[--strict] FILE…',
    example: 'wamp-gateway validate specs/*.json realm.yaml gateway.yaml',
    takes: [1, Number.POSITIVE_INFINITY],
    options: { strict },
    hasFindings: true,
    load: async () => (await import('./validate.ts')).validate,
  },
  ...contractCommands,
  load: {
    summary: 'Loads API Specifications.',
    usage: '[--if-match HASH] [--examples MODE] FILE…',
    example: 'wamp-gateway load specs/orders.json',
    takes: [1, Number.POSITIVE_INFINITY],
    options: {
      'if-match': ifMatch,
      examples: {
        type: 'string',
        value: 'MODE',
        description:
          'Whether the gateway runs the examples of the document first: off, warn, or refuse, which loads no document with an example that fails. Default: off.',
      },
    },
    isRemote: true,
    hasFindings: true,
    load: async () => (await import('./load.ts')).load,
  },
  list: {
    summary: 'Lists the API Specifications.',
    usage: '',
    example: 'wamp-gateway list --format json',
    takes: [0, 0],
    options: {},
    isRemote: true,
    load: async () => (await import('./documents.ts')).list,
  },
  get: {
    summary: 'Prints an API Specification as it was loaded.',
    usage: 'ID',
    example: 'wamp-gateway get com.example.orders > orders.json',
    takes: [1, 1],
    options: {},
    isRemote: true,
    load: async () => (await import('./documents.ts')).get,
  },
  info: {
    summary: 'Prints the id, hash, versions and paths of an API Specification.',
    usage: 'ID',
    example: 'wamp-gateway info com.example.orders',
    takes: [1, 1],
    options: {},
    isRemote: true,
    load: async () => (await import('./documents.ts')).info,
  },
  versions: {
    summary: 'Lists the versions that an API Specification has had, newest first.',
    usage: 'ID',
    example: 'wamp-gateway versions com.example.orders',
    takes: [1, 1],
    options: {},
    isRemote: true,
    load: async () => (await import('./documents.ts')).versions,
  },
  diff: {
    summary: 'Compares a folder of API Specifications and realm documents with the gateway.',
    usage: '[--patch] [--owner NAME] DIR',
    example: 'wamp-gateway diff specs --patch',
    takes: [1, 1],
    options: {
      patch: { type: 'boolean', description: 'Prints changed documents as a unified diff, too.' },
      owner: { ...owner, description: 'Compares with what sync --owner NAME would leave.' },
    },
    isRemote: true,
    hasFindings: true,
    load: async () => (await import('./folder/diff.ts')).diff,
  },
  sync: {
    summary:
      'Loads the API Specifications and realm documents of a folder that differ from those of the gateway.',
    usage: '[--owner NAME] [--dry-run] [--yes] DIR',
    example: 'wamp-gateway sync specs --owner team-orders',
    takes: [1, 1],
    options: {
      owner,
      'dry-run': { type: 'boolean', description: 'Says what would change, and changes nothing.' },
      yes: {
        type: 'boolean',
        description: 'Deletes even more than half of the documents of the owner.',
      },
    },
    isRemote: true,
    hasFindings: true,
    load: async () => (await import('./folder/sync.ts')).sync,
  },
  export: {
    summary:
      'Writes every API Specification of the gateway to a folder, as <id>.json, and every realm, as <uri>~realm.json.',
    usage: 'DIR',
    example: 'wamp-gateway export backup',
    takes: [1, 1],
    options: {},
    isRemote: true,
    load: async () => (await import('./folder/export.ts')).exportAll,
  },
  delete: {
    summary: 'Deletes an API Specification and its routes.',
    usage: '[--if-match HASH] ID',
    example: 'wamp-gateway delete com.example.orders',
    takes: [1, 1],
    options: { 'if-match': ifMatch },
    isRemote: true,
    load: async () => (await import('./documents.ts')).remove,
  },
  rollback: {
    summary: 'Loads an earlier version of an API Specification once more.',
    usage: '[--if-match HASH] ID HASH',
    example: 'wamp-gateway rollback com.example.orders 9f86d081',
    takes: [2, 2],
    options: { 'if-match': ifMatch },
    isRemote: true,
    load: async () => (await import('./documents.ts')).rollback,
  },
  routes: {
    summary:
      'Prints the table of routes in the order of matching: of files, or of the running gateway.',
    usage: '[FILE…]',
    example: 'wamp-gateway routes specs/*.json',
    takes: [0, Number.POSITIVE_INFINITY],
    options: {},
    isRemote: true,
    hasFindings: true,
    load: async () => (await import('./routes.ts')).routes,
  },
  deliveries: {
    summary:
      'Lists deliveries, of all documents or of one; with NAME the events and gaps of one delivery; with a verb changes it, its events, or the endpoints of users.',
    usage:
      '[ID [NAME [pause | resume | test | replay | drop | show | endpoints | remove]]] [--state STATE] [--event WEBHOOK_ID]… [--endpoint ENDPOINT]',
    example: 'wamp-gateway deliveries com.example.hooks orders replay --state dead',
    takes: [0, 3],
    options: {
      state: {
        type: 'string',
        value: 'STATE',
        description:
          'Events in this state: pending, held, done or dead. replay and drop need it, or --event.',
      },
      event: {
        type: 'string',
        value: 'WEBHOOK_ID',
        multiple: true,
        description:
          'The webhook-id of an event that replay, drop or show is for. May be repeated.',
      },
      endpoint: {
        type: 'string',
        value: 'ENDPOINT',
        description:
          'The id of an endpoint of a user: remove needs it, and so does every other verb but endpoints where the delivery goes to endpoints of users.',
      },
      limit: {
        type: 'string',
        value: 'NUMBER',
        description: 'Events that are listed, 1 to 1000. Default: 100.',
      },
      after: {
        type: 'string',
        value: 'CURSOR',
        description: 'The next page of a list: the cursor that the page before has printed.',
      },
    },
    isRemote: true,
    load: async () => (await import('./deliveries.ts')).deliveries,
  },
  realm: {
    summary:
      'Lists realms; shows, loads and deletes one, lists its versions, or goes back to an earlier one.',
    usage: 'list | load FILE… | (get | versions | delete) REALM | rollback REALM HASH',
    example: 'wamp-gateway realm load realm.yaml',
    takes: [1, Number.POSITIVE_INFINITY],
    options: {},
    isRemote: true,
    hasFindings: true,
    load: async () => (await import('./realms/realm.ts')).realm,
  },
  user: {
    summary:
      'Lists the users of a realm, and where they have logged in; shows, adds, changes and deletes a user; logs one out, or revokes its tickets, tokens and API keys.',
    usage:
      '(list | sessions) REALM | (get | add | set | sessions | logout | revoke | delete) REALM USER',
    example: 'wamp-gateway user add com.example.shop ada --group staff --password-file ada.txt',
    takes: [1, Number.POSITIVE_INFINITY],
    options: {
      group: {
        type: 'string',
        value: 'GROUP',
        multiple: true,
        description:
          'A group of the user, for add and set. May be repeated; set replaces all groups.',
      },
      'password-file': {
        type: 'string',
        value: 'FILE',
        description:
          'The file of the password, for add and set; a line feed at its end is left out.',
      },
      enabled: {
        type: 'string',
        value: 'BOOLEAN',
        description:
          'For add and set; false: the user may not log in, and its tickets, tokens and sessions end.',
      },
    },
    isRemote: true,
    load: async () => (await import('./realms/user.ts')).user,
  },
  key: {
    summary: 'Lists the API keys of a realm, issues one, which is printed once, or revokes one.',
    usage: 'list REALM | add REALM USER [--name TEXT] [--expires TIME] | revoke ID',
    example: "wamp-gateway key add com.example.shop reports --name 'nightly reports' --expires 90d",
    takes: [1, 3],
    options: {
      name: { type: 'string', value: 'TEXT', description: 'For add: what the key is used for.' },
      expires: {
        type: 'string',
        value: 'TIME',
        description:
          'For add: how long the key is valid, a number and s, m, h or d, such as 90d. Default: forever.',
      },
    },
    isRemote: true,
    load: async () => (await import('./realms/key.ts')).key,
  },
  status: {
    summary: 'Prints whether the gateway is ready, and the state of its registry and peers.',
    usage: '',
    example: 'wamp-gateway status',
    takes: [0, 0],
    options: {},
    isRemote: true,
    load: async () => (await import('./status.ts')).status,
  },
  schema: {
    summary:
      'Prints the JSON Schema of API Specifications, realm documents or the configuration, for editors; or of explanations.',
    usage: '[api-spec|realm|config|explanation]',
    example: 'wamp-gateway schema realm > realm.schema.json',
    takes: [0, 1],
    options: {},
    load: async () => (await import('./schema.ts')).schema,
  },
}
