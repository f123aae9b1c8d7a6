import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import {
  actionManifestV2,
  describeIssues,
  feedList,
  flowIndex,
  issuesOf,
  parseDays,
  pipelineDefinition,
  settings,
  tierOf,
} from './index.ts'

/** Every mistake in a document, one per line. */
const mistakes = (schema: z.ZodType, value: unknown): string[] => {
  const parsed = schema.safeParse(value)
  return parsed.success ? [] : issuesOf(parsed.error).map((issue) => describeIssues([issue]))
}

const manifest = {
  name: 'A_LABEL_AND_RATE',
  description: 'Labels and rates an article',
  input: { content: { type: 'string', required: true }, title: { type: 'string' } },
  output: {
    one_sentence_summary: { type: 'string' },
    labels: { type: 'array' },
    rating: { type: 'string' },
    quality_score: { type: 'integer' },
  },
  requires: ['llm'],
}

const entry = {
  id: 'flow-rss-label-email',
  name: 'F_RSS_LABEL_EMAIL',
  source: { type: 'rss', url: 'https://example.com/feed.xml' },
  pipeline: 'P_LABEL_AND_RATE',
  destination: { type: 'email', address: 'me@example.com' },
  schedule: { intervalMinutes: 30, enabled: true },
}

describe('action manifest', () => {
  test('the spec’s fields are enough', () => {
    const parsed = actionManifestV2.parse(manifest)
    expect(parsed).toMatchObject({ version: '1.0.0', requires: ['llm'], secrets: [] })
    expect(actionManifestV2.parse({ ...manifest, requires: undefined }).requires).toEqual([])
  })

  test('the optional fields, those of older manifests, and a whole JSON Schema as input', () => {
    const full = {
      ...manifest,
      $schema: '../schemas/action.schema.json',
      version: '2.1.0',
      tags: ['text'],
      secrets: ['MAIL_KEY'],
      timeoutMs: 1000,
      tier: 'sandbox',
      author: { name: 'Ada' },
      license: 'MIT',
      deployment: { timeout: 30_000, memory: 128 },
      input: { type: 'object', required: ['url'], properties: { url: { type: 'string' } } },
    }
    expect(actionManifestV2.parse(full)).toEqual(full)
  })

  test('two mistakes are both named', () => {
    expect(
      mistakes(actionManifestV2, { ...manifest, name: 'A_label', requires: ['llmm'] }),
    ).toEqual([
      'name: A_label is not a valid name: use UPPER_SNAKE_CASE after the prefix, for example A_COUNT_WORDS',
      'requires[0]: must be one of llm, shell, readFile, fetch, assistant, hostedAgent; found "llmm" (did you mean llm?)',
    ])
  })

  test('unknown keys are mistakes, with the nearest known one', () => {
    const wrong = {
      ...manifest,
      timeout: 1000,
      retries: 3,
      input: { content: { type: 'string', requird: true } },
    }
    expect(mistakes(actionManifestV2, wrong)).toEqual([
      'input.content.requird: unknown key (did you mean required?)',
      'timeout: unknown key (did you mean timeoutMs?)',
      'retries: unknown key',
    ])
  })

  test('a missing field is required, not undefined', () => {
    expect(mistakes(actionManifestV2, { name: 'A_COUNT_WORDS' })).toEqual([
      'description: is required (a string)',
      'input: is required (an object)',
      'output: is required (an object)',
    ])
    expect(mistakes(actionManifestV2, { ...manifest, description: '' })).toEqual([
      'description: must not be empty',
    ])
  })

  test('a field’s own mistakes are named where they are', () => {
    const types = 'string, integer, number, boolean, array, object'
    expect(mistakes(actionManifestV2, { ...manifest, output: { labels: 'array' } })).toEqual([
      'output.labels: must be an object, found string',
    ])
    expect(
      mistakes(actionManifestV2, {
        ...manifest,
        input: { content: { type: 'text' }, title: { required: 'yes' } },
      }),
    ).toEqual([
      `input.content.type: must be one of ${types}; found "text"`,
      `input.title.type: is required (one of ${types})`,
      'input.title.required: must be a boolean, found string',
    ])
    expect(mistakes(actionManifestV2, { ...manifest, input: [] })).toEqual([
      'input: must be an object, found array',
    ])
  })

  test('secrets are names, never values', () => {
    expect(mistakes(actionManifestV2, { ...manifest, secrets: ['sk-123'] })).toEqual([
      'secrets[0]: must be an UPPER_SNAKE_CASE name, never a value',
    ])
    const optional = { name: 'MAIL_KEY', optional: true }
    expect(mistakes(actionManifestV2, { ...manifest, secrets: ['A_KEY', optional] })).toEqual([])
    expect(mistakes(actionManifestV2, { ...manifest, secrets: [{ name: 'sk-1' }] })).toEqual([
      'secrets[0].name: must be an UPPER_SNAKE_CASE name, never a value',
    ])
  })

  test('only shell and files need a sandbox, and `tier` overrides', () => {
    expect(tierOf({ requires: ['llm', 'fetch'] })).toBe('isolate')
    expect(tierOf({ requires: ['shell'] })).toBe('sandbox')
    expect(tierOf({ requires: ['readFile'] })).toBe('sandbox')
    expect(tierOf({ requires: ['shell'], tier: 'isolate' })).toBe('isolate')
  })
})

