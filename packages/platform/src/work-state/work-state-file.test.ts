import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { bundleChild } from '../../../../scripts/testing/bundle-child.ts'
import { type Home, resolveHome } from '../home/home.ts'
import { withLock } from '../locks/with-lock.ts'
import { createRedactor } from '../redaction/redactor.ts'
import { HELD_BACK_TEXTS, missedRates } from '../redaction/testing/held-back-rates.ts'
import { archiveSessions, workArchivePath } from './archive-sessions.ts'
import { nameSession } from './name-session.ts'
import { recordPromptInFile } from './record-prompt-in-file.ts'
import { recordToolActivity } from './record-tool-activity.ts'
import { readSessionName, sessionNamesPath, writeSessionName } from './session-names.ts'
import { syncSpecificationFile } from './sync-specification-file.ts'
import { entryAt, HOUR, iso, NOW } from './testing/states.ts'
import { readWorkState, updateWorkState } from './work-state-file.ts'

let root: string
let home: Home
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'steward-work-'))
  home = resolveHome({ STEWARD_HOME: root })
  await mkdir(home.stateDir, { recursive: true })
})
afterEach(() => rm(root, { recursive: true, force: true }))

let nowMs = NOW
const ports = { now: () => nowMs, redactor: createRedactor({ KEY: 'Sup3rSecret' }) }
const unwrap = <T>(result: { ok: true; value: T } | { ok: false; error: Error }): T => {
  if (!result.ok) throw result.error
  return result.value
}
const name = (text: string) =>
  updateWorkState(
    home,
    (state, at) => nameSession(state, { sessionUUID: 'u', name: text }, at),
    ports,
  )

describe('updateWorkState', () => {
  it("keeps other programs' data unchanged, key for key", async () => {
    const theirs =
      '{"version":2,"sessions":{"__proto__":{"a":1},"odd":null,"list":[1],' +
      '"s":{"sessionUUID":"u","phase":7,"phaseHistory":"x","secret":"Sup3rSecret","deep":{"n":[{}]}},' +
      '"other":{"note":"Sup3rSecret"}},"more":[true]}'
    await writeFile(home.workState, theirs)
    const done = unwrap(await name('A Name'))
    expect(done).toMatchObject({ written: true, outcome: { slugs: ['s'] } })
    const text = await readFile(home.workState, 'utf8')
    const expected = theirs
      .replace('"deep":{"n":[{}]}', `$&,"sessionName":"A Name","updatedAt":"${iso(NOW)}"`)
      // Only the changed entry is masked.
      .replace('Sup3rSecret', '[redacted:KEY]')
    expect(text).toBe(`${JSON.stringify(JSON.parse(expected), null, 2)}\n`)
  })

  it('writes nothing if nothing changed', async () => {
    expect(unwrap(await name('A Name'))).toMatchObject({ written: false, outcome: { slugs: [] } })
    expect(await readdir(home.stateDir)).not.toContain('work.json')
  })

  it.each(['{"sessions":', '[]', '{"sessions":[]}', '', 'null'])(
    'sets %j aside, reports it, and starts over only then',
    async (text) => {
      await writeFile(home.workState, text)
      expect(await readWorkState(home)).toMatchObject({
        ok: false,
        error: { code: 'work_state_unreadable', details: { path: home.workState } },
      })
      const failed = await name('A Name')
      if (failed.ok) throw new Error('expected an error')
      expect(failed.error).toMatchObject({ code: 'work_state_unreadable', status: 503 })
      const aside = String(failed.error.details.aside)
      expect(failed.error.message).toContain(aside)
      expect(await readFile(aside, 'utf8')).toBe(text)
      expect(await readWorkState(home)).toMatchObject({ error: { code: 'work_state_missing' } })
      unwrap(await recordPromptInFile(home, { sessionUUID: 'u', text: 'what is this?' }, ports))
      expect(await readFile(aside, 'utf8')).toBe(text)
    },
  )

  it('treats a file without sessions as empty', async () => {
    await writeFile(home.workState, '{"version":1}')
    expect(unwrap(await readWorkState(home))).toEqual({ version: 1, sessions: {} })
  })

  it('reports what could not be written', async () => {
    await rm(home.stateDir, { recursive: true })
    await writeFile(home.stateDir, 'a file where the folder should be')
    const failed = await recordPromptInFile(
      home,
      { sessionUUID: 'u', text: 'what is this?' },
      ports,
    )
    expect(failed).toMatchObject({ ok: false, error: { code: 'storage_failed' } })
  })
})

describe('recordPromptInFile', () => {
  it('keeps a secret out of the slug too', async () => {
    const text = 'please use Sup3rSecret for this'
    const { state } = unwrap(await recordPromptInFile(home, { sessionUUID: 'u', text }, ports))
    expect(JSON.stringify(state)).not.toMatch(/sup3rsecret/i)
    expect(await readFile(home.workState, 'utf8')).not.toMatch(/sup3rsecret/i)
  })

  it('shows the held-back texts with the required rates', async () => {
    const record = async (text: string, at: number) => {
      const prompt = { sessionUUID: 'u', text: `Fix the build: ${text}` }
      const workState = join(home.stateDir, `work-${at}.json`)
      return JSON.stringify(unwrap(await recordPromptInFile({ workState }, prompt, ports)).state)
    }
    const shown = await Promise.all(HELD_BACK_TEXTS.map(record))
    expect(missedRates(shown)).toEqual([])
  })
})

