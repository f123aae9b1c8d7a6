import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createTemporaryHome } from '../testing/temporary-home.ts'
import { type HomeMigration, migrateHome } from './data-version.ts'
import { ensureHome } from './ensure-home.ts'
import { resolveHome } from './home.ts'

let folder: ReturnType<typeof createTemporaryHome>
beforeEach(() => {
  folder = createTemporaryHome()
})
afterEach(() => folder.remove())

const open = async () => {
  const home = resolveHome({ STEWARD_HOME: folder.path }, '/nowhere')
  await ensureHome(home)
  const file = join(home.databases, 'version.json')
  return { home, file, stored: () => JSON.parse(readFileSync(file, 'utf8')) }
}

it('records the version of a new home', async () => {
  const { home, file, stored } = await open()
  expect(existsSync(file)).toBe(false)
  expect(await migrateHome(home)).toEqual({ ok: true, value: 1 })
  expect(stored()).toEqual({ version: 1 })
})

it('migrates step by step, once, and continues after a failure', async () => {
  const { home, stored } = await open()
  const done: string[] = []
  const note =
    (name: string): HomeMigration =>
    async () => {
      done.push(name)
    }
  expect(await migrateHome(home, [note('to 2')])).toEqual({ ok: true, value: 2 })
  let isBroken = true
  const fragile: HomeMigration = async () => {
    if (isBroken) throw new Error('no space')
    done.push('to 3')
  }
  expect((await migrateHome(home, [note('to 2'), fragile])).ok).toBe(false)
  expect(stored()).toEqual({ version: 2 })
  isBroken = false
  expect(await migrateHome(home, [note('to 2'), fragile])).toEqual({ ok: true, value: 3 })
  await migrateHome(home, [note('to 2'), fragile])
  expect(done).toEqual(['to 2', 'to 3'])
})

it('refuses a home of a newer version and leaves it as it is', async () => {
  const { home, file, stored } = await open()
  writeFileSync(file, '{"version": 9}')
  const refused = await migrateHome(home)
  expect(refused.ok ? '' : refused.error.message).toContain('a newer Steward wrote this data home')
  expect(stored()).toEqual({ version: 9 })
})
