import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { unwrap } from '@steward/contract'
import { describeNote, loadArchive, readNoteFile } from '@steward/knowledge'
import { ensureHome, readSettings, resolveHome } from '@steward/platform'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readDiary } from '../modules/assistant/diary/diary.ts'
import { createAssistantFiles } from '../modules/assistant/files/assistant-files.ts'
import { readIdentity } from '../modules/assistant/identity/read-identity.ts'
import { readOpinions } from '../modules/assistant/opinions/opinions.ts'
import { migrate, undoMigration } from './migrate.ts'

let base: string
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'steward-migrate-'))
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

const put = (path: string, text: string) => {
  const file = join(base, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
const home = () => resolveHome({ STEWARD_HOME: join(base, 'home') }, base)
const run = async (folder: string, dryRun = false) => {
  const own = unwrap(await ensureHome(home()))
  const loaded = loadArchive(own.knowledge)
  const now = () => new Date('2026-11-17T10:00:00Z')
  const result = await migrate({ home: own, loaded, now }, join(base, folder), { dryRun })
  await loaded.refresh()
  return { ...result, loaded }
}
const filesIn = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(join(base, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path.slice(base.length + 1), readFileSync(path, 'utf8')]),
  )

const SETTINGS = {
  env: { PAI_DIR: '${HOME}/.claude/PAI' },
  hooks: { Stop: [] },
  daidentity: { name: 'Aria', voices: { main: { voiceId: 'v1' } } },
  principal: { name: 'Sam', timezone: 'Europe/Berlin' },
  notifications: {
    ntfy: { enabled: true, topic: '${NTFY_TOPIC}', server: 'ntfy.sh' },
    discord: { enabled: false, webhook: 'https://example.com/hook' },
    twilio: { enabled: false },
    routing: { longTask: ['ntfy'], security: ['ntfy', 'discord'], error: ['pager'] },
  },
  observability: {
    targets: [
      { name: 'edge', type: 'cloudflare-kv' },
      { name: 'broken', type: 'http' },
    ],
  },
}
const IDENTITY = `core:
  name: Aria
  full_name: Aria of the House
  color: "#112233"
  role: companion
  origin_story: Began on a rainy day.
voice: { provider: elevenlabs, main: { voice_id: "" } }
personality:
  base_description: Calm.
  traits: { warmth: 70, directness: 90 }
companion: { name: Pip, species: owl, personality: curious }
autonomy: { can_initiate: [reminders], must_ask: [mail] }
`

/** A home as each version lays it out; `assistant` is the folder of the digital assistant. */
const putTree = (root: string, assistant: string) => {
  put(`${root}/USER/${assistant}/_registry.yaml`, 'version: 1\nprimary: aria\n')
  put(`${root}/USER/${assistant}/aria/DA_IDENTITY.yaml`, IDENTITY)
  put(`${root}/USER/${assistant}/aria/DA_IDENTITY.md`, '# DA Identity — Aria\n')
  put(
    `${root}/USER/${assistant}/aria/opinions.yaml`,
    'opinions:\n  - topic: Tabs\n    position: Spaces are better\n    confidence: 0.8\n    evidence_count: 8\n',
  )
  put(
    `${root}/USER/${assistant}/aria/diary.jsonl`,
    '{"date":"2026-05-01","interaction_count":3,"topics":["boats"],"mood":"positive","avg_rating":8,"notable_moments":[],"learning":null}\nnot json\n',
  )
  put(`${root}/USER/${assistant}/devi/DA_IDENTITY.yaml`, 'core: { name: Devi }\n')
  put(
    `${root}/USER/SECURITY/PATTERNS.yaml`,
    'version: "1.0"\nbash:\n  blocked:\n    - pattern: "rm -rf /"\n      reason: no\n',
  )
  put(`${root}/USER/TELOS/GOALS.md`, '# Goals\n')
  put(
    `${root}/MEMORY/KNOWLEDGE/Ideas/Big_Idea.md`,
    '---\ntitle: Big idea\nquality: 0\nrelated:\n  - slug: other\n    type: supports\n---\nText\n',
  )
  put(`${root}/MEMORY/KNOWLEDGE/Ideas/other.md`, '---\ntitle: Other\n---\nText\n')
  put(`${root}/MEMORY/KNOWLEDGE/Blogs/post.md`, '# A post\n')
  put(
    `${root}/MEMORY/STATE/work.json`,
    JSON.stringify({ sessions: { old: { task: 'Old', phase: 'build' } } }),
  )
  put(`${root}/MEMORY/STATE/cache.bin`, 'x')
  put(`${root}/MEMORY/WORK/old/ISA.md`, '---\ntask: Old\n---\n')
  put(`${root}/MEMORY/LEARNING/SIGNALS/ratings.jsonl`, '{"rating":8}\n')
  put(`${root}/MEMORY/OBSERVABILITY/tool-activity.jsonl`, '{"timestamp":"2026-05-01T10:00:00Z"}\n')
}

describe.each([
  ['version 5', 'old/.claude', 'old/.claude/PAI', 'DA'],
  ['version 7', 'old/.claude', 'old/.claude/LIFEOS', 'DIGITAL_ASSISTANT'],
])('a home of %s', (_, folder, root, assistant) => {
  beforeEach(() => {
    putTree(root, assistant)
    put(`${folder}/settings.json`, JSON.stringify(SETTINGS))
    put(`${folder}/.env`, 'NTFY_TOPIC=my-topic-123\nELEVENLABS_API_KEY=secret-key\n')
  })

  it('is moved, and every file and key of it is in the report', async () => {
    const before = filesIn('old')
    const { items, loaded } = await run(folder)
    expect(filesIn('old')).toEqual(before)

    const settings = unwrap(await readSettings(home()))
    expect(settings.notifications).toMatchObject({
      push: { topic: 'my-topic-123', enabled: true },
      chat: { webhook: 'https://example.com/hook' },
      routing: { longTask: ['push'], security: ['push', 'chat'], error: [] },
    })
    expect(settings.observability.targets).toEqual([{ name: 'edge', type: 'edge-kv' }])
    expect(settings.daidentity.name).toBe('Aria')

    const files = createAssistantFiles(home())
    expect(await readIdentity(files, settings)).toEqual({
      name: 'Aria',
      full_name: 'Aria of the House',
      display_name: 'Aria',
      color: '#112233',
      role: 'companion',
      origin_story: 'Began on a rainy day.',
      principal: 'Sam',
    })
    expect((await readOpinions(files)).opinions).toMatchObject([
      { topic: 'Tabs', position: 'Spaces are better', confidence: 0.8, evidence_count: 8 },
    ])
    expect((await readDiary(files, 10)).entries).toMatchObject([
      { date: '2026-05-01', interaction_count: 3, topics: ['boats'], mood: 'positive' },
    ])
    const place = { domain: 'Ideas', slug: 'big-idea' } as const
    const note = readNoteFile(home().knowledge, place)
    expect(note && describeNote(loaded.index, place, note)).toMatchObject({
      quality: 1,
      links: [{ to: { slug: 'other' }, type: 'supports' }],
    })
    expect(loaded.index.get('Research/a-post')?.tags).toEqual(['Blogs'])

    const reported = new Map(items.map((item) => [item.from, item]))
    expect(reported.get('settings.json: notifications.twilio')?.outcome).toBe('left')
    expect(reported.get('settings.json: observability.targets[1]')?.note).toContain('url')
    expect(reported.get('settings.json: hooks')?.outcome).toBe('left')
    expect(reported.get(`USER/${assistant}/devi`)?.note).toContain('aria is the primary one')
    expect(reported.get(`USER/${assistant}/aria/diary.jsonl`)?.note).toContain('1 unreadable')
    expect(reported.get('.env: ELEVENLABS_API_KEY')?.outcome).toBe('merged')
    expect(JSON.stringify(items)).not.toContain('secret-key')
    const named = [...reported.keys()]
    for (const path of Object.keys(before)) {
      const own = path.slice(path.startsWith(root) ? root.length + 1 : folder.length + 1)
      const isNamed = named.some(
        (name) => name === own || own.startsWith(`${name}/`) || name.startsWith(`${own}: `),
      )
      expect([own, isNamed || own.endsWith('_registry.yaml')]).toEqual([own, true])
    }
  })

  it('is not touched by a dry run, and neither is the data home', async () => {
    unwrap(await ensureHome(home()))
    const before = filesIn('.')
    const { items } = await run(folder, true)
    expect(filesIn('.')).toEqual(before)
    expect(items.length).toBeGreaterThan(15)
  })

  it('can be undone, except for what was changed since', async () => {
    put('home/settings.json', '{"voice":{"enabled":false}}\n')
    put('home/MEMORY/LEARNING/SIGNALS/ratings.jsonl', '{"rating":3}\n')
    unwrap(await ensureHome(home()))
    const before = filesIn('home')
    await run(folder)
    expect(readFileSync(join(base, 'home/MEMORY/LEARNING/SIGNALS/ratings.jsonl'), 'utf8')).toBe(
      '{"rating":8}\n{"rating":3}\n',
    )
    put('home/MEMORY/WORK/old/ISA.md', 'changed')
    const { kept } = await undoMigration(home())
    expect(kept).toEqual(['MEMORY/WORK/old/ISA.md'])
    const after = filesIn('home')
    for (const [path, text] of Object.entries(before))
      expect([path, after[path]]).toEqual([path, text])
    const added = Object.keys(after).filter((path) => !(path in before))
    expect(
      added.filter((path) => !/state\/|MEMORY\/STATE\/(migrations|knowledge-imports)/.test(path)),
    ).toEqual(['home/MEMORY/WORK/old/ISA.md'])
    // Afterwards it can be moved again.
    const { items } = await run(folder)
    expect(items.find(({ from }) => from.endsWith('Ideas/other.md'))?.outcome).toBe('converted')
  })

  it('never overwrites what the data home has', async () => {
    put('home/USER/ASSISTANT/identity.md', '---\nname: Mine\n---\n')
    put('home/USER/SECURITY/PATTERNS.yaml', 'version: "9"\n')
    put('home/settings.json', '{"daidentity":{"name":"Mine"}}\n')
    put('home/.env', 'ELEVENLABS_API_KEY=mine\n')
    const { items } = await run(folder)
    const outcomes = Object.fromEntries(items.map(({ from, outcome }) => [from, outcome]))
    expect(outcomes).toMatchObject({
      'settings.json: daidentity': 'kept',
      'USER/SECURITY/PATTERNS.yaml': 'kept',
      [`USER/${assistant}/aria/DA_IDENTITY.yaml`]: 'kept',
      '.env: ELEVENLABS_API_KEY': 'kept',
    })
    expect(readFileSync(join(base, 'home/USER/ASSISTANT/identity.md'), 'utf8')).toContain('Mine')
    expect(readFileSync(join(base, 'home/.env'), 'utf8')).toContain('ELEVENLABS_API_KEY=mine')
  })
})

it('takes the assistant of the newer version where both have a folder', async () => {
  put('old/USER/DA/_registry.yaml', 'primary: aria\n')
  put('old/USER/DIGITAL_ASSISTANT/aria/DA_IDENTITY.yaml', IDENTITY)
  const { items } = await run('old')
  expect(items).toMatchObject([
    { from: 'USER/DA', outcome: 'left', note: expect.stringContaining('DIGITAL_ASSISTANT') },
    { from: 'USER/DIGITAL_ASSISTANT/aria/DA_IDENTITY.yaml', outcome: 'converted' },
  ])
})

it('lists the other files of the folder, and names the position of an invalid target', async () => {
  put('old/.claude/PAI/MEMORY/WORK/a/ISA.md', 'x')
  put('old/.claude/PAI/statusline.sh', 'x')
  put('old/.claude/skills/Art/SKILL.md', 'x')
  const targets = [
    { name: 'edge', type: 'cloudflare-kv' },
    { name: 'log', type: 'file' },
  ]
  put('old/.claude/settings.json', JSON.stringify({ observability: { targets } }))
  const { items } = await run('old/.claude')
  const notes = Object.fromEntries(items.map(({ from, note }) => [from, note]))
  expect(notes).toMatchObject({
    'statusline.sh': 'not used by Steward',
    '.claude/skills': 'it belongs to the assistant, which still reads it',
    'settings.json: observability.targets[1]': expect.stringContaining('targets[1].type'),
  })
  expect(Object.keys(notes)).not.toContain('.claude/settings.json')
})

it('undoes the last move that wrote something', async () => {
  put('old/MEMORY/WORK/a/ISA.md', 'x')
  await run('old')
  expect((await run('old')).items).toMatchObject([{ outcome: 'same' }])
  expect((await undoMigration(home())).removed).toEqual(['MEMORY/WORK/a/ISA.md'])
})

it('follows no link, and names broken files', async () => {
  put('secret', 'x')
  put('old/MEMORY/WORK/a/ISA.md', 'x')
  symlinkSync(join(base, 'secret'), join(base, 'old/MEMORY/WORK/a/link.md'))
  put('old/USER/DA/aria/DA_IDENTITY.yaml', 'core: [')
  put('old/USER/DA/aria/opinions.yaml', '- just\n- text\n')
  const { items } = await run('old')
  const outcomes = Object.fromEntries(items.map(({ from, outcome }) => [from, outcome]))
  expect(outcomes).toEqual({
    'MEMORY/WORK/a/ISA.md': 'taken',
    'MEMORY/WORK/a/link.md': 'left',
    'USER/DA/aria/DA_IDENTITY.yaml': 'left',
    'USER/DA/aria/opinions.yaml': 'left',
  })
  await expect(run('secret')).rejects.toThrow(/not found/)
  put('empty/x', '')
  await expect(run('empty')).rejects.toThrow(/neither MEMORY nor USER/)
})
