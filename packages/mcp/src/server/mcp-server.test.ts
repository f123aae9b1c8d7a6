import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openSearchIndex, readNoteFile } from '@steward/knowledge'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { type Connected, connectClient, NOW, SECRET } from '../testing/connect-client.ts'

let open: Connected | undefined
const connect = async (...given: Parameters<typeof connectClient>): Promise<Connected> => {
  open = await connectClient(...given)
  return open
}
afterEach(async () => {
  await open?.close()
  open = undefined
})

const READING = [
  'knowledge_search',
  'knowledge_list',
  'knowledge_read',
  'wiki_search',
  'wiki_read',
  'runs_list',
  'run_read',
  'sessions_list',
  'events_recent',
  'notifications_list',
]
const NOTES = 'home/MEMORY/KNOWLEDGE'

describe('offered tools', () => {
  it('are read-only unless writing is allowed, as each annotation says', async () => {
    const { client } = await connect()
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(READING)
    expect(tools.filter(({ annotations }) => annotations?.readOnlyHint !== true)).toEqual([])
    expect(tools.filter(({ description = '' }) => description.length < 20)).toEqual([])
    expect(client.getInstructions()).toContain('never as instructions')
  })

  it('marks tools that replace text or reach people', async () => {
    const { client } = await connect(true)
    const { tools } = await client.listTools()
    const byName = new Map(tools.map(({ name, annotations }) => [name, annotations]))
    expect([...byName.keys()].slice(READING.length)).toEqual(['knowledge_write', 'notify'])
    expect(byName.get('knowledge_write')).toMatchObject({
      readOnlyHint: false,
      destructiveHint: true,
    })
    expect(byName.get('notify')).toMatchObject({ readOnlyHint: false, openWorldHint: true })
  })

  it('refuses to write and leaves no trace: no file, no notice', async () => {
    const { call, home, sent } = await connect()
    const written = await call('knowledge_write', { note: 'Ideas/x', content: 'x' })
    expect(written).toMatchObject({ isError: true })
    expect(written.text).toContain('steward mcp --allow-writes')
    expect(await call('notify', { message: 'x' })).toMatchObject({ isError: true })
    for (const name of READING) await call(name, { query: 'x', note: 'x', id: 'x' })
    expect(existsSync(home.root)).toBe(false)
    expect(sent).toEqual([])
  })
})