describe('recordToolActivity', () => {
  it('does not wait for the lock if there is nothing to write', async () => {
    await recordPromptInFile(home, { sessionUUID: 'u', text: 'what is this?' }, ports)
    expect(unwrap(await recordToolActivity(home, 'u', ports))).toMatchObject({ written: true })
    nowMs = NOW + 10_000
    const again = await withLock(
      `${home.workState}.lock`,
      () => recordToolActivity(home, 'u', { ...ports, waitMs: 0 }),
      { waitMs: 0 },
    )
    expect(unwrap(again)).toMatchObject({ written: false })
    nowMs = NOW
  })
})

describe('syncSpecificationFile', () => {
  it('syncs specifications under any of their names, and no other file', async () => {
    for (const file of ['SPEC.md', 'ISA.md', 'PRD.md']) {
      const path = join(home.work, `of-${file}`, file)
      await mkdir(join(path, '..'), { recursive: true })
      await writeFile(path, '---\nphase: build\nprogress: 0/0\n---\n## Criteria\n- [ ] no id\n')
      const done = unwrap(await syncSpecificationFile(home, { file: path }, ports))
      expect(done?.outcome).toMatchObject({ slug: `of-${file}`, problems: [expect.any(String)] })
      expect(entryAt(done?.state ?? { sessions: {} }, `of-${file}`).isa).toBe(
        `WORK/of-${file}/${file}`,
      )
    }
    for (const file of ['notes.md', '../SPEC.md', 'a/b/SPEC.md', '/etc/passwd']) {
      expect(unwrap(await syncSpecificationFile(home, { file }, ports))).toBeUndefined()
    }
    const gone = await syncSpecificationFile(home, { file: 'gone/SPEC.md' }, ports)
    expect(gone).toMatchObject({ ok: false, error: { code: 'storage_failed' } })
  })
})

describe('archiveSessions', () => {
  it('moves finished sessions to the archive', async () => {
    const sessions = {
      old: { phase: 'complete', updatedAt: iso(NOW - 25 * HOUR), theirs: 1 },
      new: { phase: 'complete', updatedAt: iso(NOW - HOUR) },
    }
    await writeFile(home.workState, JSON.stringify({ sessions }))
    expect(unwrap(await archiveSessions(home, ports)).outcome).toEqual({ archived: ['old'] })
    expect(Object.keys(unwrap(await readWorkState(home)).sessions)).toEqual(['new'])
    const lines = (await readFile(workArchivePath(home), 'utf8')).trim().split('\n')
    expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
      { schemaVersion: 1, archivedAt: iso(NOW), slug: 'old', entry: sessions.old },
    ])
  })
})

describe('session names', () => {
  it('are kept by host session', async () => {
    expect(unwrap(await readSessionName(home, 'u'))).toBeUndefined()
    await writeFile(sessionNamesPath(home), '{"other": 7}')
    unwrap(await writeSessionName(home, 'u', 'Fix The Date Parser'))
    expect(unwrap(await readSessionName(home, 'u'))).toBe('Fix The Date Parser')
    expect(unwrap(await readSessionName(home, 'other'))).toBeUndefined()
    expect(unwrap(await readSessionName(home, 'toString'))).toBeUndefined()
    expect(await readFile(sessionNamesPath(home), 'utf8')).toContain('"other": 7')
  })
})

const WRITER = join(import.meta.dirname, 'testing/writer.ts')
const running = new Set<ChildProcess>()
afterEach(() => {
  for (const child of running) child.kill('SIGKILL')
})

/**
 * Runs a writer; kills it after this many acknowledged updates. Returns the last acknowledged
 * number.
 */
const runWriter = async (
  program: string,
  slug: string,
  times: number,
  killAfter: number,
): Promise<number> => {
  const child = spawn(process.execPath, [program, home.workState, slug, String(times)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  running.add(child)
  const ended = once(child, 'close')
  let acknowledged = 0
  let said = 0
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged = Number(line)
    if (++said === killAfter) child.kill('SIGKILL')
    JSON.parse(await readFile(home.workState, 'utf8'))
  }
  await ended
  running.delete(child)
  return acknowledged
}

describe('many processes', () => {
  it('lose no acknowledged update, whichever is killed, and leave nothing behind', async () => {
    const program = await bundleChild(WRITER, root)
    const writers = ['a', 'b', 'c']
    const counts = await Promise.all(
      writers.map(async (slug, at) => {
        await runWriter(program, slug, 20, 1 + 2 * at)
        return runWriter(program, slug, 5, Number.POSITIVE_INFINITY)
      }),
    )
    const { sessions } = unwrap(await readWorkState(home))
    expect(sessions).toEqual(
      Object.fromEntries(writers.map((slug, at) => [slug, { count: counts[at] }])),
    )
    // A killed writer wrote at most one more than it acknowledged.
    for (const [at, count] of counts.entries()) expect(count).toBeGreaterThanOrEqual(6 + 2 * at)
    const left = (await readdir(home.stateDir)).filter((file) => file.startsWith('.'))
    expect(left).toEqual([])
  })
})