describe('pipeline', () => {
  test('the spec’s fields are enough', () => {
    const definition = { name: 'P_LABEL_AND_RATE', description: 'x', actions: ['A_LABEL_AND_RATE'] }
    expect(pipelineDefinition.parse(definition)).toEqual({ ...definition, version: '1.0.0' })
  })

  test('two mistakes are both named', () => {
    expect(mistakes(pipelineDefinition, { name: 'LABEL', description: 'x', actions: [] })).toEqual([
      'name: LABEL is not a valid name: a pipeline name starts with P_, for example P_LABEL',
      'actions: a pipeline needs at least one action',
    ])
    const unknown = { name: 'P_X', description: 'x', actions: ['A_COUNT_WORDS'] }
    expect(
      mistakes(pipelineDefinition, { ...unknown, retries: 3, timeout: 5, result: {}, acions: [] }),
    ).toEqual([
      'retries: unknown key',
      'timeout: unknown key',
      'result: unknown key',
      'acions: unknown key (did you mean actions?)',
    ])
    expect(mistakes(pipelineDefinition, { name: 'P_X', actions: 'A_COUNT_WORDS' })).toEqual([
      'description: is required (a string)',
      'actions: must be an array, found string',
    ])
  })
})

describe('feeds.json', () => {
  test('an address is enough; typos are reported', () => {
    const feed = { url: 'https://example.com/feed.xml' }
    expect(feedList.parse([feed])).toEqual([feed])
    expect(
      mistakes(feedList, [
        feed,
        { url: 'example.com/feed' },
        { url: 'https://me:secret@example.com/feed' },
        { url: 'https://example.com/b', intervalMinutes: 1, ignorecache: true },
      ]),
    ).toEqual([
      '[1].url: must be an http or https URL',
      '[2].url: must not contain a user name or password: use headers, such as {"authorization": "Basic ${NAME}"}',
      '[3].intervalMinutes: must be at least 5, found 1',
      '[3].ignorecache: unknown key (did you mean ignoreCache?)',
    ])
    expect(mistakes(feedList, [feed, feed])).toEqual([
      '[1].url: https://example.com/feed.xml is listed twice',
    ])
  })
})