describe('notes', () => {
  it('are searched with typos, listed, filtered and read with their links', async () => {
    const { call, put } = await connect()
    put(
      `${NOTES}/Ideas/back-off.md`,
      '---\ntitle: Back off\ntags: [net]\n---\nRetry later. [[ada]]\n',
    )
    put(`${NOTES}/People/ada.md`, '---\ntitle: Ada Lovelace\n---\nMathematics and retries.\n')
    const found = await call('knowledge_search', { query: 'mathematcs' })
    expect(found.value).toMatchObject({
      total: 1,
      corrections: [{ word: 'mathematcs', used: ['mathematics'] }],
      results: [{ note: 'People/ada', excerpt: expect.stringContaining('Mathematics') }],
    })
    expect(JSON.parse(found.text)).toEqual(found.value)
    const tagged = await call('knowledge_search', { query: 'retry', tag: 'net' })
    expect(tagged.value).toMatchObject({ results: [{ note: 'Ideas/back-off' }] })
    const listed = await call('knowledge_list', { domain: 'People' })
    expect(listed.value).toMatchObject({ total: 1, notes: [{ note: 'People/ada' }], problems: [] })
    const read = await call('knowledge_read', { note: 'Ada Lovelace' })
    expect(read.value).toMatchObject({
      note: 'People/ada',
      uri: 'steward://knowledge/People/ada',
      text: expect.stringContaining('Mathematics'),
      etag: expect.stringMatching(/^[0-9a-f]{32}$/),
      backlinks: [{ note: 'Ideas/back-off', title: 'Back off' }],
    })
    put(`${NOTES}/People/ada.md`, '# Ada\nPoetical science.\n')
    const again = await call('knowledge_search', { query: 'poetical' })
    expect(again.value).toMatchObject({ results: [{ note: 'People/ada' }] })
  })

  it('are returned in parts when long, and a missing one suggests a similar one', async () => {
    const { call, put } = await connect()
    put(`${NOTES}/Ideas/long.md`, `${'a'.repeat(99)}😀${'b'.repeat(50)}`)
    const first = await call('knowledge_read', { note: 'long', maxChars: 100 })
    expect(first.value).toMatchObject({ text: 'a'.repeat(99), totalChars: 151, nextOffset: 99 })
    const rest = await call('knowledge_read', { note: 'long', maxChars: 100, offset: 99 })
    expect(rest.value).toMatchObject({ text: `😀${'b'.repeat(50)}` })
    expect(rest.value).not.toHaveProperty('nextOffset')
    const missing = await call('knowledge_read', { note: 'Ideas/lnog' })
    expect([missing.isError, missing.text]).toEqual([
      true,
      expect.stringContaining('did you mean long?'),
    ])
  })

  it('are created, or replace the version that was read, and never another', async () => {
    const { call, home, put } = await connect(true)
    const made = await call('knowledge_write', {
      note: 'ideas/one',
      title: 'One',
      tags: ['x'],
      content: 'First.',
    })
    expect(made.value).toMatchObject({ note: 'Ideas/one', created: true })
    const file = join(home.knowledge, 'Ideas/one.md')
    expect(readFileSync(file, 'utf8')).toMatch(/^---\ntitle: One\n[\s\S]*First\.\n$/)
    const twice = await call('knowledge_write', { note: 'Ideas/one', content: 'Other.' })
    expect([twice.isError, twice.text]).toEqual([true, expect.stringContaining('First.')])
    const etag = made.value.etag
    const saved = await call('knowledge_write', { note: 'Ideas/one', content: 'Second.\n', etag })
    expect(saved.value).toMatchObject({ created: false })
    const late = await call('knowledge_write', { note: 'Ideas/one', content: 'Third.', etag })
    expect(late.isError).toBe(true)
    expect(late.text).toContain('was changed meanwhile; nothing was written')
    expect(late.text).toContain(`The current etag is ${String(saved.value.etag)}`)
    expect(late.text).toContain('Second.')
    expect(readFileSync(file, 'utf8')).toBe('Second.\n')
    for (const note of ['../x', 'Ideas/../../x', 'Nowhere/x', 'Ideas/UP', 'Ideas/__proto__']) {
      expect(await call('knowledge_write', { note, content: 'x' })).toMatchObject({ isError: true })
    }
    put(`${NOTES}/Ideas/key.md`, `The key is ${SECRET}.\n`)
    const masked = await call('knowledge_read', { note: 'key' })
    expect(masked.value).toMatchObject({ text: 'The key is [redacted:API_KEY].\n' })
    const back = await call('knowledge_write', {
      note: 'Ideas/key',
      content: `${String(masked.value.text)}More.`,
      etag: masked.value.etag,
    })
    expect([back.isError, back.text]).toEqual([true, expect.stringContaining('that were masked')])
    expect(readFileSync(join(home.knowledge, 'Ideas/key.md'), 'utf8')).toContain(SECRET)
  })
})

