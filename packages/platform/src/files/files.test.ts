import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { appendJsonLine } from './append-json-line.ts'
import { removeStaleDrafts } from './drafts.ts'
import { readStateFile, updateStateFile } from './state-file.ts'
import { writeFileAtomically } from './write-file-atomically.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'steward-files-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const counter = z.object({ count: z.int() })
const zero = { count: 0 }
const addOne = (current: { count: number }) => ({ count: current.count + 1 })

/** Runs module code in a separate process, with access to this folder's modules. */
const runInProcess = async (code: string): Promise<number | null> => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [status] = await once(child, 'exit')
  return status
}

describe('writeFileAtomically', () => {
  it('replaces the text, keeps the mode and leaves no temporary file', async () => {
    const path = join(folder, 'a.json')
    await writeFile(path, 'old', { mode: 0o640 })
    await writeFileAtomically(path, 'new')
    expect(await readFile(path, 'utf8')).toBe('new')
    expect((await stat(path)).mode & 0o777).toBe(0o640)
    expect(await readdir(folder)).toEqual(['a.json'])
  })

  it('makes new files private', async () => {
    await writeFileAtomically(join(folder, 'b.json'), 'x')
    expect((await stat(join(folder, 'b.json'))).mode & 0o777).toBe(0o600)
  })

  it('fails loudly and leaves no draft', async () => {
    await expect(writeFileAtomically(join(folder, 'no', 'c.json'), 'x')).rejects.toMatchObject({
      code: 'storage_failed',
    })
    // A folder at the target makes the final rename fail.
    await expect(writeFileAtomically(folder, 'x')).rejects.toMatchObject({ code: 'storage_failed' })
    expect(await readdir(folder)).toEqual([])
  })
})

describe('updateStateFile', () => {
  it('starts from the initial value and then from the file', async () => {
    const path = join(folder, 'state.json')
    expect(await updateStateFile(path, counter, zero, addOne)).toEqual({
      ok: true,
      value: { count: 1 },
    })
    await updateStateFile(path, counter, zero, addOne)
    expect(await readStateFile(path, counter, zero)).toEqual({ ok: true, value: { count: 2 } })
    expect(await readFile(path, 'utf8')).toBe('{\n  "schemaVersion": 1,\n  "count": 2\n}\n')
  })

  it('loses no change when processes and calls compete', async () => {
    const path = join(folder, 'state.json')
    const code = `
      import { z } from 'zod'
      import { updateStateFile } from './state-file.ts'
      const schema = z.object({ count: z.int() })
      const change = (state) => ({ count: state.count + 1 })
      for (let i = 0; i < 10; i++) {
        const result = await updateStateFile(${JSON.stringify(path)}, schema, { count: 0 }, change)
        if (!result.ok) throw result.error
      }`
    const processes = Promise.all([runInProcess(code), runInProcess(code)])
    await Promise.all(
      Array.from({ length: 10 }, () => updateStateFile(path, counter, zero, addOne)),
    )
    expect(await processes).toEqual([0, 0])
    expect(await readStateFile(path, counter, zero)).toEqual({ ok: true, value: { count: 30 } })
  })

  it.each([
    ['torn', '{"count": 4', 'line 1, column 12'],
    ['of another shape', '{"count": "many"}', 'count: '],
    ['empty', '', 'the text ends'],
  ])('sets a file aside that is %s', async (_, text, reason) => {
    const path = join(folder, 'state.json')
    await writeFile(path, text)
    const now = () => new Date('2026-01-02T03:04:05.678Z')
    const result = await updateStateFile(path, counter, zero, addOne, { now })
    const aside = `${path}.unreadable-2026-01-02T03-04-05.678Z`
    if (result.ok) throw new Error('expected an error')
    expect(result.error).toMatchObject({ code: 'storage_failed', details: { aside } })
    expect(result.error.message).toContain(reason)
    expect(await readFile(aside, 'utf8')).toBe(text)

    expect(await updateStateFile(path, counter, zero, addOne)).toMatchObject({ ok: true })
    expect(await readFile(aside, 'utf8')).toBe(text)
  })

  it('never moves a file it merely may not read', async () => {
    const path = join(folder, 'state.json')
    await writeFileAtomically(join(folder, 'x'), '')
    const result = await updateStateFile(folder, counter, zero, addOne)
    expect(result).toMatchObject({ ok: false, error: { code: 'storage_failed' } })
    expect(await readdir(folder)).toEqual(['x'])
    await rm(`${folder}.lock`, { force: true })
    expect(await readStateFile(path, counter, zero)).toEqual({ ok: true, value: zero })
  })

  it('removes drafts that killed writers left, and no other file', async () => {
    const path = join(folder, 'state.json')
    const child = spawn(process.execPath, ['-e', ''])
    await once(child, 'exit')
    const others = [`.state.json.${process.pid}-0123456789ab`, '.state.json.old', 'notes.txt']
    for (const name of [`.state.json.${child.pid}-0123456789ab`, ...others]) {
      await writeFile(join(folder, name), 'x')
    }
    await updateStateFile(path, counter, zero, addOne)
    expect((await readdir(folder)).toSorted()).toEqual(
      [...others, 'state.json', 'state.json.lock'].toSorted(),
    )
  })

  it('writes nothing if nothing changed or the change is invalid', async () => {
    const path = join(folder, 'state.json')
    await updateStateFile(path, counter, zero, (state) => state)
    const bad = await updateStateFile(path, counter, zero, () => ({ count: 0.5 }))
    expect(bad).toMatchObject({ ok: false, error: { code: 'internal' } })
    expect(await readdir(folder)).not.toContain('state.json')
  })

  it('rethrows errors of the change', async () => {
    const result = await updateStateFile(join(folder, 's.json'), counter, zero, () => {
      throw new Error('no way')
    })
    if (result.ok) throw new Error('expected an error')
    expect(result.error.message).toContain('no way')
  })
})

