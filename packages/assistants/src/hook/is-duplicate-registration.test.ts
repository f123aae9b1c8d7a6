import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { HOSTS, type HostName } from '@steward/contract'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ASSISTANTS, hostFile } from '../assistants.ts'
import { planInstall } from '../install/plan-change.ts'
import type { HookOrigin } from '../registration/hook-program.ts'
import { isDuplicateRegistration } from './is-duplicate-registration.ts'

let homedir: string
beforeEach(() => {
  homedir = mkdtempSync(join(tmpdir(), 'steward-told-'))
})
afterEach(() => rmSync(homedir, { recursive: true, force: true }))

const install = (host: HostName, project?: string, origin?: HookOrigin): string => {
  const path = hostFile(host, { env: {}, homedir, ...(project === undefined ? {} : { project }) })
  const program = { node: '/n', file: '/o/steward-hook.mjs', ...(origin ? { origin } : {}) }
  const { after = '' } = planInstall(host, path, undefined, program)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, after)
  return path
}
const asked = (host: HostName, event: string, origin?: HookOrigin, payload: unknown = {}) =>
  isDuplicateRegistration({ host, event, ...(origin ? { origin } : {}) }, payload, {
    env: {},
    homedir,
  })

describe('isDuplicateRegistration', () => {
  it.each(HOSTS)("%s: the person's settings report, and a project yields to them", (host) => {
    const event = ASSISTANTS[host].hooks[0]?.event ?? ''
    expect(asked(host, event, 'project')).toBe(false)
    install(host)
    expect(asked(host, event)).toBe(false)
    expect(asked(host, event, 'project')).toBe(true)
    if (host !== 'opencode') expect(asked(host, 'Unheard', 'project')).toBe(false)
  })

  it('a plugin leaves it to the settings, of the person or the project, event by event', () => {
    const project = join(homedir, 'site')
    install('claude', project, 'project')
    expect(asked('claude', 'Stop', 'plugin')).toBe(false)
    expect(asked('claude', 'Stop', 'plugin', { cwd: project })).toBe(true)
    expect(asked('claude', 'PreCompact', 'plugin', { cwd: project })).toBe(false)
  })

  it('a guard is left only to a guard', () => {
    const path = install('claude')
    const guard = { host: 'claude', event: 'PreToolUse', origin: 'plugin', guard: true } as const
    const own = { env: {}, homedir }
    expect(isDuplicateRegistration(guard, {}, own)).toBe(true)
    expect(asked('claude', 'PreToolUse', 'plugin')).toBe(false)
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll('--guard', '--other'))
    expect(isDuplicateRegistration(guard, {}, own)).toBe(false)
  })

  it('a project that is the home folder does not leave it to itself', () => {
    install('codex', homedir, 'project')
    expect(asked('codex', 'Stop', 'project')).toBe(false)
  })

  it("events of Cursor, which also runs Claude Code's hooks, are reported by its own", () => {
    const payload = { cursor_version: '2.0.0' }
    expect(asked('claude', 'PostToolUse', undefined, payload)).toBe(false)
    install('cursor')
    expect(asked('claude', 'PostToolUse', undefined, payload)).toBe(true)
    expect(asked('claude', 'PostToolUse')).toBe(false)
  })

  it('unparseable settings prove nothing', () => {
    writeFileSync(install('claude'), '{"hooks": steward-hook.mjs')
    expect(asked('claude', 'Stop', 'plugin', 7)).toBe(false)
  })
})