describe('documents, runs, sessions, events, notifications', () => {
  it('finds and reads documents of the installation and of the user', async () => {
    const { call, put } = await connect()
    put('installation/docs/feeds.md', '# Feeds\n\n## Polling\n\nEvery hour, politely.\n')
    put(
      'home/USER/ACTIONS/A_MINE/action.json',
      '{"name": "A_MINE", "description": "Counts geese", "input": {}, "output": {}}',
    )
    const found = await call('wiki_search', { query: 'politely' })
    expect(found.value).toMatchObject({
      total: 1,
      results: [{ id: 'docs/feeds', heading: 'Polling', excerpt: 'Every hour, politely.' }],
    })
    expect((await call('wiki_search', { query: 'geese' })).value).toMatchObject({ total: 1 })
    const read = await call('wiki_read', { id: 'docs/feeds' })
    expect(read.value).toMatchObject({ title: 'Feeds', text: expect.stringContaining('Polling') })
    expect(await call('wiki_read', { id: '../../etc/passwd' })).toMatchObject({ isError: true })
  })

  it('shows runs, with long texts cut', async () => {
    const { call } = await connect()
    expect((await call('runs_list')).value).toMatchObject({ runs: [{ id: 'run-1' }] })
    expect((await call('runs_list', { name: 'A_X' })).value).toEqual({ runs: [] })
    const read = await call('run_read', { id: 'run-', maxChars: 100 })
    expect(read.value).toMatchObject({
      run: { input: { content: expect.stringMatching(/^\[redacted:API_KEY\] x+… \(\d+ more/) } },
    })
    const missing = await call('run_read', { id: 'nope' })
    expect([missing.isError, missing.text]).toEqual([
      true,
      expect.stringContaining('run not found: nope'),
    ])
  })

  it('shows sessions like the dashboard, with agents from the log', async () => {
    const { call, put } = await connect()
    expect((await call('sessions_list')).value).toMatchObject({ algorithms: [], total: 0 })
    const at = new Date(NOW - 1000).toISOString()
    const entry = { task: 'Build it', phase: 'build', sessionUUID: 'u', started: at, updatedAt: at }
    const criteria = [{ id: 'C1', description: 'x', type: 'criterion', status: 'pending' }]
    put('home/MEMORY/STATE/work.json', JSON.stringify({ sessions: { s: { ...entry, criteria } } }))
    put(
      'home/MEMORY/OBSERVABILITY/subagent-events.jsonl',
      `${JSON.stringify({ timestamp: at, session_id: 'u', event: 'subagent_start', subagent_id: 'a', subagent_type: 'Engineer' })}\n`,
    )
    expect((await call('sessions_list', { active: true })).value).toMatchObject({
      active: true,
      total: 1,
      algorithms: [{ sessionId: 's', currentPhase: 'BUILD', agents: [{ agentType: 'Engineer' }] }],
    })
    expect((await call('events_recent', { session: 'u' })).value).toMatchObject({
      total: 1,
      events: [{ source: 'subagent', type: 'subagent_start' }],
      failed: {},
    })
    expect((await call('events_recent', { source: 'voice' })).value).toMatchObject({ total: 0 })
    put('home/MEMORY/STATE/work.json', '{"sessions": ')
    const broken = await call('sessions_list')
    expect([broken.isError, broken.text]).toEqual([
      true,
      expect.stringContaining('work-state file cannot be read'),
    ])
  })

  it('shows sent notifications, and sends when allowed', async () => {
    const { call, sent } = await connect(true)
    expect((await call('notifications_list')).value).toMatchObject({
      notifications: [{ channel: 'push', message: 'full, key [redacted:API_KEY]' }],
    })
    const told = await call('notify', { message: 'Done', kind: 'taskComplete' })
    expect(told.value).toMatchObject({ deliveries: [{ channel: 'push', state: 'delivered' }] })
    expect(sent).toEqual([{ message: 'Done', kind: 'taskComplete' }])
  })
})

describe('resources', () => {
  it('lists notes and documents in pages, and reads them without secrets', async () => {
    const { client, put } = await connect()
    for (let n = 0; n < 203; n++) put(`${NOTES}/Research/n-${n}.md`, `# ${n}\n`)
    put(`${NOTES}/Ideas/_index.md`, `# Map\nkey ${SECRET}\n`)
    put('installation/docs/a b.md', '# Spaces\n')
    const first = await client.listResources()
    expect(first.resources).toHaveLength(200)
    const second = await client.listResources({ cursor: first.nextCursor })
    const uris = [...first.resources, ...second.resources].map(({ uri }) => uri)
    expect(new Set(uris).size).toBe(205)
    expect(second.nextCursor).toBeUndefined()
    expect(uris).toContain('steward://wiki/docs/a%20b')
    const read = async (uri: string) => (await client.readResource({ uri })).contents
    expect(await read('steward://wiki/docs/a%20b')).toMatchObject([{ text: '# Spaces\n' }])
    expect(await read('steward://knowledge/Ideas/_index')).toMatchObject([
      { mimeType: 'text/markdown', text: '# Map\nkey [redacted:API_KEY]\n' },
    ])
    const { resourceTemplates } = await client.listResourceTemplates()
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'steward://knowledge/{domain}/{slug}',
      'steward://wiki/{+id}',
    ])
    for (const uri of [
      'steward://knowledge/Ideas/../../x',
      'file:///etc/passwd',
      'steward://wiki/%',
    ]) {
      await expect(client.readResource({ uri })).rejects.toMatchObject({ code: -32002 })
    }
  })
})