describe('appendJsonLine', () => {
  it('adds whole lines, also from several writers', async () => {
    const path = join(folder, 'log.jsonl')
    const long = 'x'.repeat(200_000)
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => appendJsonLine(path, { index, long })),
    )
    await appendJsonLine(path, 'last', { durable: true })
    const lines = (await readFile(path, 'utf8')).trimEnd().split('\n')
    expect(lines).toHaveLength(21)
    expect(lines.map((line): unknown => JSON.parse(line))).toContainEqual({ index: 7, long })
    expect(lines[20]).toBe('"last"')
  })

  it('leaves the file as it was when the disk fills up within a line', async () => {
    const path = join(folder, 'log.jsonl')
    await appendJsonLine(path, { n: 1 })
    const program = `
      import { appendJsonLine } from './append-json-line.ts'
      try {
        await appendJsonLine(process.argv[1], 'x'.repeat(5000))
      } catch (error) {
        process.stdout.write(error.message)
      }`
    // A limit of 2 KB on file sizes truncates the write like a full disk.
    const limited = [`trap '' XFSZ; ulimit -f 2; exec "$@"`, 'bash', process.execPath]
    const { stdout } = spawnSync(
      'bash',
      ['-c', ...limited, '--input-type=module', '-e', program, path],
      { cwd: import.meta.dirname, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] },
    )
    expect(stdout).toContain('the disk is full: only 2040 of 5003 bytes were written')
    expect(await readFile(path, 'utf8')).toBe('{"n":1}\n')
    await appendJsonLine(path, { n: 2 })
    expect(await readFile(path, 'utf8')).toBe('{"n":1}\n{"n":2}\n')
  })

  it('ends a line that a crash cut short before it adds its own', async () => {
    const path = join(folder, 'log.jsonl')
    await writeFile(path, '{"n":1}\n{"n":2,"te')
    await appendJsonLine(path, { n: 3 })
    expect(await readFile(path, 'utf8')).toBe('{"n":1}\n{"n":2,"te\n{"n":3}\n')
  })

  it('reports what could not be written', async () => {
    await expect(appendJsonLine(join(folder, 'a'), undefined)).rejects.toMatchObject({
      code: 'storage_failed',
    })
    await expect(appendJsonLine(folder, {})).rejects.toMatchObject({ code: 'storage_failed' })
  })
})

describe('removeStaleDrafts', () => {
  const NOW = Date.now()
  const HOUR_MS = 3_600_000
  const put = async (path: string, ageMs: number) => {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, 'half')
    const at = new Date(NOW - ageMs)
    await utimes(path, at, at)
  }
  /** A process that has ended. */
  const deadPid = () => spawnSync(process.execPath, ['-e', '']).pid

  it('removes what killed writers left, wherever it is, and nothing else', async () => {
    const dead = deadPid()
    const left = [`.note.md.${dead}-0123456789ab`, `deep/er/.tasks.json.${dead}-ba9876543210`]
    const kept = [
      `.note.md.${process.pid}-0123456789ab`,
      `.fresh.md.${dead}-0123456789ab`,
      `note.md.${dead}-0123456789ab`,
      '.hidden',
      'note.md',
      `.git/.x.${dead}-0123456789ab`,
    ]
    for (const name of [...left, ...kept]) {
      await put(join(folder, name), name.startsWith('.fresh') ? 0 : HOUR_MS)
    }
    expect(await removeStaleDrafts(folder, NOW)).toBe(left.length)
    expect(left.filter((name) => existsSync(join(folder, name)))).toEqual([])
    expect(kept.filter((name) => !existsSync(join(folder, name)))).toEqual([])
  })

  it('removes the draft of a writer that was killed while it wrote', async () => {
    const program = `
      import { writeFileAtomically } from './write-file-atomically.ts'
      await writeFileAtomically(process.argv[1], 'x', {
        beforeReplace: () => process.kill(process.pid, 'SIGKILL'),
      })`
    spawnSync(process.execPath, ['--input-type=module', '-e', program, join(folder, 'note.md')], {
      cwd: import.meta.dirname,
    })
    expect(await readdir(folder)).toHaveLength(1)
    expect(await removeStaleDrafts(folder, NOW + HOUR_MS)).toBe(1)
    expect(await readdir(folder)).toEqual([])
  })
})
