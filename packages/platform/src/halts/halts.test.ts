import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ensureHome } from '../home/ensure-home.ts'
import { type Home, resolveHome } from '../home/home.ts'
import { haltsPath, liftHalt, readHalts, writeHalt } from './halts.ts'

let home: Home
beforeEach(async () => {
  home = resolveHome({ STEWARD_HOME: mkdtempSync(join(tmpdir(), 'steward-halts-')) })
  await ensureHome(home)
})
afterEach(() => rmSync(home.root, { recursive: true, force: true }))

const halt = (session_id: string, reason = 'it drifted') => ({
  session_id,
  reason,
  at: '2026-03-01T10:00:00.000Z',
  by: 'observers',
})

it('keeps halts until they are lifted, whatever a session is called', async () => {
  expect(await readHalts(home)).toEqual({ ok: true, value: [] })
  await Promise.all(['s1', '__proto__', ''].map((id) => writeHalt(home, halt(id))))
  await writeHalt(home, halt('s1', 'another reason'))
  const read = await readHalts(home)
  expect(read.ok && read.value.map(({ session_id }) => session_id).sort()).toEqual([
    '',
    '__proto__',
    's1',
  ])
  expect(read.ok && read.value.every(({ reason }) => reason === 'it drifted')).toBe(true)
  await liftHalt(home, '__proto__')
  await liftHalt(home, 'nobody')
  const left = await readHalts(home)
  expect(left.ok && left.value.map(({ session_id }) => session_id).sort()).toEqual(['', 's1'])
})

it('reports an invalid file, and never treats it as empty', async () => {
  writeFileSync(haltsPath(home), '{"halts": 3}')
  expect(await readHalts(home)).toMatchObject({ ok: false, error: { code: 'invalid_definition' } })
  expect(await writeHalt(home, halt('s'))).toMatchObject({ ok: false })
})
