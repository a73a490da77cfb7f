/** The commands that tell what an API Specification promises, or hold it to that, as rows of the table of commands. */
import type { Command } from '#component/cli/command.ts'

/** By name, in the order of the help text. */
export const contractCommands: Readonly<Record<string, Command>> = {
  test: {
    summary:
      'Runs the examples of API Specifications, without a running gateway, router or backend.',
    usage: '[--only NAME] [--fail-under PERCENT] FILE…',
    example: 'wamp-gateway test specs/*.json --fail-under 80',
    takes: [1, Number.POSITIVE_INFINITY],
    options: {
      only: { type: 'string', value: 'NAME', description: 'Runs only examples of this name.' },
      'fail-under': {
        type: 'string',
        value: 'PERCENT',
        description: 'Exits with 1 when fewer of the operations have an example.',
      },
    },
    hasFindings: true,
    hasCases: true,
    load: async () => (await import('./test.ts')).test,
  },
  openapi: {
    summary: 'Prints an API Specification as OpenAPI 3.1: of a file, or of the running gateway.',
    usage: '[--version LABEL] [--yaml] [--internal] FILE|ID',
    example: 'wamp-gateway openapi specs/orders.json --yaml',
    takes: [1, 1],
    options: {
      version: {
        type: 'string',
        value: 'LABEL',
        description: 'The version. Default: the only active one.',
      },
      yaml: { type: 'boolean', description: 'Prints YAML.' },
      internal: {
        type: 'boolean',
        description: 'With hidden operations, and with the action behind each operation.',
      },
    },
    isRemote: true,
    load: async () => (await import('./openapi.ts')).describe,
  },
  explain: {
    summary:
      'Tells what a request, or a call of a procedure, would do and why, without performing it: by the running gateway, or by a file alone.',
    usage: '[-H FIELD]… [-d BODY] [--as USER] [--outcome JSON] [--spec FILE] REQUEST | CALL',
    example: "wamp-gateway explain 'GET /orders/7?x=1' --as ada --spec orders.json",
    takes: [1, 2],
    options: {
      header: {
        ...{ type: 'string', short: 'H', value: 'FIELD', multiple: true },
        description: 'A header field, "Name: value". May be repeated.',
      },
      data: {
        ...{ type: 'string', short: 'd', value: 'BODY', multiple: true },
        description:
          'The body; @FILE reads a file. JSON unless a header field Content-Type says otherwise. Without a method the request is a POST then. Of "CALL URI" the arguments: a list, or a map of those by name; may be given once for each.',
      },
      as: {
        ...{ type: 'string', value: 'USER' },
        description:
          'Who asks: a user of the realm, "anonymous", or USER:ROLE,ROLE for some roles. Default: the credentials among the header fields; of a call a caller that the router does not disclose.',
      },
      outcome: {
        ...{ type: 'string', value: 'JSON' },
        description:
          'The outcome of the action, such as {"result": {"args": [7]}} or {"error": {"error_uri": "…"}}; @FILE reads a file. Default: an empty result.',
      },
      spec: {
        ...{ type: 'string', value: 'FILE' },
        description:
          'An API Specification that is not loaded. Without --admin and WAMP_GATEWAY_ADMIN it is explained alone, and every user exists.',
      },
    },
    isRemote: true,
    hasFindings: true,
    load: async () => (await import('./explain.ts')).explain,
  },
  import: {
    summary:
      'Writes an API Specification made of an OpenAPI document (3.0, 3.1 or 3.2) to standard output, and what it leaves out to standard error.',
    usage:
      'openapi FILE --realm URI [--host HOST] [--id ID] [--prefix URI] [--forward URL] [--as procedures] [--paths GLOB]… [--tag NAME]… [--strict]',
    example: 'wamp-gateway import openapi petstore.yaml --realm com.example > pets.json',
    takes: [2, 2],
    options: {
      realm: { type: 'string', value: 'URI', description: 'The realm that the API targets.' },
      host: {
        type: 'string',
        value: 'HOST',
        description: 'The host pattern. Default: _, which is any host.',
      },
      id: {
        type: 'string',
        value: 'ID',
        description: 'The id of the API Specification. Default: the realm and the title.',
      },
      prefix: {
        type: 'string',
        value: 'URI',
        description:
          'Operations without x-wamp-procedure and x-wamp-topic call the procedure of this URI and their operationId. Default: the realm.',
      },
      forward: {
        type: 'string',
        value: 'URL',
        description:
          'These operations are forwarded instead, to this URL in place of the server that the document names.',
      },
      as: {
        type: 'string',
        value: 'procedures',
        description:
          'The other direction: operations become procedures, which WAMP callers call and the HTTP service handles, at --forward or at the server that the document names.',
      },
      paths: {
        ...{ type: 'string', value: 'GLOB', multiple: true },
        description:
          'Imports only paths of this form: * is any text within a segment, /** any segments or none. May be repeated.',
      },
      tag: {
        ...{ type: 'string', value: 'NAME', multiple: true },
        description: 'Imports only operations with this tag. May be repeated.',
      },
      strict: {
        type: 'boolean',
        description: 'Exits with 1 when something is left out.',
      },
    },
    load: async () => (await import('./import.ts')).importDocument,
  },
}
