import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ensureHome } from './ensure-home.ts'
import { resolveHome } from './home.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'steward-home-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const modeOf = async (path: string) => (await stat(path)).mode & 0o777

describe('resolveHome', () => {
  it('is ~/.steward unless STEWARD_HOME is set', () => {
    expect(resolveHome({}, '/home/ada').root).toBe('/home/ada/.steward')
    expect(resolveHome({ STEWARD_HOME: '' }, '/home/ada').root).toBe('/home/ada/.steward')
    expect(resolveHome({ STEWARD_HOME: '/data/x' }, '/home/ada').root).toBe('/data/x')
    expect(resolveHome({ STEWARD_HOME: '~/x' }, '/home/ada').root).toBe('/home/ada/x')
  })

  it('keeps the names that others rely on', () => {
    const home = resolveHome({ STEWARD_HOME: '/h' }, '/home/ada')
    expect(home).toMatchObject({
      settings: '/h/settings.json',
      envFile: '/h/.env',
      token: '/h/token',
      flowState: '/h/MEMORY/STATE/flow-state.json',
      workState: '/h/MEMORY/STATE/work.json',
      output: '/h/OUTPUT',
      user: { actions: '/h/USER/ACTIONS', pipelines: '/h/USER/PIPELINES', flows: '/h/USER/FLOWS' },
    })
  })
})

describe('ensureHome', () => {
  it('makes a private home with a private token, and leaves both alone the next time', async () => {
    const home = resolveHome({ STEWARD_HOME: join(folder, 'new') })
    expect(await ensureHome(home)).toEqual({ ok: true, value: home })
    const token = await readFile(home.token, 'utf8')
    expect(token).toMatch(/^[0-9a-f]{64}\n$/)
    expect(await modeOf(home.root)).toBe(0o700)
    expect(await modeOf(home.token)).toBe(0o600)

    await ensureHome(home)
    expect(await readFile(home.token, 'utf8')).toBe(token)
  })

  it('closes a token that others could read, and keeps the mode of an existing home', async () => {
    const home = resolveHome({ STEWARD_HOME: folder })
    await chmod(folder, 0o755)
    await writeFile(home.token, 'mine\n', { mode: 0o644 })
    await ensureHome(home)
    expect(await modeOf(home.token)).toBe(0o600)
    expect(await readFile(home.token, 'utf8')).toBe('mine\n')
    expect(await modeOf(folder)).toBe(0o755)
  })

  it('names the path that is in the way', async () => {
    await writeFile(join(folder, 'file'), '')
    const home = resolveHome({ STEWARD_HOME: join(folder, 'file', 'home') })
    const result = await ensureHome(home)
    expect(result).toMatchObject({ ok: false, error: { code: 'storage_failed' } })
    if (!result.ok) expect(result.error.message).toContain('a part of the path is a file')
  })
})
