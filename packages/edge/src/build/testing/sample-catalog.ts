/** A small set of primitives in the library's layout: shared code, a package, a sandbox action, two kinds of flow. */
export const SAMPLE: Readonly<Record<string, string>> = {
  'actions/A_SHOUT_TEXT/action.json': JSON.stringify({
    name: 'A_SHOUT_TEXT',
    description: 'Makes a text loud.',
    input: { content: { type: 'string', required: true } },
    output: { content: { type: 'string' } },
    requires: ['llm'],
    secrets: ['SHOUT_KEY', { name: 'SHOUT_STYLE', optional: true }],
  }),
  'actions/A_SHOUT_TEXT/action.ts': `
import { upper } from '../../lib/upper.ts'
import { mark } from './mark.ts'
import legacy from 'legacy'
export const execute = async ({ content }: { content: string }) => {
  const { later } = await import('./later.ts')
  return { content: upper(content) + mark() + legacy.join('a', 'b') + later }
}
`,
  'actions/A_SHOUT_TEXT/mark.ts': `export const mark = (): string => '!'\n`,
  'actions/A_SHOUT_TEXT/later.ts': `export const later = ' later'\n`,
  'lib/upper.ts': `export const upper = (text: string): string => text.toUpperCase()\n`,
  'node_modules/legacy/package.json': JSON.stringify({ name: 'legacy', main: 'index.js' }),
  'node_modules/legacy/index.js': `exports.join = require('path').posix.join\n`,
  'actions/A_COUNT_FILES/action.json': JSON.stringify({
    name: 'A_COUNT_FILES',
    description: 'Counts.',
    input: {},
    output: { count: { type: 'integer' } },
    requires: ['shell'],
    packages: ['coreutils', 'bash'],
  }),
  'actions/A_COUNT_FILES/action.ts': `
export const execute = async (_input: object, { capabilities }: { capabilities: { shell: Function } }) => {
  const { stdout } = await capabilities.shell(['echo', '3'])
  return { count: Number(stdout) }
}
`,
  'pipelines/P_SHOUT_LOUD.yaml': `name: P_SHOUT_LOUD
description: Shouts twice.
actions: [A_SHOUT_TEXT, A_SHOUT_TEXT]
`,
  'flows/feeds.json': JSON.stringify([
    { url: 'https://example.org/feed.xml', headers: { authorization: 'Bearer ${FEED_KEY}' } },
  ]),
  'flows/flow-index.json': JSON.stringify({
    flows: [
      {
        id: 'poller',
        name: 'F_FEEDS_POLLER',
        source: { type: 'feeds', proxy_url: 'https://proxy.example.org' },
        destination: { type: 'queue', queue: 'feed-items' },
        schedule: { intervalMinutes: 5, enabled: true },
      },
      {
        id: 'processor',
        name: 'F_FEEDS_PROCESSOR',
        source: { type: 'queue', queue: 'feed-items', maxBatchSize: 20 },
        pipeline: 'P_SHOUT_LOUD',
        destination: { type: 'database' },
        schedule: { intervalMinutes: 5, enabled: true },
      },
    ],
  }),
}