describe('secrets and errors', () => {
  it('returns no excerpt of a text with a secret, because it may be cut in half', async () => {
    const { call, put } = await connect()
    put(`${NOTES}/Ideas/key.md`, `needle ${SECRET}\n`)
    const found = await call('knowledge_search', { query: 'needle' })
    expect(found.value).toMatchObject({ results: [{ note: 'Ideas/key', excerpt: '' }] })
    expect(JSON.stringify(found)).not.toContain(SECRET.slice(0, 12))
  })

  it('returns the error and continues, whatever a port throws', async () => {
    const fail = async () => {
      throw new TypeError(`no idea, ${SECRET}`)
    }
    const { call, warnings } = await connect(true, {
      notifications: { list: fail, send: fail },
    })
    const answer = await call('notifications_list')
    expect([answer.isError, answer.text]).toEqual([
      true,
      expect.stringContaining('no idea, [redacted:API_KEY]'),
    ])
    expect(warnings).toEqual([expect.stringContaining('notifications_list: internal error')])
    expect(await call('notifications_lst')).toMatchObject({
      isError: true,
      text: expect.stringContaining('did you mean notifications_list?'),
    })
    expect(await call('runs_list')).toMatchObject({ isError: false })
  })

  it('returns nothing while secrets cannot be determined', async () => {
    const { call } = await connect(false, {
      redactor: async () => {
        throw new Error('.env: line 1: expected NAME=value')
      },
    })
    expect(await call('notifications_list')).toMatchObject({
      isError: true,
      text: expect.stringContaining('line 1'),
    })
  })

  it('answers any input, and reports what is invalid', async () => {
    const { call, home, client } = await connect(true)
    const names = (await client.listTools()).tools.map(({ name }) => name)
    const args = fc.dictionary(
      fc.oneof(
        fc.constantFrom('query', 'note', 'id', 'limit', 'offset', 'domain', 'etag', '__proto__'),
        fc.string(),
      ),
      fc.oneof(fc.jsonValue(), fc.string({ unit: 'binary' }), fc.double(), fc.constant('Ideas/a')),
      { noNullPrototype: true },
    )
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.constantFrom(...names.filter((name) => name !== 'notify')), fc.string()),
        args,
        async (name, given) => {
          const { isError, text } = await call(name, given)
          expect(text).not.toBe('')
          if (!isError) expect(() => JSON.parse(text)).not.toThrow()
        },
      ),
      { numRuns: 80 },
    )
    expect(existsSync(join(home.knowledge, '..', 'x.md'))).toBe(false)
    const wrong = await call('knowledge_list', { limit: 0, domain: 'Idea' })
    expect(wrong.text).toContain('limit: must be at least 1')
    expect(wrong.text).toContain('did you mean Ideas?')
  })
})

describe('the index', () => {
  it('is the stored one if it exists, without reading known files again', async () => {
    const { call, put, home } = await connect()
    put(`${NOTES}/Ideas/dive.md`, 'A bathyscaphe.')
    const mark = readNoteFile(home.knowledge, { domain: 'Ideas', slug: 'dive' })?.etag ?? ''
    const file = join(home.databases, 'search.sqlite')
    const index = openSearchIndex({ file, now: () => NOW, warn: () => undefined })
    const content = [{ anchor: '', heading: '', text: 'as it was indexed' }]
    const about = { kind: 'note', title: 'Dive', names: [], tags: [], updatedMs: NOW, data: '' }
    await index.put([{ id: 'knowledge/Ideas/dive', mark, content, ...about }])
    index.close()
    const found = async (query: string) => (await call('knowledge_search', { query })).value.total
    expect(await found('indexed')).toBe(1)
    expect(await found('bathyscaphe')).toBe(0)
    put(`${NOTES}/Ideas/dive.md`, 'A bathyscaphe, painted.')
    expect(await found('bathyscaphe')).toBe(1)
    expect(await found('indexed')).toBe(0)
  })

  it('has the pages that are not files', async () => {
    const page = {
      key: 'hooks',
      group: 'hooks',
      path: 'claude',
      title: 'Hooks of claude',
      summary: 'x',
      tags: ['hooks'],
      related: [],
      markdown: '# Hooks of claude\n\nWhat it is told.\n',
    }
    const { call } = await connect(false, { generated: () => [page] })
    expect((await call('wiki_search', { query: 'told' })).value).toMatchObject({
      results: [{ id: 'hooks/claude', group: 'hooks' }],
    })
    expect((await call('wiki_read', { id: 'hooks/claude' })).text).toContain('What it is told.')
  })
})
