/** What the conformance suite asks of servers that a server of tools alone is not: by scenario, or by check of a scenario, and why. */

/** Why something of the suite does not apply here. */
export const reasons = {
  capability: 'no tool needs anything of its client, so none can miss a capability',
  completion: 'arguments of prompts and resources are completed: neither is offered',
  content:
    'the content of a result is the body of the answer as text; images, audio and resources are not for tools',
  headers:
    'no tool designates header fields for arguments (x-mcp-header): arguments are never header fields',
  input: 'a tool asks nothing of its client: no elicitation, sampling or roots',
  logging: 'no log is sent to clients',
  prompts: 'no prompts are offered',
  resources: 'no resources are offered',
  schemas: 'a schema refers to the named schemas of its document, never to an anchor',
  session:
    'there are no sessions: each request stands alone, and this scenario looks at the requests of one session',
  tasks: 'an extension: calls that go on when their request has ended',
} as const

type Reason = keyof typeof reasons

const each = <T extends string>(names: readonly T[], reason: Reason) =>
  Object.fromEntries(names.map((name) => [name, reason]))

const inBoth = {
  ...each(['completion-complete'], 'completion'),
  ...each(
    [
      'tools-call-image',
      'tools-call-audio',
      'tools-call-embedded-resource',
      'tools-call-mixed-content',
    ],
    'content',
  ),
  ...each(
    ['resources-list', 'resources-read-text', 'resources-read-binary', 'resources-templates-read'],
    'resources',
  ),
  ...each(
    [
      ...['prompts-list', 'prompts-get-simple', 'prompts-get-with-args'],
      ...['prompts-get-embedded-resource', 'prompts-get-with-image'],
    ],
    'prompts',
  ),
} as const

/** By revision: scenarios, and checks as `scenario:check`, that fail, or judge nothing, because they do not apply. Everything else passes. */
export const notApplicable: Readonly<Record<string, Readonly<Record<string, Reason>>>> = {
  '2025-11-25': {
    ...inBoth,
    ...each(['logging-set-level', 'tools-call-with-logging'], 'logging'),
    ...each(
      [
        ...['tools-call-sampling', 'tools-call-elicitation', 'elicitation-sep1034-defaults'],
        'elicitation-sep1330-enums',
      ],
      'input',
    ),
    ...each(['resources-subscribe', 'resources-unsubscribe'], 'resources'),
    ...each(
      ['server-session-lifecycle', 'server-sse-multiple-streams', 'server-sse-polling'],
      'session',
    ),
  },
  '2026-07-28': {
    ...inBoth,
    ...each(
      [
        'server-stateless:sep-2575-server-rejects-undeclared-capability',
        'server-stateless:sep-2575-missing-capability-http-400',
      ],
      'capability',
    ),
    ...each(['caching:sep-2549-prompts-list-caching-hints'], 'prompts'),
    ...each(
      [
        'caching:sep-2549-resources-list-caching-hints',
        'caching:sep-2549-resources-templates-list-caching-hints',
      ],
      'resources',
    ),
    ...each(
      [
        ...['basic-elicitation', 'basic-sampling', 'basic-list-roots', 'request-state'],
        ...['multiple-input-requests', 'multi-round', 'missing-input-response', 'non-tool-request'],
        ...['result-type', 'tampered-state', 'capability-check', 'ignore-extra-params'],
      ].map((name) => `input-required-result-${name}`),
      'input',
    ),
    ...each(['json-schema-2020-12:sep-2106-anchor-keyword-preserved'], 'schemas'),
    ...each(['http-custom-header-server-validation'], 'headers'),
    ...each(
      [
        ...[
          'lifecycle',
          'capability-negotiation',
          'wire-fields',
          'request-state-removal',
          'mrtr-input',
        ],
        ...[
          'request-headers',
          'dispatch-and-envelope',
          'required-task-error',
          'mrtr-composition',
          'status-notifications',
        ],
      ].map((name) => `tasks-${name}`),
      'tasks',
    ),
  },
}
