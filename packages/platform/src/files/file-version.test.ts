import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createTemporaryHome } from '../testing/index.ts'
import { isNewer, takeVersion, withVersion } from './file-version.ts'
import { readStateFile, updateStateFile, writeStateFile } from './state-file.ts'

let folder: ReturnType<typeof createTemporaryHome>
beforeEach(() => {
  folder = createTemporaryHome()
})
afterEach(() => folder.remove())

const counts = z.record(z.string(), z.number())
const fileWith = (content?: object) => {
  const path = join(folder.path, 'counts.json')
  if (content !== undefined) writeFileSync(path, JSON.stringify(content))
  return { path, stored: (): unknown => JSON.parse(readFileSync(path, 'utf8')) }
}

describe('a file of ours', () => {
  it('has a version in it, which its reader does not see', async () => {
    const { path, stored } = fileWith()
    await writeStateFile(path, { tea: 1 })
    expect(stored()).toEqual({ schemaVersion: 1, tea: 1 })
    await updateStateFile(path, counts, {}, (now) => ({ ...now, cups: 2 }))
    expect(stored()).toEqual({ schemaVersion: 1, tea: 1, cups: 2 })
    expect(await readStateFile(path, counts, {})).toEqual({ ok: true, value: { tea: 1, cups: 2 } })
  })

  it('from before there were versions is read, and gets one when it changes', async () => {
    const { path, stored } = fileWith({ tea: 1 })
    expect(await readStateFile(path, counts, {})).toEqual({ ok: true, value: { tea: 1 } })
    await updateStateFile(path, counts, {}, (now) => ({ ...now, tea: 2 }))
    expect(stored()).toEqual({ schemaVersion: 1, tea: 2 })
  })

  it('of a newer Steward is refused with the reason, and stays as it is', async () => {
    const newer = { schemaVersion: 2, drinks: [{ tea: 1 }] }
    const { path, stored } = fileWith(newer)
    const refused = await updateStateFile(path, counts, {}, () => ({ tea: 9 }))
    expect(refused.ok ? '' : refused.error.message).toContain(
      'a newer Steward wrote it (version 2; this one reads up to 1); update Steward to use it',
    )
    expect((await readStateFile(path, counts, {})).ok).toBe(false)
    expect(stored()).toEqual(newer)
  })

  it('whose form others define gets no version', async () => {
    const { path, stored } = fileWith()
    await updateStateFile(path, counts, {}, () => ({ tea: 1 }), { isForeign: true })
    expect(stored()).toEqual({ tea: 1 })
  })
})

it('a row of a log has a version too', () => {
  const row = withVersion({ tea: 1 })
  expect([isNewer(row), isNewer({ tea: 1 }), isNewer({ ...row, schemaVersion: 2 })]).toEqual([
    false,
    false,
    true,
  ])
  expect(takeVersion(row, 'a.jsonl')).toEqual({ tea: 1 })
})
