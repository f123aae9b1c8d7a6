import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { note } from '@steward/contract'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { type Cli, createCli } from './cli-process.ts'
import { type DaemonProcess, startDaemonProcess } from './daemon-process.ts'

let cli: Cli
let daemon: DaemonProcess | undefined
beforeEach(() => {
  cli = createCli()
})
afterEach(async () => {
  await daemon?.kill()
  cli.remove()
})

const list = z.looseObject({ notes: z.array(z.looseObject({ slug: z.string() })) })
const conflict = z.looseObject({
  code: z.literal('version_conflict'),
  current: z.object({ content: z.string(), etag: z.string() }).loose(),
})
const ANY_MOMENT = { timeout: 20_000, interval: 20 }

const call = async (method: string, path: string, body?: object, headers = {}) => {
  if (daemon === undefined) throw new Error('no daemon')
  const response = await daemon.fetch(`/api/knowledge${path}`, {
    method,
    headers: {
      authorization: `Bearer ${daemon.token()}`,
      'content-type': 'application/json',
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return {
    status: response.status,
    etag: response.headers.get('etag'),
    body: await response.json(),
  }
}

test('a note from the command line through two editors, a rename and a crash to lessons learned', async () => {
  const file = (path: string) => join(cli.home, 'MEMORY', path)
  const added = await cli.run(['knowledge', 'add', 'people', 'Ada Lovelace', '--tags', 'maths'])
  expect(added.stdout).toContain('People/ada-lovelace added')
  daemon = await startDaemonProcess(cli)

  // Without the token nothing is written; with it, errors are reported.
  const path = '/people/ada-lovelace'
  const before = readFileSync(file('KNOWLEDGE/People/ada-lovelace.md'), 'utf8')
  const anonymous = await daemon.fetch(`/api/knowledge${path}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: '{"content":"x"}',
  })
  expect(anonymous.status).toBe(401)
  expect((await call('PUT', path, { content: '' })).status).toBe(400)
  expect((await call('PUT', path, { content: 'x'.repeat(2 ** 20 + 1) })).status).toBe(413)
  expect((await call('PUT', '/people/nobody', { content: 'x' })).status).toBe(404)
  expect((await call('PUT', '/people/..%2Ftoken', { content: 'x' })).status).toBe(400)
  expect((await call('PUT', '/aliens/ada', { content: 'x' })).status).toBe(404)
  expect(readFileSync(file('KNOWLEDGE/People/ada-lovelace.md'), 'utf8')).toBe(before)
  expect(readdirSync(file('KNOWLEDGE'))).not.toContain('.trash')

  // Two editors repeatedly add a line each to the version they last saw.
  const edit = async (name: string): Promise<void> => {
    let seen = note.parse((await call('GET', path)).body)
    for (let line = 0; line < 5; ) {
      const content = `${seen.content}${name} ${line}\n`
      const saved = await call('PUT', path, { content }, { 'if-match': `"${seen.etag}"` })
      if (saved.status === 200) line++
      else expect(saved.status).toBe(412)
      const next = saved.status === 200 ? note.parse(saved.body) : undefined
      seen = next ?? { ...seen, ...conflict.parse(saved.body).current }
    }
  }
  await Promise.all([edit('left'), edit('right')])
  const text = readFileSync(file('KNOWLEDGE/People/ada-lovelace.md'), 'utf8')
  const lines = text.split('\n').filter((each) => /^(left|right) \d$/.test(each))
  expect(new Set(lines).size).toBe(10)

  // A file saved in an editor appears automatically; links follow a rename.
  const script = '<script>alert(1)</script>'
  writeFileSync(file('KNOWLEDGE/Ideas/engine.md'), `# Engine\n\nBy [[ada-lovelace]]. ${script}\n`)
  await vi.waitFor(async () => {
    const { notes } = list.parse((await call('GET', '?tag=&q=engine')).body)
    expect(notes.map(({ slug }) => slug)).toContain('engine')
  }, ANY_MOMENT)
  const renamed = await call('POST', `${path}/rename`, { title: 'Ada King' })
  expect(renamed.body).toMatchObject({ slug: 'ada-king', relinked: [{ slug: 'engine' }] })
  expect(readFileSync(file('KNOWLEDGE/Ideas/engine.md'), 'utf8')).toContain('[[People/ada-king]]')

  // Lessons of a session become a note in the phase LEARN; the daemon is killed meanwhile.
  mkdirSync(file('WORK/dates'), { recursive: true })
  const learned = '## Learnings\n\n### Research: Weeks\n\nThey begin on Monday. See [[ada-king]].\n'
  writeFileSync(file('WORK/dates/SPEC.md'), `---\ntask: Dates\nphase: learn\n---\n${learned}`)
  const state = { sessions: { dates: { phase: 'learn', isa: 'WORK/dates/SPEC.md' } } }
  writeFileSync(file('STATE/work.json'), JSON.stringify(state))
  await daemon.kill()
  daemon = await startDaemonProcess(cli)
  await vi.waitFor(async () => {
    expect((await call('GET', '/research/weeks')).body).toMatchObject({
      source: 'WORK/dates/SPEC.md#weeks',
      links: [{ to: { slug: 'ada-king' } }],
    })
    expect((await call('GET', '')).body).toMatchObject({
      totalNotes: 3,
      topLinked: [{ slug: 'ada-king', backlinks: 2 }],
      lastHarvest: expect.any(String),
    })
  }, ANY_MOMENT)
  expect((await call('GET', '/graph')).body).toMatchObject({ edges: { length: 2 } })
  const again = await cli.run(['knowledge', 'learn'])
  expect(again.stdout).toBe('Research/weeks.md: known already (Weeks)\n')

  // Moves the note to the trash and restores it, then runs the maintenance.
  expect((await call('DELETE', '/people/ada-king')).status).toBe(200)
  expect((await call('GET', '/people/ada-king')).status).toBe(404)
  expect((await call('POST', '/people/ada-king/restore', {})).status).toBe(200)
  writeFileSync(file('KNOWLEDGE/Ideas/My Note.md'), '[[engine]] [[Ideas/weeks]]\n')
  expect((await cli.run(['knowledge', 'check'])).code).toBe(1)
  const fixed = await cli.run(['knowledge', 'check', '--fix'])
  expect(fixed.stdout).toContain('mended Ideas/My Note.md')
  await cli.run(['knowledge', 'check', '--fix'])
  expect(await cli.run(['knowledge', 'check'])).toMatchObject({
    code: 0,
    stdout: '4 notes, all well\n',
  })
  const found = await cli.run(['knowledge', 'search', 'monday', '--json'])
  expect(JSON.parse(found.stdout)).toMatchObject({ results: [{ slug: 'weeks' }] })
  rmSync(file('KNOWLEDGE/Ideas/engine.md'))
  expect((await cli.run(['knowledge', 'show', 'engin'])).stderr).toContain('not found: engin')
})
