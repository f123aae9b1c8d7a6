/** Who may import whom (docs/architecture.md). */
const allowed = {
  contract: [],
  engine: ['contract'],
  models: ['contract'],
  platform: ['contract', 'engine'],
  agents: ['contract'],
  policy: ['contract'],
  notify: ['contract', 'platform'],
  http: ['contract', 'platform'],
  knowledge: ['contract', 'platform'],
  mcp: ['contract', 'platform', 'knowledge'],
  assistants: ['contract', 'platform', 'models', 'policy', 'notify', 'agents'],
  dashboard: ['contract'],
  runner: ['contract', 'engine', 'models', 'platform'],
  worker: ['contract', 'engine', 'models'],
  edge: ['contract', 'engine', 'models', 'worker', 'platform', 'runner'],
  hosted: ['contract', 'engine', 'models', 'platform', 'http'],
  daemon: [
    'contract',
    'engine',
    'models',
    'platform',
    'http',
    'agents',
    'policy',
    'notify',
    'knowledge',
    'assistants',
    'runner',
    'hosted',
  ],
  cli: [
    'contract',
    'engine',
    'models',
    'platform',
    'http',
    'agents',
    'policy',
    'notify',
    'knowledge',
    'mcp',
    'assistants',
    'runner',
    'worker',
    'edge',
    'hosted',
    'daemon',
  ],
}
/** What must run in an isolate: Web APIs only. */
const isolate = ['contract', 'engine', 'models', 'worker']
const test = '\\.test\\.ts$|/testing/'

/** The redactor stands before the sinks of workers too, so it needs nothing but Web APIs. */
const redactor = 'platform/src/redaction/redactor\\.ts$'
const also = { worker: [redactor] }

const oneDirection = Object.entries(allowed).map(([name, may]) => ({
  name: `${name}-imports-only-${may.join('-') || 'nothing-of-ours'}`,
  severity: 'error',
  from: { path: `^packages/${name}/`, pathNot: test },
  to: {
    path: '^(packages|library)/',
    pathNot: [
      `^packages/(${[name, ...may].join('|')})/`,
      ...(also[name] ?? []).map((path) => `^packages/${path}`),
    ],
  },
}))

export default {
  forbidden: [
    ...oneDirection,
    {
      name: 'isolate-packages-use-web-apis-only',
      severity: 'error',
      from: { path: `^packages/(${isolate.join('|')})/`, pathNot: test },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'redaction-uses-web-apis-only',
      severity: 'error',
      from: { path: '^packages/platform/src/redaction/', pathNot: `${test}|/secrets-of\\.ts$` },
      to: {
        path: '.',
        pathNot: '^packages/(contract/src/index\\.ts$|platform/src/redaction/)',
      },
    },
    {
      name: 'packages-meet-at-their-index',
      severity: 'error',
      from: { path: '^packages/([^/]+)/', pathNot: test },
      to: {
        path: '^packages/([^/]+)/src/(?!index\\.ts$)',
        pathNot: `^packages/$1/|^packages/(contract/src/(client|event-filter|yaml)|daemon/src/(doctor|migrate|observing|service|stores)|edge/src/deploy)/index\\.ts$|^packages/${redactor}|/testing/`,
      },
    },
    {
      name: 'daemon-modules-meet-on-the-bus',
      comment: 'A module that imports another cannot fail alone.',
      severity: 'error',
      from: { path: '^packages/daemon/src/modules/([^/]+)/', pathNot: test },
      to: {
        path: '^packages/daemon/src/modules/',
        pathNot: '^packages/daemon/src/modules/$1/',
      },
    },
    {
      name: 'actions-stand-alone',
      comment:
        'An action is its own worker: it may use shared lib code and types, never another action.',
      severity: 'error',
      from: { path: '^library/actions/([^/]+)/', pathNot: test },
      to: {
        path: '^(library/actions|packages)/',
        pathNot: '^library/actions/$1/|^packages/contract/',
      },
    },
    {
      name: 'one-way-to-open-sqlite',
      comment:
        'Pragmas, migrations, locks and damage are handled once. A lock is a database without any of them; backup, repair and checks read files as they are.',
      severity: 'error',
      from: {
        path: '^packages/',
        pathNot: `^packages/platform/src/(backup|database|locks|repair|storage)/|${test}`,
      },
      to: { path: '^(node:)?sqlite$' },
    },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-unresolved', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '/dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'node', 'default'],
    },
  },
}