describe('flow registry', () => {
  const withEntry = (changes: object) => ({ flows: [{ ...entry, ...changes }] })

  test('the spec’s entry is enough', () => {
    expect(flowIndex.parse({ flows: [entry] })).toEqual({ flows: [entry] })
    expect(mistakes(flowIndex, { flows: [] })).toEqual([])
  })

  test.each([
    { type: 'rss', url: 'feeds/sample.xml' },
    { type: 'api', url: 'https://example.com/items', items: '$.data.items', id: '$.uid' },
    { type: 'webhook', secret: 'HOOK_SECRET' },
    { type: 'file', path: 'inbox' },
  ])('source $type', (source) => {
    expect(mistakes(flowIndex, withEntry({ source }))).toEqual([])
  })

  test.each([
    { type: 'email', address: 'me@example.com' },
    { type: 'file', path: 'digest.md' },
    { type: 'database' },
    { type: 'api', url: 'https://example.com/in' },
  ])('destination $type', (destination) => {
    expect(mistakes(flowIndex, withEntry({ destination }))).toEqual([])
  })

  test('a feeds source, an input queue and an output queue require matching fields', () => {
    const feeds = { type: 'feeds', reader_url: 'https://reader.test', proxy_url: 'https://p.test' }
    const queue = { type: 'queue', queue: 'feed-items' }
    const without = { pipeline: undefined }
    const poller = { ...without, source: feeds, destination: queue }
    expect(mistakes(flowIndex, withEntry(poller))).toEqual([])
    expect(mistakes(flowIndex, withEntry({ source: queue }))).toEqual([])
    expect(mistakes(flowIndex, withEntry({ ...without, destination: queue }))).toEqual([])
    expect(mistakes(flowIndex, withEntry({ destination: queue }))).toEqual([])
    expect(mistakes(flowIndex, withEntry(without))).toEqual([
      'flows[0].pipeline: is missing: only a flow with a queue destination does without',
    ])
    expect(mistakes(flowIndex, withEntry({ source: feeds }))).toEqual([
      'flows[0].destination: a feeds source only enqueues: use {"type": "queue", "queue": "feed-items"}',
    ])
    expect(mistakes(flowIndex, withEntry({ ...poller, pipeline: 'P_LABEL_AND_RATE' }))).toEqual([
      'flows[0].pipeline: a feeds source only enqueues: give it to the flow that takes the queue',
    ])
    expect(mistakes(flowIndex, withEntry({ source: queue, destination: queue }))).toEqual([
      'flows[0].destination: it would feed itself: feed-items is its source too',
    ])
    const loop = { field: 'score', op: 'gte', value: 1, maxIterations: 2 }
    expect(mistakes(flowIndex, withEntry({ ...poller, loop }))).toEqual([
      'flows[0].loop: needs a pipeline to repeat',
    ])
    expect(mistakes(flowIndex, withEntry({ source: { ...queue, queue: 'Feed Items' } }))).toEqual([
      'flows[0].source.queue: must be lower case letters, digits and dashes, 63 at most',
    ])
  })

  test('every mistake of an entry is reported with the found value', () => {
    const wrong = withEntry({
      source: { type: 'rs', url: 'x' },
      pipeline: 'A_LABEL_AND_RATE',
      destination: { type: 'email', address: 'nobody' },
      schedule: { intervalMinutes: 0.5 },
    })
    expect(mistakes(flowIndex, wrong)).toEqual([
      'flows[0].source.type: must be one of rss, api, webhook, file, page, folder, mailbox, command, usage, feeds, queue; found "rs" (did you mean rss?)',
      'flows[0].pipeline: A_LABEL_AND_RATE is not a valid name: a pipeline name starts with P_, for example P_LABEL_AND_RATE',
      'flows[0].destination.address: must be an email address, found "nobody"',
      'flows[0].schedule.intervalMinutes: must be a whole number, found 0.5',
    ])
  })

  test('unknown keys are mistakes at every level, with the nearest known one', () => {
    const wrong = withEntry({
      source: { ...entry.source, pagination: 'link' },
      destination: { ...entry.destination, adress: 'me@example.com' },
      schedule: { ...entry.schedule, crno: '0 7 * * *', timezon: 'UTC' },
      loop: { field: 'score', op: 'gte', value: 1, maxIterations: 2, maxIteration: 2 },
      retries: 3,
      concurency: 2,
    })
    expect(mistakes(flowIndex, wrong)).toEqual([
      'flows[0].source.pagination: unknown key',
      'flows[0].destination.adress: unknown key (did you mean address?)',
      'flows[0].schedule.crno: unknown key (did you mean cron?)',
      'flows[0].schedule.timezon: unknown key (did you mean timezone?)',
      'flows[0].loop.maxIteration: unknown key (did you mean maxIterations?)',
      'flows[0].retries: unknown key',
      'flows[0].concurency: unknown key (did you mean concurrency?)',
    ])
    expect(mistakes(flowIndex, { flow: [], flows: [] })).toEqual([
      'flow: unknown key (did you mean flows?)',
    ])
  })

  test('a source or destination without a type lists the valid types', () => {
    const wrong = withEntry({ source: { url: 'https://example.com' }, destination: {} })
    expect(mistakes(flowIndex, wrong)).toEqual([
      'flows[0].source.type: is required (one of rss, api, webhook, file, page, folder, mailbox, command, usage, feeds, queue)',
      'flows[0].destination.type: is required (one of email, file, database, api, queue, notify, note, webhook, slack, discord, git, s3)',
    ])
  })

  test('mistakes in the new ends of a flow are named', () => {
    const api = { type: 'api', url: 'https://example.com', pagination: { by: 'pages' } }
    const s3 = {
      type: 's3',
      endpoint: 's3',
      bucket: 'b',
      accessKeyId: 'a key',
      secretAccessKey: 'K',
    }
    expect(mistakes(flowIndex, withEntry({ source: api, destination: s3 }))).toEqual([
      'flows[0].source.pagination.by: must be one of link, cursor, page; found "pages" (did you mean page?)',
      'flows[0].destination.endpoint: must be an http or https URL',
      'flows[0].destination.bucket: must be the name of a bucket',
      'flows[0].destination.accessKeyId: must be the name of a secret, such as MY_KEY',
    ])
    const mail = { type: 'mailbox', host: 'imap.example.com', user: 'me', password: 'PASS' }
    const wrong = { source: { ...mail, security: 'none', since: 'week' } }
    expect(mistakes(flowIndex, withEntry(wrong))).toEqual([
      'flows[0].source.since: must be a duration such as 7d or 12h',
      'flows[0].source.security: must be tls or starttls for a server that is not on this machine',
    ])
  })

  test('an interval below a minute, a path without $ and an address without http are refused', () => {
    const source = { type: 'api', url: 'ftp://example.com', items: 'data.items' }
    const schedule = { intervalMinutes: 0, enabled: true }
    expect(mistakes(flowIndex, withEntry({ source, schedule }))).toEqual([
      'flows[0].source.url: must be an http or https URL',
      "flows[0].source.items: must be a path of $, .name, ['name'], [0] and [*], such as $.data.items",
      'flows[0].schedule.intervalMinutes: must be at least 1, found 0',
    ])
  })

  test.each([
    [{ at: '07:00', days: 'mon-fri', timezone: 'Europe/Berlin', runsOn: 'here' }, []],
    [{ cron: '0 7 * * 1-5', enabled: false }, []],
    [{ every: '90m', runsOn: 'here', catchUp: 'skip' }, []],
    [{}, ['flows[0].schedule: needs one of intervalMinutes, every, at, cron']],
    [{ at: '07:00', every: '1h' }, ['flows[0].schedule.at: cannot be combined with every']],
    [
      { every: '30s', days: 'mo-fri' },
      [
        'flows[0].schedule.every: must be a duration of whole minutes such as 90m, 6h or 1d',
        'flows[0].schedule.days: must be days such as mon-fri, sat,sun or mon,wed,fri',
        'flows[0].schedule.days: needs the time of day: at',
      ],
    ],
    [
      { every: '1h', days: 'mon', catchUp: 'all' },
      [
        'flows[0].schedule.days: needs the time of day: at',
        'flows[0].schedule.catchUp: needs "runsOn": "here"',
      ],
    ],
    [
      { at: '7:00', runsOn: 'hre' },
      [
        'flows[0].schedule.at: must be a time such as 07:00',
        'flows[0].schedule.runsOn: must be one of here, edge; found "hre" (did you mean here?)',
      ],
    ],
  ])('the schedule %j has the mistakes %j', (schedule, expected) => {
    expect(mistakes(flowIndex, withEntry({ schedule }))).toEqual(expected)
  })

  test('days are read as weekdays, also across the end of the week', () => {
    expect(parseDays('mon-fri')).toEqual([1, 2, 3, 4, 5])
    expect(parseDays('Sat, sun')).toEqual([0, 6])
    expect(parseDays('fri-mon,wed')).toEqual([0, 1, 3, 5, 6])
    for (const wrong of ['', 'mon-', 'monday', 'mon fri', 'mon-fri-sun']) {
      expect(parseDays(wrong)).toBeUndefined()
    }
  })

  test('a loop gate without its cap is refused', () => {
    expect(
      mistakes(flowIndex, withEntry({ loop: { field: 'quality_score', op: 'ge', value: null } })),
    ).toEqual([
      'flows[0].loop.op: must be one of gte, lte, gt, lt, eq, ne; found "ge" (did you mean gte?)',
      'flows[0].loop.value: must be a number or a boolean or a string, found null',
      'flows[0].loop.maxIterations: is required (a number)',
    ])
    const loop = { field: 'quality_score', op: 'gte', value: 80, maxIterations: 101 }
    expect(mistakes(flowIndex, withEntry({ loop }))).toEqual([
      'flows[0].loop.maxIterations: must be at most 100, found 101',
    ])
  })

  test('a typo in retry is not ignored', () => {
    const retry = { giveUpAftr: '2d' }
    expect(mistakes(flowIndex, withEntry({ retry }))).toEqual([
      'flows[0].retry.giveUpAftr: unknown key (did you mean giveUpAfter?)',
    ])
  })

  test('a duplicate id or name is reported', () => {
    expect(mistakes(flowIndex, { flows: [entry, entry] })).toEqual([
      'flows[1].id: flow-rss-label-email is used twice',
      'flows[1].name: F_RSS_LABEL_EMAIL is used twice',
    ])
  })

  test('something that is not a registry at all', () => {
    expect(mistakes(flowIndex, [entry])).toEqual(['must be an object, found array'])
    expect(mistakes(flowIndex, null)).toEqual(['must be an object, found null'])
    expect(mistakes(flowIndex, {})).toEqual(['flows: is required (an array)'])
  })
})

describe('settings', () => {
  test('empty settings use the default for everything', () => {
    const parsed = settings.parse({})
    expect(parsed.execution.shell.withoutSandbox).toBe('refuse')
    expect(parsed.execution.history.maxRuns).toBe(100_000)
    expect(parsed.edge.workers).toEqual({})
  })

  test('two mistakes are both named', () => {
    const wrong = { execution: { shell: { withoutSandbox: 'maybe' }, history: { maxRuns: 0 } } }
    expect(mistakes(settings, wrong)).toEqual([
      'execution.shell.withoutSandbox: must be one of refuse, run; found "maybe"',
      'execution.history.maxRuns: must be more than 0, found 0',
    ])
  })

  test('a typo in a section is reported', () => {
    expect(mistakes(settings, { execution: { budgets: { perDayUSD: 5 } } })).toEqual([
      'execution.budgets.perDayUSD: unknown key (did you mean perDayUsd?)',
    ])
  })
})
